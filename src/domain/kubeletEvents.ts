import { goDuration, podText } from "./backOff.ts"
import { containerOf } from "./containers.ts"
import { imageProblem } from "./images.ts"
import type { RecordEvent } from "./commands.ts"
import type { ContainerFacts, ContainerHappening } from "./containers.ts"
import type { Pod } from "./objects.ts"

/**
 * The events a kubelet records of its containers.
 *
 * Source: pkg/kubelet/events/event.go, pkg/kubelet/images/image_manager.go, pkg/kubelet/kuberuntime.
 */
interface Happened {
  readonly happening: ContainerHappening
  readonly facts: ContainerFacts
  readonly pod: Pod
  /** How long the pull that ended took. */
  readonly pullMillis: number
}

type Say = (eventType: "Normal" | "Warning", reason: string, message: string) => RecordEvent

export const kubeletEvents = (happened: Happened): ReadonlyArray<RecordEvent> => {
  const { happening, facts, pod } = happened
  const { name, role } = facts
  const fieldPath = role === "app" ? `spec.containers{${name}}` : `spec.initContainers{${name}}`
  const say: Say = (eventType, reason, message) => ({
    type: "recordEvent",
    eventType,
    reason,
    message,
    fieldPath
  })
  switch (happening) {
    case "pulling":
    case "pulled":
    case "imageRefused":
    case "pullFailed":
    case "pullBackOff":
      return imageEvents(happening, happened, say)
    case "started":
      return [
        ...(facts.restartCount > 0 ? presentAgain(happened, say) : []),
        say("Normal", "Created", "Container created"),
        say("Normal", "Started", "Container started")
      ]
    // Unlike Kubernetes, which says so of each try, a probe is told of once, when it has failed often enough to count.
    case "unready":
      return [say("Warning", "Unhealthy", "Readiness probe failed: no answer")]
    case "startupFailed":
      return [say("Warning", "Unhealthy", "Startup probe failed: no answer"), killing(facts, "startup", say)]
    case "livenessFailed":
      return [
        say("Warning", "Unhealthy", "Liveness probe failed: no answer"),
        killing(facts, "liveness", say)
      ]
    case "crashBackOff": {
      const message = `Back-off restarting failed container ${name} in pod ${podText(pod.metadata)}`
      return [say("Warning", "BackOff", message)]
    }
    case "stopping":
      return [say("Normal", "Killing", `Stopping container ${name}`)]
    case "startupPassed":
    case "ready":
    case "exited":
    case "stopped":
      return []
  }
}

const killing = ({ name, role }: ContainerFacts, probe: string, say: Say): RecordEvent =>
  say(
    "Normal",
    "Killing",
    role === "app"
      ? `Container ${name} failed ${probe} probe, will be restarted`
      : `Init container ${name} failed ${probe} probe`
  )

type ImageHappening = "pulling" | "pulled" | "imageRefused" | "pullFailed" | "pullBackOff"

const imageEvents = (
  happening: ImageHappening,
  { facts, pod, pullMillis }: Happened,
  say: Say
): ReadonlyArray<RecordEvent> => {
  const { image = "", imagePullPolicy } = containerOf(pod.spec, facts) ?? {}
  const quoted = JSON.stringify(image)
  switch (happening) {
    case "pulling":
      return [say("Normal", "Pulling", `Pulling image ${quoted}`)]
    case "pulled": {
      if (imagePullPolicy === "Never") return [say("Normal", "Pulled", presentText(image))]
      const took = goDuration(pullMillis)
      // What is simulated has no size.
      const cost = `in ${took} (${took} including waiting). Image size: 0 bytes.`
      return [say("Normal", "Pulled", `Successfully pulled image ${quoted} ${cost}`)]
    }
    case "imageRefused": {
      const { reason, eventReason, message } = imageProblem(image)
      return [say("Warning", eventReason, message), say("Warning", "Failed", `Error: ${reason}`)]
    }
    case "pullFailed":
      return [
        say("Warning", "Failed", `Failed to pull image ${quoted}: ${facts.pullError ?? ""}`),
        say("Warning", "Failed", "Error: ErrImagePull")
      ]
    case "pullBackOff":
      return [
        say("Normal", "BackOff", `Back-off pulling image ${quoted}`),
        say("Warning", "Failed", "Error: ImagePullBackOff")
      ]
  }
}

/**
 * A container that is started again finds its image where it is.
 *
 * Unlike Kubernetes, the registry is not asked again under `imagePullPolicy: Always`, and a Pod never finds the image
 * that another has had pulled.
 */
const presentAgain = ({ facts, pod }: Happened, say: Say): ReadonlyArray<RecordEvent> => {
  const { image = "", imagePullPolicy } = containerOf(pod.spec, facts) ?? {}
  return imagePullPolicy === "Always" ? [] : [say("Normal", "Pulled", presentText(image))]
}

const presentText = (image: string): string =>
  `Container image ${JSON.stringify(image)} already present on machine`
