import { conditionOf } from "../domain/conditions.ts"
import { allStatusesOf, isReady } from "../domain/pods.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { podWord } from "../domain/podWords.ts"
import type { Pod } from "../domain/objects.ts"

/** How a Pod is, in the one word that `kubectl get pods` has for it, and whether that is good. */
export interface PodState {
  readonly word: string
  readonly mood: "good" | "wait" | "bad" | "gone"
}

export const podState = (pod: Pod): PodState => {
  const word = podWord(pod)
  const { phase } = pod.status
  if (isTerminating(pod) || phase === "Succeeded") return { word, mood: "gone" }
  if (phase === "Failed") return { word, mood: "bad" }
  if (word === "Pending" && isUnschedulable(pod)) return { word: "Unschedulable", mood: "bad" }
  if (word !== "Running") return { word, mood: patient.test(word) ? "wait" : "bad" }
  // "Running" says nothing of being ready, which is what a rollout waits for.
  return isReady(pod) ? { word, mood: "good" } : { word: "NotReady", mood: "wait" }
}

/** What ends by itself when all goes well. */
const patient =
  /^(?:Pending|SchedulingGated|ContainerCreating|PodInitializing|Init:\d+\/\d+|Completed|NotReady)$/

const isUnschedulable = (pod: Pod): boolean => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  return scheduled?.status === "False" && scheduled.reason === "Unschedulable"
}

/** Why it is as it is, in the words of whoever said so; nothing where nobody has. */
export const podReason = (pod: Pod): ReadonlyArray<string> => {
  const waiting = allStatusesOf(pod).map(({ state }) => state?.waiting?.message)
  const unscheduled = conditionOf(pod.status.conditions, "PodScheduled")
  const said = [
    ...waiting,
    pod.status.message,
    unscheduled?.status === "False" ? unscheduled.message : undefined
  ]
  const [first] = said.filter((it) => it !== undefined && it !== "")
  return first === undefined ? [] : [first]
}
