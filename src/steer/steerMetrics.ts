import { controllingOwner } from "../store/ownerLookup.ts"
import { conditionOf } from "../kubernetes/meta/conditions.ts"
import { hasBeenComplete } from "../kubernetes/steering/steeringObservation.ts"
import { histogramSamples, metricsText } from "../server/metrics/metricsText.ts"
import { hasApprovalGate, isApproved, isWaitingForApproval } from "../kubernetes/steering/podApproval.ts"
import { processMetrics } from "../server/metrics/processMetrics.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { steeredCondition } from "../kubernetes/steering/steeringNames.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { MetricFamily } from "../server/metrics/metricsText.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { QueueMeters } from "../runtime/workers/queueMeters.ts"

export interface SteerMeter {
  /** Adds 1. The name lacks the prefix `charthouse_steer_`. */
  readonly count: (name: CounterName, labels?: Readonly<Record<string, string>>) => void
  readonly text: (state: SteerState) => string
}

export interface SteerState {
  readonly isLeading: boolean
  readonly leaseTransitions: number
  readonly isReady: boolean
  readonly queues: QueueMeters
}

const counters = {
  commands_total: "Commands of charts that were performed, by type.",
  refusals_total: "Commands that were refused, by type and reason. They are decided anew.",
  requests_total: "Writes to the API server, by verb, resource and result.",
  watch_failures_total: "Lists and watches that failed, by resource. Until one succeeds, nothing is written.",
  relists_total: "Whole lists that were read, by resource.",
  actor_failures_total: "Actors that failed and were made anew."
} as const

type CounterName = keyof typeof counters

const prefix = "charthouse_steer_"
const approvalBucketSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export const makeSteerMeter = (view: ClusterView["Service"], elapsedMillis: () => number): SteerMeter => {
  const counts = new Map<
    string,
    { name: CounterName; labels: Readonly<Record<string, string>>; value: number }
  >()
  /** By Pod uid: when the Pod began to wait for nothing but its approval. */
  const waitingSinceMillis = new Map<string, number>()
  // The last count is for approvals that took longer than all buckets.
  const approvals = { counts: [...approvalBucketSeconds, Infinity].map(() => 0), sum: 0 }

  const observeApproval = (pod: Pod, seconds: number): void => {
    const replicaSet = controllingOwner(view, resources.replicaSets, pod)
    // Pods of a new revision wait for their step, which says nothing about the controller's latency.
    if (replicaSet === undefined || !hasBeenComplete(replicaSet)) return
    const bucket = approvalBucketSeconds.findIndex((bound) => seconds <= bound)
    const index = bucket === -1 ? approvalBucketSeconds.length : bucket
    approvals.counts[index] = (approvals.counts[index] ?? 0) + 1
    approvals.sum += seconds
  }
  view.subscribe(
    ({ type, object }) => {
      const pod = object as Pod
      const { uid } = pod.metadata
      if (type !== "DELETED" && hasApprovalGate(pod) && isWaitingForApproval(pod)) {
        if (!waitingSinceMillis.has(uid)) waitingSinceMillis.set(uid, elapsedMillis())
        return
      }
      const sinceMillis = waitingSinceMillis.get(uid)
      if (sinceMillis === undefined) return
      waitingSinceMillis.delete(uid)
      if (type !== "DELETED" && isApproved(pod)) observeApproval(pod, (elapsedMillis() - sinceMillis) / 1000)
    },
    [resources.pods]
  )

  const families = ({
    isLeading,
    leaseTransitions,
    isReady,
    queues
  }: SteerState): ReadonlyArray<MetricFamily> => [
    ...Object.entries(counters).map(([name, help]): MetricFamily => ({
      name: `${prefix}${name}`,
      type: "counter",
      help,
      samples: [...counts.values()]
        .filter((counter) => counter.name === name)
        .map(({ labels, value }) => ({ labels, value }))
    })),
    gauge("leader", "Whether this process holds the Lease.", [{ labels: {}, value: Number(isLeading) }]),
    gauge("ready", "Whether all watches are open.", [{ labels: {}, value: Number(isReady) }]),
    gauge("lease_transitions", "How often the Lease has changed its holder.", [
      { labels: {}, value: leaseTransitions }
    ]),
    gauge("deployments", "Steered Deployments, by the reason of their condition.", steeredSamples(view)),
    gauge("waiting_pods", "Pods that are up and wait for their approval.", [
      { labels: {}, value: waitingSinceMillis.size }
    ]),
    {
      name: `${prefix}approval_seconds`,
      type: "histogram",
      help: "From when a Pod of a complete revision was seen to be up until its approval was seen.",
      samples: histogramSamples({}, { bounds: approvalBucketSeconds, ...approvals })
    },
    gauge(
      "queue_depth",
      "Deployments that wait for a look.",
      [...queues.values()].map(({ depth }) => ({ labels: {}, value: depth() }))
    ),
    ...processMetrics()
  ]
  return {
    count: (name, labels = {}) => {
      const key = `${name} ${JSON.stringify(labels)}`
      const counter = counts.get(key)
      if (counter === undefined) counts.set(key, { name, labels, value: 1 })
      else counter.value += 1
    },
    text: (state) => metricsText(families(state))
  }
}

const gauge = (name: string, help: string, samples: MetricFamily["samples"]): MetricFamily => ({
  name: `${prefix}${name}`,
  type: "gauge",
  help,
  samples
})

const steeredSamples = (view: ClusterView["Service"]): MetricFamily["samples"] => {
  const counts = new Map<string, number>()
  for (const { status } of view.all(resources.deployments)) {
    const reason = conditionOf(status.conditions, steeredCondition)?.reason ?? "None"
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, value]) => ({ labels: { reason }, value }))
}
