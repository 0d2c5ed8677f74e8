import { describe, expect, it } from "vitest"
import { builtInStrategies } from "../../../machines/deployment.ts"
import { emitEach } from "../../../machines/emitEach.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { replicaSetStatus, missingPods } from "../../../src/kubernetes/apps/replicaSetObservation.ts"
import { brokenStrategies } from "./brokenRules.ts"
import { claimAbout, rolled, verdicts } from "./worlds.ts"
import type { AnyEventObject, MachineContext } from "xstate"
import type { ReplicaSetCommand } from "../../../src/kubernetes/apps/commands.ts"
import type { ReplicaSetObservation } from "../../../src/kubernetes/apps/replicaSetObservation.ts"
import type { ClaimSubject } from "../../../src/plan/exhaustive/claims.ts"

interface Row {
  readonly wrong: string
  readonly about: ClaimSubject
  /** The fewest steps in which it can be shown. */
  readonly steps: number
  readonly broken: string
}

const two = { replicas: 2, surge: 1, unavailable: 0 }

describe("a strategy with one rule wrong is caught, by the shortest order that shows it", () => {
  const rows: ReadonlyArray<Row> = [
    {
      wrong: "the room is one too large",
      about: "ceiling",
      steps: 2,
      broken: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      wrong: "only old Pods take room",
      about: "ceiling",
      steps: 2,
      broken: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      wrong: "Pods that are there take room, and not those asked for",
      about: "ceiling",
      steps: 2,
      broken: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      wrong: "the new ReplicaSet begins at its full size",
      about: "ceiling",
      steps: 1,
      broken: "Pods <= desired + maxSurge: 4 <= 3"
    },
    {
      wrong: "one more may be missing than is allowed",
      about: "floor",
      steps: 2,
      broken: "available >= desired - maxUnavailable: 1 >= 2"
    },
    {
      wrong: "new Pods count before they are available",
      about: "floor",
      steps: 2,
      broken: "available >= desired - maxUnavailable: 1 >= 2"
    },
    {
      wrong: "old Pods that were told to go still count",
      about: "floor",
      steps: 7,
      broken: "available >= desired - maxUnavailable: 1 >= 2"
    },
    {
      wrong: "everything old goes at once",
      about: "floor",
      steps: 2,
      broken: "available >= desired - maxUnavailable: 0 >= 2"
    },
    {
      wrong: "nothing goes before all that is new is available",
      about: "end",
      steps: 4,
      broken: "every order leads to the end of the rollout"
    },
    {
      wrong: "the last old Pod stays",
      about: "end",
      steps: 11,
      broken: "every order leads to the end of the rollout"
    },
    {
      wrong: "what is new gives way when it is not available",
      about: "end",
      steps: 7,
      broken: "every order leads to the end of the rollout"
    },
    {
      wrong: "a new revision is numbered as if it were the first",
      about: "rules",
      steps: 1,
      broken: "revision >= 1"
    },
    {
      wrong: "Recreate goes by reports and does not look at Pods",
      about: "recreate",
      steps: 4,
      broken: "old Pods = 0 before a new one is asked for: 2 = 0"
    },
    {
      wrong: "Recreate waits for nobody",
      about: "recreate",
      steps: 2,
      broken: "old Pods = 0 before a new one is asked for: 2 = 0"
    }
  ]
  it("names every one of them", () => {
    expect(rows.map(({ wrong }) => wrong)).toEqual(Object.keys(brokenStrategies))
  })

  it.each(rows)("$wrong", ({ wrong, about, steps, broken }) => {
    const strategy = brokenStrategies[wrong]
    if (strategy === undefined) throw new Error(`no strategy: ${wrong}`)
    const found = rolled({ ...two, strategy: strategy.type }, { strategies: [strategy] })
    const { verdict, counterexample } = claimAbout(found, about)
    expect({ verdict, steps: counterexample?.steps.length, broken: counterexample?.broken }).toEqual({
      verdict: "broken",
      steps,
      broken
    })
  })

  it.each(builtInStrategies)("and none is found in $type as it is", ({ type }) => {
    expect(new Set(Object.values(verdicts(rolled({ ...two, strategy: type }))))).toEqual(new Set(["proved"]))
  })
})

describe("a ReplicaSet's chart with one rule wrong is caught", () => {
  const saying = (commands: (seen: ReplicaSetObservation) => ReadonlyArray<ReplicaSetCommand>) =>
    emitEach<MachineContext, AnyEventObject, ReplicaSetCommand>(({ context }) =>
      commands(context["seen"] as ReplicaSetObservation)
    ) as never
  const rows = [
    {
      wrong: "it makes one Pod too many",
      chart: replicaSetMachine.provide({
        actions: { createBatch: saying((seen) => [{ type: "createPods", count: missingPods(seen) + 1 }]) }
      }),
      broken: "Pods <= replicas: 2 <= 1"
    },
    {
      wrong: "it deletes one Pod too many",
      chart: replicaSetMachine.provide({
        actions: { deleteSurplus: saying((seen) => [{ type: "deletePods", count: 1 - missingPods(seen) }]) }
      }),
      broken: "Pods left >= replicas: 0 >= 1"
    },
    {
      wrong: "it reports Pods as available that are only there",
      chart: replicaSetMachine.provide({
        actions: {
          report: saying((seen) => {
            const status = replicaSetStatus(seen, undefined)
            return [{ type: "reportReplicaSet", status: { ...status, availableReplicas: status.replicas } }]
          })
        }
      }),
      broken: "available <= ready <= replicas >= updated"
    }
  ]
  it.each(rows)("$wrong", ({ chart, broken }) => {
    const { verdict, counterexample } = claimAbout(rolled(two, { charts: { replicaSet: chart } }), "rules")
    expect({ verdict, broken: counterexample?.broken }).toEqual({ verdict: "broken", broken })
  })
})
