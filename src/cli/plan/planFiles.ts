import * as Effect from "effect/Effect"
import { checkOutputs, withPrintedOutput } from "./outputs/planOutputs.ts"
import { badInput, reportBadInput } from "../input/badInput.ts"
import { manifestWarnings, playedWarnings } from "../../plan/warnings/planWarnings.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { playEnvironments } from "./playEnvironments.ts"
import { fingerprintOf, pathToMerge, mergeRuns, readMerge } from "./shards/mergeRuns.ts"
import { problemLines } from "../../manifests/manifestDocument.ts"
import { runsText, writeRuns } from "./shards/runsFile.ts"
import { printData, printLines, printToStderr } from "../terminal/terminal.ts"
import { playedShare } from "./planCommandOptions.ts"
import { readPlanRequest } from "./readPlanRequest.ts"
import { withSettings } from "./planSettings.ts"
import { writeReports } from "./outputs/writeReports.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { PlayedEnvironment } from "./judgeEnvironment.ts"
import type { PlayedEnvironments } from "./playEnvironments.ts"
import type { RunsOfShard } from "./shards/runsFile.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { PlanCommandOptions } from "./planCommandOptions.ts"
import type { PlannedJob } from "./job/printPlanJob.ts"
import type { PlanRequest } from "./readPlanRequest.ts"

export const planFiles = (flags: PlanCommandOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    yield* checkOutputs(flags.outputs)
    const path = pathToMerge(flags)
    const merge = path === undefined ? undefined : yield* readMerge(flags, path)
    const { options, settings } = yield* withSettings(merge?.options ?? flags)
    const request = yield* readPlanRequest(options, settings)
    for (const { problem } of request.refused) for (const line of problemLines(problem)) printToStderr(line)
    for (const note of request.notes) printToStderr(note)
    for (const warning of manifestWarnings(request.input)) printToStderr(`warning: ${warning}`)
    if (options.jobImage !== undefined)
      return yield* printJob(flags, options, { settings, fingerprint: planFingerprint(options, request) })
    if (merge !== undefined) return yield* reportMerge(options, request, merge.files)
    return yield* options.exhaustive ? exploreOrders(options, request) : playSeeds(options, request)
  }).pipe(reportBadInput)

const exploreOrders = Effect.fnUntraced(function* (
  { outputs, failures = 1 }: PlanCommandOptions,
  { input, predicates }: PlanRequest
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { printExploration } = yield* Effect.promise(() => import("./printExploration.ts"))
  return yield* printExploration({
    ...input,
    failures,
    predicates,
    outputs: withPrintedOutput(outputs),
    warnings: manifestWarnings(input)
  })
})

const playSeeds = Effect.fnUntraced(function* (
  options: PlanCommandOptions,
  request: PlanRequest
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { seeds = seedsDefault, startFactor, runs } = options
  const share = playedShare(options)
  const { environments, isStopped } = yield* playEnvironments(request, { seeds, startFactor, share })
  if (isStopped) printToStderr(stoppedText(environments, seeds.length))
  if (share !== undefined && runs !== undefined) {
    // A merge would take a part of a shard for the whole shard.
    if (isStopped) return 1
    const isPrinted = runs === "-"
    const text = runsText({
      share,
      fingerprint: planFingerprint(options, request),
      // Printed runs are merged elsewhere, where paths may differ.
      options: isPrinted ? undefined : options,
      environments: environments.map(({ played, whatIf, before }) => ({
        after: { played, whatIf },
        before: before === undefined ? undefined : { played: before.played, whatIf: before.whatIf }
      }))
    })
    if (isPrinted) printData(text)
    else printLines([yield* writeRuns(runs, share, text)])
    if (isPrinted && text.length > logBytesMax)
      printToStderr(
        `warning: a kubelet keeps 10Mi of a log by default, and these runs have more: use more shards`
      )
    return 0
  }
  // Ctrl-C came before the first run was played.
  if (environments.length === 0) return 1
  return yield* reportPlan(options, request, { environments, isStopped })
})

/** Source: pkg/kubelet/apis/config/v1beta1/defaults.go (ContainerLogMaxSize). */
const logBytesMax = 10 * 1024 * 1024

const planFingerprint = (
  { seeds = seedsDefault, startFactor }: PlanCommandOptions,
  request: PlanRequest
): string => fingerprintOf(request, { seeds, startFactor })

const printJob = Effect.fnUntraced(function* (
  flags: PlanCommandOptions,
  options: PlanCommandOptions,
  plan: Omit<PlannedJob, "seeds">
): Effect.fn.Return<ExitCode, BadInput> {
  const { printPlanJob } = yield* Effect.promise(() => import("./job/printPlanJob.ts"))
  return yield* printPlanJob(flags, options, { ...plan, seeds: options.seeds ?? seedsDefault })
})

const reportMerge = Effect.fnUntraced(function* (
  options: PlanCommandOptions,
  request: PlanRequest,
  files: ReadonlyArray<RunsOfShard>
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const { seeds = seedsDefault } = options
  if (planFingerprint(options, request) !== files[0]?.fingerprint)
    return yield* badInput("the manifests or settings have changed since the shards were played")
  const environments = yield* mergeRuns(request, seeds, files)
  return yield* reportPlan(options, request, { environments, isStopped: false })
})

const reportPlan = Effect.fnUntraced(function* (
  { outputs, seeds = seedsDefault, strict, verbose }: PlanCommandOptions,
  request: PlanRequest,
  { environments, isStopped }: PlayedEnvironments
): Effect.fn.Return<ExitCode, BadInput | ManifestsRefused> {
  const warnings = environments.flatMap(({ played }) => playedWarnings(played))
  for (const warning of new Set(warnings)) printToStderr(`warning: ${warning}`)
  return yield* writeReports(request, environments, {
    outputs: withPrintedOutput(outputs),
    seeds,
    strict,
    verbose,
    isStopped
  })
})

const stoppedText = (environments: ReadonlyArray<PlayedEnvironment>, count: number): string => {
  const played = environments.map((it) => it.played.length)
  return played.length === 0
    ? `stopped before any of ${countText(count, "seed")} was played`
    : `stopped: what follows is known from ${played.join(", ")} of ${countText(count, "seed")}`
}

const seedsDefault = Array.from({ length: 100 }, (_, index) => index + 1)
