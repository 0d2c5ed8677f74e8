import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { markup, written } from "./markup.ts"
import { reportSheet } from "./reportSheet.ts"
import type { Markup } from "./markup.ts"
import type { PageParts } from "./pageParts.ts"

/** A recording to look at, and what it is called where there are several. */
export interface TitledRecording {
  readonly title: string
  /** As the cluster has written it, an entry a line. */
  readonly text: string
}

/**
 * The page that `charthouse up` serves in one file, with recordings to show instead of a living cluster, and with a
 * report that is read without a script and when printed. It fetches nothing, and the same gives the same bytes with one
 * Node.
 *
 *   <div id="page">                                       where the page's script draws
 *   <section id="report">                                 the report, if there is one
 *   <script type="application/vnd.charthouse.recording">  recordings, packed: whatever is in them, it is no markup
 *   <template data-chart="pod">                           the charts, drawn
 */
export const pageFile = (options: {
  readonly title: string
  /** Of the program that writes it. */
  readonly version: string
  readonly report?: Markup
  readonly recordings: ReadonlyArray<TitledRecording>
  readonly parts: PageParts
}): string => {
  const { title, version, report, recordings, parts } = options
  // Where there is nothing to watch, nothing runs.
  const script = recordings.length === 0 ? "" : insideScript(parts.script)
  const sheets = [parts.style, ...(report === undefined ? [] : [reportSheet])].map(insideStyle)
  const head = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policyOf(script, sheets)}">
<meta name="generator" content="charthouse ${version}">
<title>${title}</title>
<link rel="icon" href="data:,">
`
  const body = markup`</head>
<body>
<div id="page"></div>
${report === undefined ? undefined : markup`<section id="report">${report}</section>\n`}`
  return [
    written(head),
    ...sheets.map((sheet) => `<style>${sheet}</style>\n`),
    written(body),
    ...recordings.map(recordingElement),
    ...(script === ""
      ? []
      : [...parts.charts.map(chartElement), `<script type="module">${script}</script>\n`]),
    "</body>\n</html>\n"
  ].join("")
}

/** What the page may do: run this script and no other, look as these sheets say, and ask nobody for anything. */
const policyOf = (script: string, sheets: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    `script-src ${script === "" ? "'none'" : hashOf(script)}`,
    `style-src ${sheets.map(hashOf).join(" ")}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")

/** Source: Content Security Policy Level 3, section 2.3.1 (hash-source). */
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const recordingElement = ({ title, text }: TitledRecording): string => {
  const begin = markup`<script type="application/vnd.charthouse.recording" data-title="${title}">`
  return `${written(begin)}${packed(text)}</script>\n`
}

/** Where a packed text names the system it was made on. */
const systemPlace = 9
const unknownSystem = 255

/**
 * The same text is the same with one Node, whatever system that runs on.
 *
 * Source: RFC 1952, section 2.3.1 (OS).
 */
const packed = (text: string): string => {
  const bytes = gzipSync(text, { level: 9 })
  bytes[systemPlace] = unknownSystem
  return bytes.toString("base64")
}

/** The page's own sheet has the rules of the drawings, and the policy lets no other in. */
const chartElement = ({ name, svg }: PageParts["charts"][number]): string =>
  `${written(markup`<template data-chart="${name}">`)}${svg.trim().replace(/<style>[^<]*<\/style>/, "")}</template>\n`

/**
 * Text as a parser of HTML gives it back, which is what a hash is made of, and in which nothing ends the element.
 *
 * Source: HTML Living Standard, sections 4.12.1.3 (restrictions for contents of script elements) and 13.2.3.5.
 */
const insideScript = (text: string): string =>
  text.replaceAll(/\r\n?/g, "\n").replaceAll(/<(?=!--|\/script)/gi, "\\x3C")

const insideStyle = (text: string): string =>
  text.replaceAll(/\r\n?/g, "\n").replaceAll(/<(?=\/style)/gi, "\\3C ")
