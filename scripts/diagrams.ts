import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { chartOf, chartsOf } from "../src/inspect/charts/charts.ts"
import { chartTree, statesWithin } from "../src/inspect/charts/chartTree.ts"
import { withoutStrategyName } from "../src/inspect/charts/chartNames.ts"
import type { AnyStateNode } from "xstate"
import type { Chart } from "../src/inspect/charts/charts.ts"

/**
 * Rewrites the generated parts of `machines/README.md` (diagrams, between `<!-- diagram: NAME -->` and `<!-- /diagram
 * -->`, and listings, between `<!-- listing: PATH -->` and `<!-- /listing -->`) and its drawings in `machines/charts`.
 * With `--check` it writes nothing and exits with 1 when something is stale. Another file may be named instead, without
 * the drawings.
 */
const charts = new Map(chartsOf().map((chart) => [chart.name, chart]))

const diagrams = /<!-- diagram: (\w+) -->\n[\s\S]*?<!-- \/diagram -->/g
const listings = /<!-- listing: (\S+) -->\n[\s\S]*?<!-- \/listing -->/g

/** Listings import from the sources, programs from the package. */
const libraryImport = /from "(?:\.\.\/)+src\/(\w+)\.ts"/g

const regenerate = (text: string): string =>
  text
    .replace(diagrams, (_block, name: string) => {
      const chart = charts.get(name)
      if (chart === undefined) throw new Error(`no chart is called ${name}`)
      return [`<!-- diagram: ${name} -->`, ...diagramOf(chart), "<!-- /diagram -->"].join("\n")
    })
    .replace(listings, (_block, path: string) => {
      const source = readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8").trimEnd()
      const listing = source.replaceAll(libraryImport, 'from "charthouse/$1"')
      return [`<!-- listing: ${path} -->`, "```ts", listing, "```", "<!-- /listing -->"].join("\n")
    })

/** The drawing, and the chart as text, in which changes are readable. */
const diagramOf = (chart: Chart): ReadonlyArray<string> => {
  const drawing = `charts/${chart.name}.svg`
  return [
    `[![The chart ${chart.name}](${drawing})](${drawing})`,
    "",
    "<details><summary>In words</summary>",
    "",
    "```mermaid",
    chartOf(chart, "mermaid").trimEnd(),
    "```",
    ...stateTable(chart.root),
    ...guardTable(chart.root),
    "",
    "</details>"
  ]
}

const stateTable = (chart: AnyStateNode): ReadonlyArray<string> => {
  const describedStates = nodesUnder(chart).filter(({ description }) => description !== undefined)
  if (describedStates.length === 0) return []
  const rows = describedStates.map((node) => {
    const path = node.path.slice(chart.path.length).join(".")
    return `| \`${path}\` | ${node.description} |`
  })
  return ["", "| state | what goes on |", "|---|---|", ...rows]
}

const guardTable = (chart: AnyStateNode): ReadonlyArray<string> => {
  const branches = statesWithin(chartTree(chart)).flatMap(({ handlers }) =>
    handlers.flatMap((it) => it.branches)
  )
  const meaningByGuard = new Map(
    branches.flatMap(({ guard, guardDescription: meaning }) =>
      guard === undefined ? [] : [[withoutStrategyName(guard), meaning] as const]
    )
  )
  if (meaningByGuard.size === 0) return []
  return ["", "| guard | holds when |", "|---|---|", ...Array.from(meaningByGuard, rowOf)]
}

const rowOf = ([guard, meaning = ""]: readonly [string, string | undefined]): string =>
  `| \`${guard}\` | ${meaning} |`

const nodesUnder = (node: AnyStateNode): ReadonlyArray<AnyStateNode> =>
  Object.values(node.states).flatMap((child: AnyStateNode) => [child, ...nodesUnder(child)])

const [givenPath] = process.argv.slice(2).filter((argument) => argument !== "--check")
const folder = fileURLToPath(new URL("../machines/", import.meta.url))
const readme = `${folder}README.md`
const path = givenPath ?? readme

const wanted = new Map([[path, regenerate(readFileSync(path, "utf8"))]])
if (path === readme) {
  for (const chart of charts.values()) {
    wanted.set(`${folder}charts/${chart.name}.svg`, await chartOf(chart, "svg"))
  }
}

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

mkdirSync(`${folder}charts`, { recursive: true })
for (const [file, text] of wanted) {
  if (!process.argv.includes("--check")) writeFileSync(file, text)
  else if (textOf(file) !== text) {
    console.error(`${file} is stale: run node scripts/diagrams.ts`)
    process.exitCode = 1
  }
}
