import * as Effect from "effect/Effect"
import { failsPlan } from "../../../reports/plan/planReport.ts"
import { joinEscapedLines } from "../../../kubernetes/meta/text/escapeControls.ts"
import { loadPageAssets } from "../../../reports/pageAssets.ts"
import { outputPalette, printLines } from "../../terminal/terminal.ts"
import { plainPalette } from "../../terminal/palette.ts"
import { packageVersion } from "../../../generated/packageVersion.ts"
import { planJson } from "./planJson.ts"
import { planLines } from "./planLines.ts"
import { byVerdict } from "../../../plan/verdicts/verdict.ts"
import { refusedLines } from "./verdictLines.ts"
import { workloadIdOf } from "../../../plan/workloads.ts"
import { reportedRefusals, workloadPlaces } from "../workloadPlaces.ts"
import { judgeEnvironment } from "../judgeEnvironment.ts"
import { writeOutput } from "./planOutputs.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { ExitCode } from "../../terminal/exitCode.ts"
import type { PlanReport } from "../../../reports/plan/planReport.ts"
import type { ManifestsRefused } from "../../../manifests/manifestsRefused.ts"
import type { Palette } from "../../terminal/palette.ts"
import type { JudgedEnvironment, PlayedEnvironment } from "../judgeEnvironment.ts"
import type { PlanOutput } from "./planFormats.ts"
import type { PlanRequest } from "../readPlanRequest.ts"
import type { RolloutPlan } from "../../../plan/summarizePlan.ts"

interface ReportOptions {
  readonly outputs: ReadonlyArray<PlanOutput>
  readonly seeds: ReadonlyArray<number>
  readonly strict: boolean
  readonly verbose: boolean
  readonly isStopped: boolean
}

export const writeReports = Effect.fnUntraced(function* (
  request: PlanRequest,
  playedEnvironments: ReadonlyArray<PlayedEnvironment>,
  options: ReportOptions
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { outputs, seeds, strict, verbose, isStopped } = options
  const environments = playedEnvironments.map((it) => judgeEnvironment(request, it))
  const isFailure = environments.some(
    (it) =>
      // A broken rule is a fault of a controller, whatever the verdict is.
      it.plan.violations.length > 0 || it.judgement.rollouts.some((judged) => failsPlan(judged, it, strict))
  )
  // Seeds that were not played may fail.
  const exitCode = request.refused.length > 0 ? 2 : isFailure || isStopped ? 1 : 0
  const report: PlanReport = {
    version: packageVersion,
    seeds: { first: seeds[0] ?? 0, last: seeds.at(-1) ?? 0, count: seeds.length },
    isStopped,
    environments,
    refused: reportedRefusals(request.refused),
    base: request.base,
    isStrict: strict,
    exitCode,
    placeOf: workloadPlaces(request.input.next)
  }
  const isDetailed = (rollout: RolloutPlan): boolean =>
    verbose ||
    (request.names.length === 0
      ? environments.every(({ plan }) => plan.rollouts.length === 1)
      : request.names.includes(workloadIdOf(rollout)))
  for (const output of outputs) {
    if (output.format === "table" && output.file === undefined)
      printLines(tableLines(report, isDetailed, outputPalette()))
    else yield* writeOutput(output, yield* documentOf(output.format, { environments, report, isDetailed }))
  }
  return exitCode
})

const tableLines = (
  { environments, base, refused }: PlanReport,
  isDetailed: (rollout: RolloutPlan) => boolean,
  palette: Palette
): ReadonlyArray<string> => {
  const areNamed = environments.some(({ name }) => name !== undefined)
  const linesOfAll = areNamed ? refusedLines(refused, palette) : []
  const linesOfEach = environments.map(({ name, plan, judgement, failedPredicates, changes }) => {
    const lines = planLines(
      plan,
      { judgement, failedPredicates, isDetailed, changes, base, refused: areNamed ? [] : refused },
      palette
    )
    return name === undefined || lines.length === 0 ? lines : [palette.strong(`in ${name}`), ...lines]
  })
  return [linesOfAll, ...linesOfEach]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]))
}

/** Imports libraries only for the formats that need them. */
const documentOf = Effect.fnUntraced(function* (
  format: PlanOutput["format"],
  {
    environments,
    report,
    isDetailed
  }: {
    readonly environments: ReadonlyArray<JudgedEnvironment>
    readonly report: PlanReport
    readonly isDetailed: (rollout: RolloutPlan) => boolean
  }
): Effect.fn.Return<string, BadInput | ManifestsRefused> {
  switch (format) {
    case "table":
      return `${joinEscapedLines(tableLines(report, isDetailed, plainPalette))}\n`
    case "json":
      return planJson(report)
    case "html":
      return yield* pageOf(environments, report)
    case "markdown": {
      const { planMarkdown } = yield* Effect.promise(() => import("../../../reports/plan/planMarkdown.ts"))
      return planMarkdown(report)
    }
    case "sarif": {
      const { planSarif } = yield* Effect.promise(() => import("../../../reports/plan/planSarif.ts"))
      return planSarif(report)
    }
    case "junit": {
      const { planJunit } = yield* Effect.promise(() => import("../../../reports/plan/planJunit.ts"))
      return planJunit(report)
    }
    case "github": {
      const { planAnnotations } = yield* Effect.promise(
        () => import("../../../reports/plan/planAnnotations.ts")
      )
      return planAnnotations(report)
    }
  }
})

/** Of several environments, the page shows the one with the worst verdict. */
const pageOf = Effect.fnUntraced(function* (
  environments: ReadonlyArray<JudgedEnvironment>,
  { seeds, isStrict, refused }: PlanReport
): Effect.fn.Return<string, BadInput | ManifestsRefused> {
  const [worstEnvironment] = environments.toSorted((a, b) => byVerdict(a.judgement, b.judgement))
  if (worstEnvironment === undefined) return ""
  const pageAssets = yield* Effect.promise(loadPageAssets)
  const { planPage } = yield* Effect.promise(() => import("./planPage.ts"))
  return yield* planPage(worstEnvironment, { seeds, isStrict, refused, pageAssets })
})
