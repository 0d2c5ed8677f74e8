import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { build } from "esbuild"
import { chartStyle } from "../src/inspect/charts/chartStyle.ts"
import { chartOf, chartsOf } from "../src/inspect/charts/charts.ts"
import { embedFile, lazyImport } from "./embedFile.ts"

/**
 * Writes the page's files as modules (`src/generated/page`) with an index (`embeddedPage.ts`): its scripts, the same as
 * one script for reports, one style sheet, the document, and the drawn charts. Drawing needs elkjs, which is not
 * shipped.
 */
const folder = "src/generated"
rmSync(`${folder}/page`, { recursive: true, force: true })

const embed = (file: string, content: string | Uint8Array): string => {
  embedFile(`${folder}/page/${file}.ts`, content)
  return lazyImport(`./page/${file}.ts`)
}

const options = {
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  logLevel: "warning",
  entryPoints: { page: "src/page/main.tsx" },
  outdir: folder,
  tsconfig: "src/page/tsconfig.json",
  write: false,
  minify: true,
  legalComments: "eof"
} as const
// What the first view does not need is loaded after it.
const served = await build({ ...options, splitting: true, chunkNames: "page-[hash]" })
const scripts = served.outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
// A report is one file, and its page one script.
const [whole] = (await build(options)).outputFiles
if (whole === undefined) throw new Error("the page's script was not built")
// Rules for narrow windows and for paper come after the rules that they override.
const sheets = [
  "page.css",
  "fleet/fleet.css",
  "object/object.css",
  "story/story.css",
  "palette/palette.css",
  "narrow.css",
  "timeline/timeline.css"
].map((path) => readFileSync(`src/page/${path}`, "utf8"))

const charts = await Promise.all(
  chartsOf().map(
    async (chart) => `    ${chart.name}: ${embed(`${chart.name}.svg`, await chartOf(chart, "svg"))}`
  )
)
writeFileSync(
  `${folder}/embeddedPage.ts`,
  `type LoadFile = () => Promise<{ readonly gzippedBase64: string }>

export const embeddedPage: {
  readonly document: LoadFile
  /** The scripts of a served page by name, \`page.js\` first. */
  readonly scripts: Readonly<Record<string, LoadFile>>
  /** All scripts in one. */
  readonly script: LoadFile
  readonly style: LoadFile
  readonly charts: Readonly<Record<string, LoadFile>>
} = {
  document: ${embed("index.html", readFileSync("src/page/index.html"))},
  scripts: {
${scripts.map(({ name, contents }) => `    "${name}": ${embed(name, contents)}`).join(",\n")}
  },
  script: ${embed("whole.js", whole.contents)},
  style: ${embed("page.css", `${sheets.join("")}${chartStyle}`)},
  charts: {
${charts.join(",\n")}
  }
}
`
)
