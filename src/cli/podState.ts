import { conditionOf } from "../domain/conditions.ts"
import { isReady } from "../domain/pods.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import type { Pod } from "../domain/objects.ts"

/** How a Pod is, in the one word that `kubectl get pods` has for it, and whether that is good. */
export interface PodState {
  readonly word: string
  readonly mood: "good" | "wait" | "bad" | "gone"
}

/**
 * Source: pkg/printers/internalversion/printers.go (printPod).
 */
export const podState = (pod: Pod): PodState => {
  if (isTerminating(pod)) return { word: "Terminating", mood: "gone" }
  const reason = containerReason(pod) ?? pod.status.reason ?? schedulingReason(pod)
  const { phase } = pod.status
  if (phase === "Succeeded") return { word: reason ?? "Completed", mood: "gone" }
  if (phase === "Failed") return { word: reason ?? "Failed", mood: "bad" }
  if (reason !== undefined) return { word: reason, mood: patient.has(reason) ? "wait" : "bad" }
  if (phase !== "Running") return { word: phase, mood: "wait" }
  // "Running" says nothing of being ready, which is what a rollout waits for.
  return isReady(pod) ? { word: "Running", mood: "good" } : { word: "NotReady", mood: "wait" }
}

/** Reasons of waiting that end by themselves when all goes well. */
const patient: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing", "Completed"])

/** As `kubectl` does it, the first container that has something to say speaks for the Pod. */
const containerReason = (pod: Pod): string | undefined => {
  for (const { state } of pod.status.containerStatuses ?? []) {
    if (state?.waiting?.reason !== undefined) return state.waiting.reason
    if (state?.terminated !== undefined) {
      return state.terminated.reason ?? `ExitCode:${state.terminated.exitCode}`
    }
  }
  return undefined
}

const schedulingReason = (pod: Pod): string | undefined => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  return scheduled?.status === "False" && scheduled.reason === "Unschedulable" ? "Unschedulable" : undefined
}

/** Why it is as it is, in the words of whoever said so; nothing where nobody has. */
export const podReason = (pod: Pod): ReadonlyArray<string> => {
  const waiting = (pod.status.containerStatuses ?? []).map(({ state }) => state?.waiting?.message)
  const unscheduled = conditionOf(pod.status.conditions, "PodScheduled")
  const said = [
    ...waiting,
    pod.status.message,
    unscheduled?.status === "False" ? unscheduled.message : undefined
  ]
  const [first] = said.filter((it) => it !== undefined && it !== "")
  return first === undefined ? [] : [first]
}
