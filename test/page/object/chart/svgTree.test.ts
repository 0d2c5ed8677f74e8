import { describe, expect, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseSvgTree } from "../../../../src/page/object/chart/svgTree.ts"
import { projectPath } from "../../../projectPath.ts"
import type { SvgTree } from "../../../../src/page/object/chart/svgTree.ts"

const svg = (children: string, attributes = ""): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${children}</svg>`

const root = (...children: SvgTree["children"]): SvgTree => ({ name: "svg", attributes: {}, children })
const element = (
  name: string,
  attributes: SvgTree["attributes"] = {},
  ...children: SvgTree["children"]
): SvgTree => ({ name, attributes, children })

describe("the SVG tree of a chart", () => {
  it.each([
    {
      why: "event handlers",
      text: svg('<rect x="1" onclick="hurt()" ONCLICK="hurt()" onfocus="hurt()"/>', 'onload="hurt()"'),
      children: [element("rect", { x: "1" })]
    },
    { why: "a script", text: svg("<script>hurt()</script><SCRIPT>hurt()</SCRIPT>"), children: [] },
    {
      why: "a link that runs a script",
      text: svg('<a href="javascript:hurt()"><text>out</text></a>'),
      children: []
    },
    {
      why: "HTML in a foreignObject, including allowed elements",
      text: svg('<foreignObject><div xmlns="http://www.w3.org/1999/xhtml"><g/></div></foreignObject><g/>'),
      children: [element("g")]
    },
    {
      why: "external images",
      text: svg('<use href="https://evil.example/x#y"/><image href="https://evil.example/x.png"/>'),
      children: []
    },
    {
      why: "an animation that writes an attribute",
      text: svg('<rect><set attributeName="onclick" to="hurt()"/><animate attributeName="href"/></rect>'),
      children: [element("rect")]
    },
    {
      why: "style sheets, and styles that fetch",
      text: svg(
        '<style>@import "https://evil.example/x"</style>' +
          '<rect style="fill: url(https://evil.example/x)" fill="\\75rl(https://evil.example/x)" rx="2"/>'
      ),
      children: [element("rect", { rx: "2" })]
    },
    {
      why: "ids, which become globals of the window",
      text: svg('<g id="page" data-testid="said" data-state="a"/>'),
      children: [element("g", { "data-state": "a" })]
    },
    {
      why: "elements with prefixes or foreign namespaces",
      text: svg(
        '<svg:script xmlns:svg="http://www.w3.org/2000/svg">hurt()</svg:script><a xlink:href="x" xmlns:xlink="x"/>' +
          '<g xmlns="http://www.w3.org/1999/xhtml" xlink:href="x" xml:base="https://evil.example"/>'
      ),
      children: [element("g")]
    },
    {
      why: "processing instructions, comments and the XML declaration",
      text: `<?xml version="1.0"?><?xml-stylesheet href="https://evil.example/x"?>${svg("<!-- <script/> --><g/>")}`,
      children: [element("g")]
    }
  ])("leaves out $why", ({ text, children }) => {
    expect(parseSvgTree(text)).toEqual(root(...children))
  })

  it("keeps markup in CDATA and in character references as text", () => {
    const text = "<text>&lt;script&gt;&#60;b&#x3E;<![CDATA[<img onerror='hurt()'>]]></text>"
    const title = '<title>a &amp; b</title><g data-guard="&quot;&lt;x"/>'
    expect(parseSvgTree(svg(text + title))).toEqual(
      root(
        element("text", {}, "<script><b>", "<img onerror='hurt()'>"),
        element("title", {}, "a & b"),
        element("g", { "data-guard": '"<x' })
      )
    )
  })

  const bomb = '<!DOCTYPE svg [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
  it.each([
    { why: "a document type that defines entities", text: `${bomb}${svg("<text>&b;</text>")}` },
    { why: "an external document type", text: `<!DOCTYPE svg SYSTEM "https://evil.example/x">${svg("")}` },
    { why: "an entity that XML does not define", text: svg("<text>&nbsp;</text>") },
    { why: "an element that is not closed", text: svg("<g>") },
    { why: "HTML's attributes without quotes", text: svg("<rect x=1 onclick=hurt() />") },
    { why: "another element around it", text: `<html>${svg("")}</html>` },
    { why: "another element after it", text: svg("") + svg("") },
    { why: "an svg element with a prefix", text: '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>' },
    { why: "no element", text: "" },
    { why: "only text", text: "hello" },
    { why: "100,000 nested elements", text: svg("<g>".repeat(100_000)) },
    { why: "100,000 nested unknown elements", text: svg("<x>".repeat(100_000)) }
  ])("is refused if the text has $why", ({ text }) => {
    expect(() => parseSvgTree(text)).toThrow(SyntaxError)
  })

  const charts = projectPath("machines/charts")
  const drawings = readdirSync(charts).filter((name) => name.endsWith(".svg"))

  it.each(drawings)("keeps all of %s except its style sheet", (name) => {
    const text = readFileSync(resolve(charts, name), "utf8")
    const expected = text
      .trim()
      .replace(/<style>[^<]*<\/style>/, "")
      .replace(' xmlns="http://www.w3.org/2000/svg"', "")
    expect(serialize(parseSvgTree(text))).toBe(expected)
  })
})

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;")

const serialize = ({ name, attributes, children }: SvgTree): string => {
  const attributeTexts = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const content = children.map((it) => (typeof it === "string" ? escaped(it) : serialize(it))).join("")
  return content === ""
    ? `<${name}${attributeTexts.join("")}/>`
    : `<${name}${attributeTexts.join("")}>${content}</${name}>`
}
