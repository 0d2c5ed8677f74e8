import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { markup } from "../../src/reports/markup.ts"
import { pageFile } from "../../src/reports/pageFile.ts"
import { loadPageAssets } from "../../src/reports/pageAssets.ts"
import { omitLongRecordings } from "../../src/reports/reportPage.ts"
import { projectPath } from "../projectPath.ts"
import { samplePageAssets } from "./sampleRuns.ts"
import type { TitledRecording } from "../../src/reports/pageFile.ts"

const fileOf = (changes: Partial<Parameters<typeof pageFile>[0]> = {}): string =>
  pageFile({
    title: "lostNode",
    version: "0.1.0",
    report: markup`<h1>lostNode</h1>`,
    recordings: [{ title: "seed 7", text: '{"type":"header"}\n' }],
    pageAssets: samplePageAssets,
    ...changes
  })

const contents = (file: string, element: RegExp): ReadonlyArray<string> =>
  [...file.matchAll(element)].map(([, text = ""]) => text)
const scriptsOf = (file: string) => contents(file, /<script type="module">([^]*?)<\/script>/gi)
const stylesOf = (file: string) => contents(file, /<style>([^]*?)<\/style>/gi)
const gzippedOf = (file: string) =>
  contents(file, /<script type="application\/vnd.charthouse.recording"[^>]*>([^]*?)<\/script>/g)
const textsOf = (file: string) =>
  gzippedOf(file).map((text) => gunzipSync(Buffer.from(text, "base64")).toString())
const policyOf = (file: string): string =>
  (/Content-Security-Policy" content="([^"]*)"/.exec(file)?.[1] ?? "").replaceAll("&#39;", "'")
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const hostile = [
  `</script><script>alert(1)</script>`,
  `<!--<script>`,
  `"'><img src=x onerror=alert(1)>`,
  `\u2028\u2029\u0000\u{D800}`,
  `</template></section></style>`
]

describe("a self-contained page", () => {
  it("allows only its own script and style sheets, by hash", () => {
    const file = fileOf()
    const [script = "", ...others] = scriptsOf(file)
    expect(others).toEqual([])
    const styles = stylesOf(file)
    expect(styles).toHaveLength(2)
    expect(policyOf(file).split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(script)}`,
      `style-src ${styles.map(hashOf).join(" ")}`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'"
    ])
  })

  it("holds the recordings unchanged, with their titles, and the charts without style sheets", () => {
    const recordings = [
      { title: "seed 7", text: "one\n" },
      { title: "seed 8", text: "two ✓\n" }
    ]
    const file = fileOf({ recordings })
    expect(textsOf(file)).toEqual(["one\n", "two ✓\n"])
    expect(contents(file, /data-title="([^"]*)"/g)).toEqual(["seed 7", "seed 8"])
    expect(file).toContain(`<template data-chart="pod"><svg><g/></svg></template>`)
  })

  it("has no report section and no style sheet for it without a report", () => {
    const { report: _report, ...bare } = {
      title: "x",
      version: "1",
      recordings: [],
      pageAssets: samplePageAssets,
      report: undefined
    }
    const file = pageFile(bare)
    expect(file).not.toContain("#report")
    expect(file).not.toContain(`id="report"`)
    expect(policyOf(file)).toContain(`style-src ${hashOf(samplePageAssets.style)};`)
  })

  it("has no script without recordings", () => {
    const file = fileOf({ recordings: [] })
    expect(policyOf(file)).toContain("script-src 'none';")
    expect(file).not.toContain("<script")
    expect(file).toContain("<h1>lostNode</h1>")
  })

  it("has the same bytes for the same input, on every system", () => {
    expect(fileOf()).toBe(fileOf())
    const [packed = ""] = gzippedOf(fileOf())
    // The gzip header has no time and an unknown system.
    expect([...Buffer.from(packed, "base64").subarray(4, 10)]).toEqual([0, 0, 0, 0, 2, 255])
  })

  it.for(hostile)("shows any text as text: %j", (text) => {
    const recordings: ReadonlyArray<TitledRecording> = [{ title: text, text: `${text}\n` }]
    const file = fileOf({ title: text, version: text, recordings })
    const tags = (page: string): ReadonlyArray<string> => page.match(/<[!/]?[a-z-][^\s>]*/gi) ?? []
    expect(tags(file)).toEqual(tags(fileOf()))
    expect(textsOf(file)).toEqual([`${text.toWellFormed()}\n`])
  })

  it("escapes end tags in its script and style sheet", () => {
    const script = `const end = "</script>", comment = "<!--", less = 1 < 2\r\n`
    const file = fileOf({
      pageAssets: { ...samplePageAssets, script, style: `a::before { content: "</style>" }` }
    })
    const [writtenScript = ""] = scriptsOf(file)
    expect(writtenScript).toBe(`const end = "\\x3C/script>", comment = "\\x3C!--", less = 1 < 2\n`)
    expect(stylesOf(file)[0]).toBe(`a::before { content: "\\3C /style>" }`)
    expect(policyOf(file)).toContain(hashOf(writtenScript))
  })
})

describe("the assets of a page", () => {
  it("are the script, the style sheet and the drawn charts by name", async () => {
    const { script, style, charts } = await loadPageAssets()
    expect(script).toContain("addEventListener")
    expect(style).toContain("#page")
    const drawings = readdirSync(projectPath("machines/charts"))
    expect(charts).toEqual(
      drawings.map((name) => ({
        name: name.replace(/\.svg$/, ""),
        svg: readFileSync(projectPath(`machines/charts/${name}`), "utf8")
      }))
    )
  })
})

describe("the size limit of a page", () => {
  it("leaves out a recording that is too long, and reports one that begins late", () => {
    const most = "x".repeat(64 * 1024 * 1024)
    const long = { title: "seed 9", text: `${most}x`, hasBeginning: true }
    const full = { title: "seed 6", text: most, hasBeginning: true }
    expect(omitLongRecordings([full]).leftOutTexts).toEqual([])
    const late = { title: "seed 8", text: "y", hasBeginning: false }
    const whole = { title: "seed 7", text: "z", hasBeginning: true }
    expect(omitLongRecordings([long, late, whole])).toEqual({
      recordings: [
        { title: "seed 8", text: "y" },
        { title: "seed 7", text: "z" }
      ],
      leftOutTexts: [
        "Not recorded here: seed 9; with 64 MB it is too long for a page.",
        "The recording of seed 8 begins late: the whole of it is too long for a page."
      ]
    })
  })
})
