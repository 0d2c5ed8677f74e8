import { metricProposals } from "../../../src/kubernetes/autoscaling/metricProposals.ts"
import { observedAutoscaler } from "../../machines/autoscalerObservations.ts"
import type { AutoscalerSituation } from "../../machines/autoscalerObservations.ts"
import type { MetricProposal } from "../../../src/kubernetes/autoscaling/metricProposals.ts"

/** So many Pods that use this much CPU each. */
export const podsAt = (count: number, cpu: number) => Array.from({ length: count }, () => ({ cpu }))

export const proposalsOf = (situation: AutoscalerSituation): ReadonlyArray<MetricProposal> => {
  const seen = observedAutoscaler(situation)
  if ("problem" in seen.target) throw new Error(seen.target.problem)
  return metricProposals(seen, seen.target)
}

/** The size that the first metric asks for, or why there is none. */
export const answerOf = (situation: AutoscalerSituation): number | string => {
  const [proposal] = proposalsOf(situation)
  if (proposal === undefined) throw new Error("no metric")
  return "failure" in proposal ? proposal.failure.message : proposal.replicas
}
