import * as Effect from "effect/Effect"
import { checkClusterOptions } from "../cluster/clusterOptions.ts"
import {
  formatOptionValue,
  InvalidOptions,
  mustBe,
  unknownOptionProblems
} from "../options/invalidOptions.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { skippedTypeWarnings } from "../manifests/skippedTypes.ts"
import { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import { withoutIdentity } from "../manifests/manifestDocument.ts"
import { readManifestObjects, readManifests } from "../manifests/readManifests.ts"
import { withBuiltInSteering } from "../../machines/steering/steeringStrategies.ts"
import { withBuiltInStrategies } from "../../machines/strategies/strategies.ts"
import { steeringProblems, strategyProblems } from "../../machines/strategies/strategyProblems.ts"
import { parseAssumptions } from "./assumptions.ts"
import { deploymentKeys, keysAmong } from "./documentKeys.ts"
import { withNodes } from "./nodesOption.ts"
import { workloadKindsText, workloadsAmong } from "./workloads.ts"
import { exploreDeployments } from "./exhaustive/exploreDeployments.ts"
import { failuresMax } from "./exhaustive/explorationLimits.ts"
import { planRollout } from "./planRollout.ts"
import { withoutAcceptedPodSecurity } from "./previous/enforcedStandards.ts"
import { markLargeForServerSideApply } from "./previous/largeObjects.ts"
import { playedManifests } from "./previous/playedManifests.ts"
import { whyNotInvariant } from "./exhaustive/stateInvariants.ts"
import { whyUnmeasured } from "./whyUnmeasured.ts"
import { manifestWarnings } from "./warnings/planWarnings.ts"
import { judgePlan, judgementSummary } from "./verdicts/judgePlan.ts"
import { startFactorDefault, startFactorMax } from "./whatIf/startFactors.ts"
import { unknownKinds } from "./verdicts/unknownKinds.ts"
import { parsePredicates, findTruePredicates } from "./predicates.ts"
import { listOptionProblems } from "../options/listOptions.ts"
import type { OptionNames } from "../options/invalidOptions.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { Manifest } from "../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { ExploreDeploymentsOptions, ExploredRollout } from "./exhaustive/exploreDeployments.ts"
import type { ParseResult } from "../scenario/parseResult.ts"
import type { Plan } from "./summarizePlan.ts"
import type { Predicate } from "./predicates.ts"
import type { JudgementSummary } from "./verdicts/judgePlan.ts"
import type { WorkloadKind } from "./workloads.ts"
import type { UnknownKind } from "./verdicts/unknownKinds.ts"
import type { PlanInput } from "./seeds/playSeed.ts"

export type { WorkloadKind } from "./workloads.ts"
export type { Phase } from "./seeds/phases.ts"
export type { Claim, Counterexample } from "./exhaustive/claims.ts"
export type { ExploredRollout } from "./exhaustive/exploreDeployments.ts"
export type { Plan, RolloutPlan } from "./summarizePlan.ts"
export type { UnknownKind } from "./verdicts/unknownKinds.ts"
export type { RuleName, VerdictName } from "./verdicts/verdict.ts"
export type { QuotaPeak } from "./seeds/quotaPeaks.ts"
export type { LossCause, TrafficOptions } from "../scenario/ledger/services/serviceTraffic.ts"
export type { Violation } from "../scenario/ledger/violations.ts"

export type Manifests = string | Manifest | ReadonlyArray<Manifest>

export interface PlanOptions extends Pick<
  PlanInput,
  "nodes" | "behaviours" | "strategies" | "steering" | "featureGates"
> {
  readonly next: Manifests
  /** What runs before; undefined for new workloads. */
  readonly from?: Manifests
  /** A number of seeds from 1 to 100,000, or a list of seeds; default: 100. */
  readonly seeds?: number | ReadonlyArray<number>
  readonly behaviour?: Behaviour
  /** `start=20s,ready=5s..40s,crash=1%,requests=200/s,propagation=1s` */
  readonly assume?: string
  /** Conditions that fail the plan: `available<90%,lost>0`. */
  readonly failOn?: string
  /**
   * The factor by which starts take longer in a what-if run. From there, a search finds the slowest start that
   * completes in time. Default: 5; 0 disables the run.
   */
  readonly slowStart?: number
  /** What may decide about a rollout without being played, and without the verdict `unknown`. */
  readonly acceptUnknown?: ReadonlyArray<UnknownKind>
}

export interface JudgedPlan extends Plan, JudgementSummary {
  readonly failed: ReadonlyArray<{
    readonly predicate: string
    readonly kind: WorkloadKind
    readonly namespace: string
    readonly name: string
  }>
}

const seedCountDefault = 100
const seedCountMax = 100_000

/**
 * Plays a rollout to its end with many seeds; the same options give the same plan. Fails with `ManifestsRefused` for
 * invalid manifests, with `InvalidOptions` for other invalid options.
 */
export const plan = async (options: PlanOptions): Promise<JudgedPlan> => {
  requireOptions("plan", planOptionNames, options)
  const { nodes, behaviours, strategies, steering, featureGates } = options
  const seeds = seedsOf(options.seeds)
  const { assume, failOn, acceptUnknown = [], slowStart = startFactorDefault } = options
  const assumptions =
    assume === undefined
      ? { behaviour: options.behaviour, traffic: {} }
      : valueOrThrow("assume", parseAssumptions(assume, options.behaviour))
  const predicates = failOn === undefined ? [] : valueOrThrow("failOn", parsePredicates(failOn))
  const { behaviour, traffic } = assumptions
  const input: PlanInput = {
    ...withNodes(readPlanManifests(options), nodes),
    traffic,
    ...(featureGates === undefined ? {} : { featureGates }),
    ...(behaviours === undefined ? {} : { behaviours }),
    ...(strategies === undefined ? {} : { strategies }),
    ...(steering === undefined ? {} : { steering }),
    ...(behaviour === undefined ? {} : { behaviour })
  }
  requireMeasurable(predicates, input)
  const result = await Effect.runPromise(planRollout(input, seeds, slowStart === 0 ? undefined : slowStart))
  const truePredicates = findTruePredicates(result, predicates)
  return {
    ...result,
    ...judgementSummary(judgePlan(result, { predicates, truePredicates, acceptedUnknowns: acceptUnknown })),
    failed: truePredicates.map(({ predicate, rollout: { kind, namespace, name } }) => ({
      predicate: predicate.text,
      kind,
      namespace,
      name
    }))
  }
}

export interface ExploreOptions
  extends
    Pick<PlanOptions, "next" | "from" | "nodes">,
    Pick<ExploreDeploymentsOptions, "statesMax" | "strategies" | "steering"> {
  /** How many Pods may crash, be lost or become unready: 0 to 7; default: 1. */
  readonly failures?: number
  /** Conditions that must hold in no state: `available<2,pods>9`. */
  readonly failOn?: string
}

/**
 * Explores every order of events for each Deployment of a few replicas. Fails like `plan`, and with
 * `InvalidOptions` for too large a rollout.
 */
export const explore = async (options: ExploreOptions): Promise<ReadonlyArray<ExploredRollout>> => {
  requireOptions("explore", exploreOptionNames, options)
  const { failures = 1, failOn, from: _from, next: _next, ...rest } = options
  if (!Number.isInteger(failures) || failures < 0 || failures > failuresMax)
    throw new InvalidOptions({
      problems: [`failures must be an integer from 0 to ${failuresMax}, not ${formatOptionValue(failures)}`]
    })
  const predicates = failOn === undefined ? [] : valueOrThrow("failOn", parsePredicates(failOn))
  const problems = [
    ...problemsOf(predicates, whyNotInvariant),
    ...strategyProblems(withBuiltInStrategies(rest.strategies)),
    ...steeringProblems(withBuiltInSteering(rest.steering))
  ]
  if (problems.length > 0) throw new InvalidOptions({ problems })
  const manifests = readPlanManifests(options)
  requireDeployment(manifests.next)
  requireMeasurable(predicates, manifests)
  if (rest.nodes !== undefined) await Effect.runPromise(checkClusterOptions({ nodes: rest.nodes }))
  const rollouts = await Effect.runPromise(
    exploreDeployments({
      ...rest,
      ...manifests,
      failures,
      predicates
    }).pipe(
      Effect.catchTag("CannotExplore", ({ namespace, name, message }) =>
        Effect.fail(new InvalidOptions({ problems: [`Deployment ${namespace}/${name}: ${message}`] }))
      )
    )
  )
  return rollouts.map((rollout) => ({
    ...rollout,
    warnings: [
      ...manifestWarnings({ ...manifests, next: withoutOtherDeployments(rollout, manifests.next) }),
      ...rollout.warnings
    ]
  }))
}

const withoutOtherDeployments = (
  { namespace, name }: ExploredRollout,
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<ManifestDocument> =>
  documents.filter((document) =>
    keysAmong([document], resources.deployments).every((key) => key === toObjectKey(namespace, name))
  )

const requireMeasurable = (
  predicates: ReadonlyArray<Predicate>,
  manifests: Pick<PlanInput, "from" | "next">
): void => {
  const problems = problemsOf(predicates, (predicate) =>
    whyUnmeasured(predicate, manifests, { fromOption: "from" })
  )
  if (problems.length > 0) throw new InvalidOptions({ problems })
}

const problemsOf = (
  predicates: ReadonlyArray<Predicate>,
  whyNot: (predicate: Predicate) => string | undefined
): ReadonlyArray<string> =>
  predicates.flatMap((predicate) => {
    const why = whyNot(predicate)
    return why === undefined ? [] : [`failOn, ${predicate.text}: ${why}`]
  })

const planOptionNames: OptionNames<PlanOptions> = {
  next: true,
  from: true,
  seeds: true,
  nodes: true,
  behaviour: true,
  behaviours: true,
  strategies: true,
  steering: true,
  featureGates: true,
  assume: true,
  failOn: true,
  slowStart: true,
  acceptUnknown: true
}

const exploreOptionNames: OptionNames<ExploreOptions> = {
  next: true,
  from: true,
  failures: true,
  failOn: true,
  nodes: true,
  statesMax: true,
  strategies: true,
  steering: true
}

const requireOptions = (functionName: string, names: object, options: unknown): void => {
  const problems = isFields(options)
    ? [
        ...unknownOptionProblems(options, { owner: functionName, names: Object.keys(names) }),
        ...(options["next"] === undefined ? ["next is required: what is to be rolled out"] : []),
        ...["assume", "failOn"].flatMap((name) => {
          const value = options[name]
          const isText = value === undefined || typeof value === "string"
          return isText ? [] : [`${name} must be text, not ${JSON.stringify(value)}`]
        }),
        ...listOptionProblems(options),
        ...slowStartCheck("slowStart", options["slowStart"]),
        ...acceptedKindsCheck("acceptUnknown", options["acceptUnknown"])
      ]
    : [`the options must be an object, not ${JSON.stringify(options)}`]
  if (problems.length > 0) throw new InvalidOptions({ problems })
}

const slowStartCheck = mustBe(
  `0, or a number from 1 to ${startFactorMax}`,
  (factor) => typeof factor === "number" && (factor === 0 || (factor >= 1 && factor <= startFactorMax))
)

const acceptedKindsCheck = mustBe(
  `a list of ${unknownKinds.join(", ")}`,
  (list) => Array.isArray(list) && list.every((name) => unknownKinds.some((kind) => kind === name))
)

const readPlanManifests = ({
  acceptUnknown = [],
  ...options
}: Pick<PlanOptions, "next" | "from" | "acceptUnknown">): Pick<PlanInput, "next" | "from"> &
  Required<Pick<PlanInput, "warnings">> => {
  const nextDocuments = readManifestOption("next", options.next)
  const { documents, warnings: sizeWarnings } = markLargeForServerSideApply(
    withoutAcceptedPodSecurity(nextDocuments.documents.map(withoutIdentity), acceptUnknown)
  )
  if (workloadsAmong(documents).length === 0)
    throw new InvalidOptions({
      problems: [`next has no ${workloadKindsText}, so that there is no rollout to plan`]
    })
  const fromDocuments = options.from === undefined ? undefined : readManifestOption("from", options.from)
  const { from, next } = playedManifests({
    from:
      fromDocuments &&
      markLargeForServerSideApply(withoutAcceptedPodSecurity(fromDocuments.documents, acceptUnknown))
        .documents,
    next: documents
  })
  const warnings = [
    ...sizeWarnings,
    ...skippedTypeWarnings([...(fromDocuments?.skippedTypes ?? []), ...nextDocuments.skippedTypes])
  ]
  return { next, ...(from === undefined ? {} : { from }), warnings }
}

const requireDeployment = (documents: ReadonlyArray<ManifestDocument>): void => {
  if (deploymentKeys(documents).length > 0) return
  throw new InvalidOptions({ problems: ["next has no Deployment, so that there is no rollout to explore"] })
}

const seedsOf = (seeds: unknown = seedCountDefault): ReadonlyArray<number> => {
  if (Array.isArray(seeds) && seeds.length > 0 && seeds.every(isSafeInteger)) return seeds
  if (isSafeInteger(seeds) && seeds > 0 && seeds <= seedCountMax) {
    return Array.from({ length: seeds }, (_, index) => index + 1)
  }
  const problem = `seeds must be a number from 1 to ${seedCountMax}, or a list of integers, not ${JSON.stringify(seeds)}`
  throw new InvalidOptions({ problems: [problem] })
}

const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const valueOrThrow = <A>(optionName: string, parsed: ParseResult<A>): A => {
  if (parsed.ok) return parsed.value
  throw new InvalidOptions({
    problems: parsed.problems.map(({ column, message }) => `${optionName}, column ${column}: ${message}`)
  })
}

const readManifestOption = (name: string, manifests: Manifests) => {
  // What runs before was applied when removed versions were served.
  const skipped = { skipsCustomResources: true, skipsRemovedVersions: name === "from" }
  const result =
    typeof manifests === "string"
      ? readManifests([{ name, text: manifests }], { strict: true, ...skipped })
      : readManifestObjects([manifests].flat(), skipped)
  if (result.problems.length > 0) throw new ManifestsRefused({ problems: result.problems })
  return result
}
