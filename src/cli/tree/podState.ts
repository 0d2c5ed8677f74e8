import { withoutPreemptionText } from "../../kubernetes/scheduling/placementSentences.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { allContainerStatuses, isPodReady, unschedulableCondition } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { podStatusText } from "../../kubernetes/pods/podStatusText.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

export interface PodState {
  /** The status that `kubectl get pods` shows, or a more precise one. */
  readonly word: string
  /** Chooses the colour and the sign. `gone`: the Pod is terminating or has succeeded. */
  readonly mood: "good" | "wait" | "bad" | "gone"
}

export const podState = (pod: Pod): PodState => {
  const word = podStatusText(pod)
  const { phase } = pod.status
  if (isTerminating(pod) || phase === "Succeeded") return { word, mood: "gone" }
  if (phase === "Failed") return { word, mood: "bad" }
  if (word === "Pending" && unschedulableCondition(pod) !== undefined)
    return { word: "Unschedulable", mood: "bad" }
  if (word !== "Running") return { word, mood: waitingWords.test(word) ? "wait" : "bad" }
  // A rollout waits for readiness, which the status "Running" does not tell.
  return isPodReady(pod) ? { word, mood: "good" } : { word: "NotReady", mood: "wait" }
}

/** Words of Pods that may still become ready by themselves. */
const waitingWords =
  /^(?:Pending|SchedulingGated|ContainerCreating|PodInitializing|Init:\d+\/\d+|Completed|NotReady)$/

export const podReason = (pod: Pod): string | undefined => {
  const waiting = allContainerStatuses(pod).map(({ state }) => state?.waiting?.message)
  const unscheduled = conditionOf(pod.status.conditions, "PodScheduled")
  const messages = [
    ...waiting,
    pod.status.message,
    unscheduled?.status === "False" ? withoutPreemptionText(unscheduled.message ?? "") : undefined
  ]
  return messages.find((it) => it !== undefined && it !== "")
}
