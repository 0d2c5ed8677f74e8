import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { markup, htmlTextOf } from "./markup.ts"
import { reportStyles } from "./reportStyles.ts"
import type { HtmlMarkup } from "./markup.ts"
import type { PageAssets } from "./pageAssets.ts"

export interface TitledRecording {
  readonly title: string
  readonly text: string
}

/**
 * The page as one file that requests nothing, with recordings and a report. The same input gives the same bytes with
 * the same Node.
 */
export const pageFile = (options: {
  readonly title: string
  readonly version: string
  readonly report?: HtmlMarkup
  readonly recordings: ReadonlyArray<TitledRecording>
  readonly pageAssets: PageAssets
}): string => {
  const { title, version, report, recordings, pageAssets } = options
  const script = recordings.length === 0 ? "" : toScriptContent(pageAssets.script)
  const sheets = [pageAssets.style, ...(report === undefined ? [] : [reportStyles])].map(toStyleContent)
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
    htmlTextOf(head),
    ...sheets.map((sheet) => `<style>${sheet}</style>\n`),
    htmlTextOf(body),
    ...recordings.map(recordingElement),
    ...(script === ""
      ? []
      : [...pageAssets.charts.map(chartElement), `<script type="module">${script}</script>\n`]),
    "</body>\n</html>\n"
  ].join("")
}

/** Allows only this script and these style sheets, and no requests. */
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
  return `${htmlTextOf(begin)}${compress(text)}</script>\n`
}

const gzipSystemByte = 9
const unknownSystem = 255

/** Compresses without the name of the operating system, for equal bytes. Source: RFC 1952, section 2.3.1 (OS). */
const compress = (text: string): string => {
  const bytes = gzipSync(text, { level: 9 })
  bytes[gzipSystemByte] = unknownSystem
  return bytes.toString("base64")
}

/** The page's style sheet has the charts' rules, and the policy forbids other sheets. */
const chartElement = ({ name, svg }: PageAssets["charts"][number]): string =>
  `${htmlTextOf(markup`<template data-chart="${name}">`)}${svg.trim().replace(/<style>[^<]*<\/style>/, "")}</template>\n`

/**
 * The hash is of the text as an HTML parser reads it. Source: HTML Living Standard, sections 4.12.1.3 (restrictions for
 * contents of script elements) and 13.2.3.5.
 */
const toScriptContent = (text: string): string =>
  text.replaceAll(/\r\n?/g, "\n").replaceAll(/<(?=!--|\/script)/gi, "\\x3C")

const toStyleContent = (text: string): string =>
  text.replaceAll(/\r\n?/g, "\n").replaceAll(/<(?=\/style)/gi, "\\3C ")
