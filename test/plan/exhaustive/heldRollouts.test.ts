import { describe, expect, it } from "vitest"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { exploreRollout } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { conditionOf, reportCondition } from "../../../src/strategies.ts"
import { heldBlueGreen } from "../../machines/strategies/heldBlueGreen.ts"
import { claimAbout, storedDeployment, verdicts } from "./exploredRollouts.ts"
import type { RolloutModel } from "../../../src/plan/exhaustive/exploreRollout.ts"
import type { DeploymentObservation, Strategy } from "../../../src/strategies.ts"

const exploredAs = (strategy: Strategy, model: Partial<RolloutModel> = {}) => {
  const deployment = (version: string) => {
    const { spec, ...rest } = storedDeployment({ version, replicas: 2 })
    return { ...rest, spec: { ...spec, strategy: { type: strategy.type } } }
  }
  const strategies = [...builtInStrategies, strategy]
  return exploreRollout({
    from: deployment("v1"),
    next: deployment("v2"),
    failuresMax: 1,
    strategies,
    ...model
  })
}

const withHolding = (lookAgain: object): Strategy => {
  const { chart } = heldBlueGreen
  const holding = { entry: ["reportStatus"], ...lookAgain }
  return { ...heldBlueGreen, chart: { ...chart, states: { ...chart.states, holding } } }
}

const proved = { ceiling: "proved", floor: "proved", rules: "proved", end: "proved" }

/** The hold is told by a condition of the strategy's own, whose time is stored in seconds. */
const held: Strategy = (() => {
  const untilHeld = ({ deployment, newReplicaSet, nowMillis }: DeploymentObservation) => {
    const condition = conditionOf(deployment.status.conditions, "Held")
    return condition?.reason === newReplicaSet?.metadata.name
      ? Date.parse(condition?.lastUpdateTime ?? "") + 300_000 - nowMillis
      : undefined
  }
  const { guards, commands } = heldBlueGreen
  return {
    ...heldBlueGreen,
    delays: { untilHeld },
    guards: {
      ...guards,
      isHeld: (seen) => (untilHeld(seen) ?? 0) > 0,
      mayHold: (seen) => guards["maySwitch"]?.(seen) === true && untilHeld(seen) === undefined
    },
    commands: {
      ...commands,
      recordHold: ({ newReplicaSet }) =>
        reportCondition({
          type: "Held",
          status: "True",
          reason: newReplicaSet?.metadata.name ?? "",
          message: ""
        })
    }
  }
})()

describe("every order of a rollout that is held", () => {
  it("keeps its bounds and ends, whichever Pod fails before, during and after the hold", () => {
    expect(verdicts(exploredAs(heldBlueGreen))).toEqual(proved)
    expect(verdicts(exploredAs(heldBlueGreen, { failuresMax: 2 }))).toEqual(proved)
  })

  it("ends in the same way when states differ by whole statuses", () => {
    expect(verdicts(exploredAs(heldBlueGreen, { statusDetail: "everything" }))).toEqual(proved)
  })

  it("ends if a condition of the strategy's own says that it is held", () => {
    expect(verdicts(exploredAs(held))).toEqual(proved)
  })

  it("ends if the strategy polls", () => {
    expect(verdicts(exploredAs(withHolding({ lookAgain: { after: "7s" } })))).toEqual(proved)
  })

  it("does not end if nothing looks again: the counterexample stops at the hold", () => {
    const end = claimAbout(exploredAs(withHolding({})), "end")
    expect(end.verdict).toBe("broken")
    expect(end.counterexample?.sums).toBe(
      "nothing more happens with 2 of 2 new Pods available and 2 old ones there"
    )
    const texts = end.counterexample?.steps.map(({ what }) => what) ?? []
    expect(texts.at(-1)).toMatch(/^gave|^renumbered/)
    expect(
      texts.some((text) => text.includes("annotated the Deployment with example.com/held-since=2 "))
    ).toBe(true)
  })

  it("shows in a counterexample that time passes", () => {
    const bounds = () => ({ podsMax: undefined, availableMin: 3 })
    const floor = claimAbout(exploredAs({ ...heldBlueGreen, bounds }), "floor")
    expect(floor.verdict).toBe("broken")
    const steps = floor.counterexample?.steps.map(({ who, what }) => `${who}: ${what}`) ?? []
    expect(steps.at(-2)).toBe("time: 5m pass")
    expect(steps.at(-1)).toMatch(/^Deployment: scaled ReplicaSet web-.* \(old\) from 2 to 0/)
  })
})
