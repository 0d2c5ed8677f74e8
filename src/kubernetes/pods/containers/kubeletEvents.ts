import { memoizeUpTo } from "../../meta/text/memoizeUpTo.ts"
import { goDuration, formatPodName } from "./backOff.ts"
import { containerSpecOf } from "./containers.ts"
import { imageProblem } from "./images.ts"
import { recordEvent, type RecordEvent } from "../../apps/sharedCommands.ts"
import { goQuote } from "../../meta/text/goQuote.ts"
import type { ContainerFacts, ContainerEventName } from "./containers.ts"
import type { ContainerRole } from "./containerRoles.ts"
import type { Pod } from "../../meta/objects.ts"

/** Source: events/event.go, image_manager.go, pkg/kubelet/kuberuntime. */
interface ContainerChange {
  readonly eventName: ContainerEventName
  readonly facts: ContainerFacts
  readonly pod: Pod
  readonly pullMillis: number
}

const specFieldOfRole = (role: ContainerRole): string => {
  if (role === "app") return "containers"
  return role === "ephemeral" ? "ephemeralContainers" : "initContainers"
}

/** Events of different Pods share these texts: a cluster keeps every Event for an hour. */
const fieldPathOf = memoizeUpTo(10, (role: ContainerRole) =>
  memoizeUpTo(1000, (name: string) => `spec.${specFieldOfRole(role)}{${name}}`)
)
const pullingText = memoizeUpTo(1000, (image: string) => `Pulling image ${goQuote(image)}`)
const pulledText = memoizeUpTo(1000, (image: string) =>
  memoizeUpTo(10, (pullMillis: number) => {
    const duration = goDuration(pullMillis)
    const details = `in ${duration} (${duration} including waiting). Image size: 0 bytes.`
    return `Successfully pulled image ${goQuote(image)} ${details}`
  })
)

type MakeEvent = (eventType: "Normal" | "Warning", reason: string, message: string) => RecordEvent

export const kubeletEvents = (change: ContainerChange): ReadonlyArray<RecordEvent> => {
  const { eventName, facts, pod } = change
  const { name, role } = facts
  const fieldPath = fieldPathOf(role)(name)
  const makeEvent: MakeEvent = (eventType, reason, message) => ({
    ...recordEvent(eventType, reason, message),
    fieldPath
  })
  switch (eventName) {
    case "pulled":
    case "imageFound":
    case "pulling":
    case "imageRefused":
    case "pullFailed":
    case "pullBackOff":
      return imageEvents(eventName, change, makeEvent)
    case "started":
      return [
        ...(facts.restartCount > 0 ? imagePresentEvents(change, makeEvent) : []),
        makeEvent("Normal", "Created", "Container created"),
        makeEvent("Normal", "Started", "Container started")
      ]
    // Unlike Kubernetes, one Event is recorded at the failure threshold, not one per failed probe.
    case "unready":
      return [makeEvent("Warning", "Unhealthy", "Readiness probe failed: no answer")]
    case "startupFailed":
      return [
        makeEvent("Warning", "Unhealthy", "Startup probe failed: no answer"),
        killingEvent(facts, "startup", makeEvent)
      ]
    case "livenessFailed":
      return [
        makeEvent("Warning", "Unhealthy", "Liveness probe failed: no answer"),
        killingEvent(facts, "liveness", makeEvent)
      ]
    case "crashBackOff": {
      const message = `Back-off restarting failed container ${name} in pod ${formatPodName(pod.metadata)}`
      return [makeEvent("Warning", "BackOff", message)]
    }
    case "stopping":
      return [makeEvent("Normal", "Killing", `Stopping container ${name}`)]
    case "startupPassed":
    case "ready":
    case "exited":
    case "stopped":
      return []
  }
}

const killingEvent = ({ name, role }: ContainerFacts, probe: string, makeEvent: MakeEvent): RecordEvent =>
  makeEvent(
    "Normal",
    "Killing",
    role === "app"
      ? `Container ${name} failed ${probe} probe, will be restarted`
      : `Init container ${name} failed ${probe} probe`
  )

type ImageEventName = "pulling" | "pulled" | "imageFound" | "imageRefused" | "pullFailed" | "pullBackOff"

const imageEvents = (
  eventName: ImageEventName,
  { facts, pod, pullMillis }: ContainerChange,
  makeEvent: MakeEvent
): ReadonlyArray<RecordEvent> => {
  const { image = "" } = containerSpecOf(pod.spec, facts) ?? {}
  switch (eventName) {
    case "pulling":
      return [makeEvent("Normal", "Pulling", pullingText(image))]
    case "pulled":
      return [makeEvent("Normal", "Pulled", pulledText(image)(pullMillis))]
    case "imageFound":
      return [makeEvent("Normal", "Pulled", imagePresentText(image))]
    case "imageRefused": {
      const { reason, eventReason, message } = imageProblem(image)
      return [makeEvent("Warning", eventReason, message), makeEvent("Warning", "Failed", `Error: ${reason}`)]
    }
    case "pullFailed":
      return [
        makeEvent("Warning", "Failed", `Failed to pull image ${goQuote(image)}: ${facts.pullError ?? ""}`),
        makeEvent("Warning", "Failed", "Error: ErrImagePull")
      ]
    case "pullBackOff":
      return [
        makeEvent("Normal", "BackOff", `Back-off pulling image ${goQuote(image)}`),
        makeEvent("Warning", "Failed", "Error: ImagePullBackOff")
      ]
  }
}

/**
 * Unlike Kubernetes, a restart does not ask the registry again under `imagePullPolicy: Always`, and Pods
 * share no pulled images.
 */
const imagePresentEvents = (
  { facts, pod }: ContainerChange,
  makeEvent: MakeEvent
): ReadonlyArray<RecordEvent> => {
  const { image = "", imagePullPolicy } = containerSpecOf(pod.spec, facts) ?? {}
  return imagePullPolicy === "Always" ? [] : [makeEvent("Normal", "Pulled", imagePresentText(image))]
}

const imagePresentText = (image: string): string =>
  `Container image ${goQuote(image)} already present on machine`
