import { containerPath } from "../../kubernetes/pods/containers/containers.ts"
import { isPodActive, isPodReady, unschedulableCondition } from "../../kubernetes/pods/podState.ts"
import { parseQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import { withoutPreemptionText } from "../../kubernetes/scheduling/placementSentences.ts"
import type { DocumentPath } from "../../kubernetes/meta/text/fieldPath.ts"
import type { ContainerStatus, Pod } from "../../kubernetes/meta/objects.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

/** `field` is a path below the Pod's `spec`, omitted if the reason is about all of it. */
export interface NotReadyReason {
  readonly text: string
  readonly field?: DocumentPath
}

/** `events` tell which probe failed. */
export const notReadyReason = (
  pod: Pod,
  events: ReadonlyArray<NormalizedEvent> = []
): NotReadyReason | undefined => {
  if (!isPodActive(pod) || isPodReady(pod)) return undefined
  return (
    obstacleOf(pod, events) ??
    (pod.status.phase === "Running"
      ? { text: "Pods run and are not ready", field: fieldOfReadiness(pod) }
      : { text: "Pods had not started yet" })
  )
}

/** The text is for one Pod; `notReadyReason` has one for several. */
export const whyNotReady = (pod: Pod): string | undefined => {
  if (!isPodActive(pod) || isPodReady(pod)) return undefined
  return (
    obstacleOf(pod)?.text ??
    (pod.status.phase === "Running" ? "it runs and is not ready" : "it has not started yet")
  )
}

export const isStarting = (pod: Pod): boolean =>
  isPodActive(pod) && !isPodReady(pod) && obstacleOf(pod) === undefined

const obstacleOf = (pod: Pod, events: ReadonlyArray<NormalizedEvent> = []): NotReadyReason | undefined => {
  const { spec, status, metadata } = pod
  const unschedulable = unschedulableCondition(pod)
  if (unschedulable !== undefined) {
    const message = withoutPreemptionText(unschedulable.message ?? "")
    return { text: `Unschedulable: ${message}`, field: fieldOfPlacement(spec, message) }
  }
  const podEvents = events.filter(({ involvedObject }) => involvedObject.uid === metadata.uid)
  const { initContainerStatuses = [], containerStatuses = [] } = status
  const pendingInit = initContainerStatuses.filter(({ state }) => state?.terminated?.exitCode !== 0)
  for (const container of [...pendingInit, ...containerStatuses]) {
    const reason = whyNotRunning(container, podEvents)
    if (reason !== undefined)
      return { text: reason.text, field: [...containerPath(spec, container.name), ...reason.fields] }
  }
  const attachment = podEvents.findLast(({ reason }) => reason === "FailedAttachVolume")
  return status.phase !== "Pending" || attachment === undefined
    ? undefined
    : { text: `FailedAttachVolume: ${withoutPodNames(attachment.message)}`, field: ["volumes"] }
}

/** The names of the Pods that use a volume differ between seeds. */
const withoutPodNames = (message: string): string => message.replace(/ Volume is already .*$/su, "")

/** The field that keeps a running Pod unready: a probe of the first unready container, or a readiness gate. */
const fieldOfReadiness = ({ spec, status }: Pod): DocumentPath => {
  const unready = status.containerStatuses?.find(({ ready }) => !ready)
  if (unready === undefined) return ["readinessGates"]
  return [...containerPath(spec, unready.name), unready.started === false ? "startupProbe" : "readinessProbe"]
}

type Container = Pod["spec"]["containers"][number]

/** Of several reasons in a message, the first in this order counts. */
const placementFields: ReadonlyArray<
  readonly [RegExp, (spec: Pod["spec"], message: string) => DocumentPath]
> = [
  [/affinity\/selector/, ({ nodeSelector }) => [nodeSelector === undefined ? "affinity" : "nodeSelector"]],
  [/pod (?:anti-)?affinity rules/, () => ["affinity"]],
  [/topology spread/, () => ["topologySpreadConstraints"]],
  [
    /free ports/,
    (spec) => [
      ...containerWithMost(spec, ({ ports = [] }) =>
        ports.some(({ hostPort }) => hostPort !== undefined) ? 1n : 0n
      ),
      "ports"
    ]
  ],
  [/volume|pvc|disk/i, () => ["volumes"]],
  [
    /Insufficient/,
    (spec, message) => {
      const [, resource = ""] = /Insufficient ([\w./-]*\w)/.exec(message) ?? []
      const requested = ({ resources }: Container): bigint =>
        parseQuantity(resources?.requests?.[resource] ?? 0)?.nanos ?? 0n
      return [...containerWithMost(spec, requested), "resources"]
    }
  ],
  [/taint/, () => ["tolerations"]]
]

const containerWithMost = (spec: Pod["spec"], amountOf: (container: Container) => bigint): DocumentPath => {
  const [firstContainer, ...otherContainers] = [...spec.containers, ...(spec.initContainers ?? [])]
  const withMost = otherContainers.reduce(
    (best, container) => (best === undefined || amountOf(container) > amountOf(best) ? container : best),
    firstContainer
  )
  return containerPath(spec, withMost?.name ?? "")
}

const fieldOfPlacement = (spec: Pod["spec"], message: string): DocumentPath =>
  placementFields.find(([pattern]) => pattern.test(message))?.[1](spec, message) ?? []

/** `fields` are those of the container that the reason is about. */
const whyNotRunning = (
  { name, image, state, lastState }: ContainerStatus,
  events: ReadonlyArray<NormalizedEvent>
): { readonly text: string; readonly fields: DocumentPath } | undefined => {
  const { reason: waitingReason, message } = state?.waiting ?? {}
  const terminated = state?.terminated ?? lastState?.terminated
  const probe = terminated === undefined ? undefined : probeThatEnded(name, events)
  if (terminated !== undefined && (probe !== undefined || state?.running === undefined)) {
    const { exitCode, reason = "Error" } = terminated
    // The failed probe is the cause, whether the container is in back-off or already restarted.
    const why = probe === undefined ? waitingReason : `${probe} probe failed`
    const text = `${why === undefined ? "" : `${why}: `}container ${JSON.stringify(name)} ended with exit code ${exitCode} (${reason})`
    return { text, fields: probe === undefined ? [] : [`${probe.toLowerCase()}Probe`] }
  }
  if (waitingReason === "ImagePullBackOff" || waitingReason === "ErrImagePull")
    return { text: `ImagePullBackOff: image ${JSON.stringify(image)} could not be pulled`, fields: ["image"] }
  return waitingReason === undefined || startingReasons.has(waitingReason)
    ? undefined
    : { text: `${waitingReason}: ${message ?? ""}`, fields: waitingReason.includes("Image") ? ["image"] : [] }
}

const startingReasons: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

/**
 * Only an event tells which probe caused a restart. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go
 * (computePodActions).
 */
const probeThatEnded = (name: string, events: ReadonlyArray<NormalizedEvent>): string | undefined => {
  let latest: { readonly probe: string; readonly at: string } | undefined
  for (const { reason, message, lastTimestamp } of events) {
    const [, container, probe = ""] = (reason === "Killing" && killingMessage.exec(message)) || []
    if (container !== name || (latest !== undefined && latest.at > lastTimestamp)) continue
    latest = { probe: probe === "startup" ? "Startup" : "Liveness", at: lastTimestamp }
  }
  return latest?.probe
}

const killingMessage = /^(?:Container|Init container) (\S+) failed (startup|liveness) probe/
