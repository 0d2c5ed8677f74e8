import * as Effect from "effect/Effect"
import { findActorKind } from "../../../machines/actorKinds.ts"
import { embeddedPage } from "../../generated/embeddedPage.ts"
import { readEmbeddedFile } from "../../platform/embeddedFile.ts"
import { CannotDraw, chartOf } from "../../inspect/charts/charts.ts"
import { chartJson } from "../../inspect/charts/chartJson.ts"
import { chartsWith } from "../../inspect/charts/customStrategies.ts"
import { reportBadInput } from "../input/badInput.ts"
import { loadStrategies, noStrategies } from "../input/loadStrategies.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { printData, printLines } from "../terminal/terminal.ts"
import { tableLines } from "../terminal/tableLines.ts"
import type { Chart, ChartFormat } from "../../inspect/charts/charts.ts"
import type { CustomStrategies } from "../../inspect/charts/customStrategies.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

interface ChartRequest {
  readonly name: string | undefined
  readonly format: ChartFormat | undefined
}

export const printChart = ({
  strategies,
  ...request
}: ChartRequest & { readonly strategies?: string | undefined }): Effect.Effect<ExitCode> =>
  loadStrategies(strategies).pipe(
    Effect.flatMap((custom) => Effect.promise(() => printChartOf(request, custom))),
    reportBadInput
  )

const printChartOf = async ({ name, format }: ChartRequest, custom: CustomStrategies): Promise<ExitCode> => {
  try {
    const charts = chartsWith(custom)
    const names = charts.map((chart) => chart.name).join(", ")
    if (name === undefined) {
      if (format === undefined) printLines(chartTableLines(charts))
      else if (format === "json") printData(`${JSON.stringify(chartsJson(charts), undefined, 2)}\n`)
      else return refuseCommand(`error: which chart? There are ${names}, and only -o json takes all of them`)
      return 0
    }
    const chart = charts.find((it) => isNamed(it, name))
    if (chart === undefined) {
      return refuseCommand(`error: no chart is called ${JSON.stringify(name)}; there are ${names}`)
    }
    if (format === "svg") {
      // The build has drawn only charts without custom strategies.
      const prebuiltSvg = custom === noStrategies ? await loadPrebuiltSvg(chart) : undefined
      printData(prebuiltSvg ?? (await chartOf(chart, format)))
    } else printData(chartOf(chart, format ?? "mermaid"))
    return 0
  } catch (error) {
    if (error instanceof CannotDraw) return refuseCommand(`error: ${error.message}`)
    throw error
  }
}

/** Accepts kubectl's short names, such as `deploy`. */
const isNamed = (chart: Chart, name: string): boolean =>
  chart.name.toLowerCase() === (findActorKind(name)?.chart ?? name).toLowerCase()

const chartTableLines = (charts: ReadonlyArray<Chart>): ReadonlyArray<string> =>
  tableLines([["NAME", "ABOUT"], ...charts.map(({ name, about }) => [name, about])])

const chartsJson = (charts: ReadonlyArray<Chart>): object =>
  Object.fromEntries(charts.map(({ name, root }) => [name, chartJson(root)]))

const loadPrebuiltSvg = async ({ name }: Chart): Promise<string | undefined> => {
  const load = embeddedPage.charts[name]
  return load === undefined ? undefined : (await readEmbeddedFile(load)).plain.toString()
}
