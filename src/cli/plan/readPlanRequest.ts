import { withoutForeignAddresses } from "../../plan/previous/foreignAddresses.ts"
import { customResourceDefinitionResource } from "../../kubernetes/customResources/definitions.ts"
import { groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { parseAssumptions } from "../../plan/assumptions.ts"
import { BadInput, badInput } from "../input/badInput.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { deploymentKeys } from "../../plan/documentKeys.ts"
import { isNamedBy, workloadKindsText, workloadsAmong } from "../../plan/workloads.ts"
import { readsFromCluster, clusterAccessOf, checkPlanOptions } from "./planCommandOptions.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { readLiveCluster } from "./readLiveCluster.ts"
import { parsePredicates } from "../../plan/predicates.ts"
import { acceptManifests } from "../../plan/previous/acceptedManifests.ts"
import { readFeatureGates } from "../input/readFeatureGates.ts"
import { loadStrategies, customStrategyTypes } from "../input/loadStrategies.ts"
import { dryRun } from "../input/dryRun.ts"
import { playedManifests } from "../../plan/previous/playedManifests.ts"
import { unknownKinds } from "../../plan/verdicts/unknownKinds.ts"
import { whyUnmeasured } from "../../plan/whyUnmeasured.ts"
import type { DecodedInput } from "../input/readInput.ts"
import type { LiveCluster } from "./readLiveCluster.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Assumptions } from "../../plan/assumptions.ts"
import { readNodesArgument } from "../input/readNodesArgument.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { NodesInput } from "../input/readNodesArgument.ts"
import type { ParseResult } from "../../scenario/parseResult.ts"
import type { PlanCommandOptions } from "./planCommandOptions.ts"
import type { PlanCommandInput } from "../threads/planTask.ts"
import type { PlanInput } from "../../plan/seeds/playSeed.ts"
import type { WorkloadId } from "../../plan/workloads.ts"
import type { UnknownKind } from "../../plan/verdicts/unknownKinds.ts"
import type { Suppression } from "../../plan/verdicts/judgePlan.ts"
import type { Predicate } from "../../plan/predicates.ts"
import {
  assumedBehaviours,
  assumedTraffic,
  inputForEnvironment
} from "../../plan/settings/environmentInput.ts"
import { chooseWorkloads } from "../../plan/settings/chooseWorkloads.ts"
import type { ChosenSettings } from "../../plan/settings/chooseWorkloads.ts"
import type { PlanSettings } from "../../plan/settings/settingsSchema.ts"
import { withNodes } from "../../plan/nodesOption.ts"
import { manifestsDifference } from "../../plan/base/changedDocuments.ts"
import { readPlanManifests } from "./base/readPlanManifests.ts"
import type { PlanManifests } from "./base/readPlanManifests.ts"
import type { GitRevision } from "./base/gitRevision.ts"
import type { ManifestsDifference } from "../../plan/base/changedDocuments.ts"
import type { SettingsFile } from "../../plan/settings/readSettings.ts"

export interface PlanEnvironment {
  /** Undefined if the settings have no `environments`. */
  readonly name: string | undefined
  readonly input: PlanRequest["input"]
}

export interface PlanRequest {
  readonly input: PlanCommandInput
  readonly environments: ReadonlyArray<PlanEnvironment>
  readonly predicates: ReadonlyArray<Predicate>
  /** Kinds of unplayed influences on a rollout that the team accepts. */
  readonly acceptedUnknowns: ReadonlyArray<UnknownKind>
  /** Why the settings accept a kind, and until when. */
  readonly reasonsOfAcceptedUnknowns: ReadonlyMap<UnknownKind, string>
  readonly suppressions: ReadonlyArray<Suppression>
  readonly base: GitRevision | undefined
  readonly names: ReadonlyArray<WorkloadId>
  readonly refused: ReadonlyArray<RefusedObject>
  readonly notes: ReadonlyArray<string>
}

export const readPlanRequest = Effect.fnUntraced(function* (
  options: PlanCommandOptions,
  settingsFile?: SettingsFile
): Effect.fn.Return<PlanRequest, BadInput | ManifestsRefused> {
  yield* checkPlanOptions(options)
  const { settings = {} } = settingsFile ?? {}
  const gateOptions = yield* readFeatureGates(options.featureGates)
  const customStrategies = yield* loadStrategies(options.strategies)
  const predicates = yield* readPredicates(options.failOn)
  const acceptedUnknowns = [
    ...(yield* readAcceptedKinds(options.acceptUnknown)),
    ...(settings.acceptUnknown ?? []).map(({ kind }) => kind)
  ]
  const manifests = yield* readPlanManifests(options, acceptedUnknowns)
  const { input, base } = manifests
  const assumptions = yield* assumptionsOf(options, input)
  const strategyTypes = yield* customStrategyTypes(customStrategies)
  const planned = options.exhaustive ? deploymentKeys(manifests.next) : workloadsAmong(manifests.next)
  if (planned.length === 0) yield* failUnlessRefused(options, manifests, strategyTypes)
  const difference =
    base === undefined ? undefined : manifestsDifference(manifests.before ?? [], manifests.next)
  const changed = difference?.changed ?? manifests.next
  const live = readsFromCluster(options)
    ? yield* readLiveCluster(clusterAccessOf(options), changed, {
        // An exhaustive search begins with the previous template alone, without older revisions.
        includesReplicaSets: !options.exhaustive,
        refused: input.refused
      })
    : undefined
  yield* checkNodesFlag(options, live)
  const nodes = options.nodes === undefined ? undefined : yield* readNodesArgument(options.nodes)
  const played =
    live === undefined
      ? playedManifests({ from: manifests.before, next: changed }, input.refused)
      : withoutForeignAddresses({ from: live.from, next: changed })
  const { from: before } = played
  const chosenSettings =
    settingsFile === undefined || planned.length === 0
      ? noChosenSettings
      : chooseWorkloads(settingsFile, manifests.next, before)
  if (chosenSettings.problems.length > 0) return yield* badInput(...chosenSettings.problems)
  const { next, refused } = yield* dryRun(
    acceptManifests(played, {
      livePods: live?.livePods,
      ...refusedInputOf({ ...input, ...(live === undefined ? {} : { refused: live.refused }) })
    }),
    { strategyTypes }
  )
  const isPlayed = options.exhaustive ? refused.length === 0 : workloadsAmong(next).length > 0
  if (refused.length > 0 && !isPlayed && !isReportPrinted(options)) return yield* refusedManifests(refused)
  const accepted = { from: before ?? [], next }
  // `--base` plans only what has changed, which may be no workload.
  if (workloadsAmong(next).length > 0) yield* checkPredicatesMeasurable(predicates, accepted)
  const planInput = {
    ...planInputOf({
      nodes,
      input,
      assumptions,
      gateOptions,
      live,
      before: before && withoutDefinitions(before),
      next: withoutDefinitions(next),
      settings,
      sizeWarnings: manifests.sizeWarnings
    }),
    refused,
    ...(options.strategies === undefined ? {} : { ...customStrategies, strategiesFile: options.strategies })
  }
  return {
    input: planInput,
    environments: yield* environmentsOf(planInput, { settings, settingsFile, live, options }),
    predicates: [...predicates, ...(options.exhaustive ? [] : chosenSettings.predicates)],
    acceptedUnknowns,
    reasonsOfAcceptedUnknowns: readReasonsOfAccepted(settings),
    suppressions: chosenSettings.suppressions,
    base,
    names: planned.length === 0 ? [] : yield* readNames(options.names, manifests.next),
    refused,
    notes: [
      ...(live?.notes ?? []),
      ...unmeasuredNotes(chosenSettings, accepted),
      ...removedNotes(difference, base)
    ]
  }
})

const refusedInputOf = ({ refused, files }: DecodedInput) => ({
  unreadable: refused,
  fileNames: files.at(-1)?.fileNames ?? []
})

const refusedManifests = (refused: ReadonlyArray<RefusedObject>): ManifestsRefused =>
  new ManifestsRefused({ problems: refused.map(({ problem }) => problem) })

const readPredicates = Effect.fnUntraced(function* (
  texts: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<Predicate>, BadInput> {
  return (yield* Effect.forEach(texts, (text) =>
    parsedFlagOrBadInput("--fail-on", text, parsePredicates(text))
  )).flat()
})

/** The runs of a shard, a Job and a search have no place for what is refused. */
const isReportPrinted = ({ exhaustive, shard, jobImage }: PlanCommandOptions): boolean =>
  !exhaustive && shard === undefined && jobImage === undefined

const failUnlessRefused = Effect.fnUntraced(function* (
  options: PlanCommandOptions,
  { input, before, next }: PlanManifests,
  strategyTypes: ReadonlyArray<string> | undefined
): Effect.fn.Return<void, BadInput | ManifestsRefused> {
  // The server's refusal of an object comes first.
  const { refused } = yield* dryRun(
    acceptManifests(playedManifests({ from: before, next }, input.refused), {
      livePods: undefined,
      ...refusedInputOf(input)
    }),
    { strategyTypes }
  )
  if (refused.length > 0) return isReportPrinted(options) ? undefined : yield* refusedManifests(refused)
  const sources = [...options.files, ...options.kustomizations, ...options.helmCharts]
  const verb = sources.length === 1 ? "has" : "have"
  const wanted = options.exhaustive ? "Deployment" : workloadKindsText
  const { lines } = badInput(
    `${sources.join(", ")} ${verb} no ${wanted}, so that there is no rollout to plan`
  )
  // The warnings name skipped custom resources: the wanted rollout may be of one.
  return yield* new BadInput({ lines: [...input.warnings.map((it) => `warning: ${it}`), ...lines] })
})

const readReasonsOfAccepted = ({
  acceptUnknown = []
}: PlanSettings): PlanRequest["reasonsOfAcceptedUnknowns"] =>
  new Map(acceptUnknown.map(({ kind, reason, expires }) => [kind, `${reason}, until ${expires}`]))

const unmeasuredNotes = (
  { predicates }: ChosenSettings,
  documents: Pick<PlanInput, "from" | "next">
): ReadonlyArray<string> =>
  predicates.flatMap((predicate) => {
    const why = whyUnmeasured(predicate, documents, { fromOption: "--from" })
    return why === undefined ? [] : [`the threshold ${predicate.text} is not measured: ${why}`]
  })

const removedNotes = (
  difference: ManifestsDifference | undefined,
  base: GitRevision | undefined
): ReadonlyArray<string> =>
  (difference?.removed ?? []).map(
    ({ id }) => `${id} is in ${base?.ref} and no more in the manifests: kubectl apply leaves it as it is`
  )

/** Custom resources are not played, so no rollout depends on their definitions. */
const withoutDefinitions = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestDocument> =>
  documents.filter(({ kind }) => groupResourceOf(kind) !== customResourceDefinitionResource)

const noChosenSettings: ChosenSettings = { predicates: [], suppressions: [], problems: [] }

const environmentsOf = Effect.fnUntraced(function* (
  planInput: PlanRequest["input"],
  {
    settings,
    settingsFile,
    live,
    options
  }: {
    readonly settings: PlanSettings
    readonly settingsFile: SettingsFile | undefined
    readonly live: LiveCluster | undefined
    readonly options: PlanCommandOptions
  }
): Effect.fn.Return<ReadonlyArray<PlanEnvironment>, BadInput> {
  const { environments = [] } = settings
  if (environments.length === 0) return [{ name: undefined, input: planInput }]
  const isNodeCountGiven = options.nodes !== undefined || live?.nodes !== undefined
  return yield* Effect.forEach(environments, (environment) =>
    Effect.gen(function* () {
      const { name, nodes } = environment
      const inEnvironment = inputForEnvironment(planInput, environment)
      if (nodes === undefined || isNodeCountGiven) return { name, input: inEnvironment }
      const argument =
        typeof nodes === "number" ? nodes : { file: join(dirname(settingsFile?.file ?? ""), nodes) }
      return { name, input: withNodes(inEnvironment, yield* readNodesArgument(argument)) }
    })
  )
})

const readAcceptedKinds = Effect.fnUntraced(function* (
  texts: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<UnknownKind>, BadInput> {
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim())
  const accepted = names.flatMap(
    (name) => unknownKinds.find((kind) => kind.toLowerCase() === name.toLowerCase()) ?? []
  )
  const unknownName = names.find(
    (name) => !accepted.some((kind) => kind.toLowerCase() === name.toLowerCase())
  )
  if (unknownName === undefined) return accepted
  const problem = `--accept-unknown ${JSON.stringify(unknownName)}: ${unknownKinds.join(", ")} can be accepted`
  return yield* badInput(problem)
})

/** Names are written as `web`, `shop/web` or `sts/db`. */
const readNames = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  next: ReadonlyArray<ManifestDocument>
): Effect.fn.Return<ReadonlyArray<WorkloadId>, BadInput> {
  const workloads = workloadsAmong(next)
  return (yield* Effect.forEach(names, (text) => {
    const found = workloads.filter((workload) => isNamedBy(workload, text)).map(({ id }) => id)
    return found.length > 0
      ? Effect.succeed(found)
      : Effect.fail(badInput(`there is no ${workloadKindsText} ${JSON.stringify(text)} to roll out`))
  })).flat()
})

const assumptionsOf = (
  { assume }: PlanCommandOptions,
  { behaviour }: DecodedInput
): Effect.Effect<Assumptions, BadInput> =>
  assume === undefined
    ? Effect.succeed({ behaviour, traffic: {} })
    : parsedFlagOrBadInput("--assume", assume, parseAssumptions(assume, behaviour))

const planInputOf = ({
  nodes,
  input,
  assumptions: { behaviour, traffic },
  gateOptions,
  live,
  before,
  next,
  settings,
  sizeWarnings
}: {
  readonly nodes: NodesInput | undefined
  readonly input: DecodedInput
  readonly assumptions: Assumptions
  readonly gateOptions: Pick<PlanInput, "featureGates">
  readonly live: LiveCluster | undefined
  readonly before: ReadonlyArray<ManifestDocument> | undefined
  readonly next: ReadonlyArray<ManifestDocument>
  readonly settings: PlanSettings
  readonly sizeWarnings: ReadonlyArray<string>
}): PlanRequest["input"] => {
  // An explicit assumption overrides what was measured.
  const hasAssumptions = behaviour !== input.behaviour
  const documents = { next, ...(before === undefined ? {} : { from: before }) }
  const documentsAndNodes = withNodes(documents, nodes)
  return {
    ...documentsAndNodes,
    ...(live === undefined ? {} : { livePods: live.livePods }),
    ...gateOptions,
    // Otherwise a live cluster without nodes would get the default ones.
    ...(live?.nodes === 0 ? { nodes: 0 } : {}),
    traffic: { ...assumedTraffic(settings), ...traffic },
    // The first matching behaviour holds: Pods that fail in the live cluster go on failing.
    behaviours: [
      ...(live?.failingBehaviours ?? []),
      ...input.behaviours,
      ...assumedBehaviours(settings),
      ...(hasAssumptions ? [] : (live?.measuredBehaviours ?? []))
    ],
    ...(behaviour === undefined ? {} : { behaviour }),
    warnings: [...input.warnings, ...sizeWarnings, ...(live?.warnings ?? [])]
  }
}

/** Fails with a caret under the column of each problem. */
const parsedFlagOrBadInput = <A>(
  flag: string,
  text: string,
  parsed: ParseResult<A>
): Effect.Effect<A, BadInput> =>
  parsed.ok
    ? Effect.succeed(parsed.value)
    : Effect.fail(
        new BadInput({
          lines: parsed.problems.flatMap(({ column, message }) => [
            `error: ${flag}, column ${column}: ${message}`,
            `  ${text}`,
            `  ${" ".repeat(column - 1)}^`
          ])
        })
      )

const checkNodesFlag = (
  { nodes }: PlanCommandOptions,
  live: LiveCluster | undefined
): Effect.Effect<void, BadInput> => {
  if (nodes === undefined || live?.nodes === undefined) return Effect.void
  const nodesText = countText(live.nodes, "node")
  return Effect.fail(
    badInput(`--nodes has no part in a plan for a cluster whose nodes are known: ${nodesText}`)
  )
}

const checkPredicatesMeasurable = (
  predicates: ReadonlyArray<Predicate>,
  documents: Pick<PlanInput, "from" | "next">
): Effect.Effect<void, BadInput> => {
  for (const predicate of predicates) {
    const why = whyUnmeasured(predicate, documents, { fromOption: "--from" })
    if (why !== undefined) return Effect.fail(badInput(`--fail-on ${predicate.text}: ${why}`))
  }
  return Effect.void
}
