import { describe, expect, it } from "vitest"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { emitEach } from "../../../machines/emitEach.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import {
  replicaSetStatus,
  missingPodCount
} from "../../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import { brokenStrategies } from "./brokenStrategies.ts"
import { claimAbout, exploredRollout, verdicts } from "./exploredRollouts.ts"
import type { AnyEventObject, MachineContext } from "xstate"
import type { ReplicaSetCommand } from "../../../src/kubernetes/apps/commands.ts"
import type { ReplicaSetObservation } from "../../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import type { ClaimSubject } from "../../../src/plan/exhaustive/claims.ts"

interface Row {
  readonly brokenRule: string
  readonly about: ClaimSubject
  /** Length of the shortest counterexample. */
  readonly steps: number
  readonly violation: string
}

const twoReplicas = { replicas: 2, surge: 1, unavailable: 0 }

describe("a strategy with one wrong rule is disproved by a shortest counterexample", () => {
  const rows: ReadonlyArray<Row> = [
    {
      brokenRule: "the surge room is one too large",
      about: "ceiling",
      steps: 2,
      violation: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      brokenRule: "only old Pods count against the surge",
      about: "ceiling",
      steps: 2,
      violation: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      brokenRule: "status.replicas counts against the surge in place of spec.replicas",
      about: "ceiling",
      steps: 2,
      violation: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      brokenRule: "the new ReplicaSet starts at its full size",
      about: "ceiling",
      steps: 1,
      violation: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      brokenRule: "one Pod more may be unavailable than maxUnavailable",
      about: "floor",
      steps: 2,
      violation: "available >= desired - maxUnavailable: 1 >= 2"
    },
    {
      brokenRule: "new Pods count as available before they are",
      about: "floor",
      steps: 2,
      violation: "available >= desired - maxUnavailable: 1 >= 2"
    },
    {
      brokenRule: "terminating old Pods still count as available",
      about: "floor",
      steps: 7,
      violation: "available >= desired - maxUnavailable: 1 >= 2"
    },
    {
      brokenRule: "all old ReplicaSets are scaled to 0 at once",
      about: "floor",
      steps: 2,
      violation: "available >= desired - maxUnavailable: 0 >= 2"
    },
    {
      brokenRule: "old Pods stay until all new Pods are available",
      about: "end",
      steps: 4,
      violation: "every order leads to the end of the rollout"
    },
    {
      brokenRule: "the last old Pod is never scaled down",
      about: "end",
      steps: 11,
      violation: "every order leads to the end of the rollout"
    },
    {
      brokenRule: "the new ReplicaSet is scaled down while unavailable",
      about: "end",
      steps: 7,
      violation: "every order leads to the end of the rollout"
    },
    {
      brokenRule: "a new revision is numbered 0",
      about: "rules",
      steps: 1,
      violation: "revision >= 1"
    },
    {
      brokenRule: "Recreate trusts status.replicas and ignores terminating Pods",
      about: "recreate",
      steps: 4,
      violation: "old Pods = 0 before a new one is asked for: 2 = 0"
    },
    {
      brokenRule: "Recreate does not wait for old Pods",
      about: "recreate",
      steps: 2,
      violation: "old Pods = 0 before a new one is asked for: 2 = 0"
    }
  ]
  it("covers every broken strategy", () => {
    expect(rows.map(({ brokenRule }) => brokenRule)).toEqual(Object.keys(brokenStrategies))
  })

  it.each(rows)("$brokenRule", ({ brokenRule, about, steps, violation }) => {
    const strategy = brokenStrategies[brokenRule]
    if (strategy === undefined) throw new Error(`no strategy: ${brokenRule}`)
    const found = exploredRollout({ ...twoReplicas, strategy: strategy.type }, { strategies: [strategy] })
    const { verdict, counterexample } = claimAbout(found, about)
    expect({ verdict, steps: counterexample?.steps.length, violation: counterexample?.broken }).toEqual({
      verdict: "broken",
      steps,
      violation
    })
  })

  it.each(builtInStrategies)("and $type as it is has no counterexample", ({ type }) => {
    expect(new Set(Object.values(verdicts(exploredRollout({ ...twoReplicas, strategy: type }))))).toEqual(
      new Set(["proved"])
    )
  })
})

describe("a ReplicaSet chart with one wrong rule is disproved", () => {
  const emitting = (commands: (seen: ReplicaSetObservation) => ReadonlyArray<ReplicaSetCommand>) =>
    emitEach<MachineContext, AnyEventObject, ReplicaSetCommand>(({ context }) =>
      commands(context["seen"] as ReplicaSetObservation)
    ) as never
  const rows = [
    {
      brokenRule: "it creates one Pod too many",
      chart: replicaSetMachine.provide({
        actions: {
          createBatch: emitting((seen) => [{ type: "createPods", count: missingPodCount(seen) + 1 }])
        }
      }),
      violation: "Pods <= replicas: 2 <= 1"
    },
    {
      brokenRule: "it deletes one Pod too many",
      chart: replicaSetMachine.provide({
        actions: {
          deleteSurplus: emitting((seen) => [{ type: "deletePods", count: 1 - missingPodCount(seen) }])
        }
      }),
      violation: "Pods left >= replicas: 0 >= 1"
    },
    {
      brokenRule: "it reports all Pods as available",
      chart: replicaSetMachine.provide({
        actions: {
          report: emitting((seen) => {
            const status = replicaSetStatus(seen)
            return [{ type: "reportReplicaSet", status: { ...status, availableReplicas: status.replicas } }]
          })
        }
      }),
      violation: "available <= ready <= replicas >= updated"
    }
  ]
  it.each(rows)("$brokenRule", ({ chart, violation }) => {
    const { verdict, counterexample } = claimAbout(
      exploredRollout(twoReplicas, { charts: { replicaSet: chart } }),
      "rules"
    )
    expect({ verdict, violation: counterexample?.broken }).toEqual({ verdict: "broken", violation })
  })
})
