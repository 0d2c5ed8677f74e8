import * as Effect from "effect/Effect"
import { checkOptions } from "../../clusterOptions.ts"
import { InvalidOptions, unknownOptions } from "../../invalidOptions.ts"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { isFields } from "../../domain/fields.ts"
import { keyIn } from "../../domain/objects.ts"
import { leftOutTexts } from "../../manifests/customManifests.ts"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { fromAnywhere } from "../../manifests/manifest.ts"
import { readDrafts, readManifests } from "../../manifests/readManifests.ts"
import { builtInStrategies } from "../../../machines/deployment.ts"
import { strategyProblems } from "../../../machines/strategies/strategy.ts"
import { assumed } from "./assumptions.ts"
import { namespacesAfter, tooEarly } from "./standingNamespaces.ts"
import { keysAmong } from "./documentKeys.ts"
import { everyOrder } from "../exhaustive/everyOrder.ts"
import { failuresMax } from "../exhaustive/bounds.ts"
import { planRollout } from "./plan.ts"
import { withStanding } from "./takenToStand.ts"
import { unaskable } from "../exhaustive/invariants.ts"
import { unmeasured } from "./unmeasured.ts"
import { warningsOf } from "./warnings.ts"
import { predicatesIn, trippedBy } from "./predicates.ts"
import type { NamesOf } from "../../invalidOptions.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { Manifest } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { EveryOrderOptions, ExploredRollout } from "../exhaustive/everyOrder.ts"
import type { Parsed } from "../parsed.ts"
import type { Plan } from "./plan.ts"
import type { Predicate } from "./predicates.ts"
import type { PlanWorld } from "./planRun.ts"

export type { Phase } from "./phases.ts"
export type { Claim, Counterexample } from "../exhaustive/claims.ts"
export type { ExploredRollout } from "../exhaustive/everyOrder.ts"
export type { Plan, RolloutPlan } from "./plan.ts"
export type { QuotaPeak } from "./quotaPeaks.ts"
export type { LossCause, Traffic } from "../ledger/serviceTraffic.ts"
export type { Violation } from "../ledger/violations.ts"

/** A YAML text of Kubernetes objects, or the objects. */
export type Manifests = string | Manifest | ReadonlyArray<Manifest>

/** What is planned, and what is assumed: the options of `charthouse plan`. */
export interface PlanOptions extends Pick<PlanWorld, "nodes" | "behaviours" | "strategies" | "featureGates"> {
  /** What is to be rolled out. */
  readonly next: Manifests
  /** What runs before; without it the Deployment is new. */
  readonly from?: Manifests
  /** So many, from 1 on (100,000 at the most), or these; 100 where it is left out. */
  readonly seeds?: number | ReadonlyArray<number>
  readonly behaviour?: Behaviour
  /** `start=20s,ready=5s..40s,crash=1%,requests=200/s,propagation=1s` */
  readonly assume?: string
  /** What must not be: `available<90%,lost>0`. */
  readonly failOn?: string
}

/** A plan, and which of the things are so that must not be. */
export interface JudgedPlan extends Plan {
  readonly failed: ReadonlyArray<{
    readonly predicate: string
    readonly namespace: string
    readonly name: string
  }>
}

const seedsDefault = 100
const seedsMax = 100_000

/**
 * Plays a rollout to its end with many seeds and says what it will do. The same options give the same plan. Fails with
 * `ManifestsRefused` where the manifests are no good, and with `InvalidOptions` where something else is.
 */
export const plan = async (options: PlanOptions): Promise<JudgedPlan> => {
  requireOptions("plan", planOptionNames, options)
  const { nodes, behaviours, strategies, featureGates } = options
  const chosen = seedsOf(options.seeds)
  const { assume, failOn } = options
  const assumptions =
    assume === undefined
      ? { behaviour: options.behaviour, traffic: {} }
      : readOption("assume", assumed(assume, options.behaviour))
  const predicates = failOn === undefined ? [] : readOption("failOn", predicatesIn(failOn))
  const { behaviour, traffic } = assumptions
  const world: PlanWorld = {
    ...manifestsOf(options),
    traffic,
    ...(nodes === undefined ? {} : { nodes }),
    ...(featureGates === undefined ? {} : { featureGates }),
    ...(behaviours === undefined ? {} : { behaviours }),
    ...(strategies === undefined ? {} : { strategies }),
    ...(behaviour === undefined ? {} : { behaviour })
  }
  requireMeasured(predicates, world)
  const planned = await Effect.runPromise(planRollout(world, chosen))
  return {
    ...planned,
    failed: trippedBy(planned, predicates).map(({ predicate, rollout: { namespace, name } }) => ({
      predicate: predicate.text,
      namespace,
      name
    }))
  }
}

/** What is explored: the options of `charthouse plan --exhaustive`. */
export interface ExploreOptions
  extends Pick<PlanOptions, "next" | "from" | "nodes">, Pick<EveryOrderOptions, "statesMax" | "strategies"> {
  /** How many Pods may crash, be lost or no longer be ready: 0 to 7, 1 where it is left out. */
  readonly failures?: number
  /** What must not be in any state: `available<2,pods>9`. */
  readonly failOn?: string
}

/**
 * Explores every order in which Pods become ready, some of them fail and controllers take their turns, for each
 * Deployment of a handful of replicas: what holds in all of them is proved, what does not is shown by the fewest steps.
 * Fails like `plan`, and with `InvalidOptions` also where a rollout is too large.
 */
export const explore = async (options: ExploreOptions): Promise<ReadonlyArray<ExploredRollout>> => {
  requireOptions("explore", exploreOptionNames, options)
  const { failures = 1, failOn, from: _from, next: _next, ...rest } = options
  if (!Number.isInteger(failures) || failures < 0 || failures > failuresMax)
    throw new InvalidOptions({ problems: [`failures must be an integer from 0 to ${failuresMax}`] })
  const predicates = failOn === undefined ? [] : readOption("failOn", predicatesIn(failOn))
  const problems = [
    ...problemsOf(predicates, unaskable),
    ...strategyProblems([...(rest.strategies ?? []), ...builtInStrategies])
  ]
  if (problems.length > 0) throw new InvalidOptions({ problems })
  const manifests = manifestsOf(options)
  requireMeasured(predicates, manifests)
  if (rest.nodes !== undefined) await Effect.runPromise(checkOptions({ nodes: rest.nodes }))
  const explored = await Effect.runPromise(
    everyOrder({
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
  return explored.map((rollout) => ({
    ...rollout,
    warnings: [...warningsOf({ ...manifests, next: only(rollout, manifests.next) }), ...rollout.warnings]
  }))
}

/** Without the other Deployments, of which others speak. */
const only = (
  { namespace, name }: ExploredRollout,
  documents: ReadonlyArray<ManifestDocument>
): ReadonlyArray<ManifestDocument> =>
  documents.filter((document) =>
    keysAmong([document], resources.deployments).every((key) => key === keyIn(namespace, name))
  )

const requireMeasured = (
  predicates: ReadonlyArray<Predicate>,
  manifests: Pick<PlanWorld, "from" | "next">
): void => {
  const problems = problemsOf(predicates, (it) => unmeasured(it, manifests, "from"))
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

const planOptionNames: NamesOf<PlanOptions> = {
  next: true,
  from: true,
  seeds: true,
  nodes: true,
  behaviour: true,
  behaviours: true,
  strategies: true,
  featureGates: true,
  assume: true,
  failOn: true
}

const exploreOptionNames: NamesOf<ExploreOptions> = {
  next: true,
  from: true,
  failures: true,
  failOn: true,
  nodes: true,
  statesMax: true,
  strategies: true
}

const requireOptions = (of: string, names: object, options: unknown): void => {
  const problems = isFields(options)
    ? [
        ...unknownOptions(options, { of, names: Object.keys(names) }),
        ...(options["next"] === undefined ? ["next is required: what is to be rolled out"] : []),
        ...["assume", "failOn"].flatMap((name) => {
          const value = options[name]
          const isText = value === undefined || typeof value === "string"
          return isText ? [] : [`${name} must be text, not ${JSON.stringify(value)}`]
        })
      ]
    : [`the options must be an object, not ${JSON.stringify(options)}`]
  if (problems.length > 0) throw new InvalidOptions({ problems })
}

/** What is rolled out, and what runs before: that and what is taken to be there. */
const manifestsOf = (
  options: Pick<PlanOptions, "next" | "from">
): Pick<PlanWorld, "next" | "from"> & Required<Pick<PlanWorld, "warnings">> => {
  const read = readAll("next", options.next)
  const next = rollable(read.documents.map(fromAnywhere))
  const given = options.from === undefined ? undefined : readAll("from", options.from)
  const problems = tooEarly(next, namespacesAfter(given?.documents ?? []))
  if (problems.length > 0) throw new ManifestsRefused({ problems })
  const from = withStanding(given?.documents, next)
  const warnings = leftOutTexts([...(given?.leftOut ?? []), ...read.leftOut])
  return { next, ...(from === undefined ? {} : { from }), warnings }
}

const rollable = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestDocument> => {
  if (documents.some(({ kind }) => groupResourceOf(kind) === resources.deployments)) return documents
  throw new InvalidOptions({ problems: ["next has no Deployment, so that there is no rollout to plan"] })
}

const seedsOf = (seeds: unknown = seedsDefault): ReadonlyArray<number> => {
  if (Array.isArray(seeds) && seeds.length > 0 && seeds.every(isSafeInteger)) return seeds
  if (isSafeInteger(seeds) && seeds > 0 && seeds <= seedsMax) {
    return Array.from({ length: seeds }, (_, index) => index + 1)
  }
  const problem = `seeds must be a number from 1 to ${seedsMax}, or a list of integers, not ${JSON.stringify(seeds)}`
  throw new InvalidOptions({ problems: [problem] })
}

const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const readOption = <A>(name: string, parsed: Parsed<A>): A => {
  if (parsed.ok) return parsed.value
  throw new InvalidOptions({
    problems: parsed.problems.map(({ column, message }) => `${name}, column ${column}: ${message}`)
  })
}

const readAll = (name: string, manifests: Manifests) => {
  const read =
    typeof manifests === "string"
      ? readManifests([{ name, text: manifests }], { strict: true, leavesCustom: true })
      : readDrafts([manifests].flat(), { leavesCustom: true })
  if (read.problems.length > 0) throw new ManifestsRefused({ problems: read.problems })
  return read
}
