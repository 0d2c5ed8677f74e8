import { podTrouble } from "./podTroubles.ts"
import type { Pod } from "../objects.ts"
import type { PodTrouble, PodWorld } from "./podTroubles.ts"

/** What is the matter with Pods, those that are in the same trouble told of together: `who` is `new`, or nothing. */
export const groupSentences = (
  who: string,
  pods: ReadonlyArray<Pod>,
  world: PodWorld
): ReadonlyArray<string> => {
  const troubles = pods.flatMap((pod) => podTrouble(pod, world) ?? [])
  const groups = Map.groupBy(troubles, ({ kind }) => kind)
  return [...groups.values()].sort((a, b) => b.length - a.length).flatMap((group) => sentenceOf(who, group))
}

const sentenceOf = (who: string, group: ReadonlyArray<PodTrouble>): ReadonlyArray<string> => {
  const [first] = [...group].sort((a, b) => (b.times ?? 0) - (a.times ?? 0))
  if (first === undefined) return []
  const plural = group.length > 1
  const what = [group.length, who, plural ? "Pods" : "Pod"].filter((it) => it !== "").join(" ")
  return [`${what} ${first.say(plural)}${first.more ?? ""}.`]
}
