import { mkdirSync, writeFileSync } from "node:fs"
import { chartOf, chartsOf } from "../src/inspect/charts/charts.ts"

/** Draws every chart into a folder, `dist/charts` unless another is named: laying one out takes a package that is not shipped. */
const [folder = "dist/charts"] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
for (const chart of chartsOf()) writeFileSync(`${folder}/${chart.name}.svg`, await chartOf(chart, "svg"))
