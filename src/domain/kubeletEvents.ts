import type { RecordEvent } from "./commands.ts"
import type { ContainerFacts, ContainerHappening } from "./containers.ts"

/**
 * The events a kubelet records of its containers.
 *
 * Source: pkg/kubelet/events/event.go, pkg/kubelet/images/image_manager.go, pkg/kubelet/kuberuntime.
 */
export interface Happened {
  readonly happening: ContainerHappening
  readonly facts: ContainerFacts
  readonly image: string
  readonly pullError: string
  /** How long the pull that ended took. */
  readonly pullMillis: number
  readonly pod: { readonly name: string; readonly namespace?: string | undefined; readonly uid: string }
}

export const kubeletEvents = (happened: Happened): ReadonlyArray<RecordEvent> => {
  const { happening, facts, pullError, pod } = happened
  const image = `"${happened.image}"`
  const say = (eventType: "Normal" | "Warning", reason: string, message: string): RecordEvent => ({
    type: "recordEvent",
    eventType,
    reason,
    message,
    fieldPath: `spec.containers{${facts.name}}`
  })
  switch (happening) {
    case "pulling":
      return [say("Normal", "Pulling", `Pulling image ${image}`)]
    case "pulled": {
      const took = `${(happened.pullMillis / 1000).toFixed(3)}s`
      return [say("Normal", "Pulled", `Successfully pulled image ${image} in ${took}`)]
    }
    case "pullFailed":
      return [
        say("Warning", "Failed", `Failed to pull image ${image}: ${pullError}`),
        say("Warning", "Failed", "Error: ErrImagePull")
      ]
    case "pullBackOff":
      return [
        say("Normal", "BackOff", `Back-off pulling image ${image}`),
        say("Warning", "Failed", "Error: ImagePullBackOff")
      ]
    case "started":
      return [say("Normal", "Created", "Container created"), say("Normal", "Started", "Container started")]
    case "unready":
      return [say("Warning", "Unhealthy", "Readiness probe failed: no answer")]
    case "startupFailed":
      return [
        say("Warning", "Unhealthy", "Startup probe failed: no answer"),
        say("Normal", "Killing", `Container ${facts.name} failed startup probe, will be restarted`)
      ]
    case "livenessFailed":
      return [
        say("Warning", "Unhealthy", "Liveness probe failed: no answer"),
        say("Normal", "Killing", `Container ${facts.name} failed liveness probe, will be restarted`)
      ]
    case "crashBackOff":
      return [
        say(
          "Warning",
          "BackOff",
          `Back-off restarting failed container ${facts.name} in pod ${pod.name}_${pod.namespace ?? ""}(${pod.uid})`
        )
      ]
    case "stopping":
      return [say("Normal", "Killing", `Stopping container ${facts.name}`)]
    case "startupPassed":
    case "ready":
    case "exited":
    case "stopped":
      return []
  }
}
