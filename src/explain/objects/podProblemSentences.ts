import { podProblem } from "./podProblems.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { PodProblem } from "./stateExplanation.ts"
import type { PodEnvironment } from "./podProblems.ts"

interface PodProblemSentences {
  readonly sentences: ReadonlyArray<string>
  readonly blockingSentences: ReadonlyArray<string>
}

export const podProblemSentences = (
  pods: ReadonlyArray<Pod>,
  environment: PodEnvironment,
  adjective: "new" | "old" | "" = ""
): PodProblemSentences => {
  const problems = pods.flatMap((pod) => podProblem(pod, environment) ?? [])
  const groups = [...Map.groupBy(problems, ({ groupKey }) => groupKey).values()].sort(
    (a, b) => b.length - a.length
  )
  const described = groups.map((group) => ({
    text: sentenceOf(adjective, group),
    endsByItself: group.every(({ endsByItself }) => endsByItself === true)
  }))
  return {
    sentences: described.map(({ text }) => text),
    blockingSentences: described.filter(({ endsByItself }) => !endsByItself).map(({ text }) => text)
  }
}

const sentenceOf = (adjective: string, group: ReadonlyArray<PodProblem>): string => {
  // The Pod whose problem has occurred most often gives the detail.
  const [mostFrequent] = [...group].sort((a, b) => (b.occurrences ?? 0) - (a.occurrences ?? 0))
  const plural = group.length > 1
  const subject = [group.length, adjective, plural ? "Pods" : "Pod"].filter((it) => it !== "").join(" ")
  return `${subject} ${mostFrequent?.predicate(plural) ?? ""}${mostFrequent?.detail ?? ""}.`
}
