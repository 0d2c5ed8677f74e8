import { podTrouble } from "./podTroubles.ts"
import type { Pod } from "../objects.ts"
import type { PodTrouble } from "./explained.ts"
import type { PodWorld } from "./podTroubles.ts"

/** The problems of Pods, one sentence for Pods with the same problem. `who` is `new`, `old` or empty. */
export const groupSentences = (
  who: string,
  pods: ReadonlyArray<Pod>,
  environment: PodWorld
): ReadonlyArray<string> => {
  const troubles = pods.flatMap((pod) => podTrouble(pod, environment) ?? [])
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
