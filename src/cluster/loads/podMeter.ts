import { containerOverrides, behaviourFor } from "../../behaviours/matchBehaviours.ts"
import { loadRateAt } from "../../behaviours/load/loadRate.ts"
import { sampleWindowMillis } from "../../kubernetes/metrics/podMeter.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { usageOfContainer } from "../../behaviours/load/containerUsage.ts"
import { isSidecar } from "../../kubernetes/pods/containers/containerRoles.ts"
import { allContainerStatuses } from "../../kubernetes/pods/podState.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ContainerSample, PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { OutsideMetrics } from "./outsideMetrics.ts"
import type { LoadShares } from "./loadShares.ts"

export const requestRateMetric = "requests_per_second"

/** Usage is computed at each reading: nothing is sampled in between. */
export const makePodMeter = ({
  behaviours,
  behaviour: fallback,
  loadShares,
  outsideMetrics,
  nowMillis
}: {
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly behaviour: Behaviour
  readonly loadShares: LoadShares
  readonly outsideMetrics: OutsideMetrics
  readonly nowMillis: () => number
}): PodMeter => ({
  sampleOf: (pod) => {
    const { spec, status } = pod
    if (status.phase !== "Running") return undefined
    const atMillis = nowMillis()
    const podBehaviour = behaviourFor(pod, behaviours, fallback)
    const overrides = containerOverrides(pod, behaviours, { podBehaviour, fallback })
    const requestsPerSecond = loadShares.shareOf(pod)
    const load = loadShares.loadOf(podBehaviour)
    const runningContainers = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)]
    const startedAt = new Map(
      allContainerStatuses(pod).map(({ name, state }) => [name, state?.running?.startedAt] as const)
    )
    const containers: Array<ContainerSample> = []
    for (const container of runningContainers) {
      const { name } = container
      const containerStartedAt = startedAt.get(name)
      // As in metrics-server, a container has no sample before it has run for a whole window.
      if (
        containerStartedAt === undefined ||
        timestampMillis(containerStartedAt) + sampleWindowMillis > atMillis
      )
        continue
      const behaviour = overrides.find((it) => it.name === name)?.behaviour ?? podBehaviour
      const requests = name === spec.containers[0]?.name ? requestsPerSecond : 0
      const behaviourWithLoad = load === undefined ? behaviour : { ...behaviour, load }
      containers.push({ name, ...usageOfContainer(container, behaviourWithLoad, requests) })
    }
    return containers.length === 0 ? undefined : { atMillis, windowMillis: sampleWindowMillis, containers }
  },
  // In thousandths.
  podMetric: (pod, name) => {
    if (pod.status.phase !== "Running") return undefined
    const podBehaviour = behaviourFor(pod, behaviours, fallback)
    const rate = podBehaviour.metrics?.[name]
    if (rate !== undefined) {
      const beganMillis = timestampMillis(pod.status.startTime ?? pod.metadata.creationTimestamp)
      return Math.ceil(loadRateAt(rate, { beganMillis, nowMillis: nowMillis() }) * 1000)
    }
    if (name !== requestRateMetric || loadShares.loadOf(podBehaviour) === undefined) return undefined
    return Math.ceil(loadShares.shareOf(pod) * 1000)
  },
  objectMetric: outsideMetrics.objectMetric,
  externalMetric: outsideMetrics.externalMetric
})
