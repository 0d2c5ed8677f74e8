import { podProblem } from "./podProblems.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { PodProblem } from "./stateExplanation.ts"
import type { PodEnvironment } from "./podProblems.ts"

/** The problems of Pods, one sentence for Pods with the same problem. `who` is `new`, `old` or empty. */
export const podProblemSentences = (
  who: string,
  pods: ReadonlyArray<Pod>,
  environment: PodEnvironment
): ReadonlyArray<string> => {
  const troubles = pods.flatMap((pod) => podProblem(pod, environment) ?? [])
  const groups = Map.groupBy(troubles, ({ kind }) => kind)
  return [...groups.values()].sort((a, b) => b.length - a.length).flatMap((group) => sentenceOf(who, group))
}

const sentenceOf = (who: string, group: ReadonlyArray<PodProblem>): ReadonlyArray<string> => {
  const [first] = [...group].sort((a, b) => (b.occurrences ?? 0) - (a.occurrences ?? 0))
  if (first === undefined) return []
  const plural = group.length > 1
  const what = [group.length, who, plural ? "Pods" : "Pod"].filter((it) => it !== "").join(" ")
  return [`${what} ${first.predicate(plural)}${first.detail ?? ""}.`]
}
