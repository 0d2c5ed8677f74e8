import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { defineStrategy } from "../../../src/strategies.ts"
import { chartJson } from "../../../src/inspect/charts/chartJson.ts"
import { mermaidOf } from "../../../src/inspect/charts/mermaid.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { makeWorkload } from "../workload.ts"
import { aDeployment, beginMillis, textAt } from "../workloadObservations.ts"
import { heldBlueGreen } from "./heldBlueGreen.ts"
import type { GoDuration, Strategy } from "../../../src/strategies.ts"

const until = "example.com/until"

/** Waits in one state, until the moment of an annotation or for a fixed time. */
const waiting = (after: "untilThen" | GoDuration | number): Strategy =>
  defineStrategy({
    type: "Waiting",
    state: "waiting",
    isCreating: () => false,
    guards: { isNever: () => false },
    commands: {},
    delays: {
      untilThen: ({ deployment, nowMillis }) => {
        const then = deployment.metadata.annotations?.[until]
        return then === undefined ? undefined : Date.parse(then) - nowMillis
      }
    },
    chart: {
      initial: "resting",
      states: {
        resting: { always: [{ guard: "isNever", target: "done" }], lookAgain: { after } },
        done: { type: "final" }
      }
    }
  })

/**
 * An actor without a progress deadline, whose only timer is the strategy's. It looks whenever its chart asks for it.
 */
const play = (strategy: Strategy, then?: string) => {
  const clock = makeClock(beginMillis)
  const workload = makeWorkload(
    aDeployment({
      type: strategy.type,
      deadline: null,
      ...(then === undefined ? {} : { annotations: { [until]: then } })
    })
  )
  const actor = startChart(deploymentMachine([...builtInStrategies, strategy]), clock)
  const looks: Array<number> = []
  const look = () => void actor.take({ type: "observed", seen: workload.observe(clock.nowMillis()) })
  look()
  return {
    workload,
    look,
    isMoving: () => actor.snapshot().hasTag("moving"),
    /** The seconds of the looks that the timer led to. */
    looksWithin: (seconds: number): ReadonlyArray<number> => {
      clock.advance(seconds * 1000, () => {
        if (!actor.take().some(({ type }) => type === "lookAgain")) return
        looks.push((clock.nowMillis() - beginMillis) / 1000)
        look()
      })
      return looks
    }
  }
}

describe("a state that waits for a moment", () => {
  it("looks again then, and is moving", () => {
    const { looksWithin, isMoving } = play(waiting("untilThen"), textAt(90))
    expect(isMoving()).toBe(true)
    expect(looksWithin(90)).toEqual([90])
  })

  it("waits for the moment of the last observation", () => {
    const { workload, look, looksWithin } = play(waiting("untilThen"), textAt(90))
    looksWithin(30)
    workload.changeDeployment({ annotations: { [until]: textAt(60) } }, {})
    look()
    expect(looksWithin(30)).toEqual([60])
  })

  it("looks ten times a second once that is over", () => {
    const { looksWithin } = play(waiting("untilThen"), textAt(-5))
    expect(looksWithin(1)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
  })

  it.each([
    { why: "without a moment", moment: undefined },
    { why: "for a moment that cannot be read", moment: "soon" }
  ])("waits only for a change, and is not moving: $why", ({ moment }) => {
    const { looksWithin, isMoving } = play(waiting("untilThen"), moment)
    expect(isMoving()).toBe(false)
    expect(looksWithin(3600)).toEqual([])
  })

  it.each([
    { why: "paused", metadata: {}, spec: { paused: true } },
    { why: "deleted", metadata: { deletionTimestamp: textAt(1) }, spec: {} }
  ])("no longer waits when it is $why", ({ metadata, spec }) => {
    const { workload, look, looksWithin, isMoving } = play(waiting("untilThen"), textAt(90))
    workload.changeDeployment(metadata, spec)
    look()
    expect(isMoving()).toBe(false)
    expect(looksWithin(3600)).toEqual([])
  })
})

describe("a state that looks again after a fixed time", () => {
  it.each<{ after: GoDuration | number; looks: ReadonlyArray<number> }>([
    { after: "30s", looks: [30, 60, 90] },
    { after: "1m10s", looks: [70] },
    { after: 45_000, looks: [45, 90] }
  ])("looks every $after, counted from each look", ({ after, looks }) => {
    const { looksWithin, isMoving } = play(waiting(after))
    expect(isMoving()).toBe(true)
    expect(looksWithin(100)).toEqual(looks)
  })

  it("looks ten times a second when the fixed time is zero", () => {
    expect(play(waiting(0)).looksWithin(0.3)).toEqual([0.1, 0.2, 0.3])
  })
})

describe("the timer of a strategy", () => {
  const machine = deploymentMachine([...builtInStrategies, heldBlueGreen, waiting(30_000)])

  it("is drawn, and its state is moving", () => {
    const lines = mermaidOf(machine)
      .split("\n")
      .map((line) => line.trim())
    expect(lines).toContain("awaitingMoment : after untilHeld / lookAgain")
    expect(lines).toContain("awaitingChange --> awaitingMoment : [untilHeld]")
    expect(lines).toContain("resting : after 30000 ms / lookAgain")
    expect(lines.find((line) => line.startsWith("class "))).toMatch(/\bawaitingMoment\b.*\bresting\b/)
  })

  it("is part of the chart's JSON", () => {
    const text = JSON.stringify(chartJson(machine.root))
    expect(text).toContain('"after":{"heldBlueGreen/untilHeld":{"actions":"lookAgain"}}')
  })
})
