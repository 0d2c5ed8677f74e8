import { podProblem } from "./podProblems.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { PodProblem } from "./stateExplanation.ts"
import type { PodEnvironment } from "./podProblems.ts"

/** One sentence for all Pods with the same problem. `adjective` is `new`, `old` or empty. */
export const podProblemSentences = (
  adjective: string,
  pods: ReadonlyArray<Pod>,
  environment: PodEnvironment
): ReadonlyArray<string> => {
  const problems = pods.flatMap((pod) => podProblem(pod, environment) ?? [])
  const groups = Map.groupBy(problems, ({ kind }) => kind)
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .flatMap((group) => sentenceOf(adjective, group))
}

const sentenceOf = (adjective: string, group: ReadonlyArray<PodProblem>): ReadonlyArray<string> => {
  // The sentence has the detail of the Pod whose problem has occurred most often.
  const [first] = [...group].sort((a, b) => (b.occurrences ?? 0) - (a.occurrences ?? 0))
  if (first === undefined) return []
  const plural = group.length > 1
  const subject = [group.length, adjective, plural ? "Pods" : "Pod"].filter((it) => it !== "").join(" ")
  return [`${subject} ${first.predicate(plural)}${first.detail ?? ""}.`]
}
