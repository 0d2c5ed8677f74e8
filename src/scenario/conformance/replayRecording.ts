import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import * as Effect from "effect/Effect"
import { manual } from "../../behaviours/builtInBehaviours.ts"
import { makeClusterService } from "../../cluster/cluster.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { makeReplayTrace } from "./replayTrace.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import { workloadOfRecording } from "./upstreamWorkloads.ts"
import type { Replayer, UpstreamRecording, UpstreamStep } from "./upstreamWorkload.ts"
import type { ReplayTrace } from "./replayTrace.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

export interface ReplayDifference {
  readonly story: string
  readonly step: number
  readonly did: string
  /** A path such as `deployment.status.replicas`. */
  readonly field: string
  readonly expected: unknown
  readonly found: unknown
}

/** The recordings' release 1.20 has no such feature gate. */
const featureGates = { DeploymentReplicaSetTerminatingReplicas: false }
/** Not a whole second, so that wrong truncation of stored times shows. */
const startMillis = Date.UTC(2026, 0, 1) + 500
/** The creation timestamps of two steps must differ. */
const stepMillis = 1500

export const replayRecording = (
  recording: UpstreamRecording,
  trace?: ReplayTrace
): Effect.Effect<ReadonlyArray<ReplayDifference>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const nodes = { count: 1, pods: 100_000 }
      const kind = workloadOfRecording(recording)
      const options = { behaviour: manual, startMillis, nodes, featureGates, ...kind.clusterOptions }
      const inspect = trace === undefined ? {} : { inspect: trace.addInspection }
      const cluster = yield* Effect.orDie(makeClusterService({ ...options, ...inspect }))
      const replayer = kind.makeReplayer(cluster)
      let events: Array<NormalizedEvent> = []
      cluster.onChange((change) => {
        const { resource, type, object } = change
        trace?.addChange(change, cluster.nowMillis())
        replayer.observe?.(change)
        if (resource !== resources.events || type === "DELETED") return
        const event = normalizeEvent(object)
        if (event.involvedObject.kind === replayer.eventObjectKind) events.push(event)
      })
      const differences: Array<ReplayDifference> = []
      for (const [index, step] of recording.steps.entries()) {
        events = []
        trace?.beginStep(index + 1)
        const location = { story: recording.id, step: index + 1, did: step.do }
        const failure = yield* Effect.match(playStep(cluster, replayer, step), {
          onFailure: ({ message }) => message,
          onSuccess: () => undefined
        })
        if (failure !== undefined) {
          return [
            ...differences,
            { ...location, field: "(the step itself)", expected: "done", found: failure }
          ]
        }
        const found = replayer.describe(events, step.then)
        differences.push(
          ...differencesBetween("", step.then, found).map((difference) => ({ ...location, ...difference }))
        )
      }
      return differences
    })
  )

/** Returns a line for each object change and chart state of the step. */
export const traceStep = (
  recording: UpstreamRecording,
  step: number
): Effect.Effect<ReadonlyArray<string>> => {
  const trace = makeReplayTrace()
  return Effect.map(replayRecording(recording, trace), () => trace.linesOfStep(step))
}

const playStep = (
  cluster: Cluster["Service"],
  { perform, writesOnceSettled }: Replayer,
  step: UpstreamStep
): Effect.Effect<void, StoreError> => {
  const millisUntil = (seconds: number | undefined, defaultMillis: number): number =>
    seconds === undefined ? defaultMillis : startMillis + seconds * 1000 - cluster.nowMillis()
  const waitFor = (millis: number): Effect.Effect<void> => Effect.orDie(cluster.advance(Math.max(0, millis)))
  return Effect.gen(function* () {
    yield* waitFor(millisUntil(step.at, 0))
    if (step.do === "sleep") yield* waitFor((step.seconds ?? 0) * 1000)
    else yield* cluster.run(perform(step))
    const laterWrites = writesOnceSettled?.(step)
    if (laterWrites !== undefined) {
      yield* waitFor(stepMillis)
      yield* cluster.run(laterWrites)
    }
    yield* waitFor(millisUntil(step.seenAt, stepMillis))
  })
}

const differencesBetween = (
  field: string,
  expected: unknown,
  found: unknown
): ReadonlyArray<Pick<ReplayDifference, "field" | "expected" | "found">> => {
  if (isRecord(expected) && isRecord(found)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)])
    return [...keys].flatMap((key) =>
      differencesBetween(field === "" ? key : `${field}.${key}`, expected[key], found[key])
    )
  }
  return JSON.stringify(expected) === JSON.stringify(found) ? [] : [{ field, expected, found }]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  (!Array.isArray(value) || value.every((it) => typeof it === "object"))
