import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import * as Effect from "effect/Effect"
import { manual } from "../../behaviours/builtInBehaviours.ts"
import { makeCluster } from "../../cluster/cluster.ts"
import { compareByCreation, isTerminating } from "../../kubernetes/meta/ownerReferences.ts"
import { isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import {
  describeCluster,
  makeTemplateVersions,
  versionOfPod,
  versionOfReplicaSet
} from "./clusterDescription.ts"
import { upstreamDeployment } from "./upstreamRecording.ts"
import { makeReplayTrace } from "./replayTrace.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Draft, Pod, PodCondition, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { ClusterDescription, UpstreamStep, UpstreamRecording } from "./upstreamRecording.ts"
import type { ReplayTrace } from "./replayTrace.ts"
import type { CompleteEvent } from "../../kubernetes/meta/completeEvent.ts"

export interface ReplayDifference {
  readonly story: string
  readonly step: number
  readonly did: string
  /** In `ClusterDescription`: `deployment.status.replicas`. */
  readonly field: string
  readonly expected: unknown
  readonly found: unknown
}

/** The recordings' release 1.20 has no such feature gate. */
const featureGates = { DeploymentReplicaSetTerminatingReplicas: false }
/** Not a whole second, so that wrong truncation of stored times shows. */
const startMillis = Date.UTC(2026, 0, 1) + 500
/** For steps without a recorded time. Creation timestamps must differ. */
const stepMillis = 1500

/** Replays on a virtual clock, where only the steps move Pods, and compares the state after each step. */
export const replayRecording = (
  recording: UpstreamRecording,
  trace?: ReplayTrace
): Effect.Effect<ReadonlyArray<ReplayDifference>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const nodes = { count: 1, pods: 100_000 }
      const options = { behaviour: manual, startMillis, nodes, featureGates }
      const inspect = trace === undefined ? {} : { inspect: trace.addInspection }
      const cluster = yield* Effect.orDie(makeCluster({ ...options, ...inspect }))
      const templateVersions = makeTemplateVersions()
      let events: Array<CompleteEvent> = []
      cluster.onChange((change) => {
        const { resource, type, object } = change
        trace?.addChange(change, cluster.nowMillis())
        if (resource === resources.replicaSets) templateVersions.add(object as ReplicaSet)
        if (resource === resources.events && type !== "DELETED" && isOfDeployment(toCompleteEvent(object))) {
          events.push(toCompleteEvent(object))
        }
      })
      const differences: Array<ReplayDifference> = []
      for (const [index, step] of recording.steps.entries()) {
        events = []
        trace?.beginStep(index + 1)
        const location = { story: recording.id, step: index + 1, did: step.do }
        const failure = yield* Effect.match(playStep(cluster, step), {
          onFailure: ({ message }) => message,
          onSuccess: () => undefined
        })
        if (failure !== undefined) {
          return [
            ...differences,
            { ...location, field: "(the step itself)", expected: "done", found: failure }
          ]
        }
        const found = describeCluster(cluster, templateVersions, events)
        differences.push(...compare(step.then, found).map((difference) => ({ ...location, ...difference })))
      }
      return differences
    })
  )

/** Object changes and chart states of one step, one a line. */
export const traceStep = (
  recording: UpstreamRecording,
  step: number
): Effect.Effect<ReadonlyArray<string>> => {
  const trace = makeReplayTrace()
  return Effect.map(replayRecording(recording, trace), () => trace.linesOf(step))
}

const isOfDeployment = (event: CompleteEvent): boolean => event.involvedObject.kind === "Deployment"

const playStep = (cluster: Cluster["Service"], step: UpstreamStep): Effect.Effect<void, StoreError> => {
  const millisUntil = (seconds: number | undefined, defaultMillis: number): number =>
    seconds === undefined ? defaultMillis : startMillis + seconds * 1000 - cluster.nowMillis()
  const waitFor = (millis: number): Effect.Effect<void> => Effect.orDie(cluster.advance(Math.max(0, millis)))
  return Effect.gen(function* () {
    yield* waitFor(millisUntil(step.at, 0))
    if (step.do === "sleep") yield* waitFor((step.seconds ?? 0) * 1000)
    else yield* cluster.run(performAction(cluster, step))
    yield* waitFor(millisUntil(step.seenAt, stepMillis))
  })
}

const performAction = (
  cluster: Cluster["Service"],
  step: UpstreamStep
): Effect.Effect<unknown, StoreError> => {
  const { store, view } = cluster
  const deployment = { resource: resources.deployments, key: "default/d" }
  const replicaSets = (): ReadonlyArray<ReplicaSet> =>
    [...view.all(resources.replicaSets)].filter(
      (replicaSet) => step.v === undefined || versionOfReplicaSet(replicaSet) === step.v
    )
  switch (step.do) {
    case "create":
    case "update": {
      if (step.deployment === undefined) return Effect.die(new Error(`${step.do} without a Deployment`))
      const draft = upstreamDeployment(step.deployment)
      if (step.do === "create") return store.create(draft)
      return store.modify(deployment, (object) => ({ ...object, spec: draft.spec }) as Draft)
    }
    case "delete":
      return store.delete(deployment, { propagationPolicy: step.propagationPolicy ?? "Background" })
    case "scaleReplicaSet":
      return Effect.forEach(replicaSets().slice(0, 1), (it) =>
        store.update({ ...it, spec: { ...it.spec, replicas: step.replicas ?? 0 } } as ReplicaSet)
      )
    case "deleteReplicaSet":
      return Effect.forEach(replicaSets().slice(0, 1), (it) =>
        store.delete(
          { resource: resources.replicaSets, key: objectKeyOf(it) },
          { propagationPolicy: "Background" }
        )
      )
    default:
      return movePods(cluster, step)
  }
}

/** Changes the `n` oldest Pods of template version `v`, all chosen before the first is changed. */
const movePods = (cluster: Cluster["Service"], step: UpstreamStep): Effect.Effect<unknown, StoreError> => {
  const { store, view, nowMillis } = cluster
  const canMove = podFilters[step.do]
  if (canMove === undefined) return Effect.die(new Error(`unknown action ${step.do}`))
  const chosenPods = [...view.all(resources.pods)]
    .filter((pod) => (step.v === undefined || versionOfPod(pod) === step.v) && canMove(pod))
    .sort(compareByCreation)
    .slice(0, step.n ?? Number.POSITIVE_INFINITY)
  const now = timestampOf(nowMillis())
  return Effect.forEach(chosenPods, (pod) => {
    const ref = { resource: resources.pods, key: objectKeyOf(pod) }
    switch (step.do) {
      case "kill":
        return store.delete(ref)
      case "reap":
        return store.delete(ref, { gracePeriodSeconds: 0 })
      default:
        return Effect.andThen(
          bindIfPending(cluster, pod),
          store.modify(ref, (object) => withStatus(object as Pod, step.do, now), { status: true })
        )
    }
  })
}

const bindIfPending = ({ store }: Cluster["Service"], pod: Pod): Effect.Effect<unknown, StoreError> =>
  pod.spec.nodeName === undefined
    ? store.bind({ key: objectKeyOf(pod), uid: pod.metadata.uid, nodeName: "node-1" })
    : Effect.void

const isLive = (pod: Pod): boolean => !isTerminating(pod) && !isPodFinished(pod)

const podFilters: Readonly<Record<string, (pod: Pod) => boolean>> = {
  start: (pod) => isLive(pod) && pod.spec.nodeName === undefined,
  ready: (pod) => isLive(pod) && !isPodReady(pod),
  unready: (pod) => isLive(pod) && isPodReady(pod),
  fail: (pod) => isLive(pod) && pod.spec.nodeName !== undefined,
  kill: isLive,
  reap: isTerminating
}

const withStatus = (pod: Pod, action: string, now: string): Pod => {
  const ready = action === "ready"
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== "Ready")
  const condition: PodCondition = { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now }
  return {
    ...pod,
    status: {
      ...pod.status,
      phase: action === "fail" ? "Failed" : "Running",
      conditions: [...others, condition]
    }
  }
}

const compare = (
  expected: ClusterDescription,
  found: ClusterDescription
): ReadonlyArray<Pick<ReplayDifference, "field" | "expected" | "found">> => {
  const comparableFound = expected.events === undefined ? { ...found, events: undefined } : found
  return differences("", expected, comparableFound)
}

/** A list of plain values is compared as a whole. */
const differences = (
  field: string,
  expected: unknown,
  found: unknown
): ReadonlyArray<Pick<ReplayDifference, "field" | "expected" | "found">> => {
  if (isRecord(expected) && isRecord(found)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)])
    return [...keys].flatMap((key) =>
      differences(field === "" ? key : `${field}.${key}`, expected[key], found[key])
    )
  }
  return JSON.stringify(expected) === JSON.stringify(found) ? [] : [{ field, expected, found }]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  (!Array.isArray(value) || value.every((it) => typeof it === "object"))
