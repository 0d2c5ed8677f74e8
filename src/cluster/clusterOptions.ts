import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { behaviourNamed } from "../behaviours/matchBehaviours.ts"
import { builtInBehaviours, steady } from "../behaviours/builtInBehaviours.ts"
import { withBuiltInSteering } from "../../machines/steering/steeringStrategies.ts"
import { withBuiltInStrategies } from "../../machines/strategies/strategies.ts"
import { controllerListProblems } from "../controllers/managerControllers.ts"
import { featureGateProblems, resolveFeatureGates } from "../kubernetes/meta/featureGates.ts"
import { parseDuration, toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { integerUpTo, InvalidOptions, mustBe, unknownOptionProblems } from "../options/invalidOptions.ts"
import { listOptionProblems } from "../options/listOptions.ts"
import { nodeOptionProblems } from "./nodeOptions.ts"
import { steeringProblems, strategyProblems } from "../../machines/strategies/strategyProblems.ts"
import { defaultNodeCount } from "./defaultNodeCount.ts"
import { durabilityLevels } from "../store/durable/durability.ts"
import type { DurabilityLevel } from "../store/durable/durability.ts"
import type { OptionNames } from "../options/invalidOptions.ts"
import type { InspectionEvent } from "xstate"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { NodesOptions, NodeSettings } from "./nodeOptions.ts"
import type { FeatureGates } from "../kubernetes/meta/featureGates.ts"
import type { Manifest, Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { ClockSetting } from "../runtime/time/timeline.ts"
import type { RecordSettings } from "../recording/clusterRecorder.ts"
import { isSnapshot } from "./snapshots/snapshot.ts"
import type { Snapshot } from "./snapshots/snapshot.ts"

/** Options of a cluster. Nothing is read from the environment. */
export interface ClusterOptions {
  /**
   * `virtual` (the default) moves on calls such as `advance`, `real` with the machine's clock, `{ speed: 60 }` 60 times
   * as fast.
   */
  readonly clock?: ClockSetting
  /**
   * Seed of all randomness: same seed, same input, same run. 1 by default. Certificates do not come from it: see
   * `ServeOptions.tls`.
   */
  readonly seed?: number
  /**
   * Number of nodes (3 by default), their shape, and after how long without a heartbeat a node is lost; or Node
   * objects, which replace the default nodes.
   */
  readonly nodes?: number | ({ readonly count?: number } & NodeSettings) | ReadonlyArray<Manifest>
  /** Behaviour of Pods that none of `behaviours` matches: a built-in name, or your own. `steady` by default. */
  readonly behaviour?: string | Behaviour
  /** Behaviours of Pods: the one that the Pod's annotation `charthouse.dev/behaviour` names, else the first match. */
  readonly behaviours?: ReadonlyArray<Behaviour>
  /** Overrides the life that a Pod's behaviour drew. Called at every look of the Pod's actor. */
  readonly livesOf?: (pod: Pod, drawn: PodLife) => PodLife
  /** Strategies of your own beside RollingUpdate and Recreate. */
  readonly strategies?: ReadonlyArray<Strategy>
  /** Steering charts of your own beside automaticRollback, canary and blueGreen. */
  readonly steering?: ReadonlyArray<SteeringStrategy>
  /** Kubernetes' feature gates, with the defaults of 1.36. */
  readonly featureGates?: Partial<FeatureGates>
  /**
   * The controllers that run, by the names of kube-controller-manager or their short aliases: `["*", "-job"]` is all
   * but Jobs. All by default. Other programs can do the work of controllers that do not run.
   */
  readonly controllers?: ReadonlyArray<string>
  /**
   * `false` leaves out the Events that tell of what goes as planned (Scheduled, Pulled, Started, SuccessfulCreate and
   * the like), which take a fifth of a rollout's CPU. All else is the same, uids and versions included. True by
   * default.
   */
  readonly routineEvents?: boolean
  /** Unix milliseconds. A virtual clock begins at 2026-01-01T00:00:00Z, another at the machine's time. */
  readonly startMillis?: number
  /** The most Pods that can exist, 100,000 by default; more are refused as by a quota. */
  readonly podsMax?: number
  /** Most requests in `requests`, 1,000 by default; 0 keeps none. */
  readonly requestsKept?: number
  readonly inspect?: (event: InspectionEvent) => void
  /**
   * What an error in a callback (`onChange`, `inspect`, an interceptor) does beside being logged once. `reject`, the
   * default: the call during which it is thrown fails, or the next call, or `close()`. `report`: no call fails, for
   * programs that must keep running.
   */
  readonly observerErrors?: "reject" | "report"
  /** Records the last steps of every actor from the beginning; by default from the first call of `why`. */
  readonly why?: boolean
  /** Records everything that the page shows from the beginning; by default from the first call of `recording`. */
  readonly record?: boolean | RecordSettings
  /** Shuffles, with this seed, actors of equal rank that are due at one instant, such as two ReplicaSets. */
  readonly shuffleSeed?: number
  /**
   * Continues from a snapshot, with its options unless given here; `nodes`, `startMillis`, `shuffleSeed` and
   * `featureGates` always come from it. Another seed applies to what is created later.
   */
  readonly from?: Snapshot
  /** A directory that stores the cluster; a cluster that it stores already is continued. */
  readonly data?: string
  /**
   * For how long, by the cluster's clock, changes are kept for watches and recordings that go on after a restart: `1h`,
   * or milliseconds; 5 minutes by default. Bounded by size as well; needs `data`.
   */
  readonly history?: number | string
  /** What answered writes survive: `process` (the default), `full` or `off`; needs `data`. */
  readonly durability?: DurabilityLevel
}

/** Options of a fork. Its nodes, feature gates, time and shuffle come from the cluster that it continues. */
export type ForkOptions = Omit<
  ClusterOptions,
  "from" | "nodes" | "featureGates" | "startMillis" | "shuffleSeed" | "data" | "durability" | "history"
>

export class UnknownBehaviour extends Data.TaggedError("UnknownBehaviour")<{
  readonly behaviour: string
}> {
  override get message(): string {
    return `no behaviour is called ${JSON.stringify(this.behaviour)}`
  }
}

/** The options of a cluster with their defaults, checked. */
export interface CheckedClusterOptions {
  readonly clock: ClockSetting
  readonly seed: number
  readonly nodes: NodesOptions
  readonly behaviour: Behaviour
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly strategies: ReadonlyArray<Strategy>
  readonly steering: ReadonlyArray<SteeringStrategy>
  readonly featureGates: FeatureGates
  readonly controllers: ReadonlyArray<string> | undefined
  readonly routineEvents: boolean
  readonly podsMax: number
  readonly historyMillis: number
}

const optionNames: OptionNames<ClusterOptions> = {
  clock: true,
  seed: true,
  nodes: true,
  behaviour: true,
  behaviours: true,
  livesOf: true,
  strategies: true,
  steering: true,
  featureGates: true,
  controllers: true,
  routineEvents: true,
  startMillis: true,
  podsMax: true,
  requestsKept: true,
  inspect: true,
  observerErrors: true,
  why: true,
  record: true,
  shuffleSeed: true,
  from: true,
  data: true,
  durability: true,
  history: true
}

const podsMaxDefault = 100_000
const historyDefault = "5m"

export const checkClusterOptions = Effect.fnUntraced(function* (
  givenOptions: ClusterOptions
): Effect.fn.Return<CheckedClusterOptions, UnknownBehaviour | InvalidOptions> {
  // Options that are not given come from the snapshot. Those that are read from `givenOptions` are in no snapshot.
  const options: ClusterOptions = { ...givenOptions.from?.settings, ...givenOptions }
  const { clock = "virtual", seed = 1, behaviours = [], podsMax = podsMaxDefault } = options
  const listProblems = listOptionProblems(options)
  if (listProblems.length > 0) return yield* new InvalidOptions({ problems: listProblems })
  const nodes = toNodesOptions(options.nodes)
  const strategies = withBuiltInStrategies(options.strategies)
  const steering = withBuiltInSteering(options.steering)
  const problems = [
    ...unknownOptionProblems(givenOptions, { owner: "a cluster", names: Object.keys(optionNames) }),
    ...clockProblems(clock),
    ...nodeOptionProblems(nodes),
    ...featureGateProblems(options.featureGates),
    ...controllerListProblems(options.controllers),
    ...integerUpTo(Number.MAX_SAFE_INTEGER)("podsMax", podsMax),
    ...integerCheck("seed", seed),
    ...integerCheck("shuffleSeed", options.shuffleSeed),
    ...functionCheck("livesOf", options.livesOf),
    ...functionCheck("inspect", givenOptions.inspect),
    ...booleanCheck("why", givenOptions.why),
    ...startMillisCheck("startMillis", givenOptions.startMillis),
    ...strategyProblems(strategies),
    ...steeringProblems(steering),
    ...recordProblems(givenOptions.record),
    ...requestsKeptCheck("requestsKept", givenOptions.requestsKept),
    ...booleanCheck("routineEvents", options.routineEvents),
    ...observerErrorsCheck("observerErrors", givenOptions.observerErrors),
    ...snapshotProblems(givenOptions),
    ...dataCheck("data", givenOptions.data),
    ...durabilityCheck("durability", givenOptions.durability),
    ...historyCheck("history", givenOptions.history)
  ]
  if (problems.length > 0) return yield* new InvalidOptions({ problems })
  const chosenBehaviour = yield* findBehaviour(options.behaviour ?? steady, behaviours)
  return {
    clock,
    seed,
    nodes,
    behaviour: yield* checkBehaviour(chosenBehaviour),
    behaviours: yield* Effect.forEach(behaviours, checkBehaviour),
    strategies,
    steering,
    featureGates: resolveFeatureGates(options.featureGates),
    controllers: options.controllers,
    routineEvents: options.routineEvents ?? true,
    podsMax,
    historyMillis: toDurationMillis(givenOptions.history ?? historyDefault)
  }
})

const toNodesOptions = (nodes: ClusterOptions["nodes"] = defaultNodeCount): NodesOptions =>
  isNodeList(nodes)
    ? { count: nodes.length, objects: nodes }
    : typeof nodes === "object" && nodes !== null
      ? { ...nodes, count: nodes.count ?? defaultNodeCount }
      : { count: nodes }

const isNodeList = (nodes: unknown): nodes is ReadonlyArray<Manifest> => Array.isArray(nodes)

const requestsKeptCheck = mustBe(
  "an integer from 0 on",
  (count) => Number.isInteger(count) && (count as number) >= 0
)

const booleanCheck = mustBe("true or false", (value) => typeof value === "boolean")
const integerCheck = mustBe("an integer", Number.isSafeInteger)
const functionCheck = mustBe("a function", (value) => typeof value === "function")

const startMillisCheck = mustBe(
  "Unix milliseconds that a Date can hold",
  (millis) => typeof millis === "number" && !Number.isNaN(new Date(millis).getTime())
)

const observerErrorsCheck = mustBe(
  '"reject" or "report"',
  (value) => value === "reject" || value === "report"
)

const dataCheck = mustBe("the path of a directory", (value) => typeof value === "string" && value !== "")
const durabilityCheck = mustBe('"full", "process" or "off"', (value) =>
  durabilityLevels.some((level) => level === value)
)

const historyCheck = mustBe('a duration such as "5m" or "1h", or milliseconds', (value) =>
  typeof value === "string"
    ? (parseDuration(value) ?? -1) >= 0
    : typeof value === "number" && value >= 0 && Number.isFinite(value)
)

const recordProblems = (record: ClusterOptions["record"]): ReadonlyArray<string> => {
  if (record === undefined || typeof record === "boolean") return []
  if (!isFields(record)) return [`record must be true, false or settings, not ${JSON.stringify(record)}`]
  const { title, changesMax, stepsMax } = record as RecordSettings
  return [
    ...unknownOptionProblems(record, { owner: "a recording", names: ["title", "changesMax", "stepsMax"] }),
    ...(title === undefined || typeof title === "string" ? [] : ["record.title must be a text"]),
    ...Object.entries({ changesMax, stepsMax })
      .filter(([, count]) => count !== undefined && !(Number.isSafeInteger(count) && count > 0))
      .map(([name, count]) => `record.${name} must be an integer above 0, not ${count}`)
  ]
}

/** Some options come from the snapshot; functions, which a snapshot cannot hold, must be given again. */
const snapshotProblems = (options: ClusterOptions): ReadonlyArray<string> => {
  const { from, nodes, startMillis, shuffleSeed, featureGates } = options
  const { strategies = [], steering = [], livesOf } = options
  if (from === undefined) return []
  if (!isSnapshot(from)) {
    return typeof from === "string"
      ? ["from is a text, and no snapshot: did you mean readSnapshot(text)?"]
      : ["from is no snapshot: cluster.snapshot() gives one, and readSnapshot(text)"]
  }
  const { needs } = from.settings
  const missingStrategies = (needs?.strategies ?? []).filter(
    (type) => !strategies.some((strategy) => strategy.type === type)
  )
  const missingSteering = (needs?.steering ?? []).filter(
    (name) => !steering.some(({ state }) => state === name)
  )
  return [
    ...Object.entries({ nodes, startMillis, shuffleSeed, featureGates })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => `${name} comes from the snapshot, and cannot be given with it`),
    ...missingStrategies.map(
      (type) => `the snapshot needs the strategy ${JSON.stringify(type)}: give it in strategies`
    ),
    ...missingSteering.map(
      (name) => `the snapshot needs the steering chart ${JSON.stringify(name)}: give it in steering`
    ),
    ...(needs?.livesOf === true && livesOf === undefined ? ["the snapshot needs livesOf: give it again"] : [])
  ]
}

const clockProblems = (clock: ClockSetting): ReadonlyArray<string> => {
  if (clock === "virtual" || clock === "real") return []
  const speed = isFields(clock) ? clock["speed"] : undefined
  return typeof speed === "number" && speed > 0 && Number.isFinite(speed)
    ? []
    : [`clock must be "virtual", "real" or { speed } above 0, not ${JSON.stringify(clock)}`]
}

const findBehaviour = (
  behaviour: string | Behaviour,
  behaviours: ReadonlyArray<Behaviour>
): Effect.Effect<Behaviour, UnknownBehaviour> => {
  if (typeof behaviour !== "string") return Effect.succeed(behaviour)
  const chosenBehaviour = behaviourNamed(behaviour, behaviours)
  return chosenBehaviour === undefined
    ? Effect.fail(new UnknownBehaviour({ behaviour }))
    : Effect.succeed(chosenBehaviour)
}

/** Loads the schema library only for behaviours that are not built in. */
const checkBehaviour = (behaviour: Behaviour): Effect.Effect<Behaviour, InvalidOptions> => {
  if (builtInBehaviours.includes(behaviour)) return Effect.succeed(behaviour)
  return Effect.flatMap(
    Effect.promise(() => import("../behaviours/decodeBehaviour.ts")),
    ({ defineBehaviour }) =>
      Effect.try({
        try: () => defineBehaviour(behaviour),
        catch: (error) =>
          new InvalidOptions({ problems: [error instanceof Error ? error.message : String(error)] })
      })
  )
}
