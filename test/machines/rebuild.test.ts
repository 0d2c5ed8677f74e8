import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../machines/deployment.ts"
import { nodeMachine } from "../../machines/node.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { nodeWorlds, replicaSetWorlds } from "./leafWorlds.ts"
import { makeClock, play } from "./player.ts"
import { makeStage } from "./stage.ts"
import { aDeployment, aTemplate, beginMillis, deploymentWorlds, textAt } from "./worlds.ts"
import type { AnyEventObject, AnyStateMachine } from "xstate"
import type { Stage } from "./stage.ts"

/**
 * What makes a crash harmless: an actor made anew and shown the present world is where the old one was, says what the
 * old one would say, and has a timer for whatever is left to wait for.
 */
const seeded = { seed: 20260301, numRuns: 300 }
/** Between the deadlines that a Deployment may have, and past the last. */
const laterMillis = [70_000, 30_000, 510_000, 400_000, 3_600_000]

const refused = (command: string): AnyEventObject => ({
  type: "refused",
  refusal: { command, reason: "Forbidden", message: "exceeded quota" }
})

interface Row {
  readonly name: string
  readonly machine: AnyStateMachine
  readonly worlds: ReadonlyMap<string, unknown>
  /** What may be told between two observations. */
  readonly answers: ReadonlyArray<AnyEventObject>
  /** What of a state value follows from the last world alone; the whole of it where this is left out. */
  readonly comparable?: (world: string, value: unknown) => unknown
}

/** Looks at which progress is not judged: the region stays where it was, and the next look decides. */
const setAside: ReadonlySet<string> = new Set([
  "an orphan matches",
  "a child matches no more",
  "back to the first template"
])
/** Conditions that only this chart writes, after it has left `progressing`: one that is still there never meets them. */
const ownVerdicts: ReadonlySet<string> = new Set([
  "complete, then Pods were lost",
  "the name is taken",
  "paused and said",
  "paused and scaled"
])

const rows: ReadonlyArray<Row> = [
  {
    name: "deployment",
    machine: deploymentMachine(),
    worlds: deploymentWorlds,
    answers: [refused("createReplicaSet")],
    comparable: (world, value) => {
      const { rollout, progress, availability } = value as Readonly<Record<string, unknown>>
      if (setAside.has(world) || ownVerdicts.has(world)) return { rollout, availability }
      return { rollout, progress, availability }
    }
  },
  {
    name: "replicaSet",
    machine: replicaSetMachine,
    worlds: replicaSetWorlds,
    answers: [{ type: "performed" }, refused("createPods")]
  },
  { name: "node", machine: nodeMachine, worlds: nodeWorlds, answers: [] }
]

type Step = { readonly world: string } | { readonly answer: AnyEventObject } | { readonly wait: number }

const stepsOf = ({ worlds, answers }: Row): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.array(
    fc.oneof(
      fc.record({ world: fc.constantFrom(...worlds.keys()) }),
      fc.record({ wait: fc.constantFrom(1, 700, 9000, 51_000, 601_000) }),
      ...(answers.length === 0 ? [] : [fc.record({ answer: fc.constantFrom(...answers) })])
    ),
    { maxLength: 12 }
  )

describe("an actor made anew", () => {
  it.each(rows)("is where the old $name was, whatever that one had lived through", (row) => {
    const { machine, worlds, comparable = (_world, value) => value } = row
    const law = fc.property(stepsOf(row), fc.constantFrom(...worlds.keys()), (steps, last) => {
      const clock = makeClock(beginMillis)
      const old = play(machine, clock)
      for (const step of steps) {
        if ("world" in step) old.send({ type: "observed", seen: worlds.get(step.world) })
        else if ("answer" in step) old.send(step.answer)
        else clock.advance(step.wait)
      }
      const fresh = play(machine, clock)
      const event = { type: "observed", seen: worlds.get(last) }
      for (const player of [old, fresh]) player.take(event)
      expect(comparable(last, old.value())).toEqual(comparable(last, fresh.value()))
      expect(old.take(event)).toEqual(fresh.take(event))
    })
    fc.assert(law, seeded)
  })
})

/** A user's wish, or what Pods have come to; the actor looks after each. */
interface Beat {
  readonly name: string
  readonly run: (stage: Stage) => void
}
const beat = (name: string, run: Beat["run"]): Beat => ({ name, run })
const shown = { deletionTimestamp: textAt(1), finalizers: ["foregroundDeletion"] }

const beats = [
  beat("image v2", (stage) => stage.change({}, { template: aTemplate("v2") })),
  beat("image v1", (stage) => stage.change({}, { template: aTemplate("v1") })),
  beat("3 replicas", (stage) => stage.change({}, { replicas: 3 })),
  beat("7 replicas", (stage) => stage.change({}, { replicas: 7 })),
  beat("pause", (stage) => stage.change({}, { paused: true })),
  beat("resume", (stage) => stage.change({}, { paused: false })),
  beat("deadline 90", (stage) => stage.change({}, { progressDeadlineSeconds: 90 })),
  beat("deadline 900", (stage) => stage.change({}, { progressDeadlineSeconds: 900 })),
  beat("delete", (stage) => stage.change(shown, {})),
  beat("Pods start", (stage) => {
    for (const { metadata, spec } of stage.replicaSets())
      stage.count(metadata.name, { replicas: spec.replicas })
  }),
  beat("Pods are available", (stage) => {
    for (const { metadata, status } of stage.replicaSets()) {
      const count = status.replicas ?? 0
      stage.count(metadata.name, { readyReplicas: count, availableReplicas: count })
    }
  }),
  beat("a Pod is lost", (stage) => {
    for (const { metadata, status } of stage.replicaSets()) {
      const available = Math.max(0, (status.availableReplicas ?? 0) - 1)
      stage.count(metadata.name, { readyReplicas: available, availableReplicas: available })
    }
  })
] as const

/** Where a Deployment's actor is, but for the check that is ahead of it. */
const regionsOf = (actor: ReturnType<typeof play>): object => {
  const { check: _check, ...regions } = actor.value() as Readonly<Record<string, unknown>>
  return regions
}
const checkOf = (actor: ReturnType<typeof play>): unknown =>
  (actor.value() as Readonly<Record<string, unknown>>)["check"]

describe("a Deployment's actor made anew in the middle of its own history", () => {
  it("is where the old one was, and stays with it while time passes", () => {
    const steps = fc.array(fc.oneof(fc.constantFrom(...beats), fc.constantFrom(300, 7000, 61_000, 400_000)), {
      maxLength: 16
    })
    const law = fc.property(steps, (history) => {
      const clock = makeClock(beginMillis)
      const stage = makeStage(aDeployment())
      const old = play(deploymentMachine(), clock)
      const look = (): void => {
        for (let turn = 0; turn < 30; turn += 1) {
          const before = [stage.deployment(), ...stage.replicaSets()]
          stage.perform(
            old.take({ type: "observed", seen: stage.observe(clock.nowMillis()) }),
            clock.nowMillis()
          )
          if (JSON.stringify(before) === JSON.stringify([stage.deployment(), ...stage.replicaSets()])) return
        }
        throw new Error("it never settles")
      }
      look()
      for (const step of history) {
        if (typeof step === "number") {
          clock.advance(step, () => stage.perform(old.take(), clock.nowMillis()))
        } else step.run(stage)
        look()
      }
      const fresh = play(deploymentMachine(), clock)
      for (const millis of [0, ...laterMillis]) {
        clock.advance(millis)
        const event = { type: "observed", seen: stage.observe(clock.nowMillis()) }
        for (const actor of [old, fresh]) actor.take(event)
        expect(regionsOf(old)).toEqual(regionsOf(fresh))
        expect(old.take(event)).toEqual(fresh.take(event))
        // A check that was asked for earlier is known to the old one alone. Whatever the new one waits for, both do.
        if (checkOf(fresh) === "ahead") expect(checkOf(old)).toBe("ahead")
      }
    })
    fc.assert(law, seeded)
  })
})
