import { defaultTraffic } from "../../scenario/ledger/services/serviceTraffic.ts"
import { longestTimesOf } from "../seeds/podTimes.ts"
import { daemonDeadlockAdvice } from "./daemonDeadlockAdvice.ts"
import { deploymentProposals } from "./deploymentProposals.ts"
import { withBuiltInStrategies } from "../../../machines/strategies/strategies.ts"
import { workloadIdOf } from "../workloads.ts"
import type { Plan } from "../summarizePlan.ts"
import type { PlanInput, SeedRun } from "../seeds/playSeed.ts"
import type { Proposal } from "./proposal.ts"
import type { WorkloadId } from "../workloads.ts"

export const proposeChanges = (
  { traffic, strategies }: Pick<PlanInput, "traffic" | "strategies">,
  { rollouts }: Plan,
  seedRuns: ReadonlyArray<SeedRun>
): ReadonlyMap<WorkloadId, ReadonlyArray<Proposal>> =>
  new Map(
    rollouts.flatMap((figures): ReadonlyArray<readonly [WorkloadId, ReadonlyArray<Proposal>]> => {
      const id = workloadIdOf(figures)
      const workload = seedRuns[0]?.workloads.get(id)
      if (workload?.kind === "DaemonSet") {
        const proposal = daemonDeadlockAdvice(workload.object, figures)
        return proposal === undefined ? [] : [[id, [proposal]]]
      }
      if (workload?.kind !== "Deployment") return []
      const runs = seedRuns.flatMap((run) => run.rollouts.get(id) ?? [])
      const proposals = deploymentProposals(workload.object, figures, {
        longestTimes: longestTimesOf(runs.map(({ times }) => times)),
        traffic: { ...defaultTraffic, ...traffic },
        strategies: withBuiltInStrategies(strategies),
        servingPorts: new Map(runs.flatMap((run) => [...run.servingPorts])),
        servingOnlyWhenReady: new Set(runs.flatMap((run) => [...run.servingOnlyWhenReady]))
      })
      return proposals.length === 0 ? [] : [[id, proposals]]
    })
  )
