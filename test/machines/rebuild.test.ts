import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../machines/deployment.ts"
import { builtInStrategies } from "../../machines/strategies/strategies.ts"
import { nodeMachine } from "../../machines/node.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { daemonSetMachine } from "../../machines/daemonSet.ts"
import { daemonSetObservations } from "./daemonSetObservations.ts"
import { jobMachine } from "../../machines/job.ts"
import { jobObservations } from "./jobObservations.ts"
import { cronJobMachine } from "../../machines/cronJob.ts"
import { cronJobObservations } from "./cronJobObservations.ts"
import { statefulSetMachine } from "../../machines/statefulSet.ts"
import { statefulSetObservations } from "./statefulSetObservations.ts"
import { nodeObservations, replicaSetObservations } from "./podAndNodeObservations.ts"
import { steeringMachine } from "../../machines/steering.ts"
import { steeringObservations } from "./steeringObservations.ts"
import { makeClock, startChart } from "./chartActor.ts"
import { heldBlueGreen } from "./strategies/heldBlueGreen.ts"
import { makeWorkload } from "./workload.ts"
import {
  aDeployment,
  aTemplate,
  beginMillis,
  deploymentObservations,
  textAt
} from "./workloadObservations.ts"
import type { AnyEventObject, AnyStateMachine } from "xstate"
import type { Workload } from "./workload.ts"

/**
 * Why a crash is harmless: a new actor that receives the current observation has the state of the old one, the
 * same commands, and a timer for everything that it waits for.
 */
const seeded = { seed: 20260301, numRuns: 300 }
/** Between the deadlines that a Deployment may have, and after the last one. */
const laterMillis = [70_000, 30_000, 510_000, 400_000, 3_600_000]

const refusedEvent = (command: string): AnyEventObject => ({
  type: "refused",
  refusal: { command, reason: "Forbidden", message: "exceeded quota" }
})

interface Row {
  readonly name: string
  readonly machine: AnyStateMachine
  readonly observations: ReadonlyMap<string, unknown>
  /** Events that may come between two observations. */
  readonly responses: ReadonlyArray<AnyEventObject>
  /** The part of a state value that follows from the last observation; all of it by default. */
  readonly comparable?: (situation: string, value: unknown) => unknown
}

/** Looks that do not judge progress: the region stays as it was, and the next look decides. */
const progressNotJudged: ReadonlySet<string> = new Set([
  "an orphan matches",
  "an owned ReplicaSet matches no more",
  "back to the first template"
])
/**
 * Conditions that only this chart writes, after it has left `progressing`: while it is there it never observes
 * them.
 */
const remembersProgress: ReadonlySet<string> = new Set([
  "complete, then Pods were lost",
  "the name is taken",
  "paused and reported",
  "paused and scaled"
])

const rows: ReadonlyArray<Row> = [
  {
    name: "deployment",
    machine: deploymentMachine(),
    observations: deploymentObservations,
    responses: [refusedEvent("createReplicaSet")],
    comparable: (situation, value) => {
      const { rollout, progress, availability } = value as Readonly<Record<string, unknown>>
      if (progressNotJudged.has(situation) || remembersProgress.has(situation))
        return { rollout, availability }
      return { rollout, progress, availability }
    }
  },
  {
    name: "replicaSet",
    machine: replicaSetMachine,
    observations: replicaSetObservations,
    responses: [{ type: "performed" }, refusedEvent("createPods")]
  },
  {
    name: "statefulSet",
    machine: statefulSetMachine,
    observations: statefulSetObservations,
    responses: [refusedEvent("createReplica")]
  },
  {
    name: "daemonSet",
    machine: daemonSetMachine,
    // The back-offs of failed Pods begin anew, as in a restarted controller manager.
    observations: new Map([...daemonSetObservations].filter(([name]) => name !== "one has failed")),
    responses: [refusedEvent("createDaemonPods")]
  },
  {
    name: "job",
    machine: jobMachine,
    // The back-off of failed Pods begins anew, as in a restarted controller manager.
    observations: new Map([...jobObservations].filter(([name]) => !name.startsWith("one "))),
    responses: [refusedEvent("createJobPods")]
  },
  {
    name: "cronJob",
    machine: cronJobMachine,
    observations: cronJobObservations,
    responses: [refusedEvent("startJob")]
  },
  {
    name: "steering",
    machine: steeringMachine(),
    observations: steeringObservations,
    responses: [refusedEvent("recordSteering")]
  },
  { name: "node", machine: nodeMachine, observations: nodeObservations, responses: [] }
]

type Step = { readonly situation: string } | { readonly response: AnyEventObject } | { readonly wait: number }

const stepsOf = ({ observations, responses }: Row): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.array(
    fc.oneof(
      fc.record({ situation: fc.constantFrom(...observations.keys()) }),
      fc.record({ wait: fc.constantFrom(1, 700, 9000, 51_000, 601_000) }),
      ...(responses.length === 0 ? [] : [fc.record({ response: fc.constantFrom(...responses) })])
    ),
    { maxLength: 12 }
  )

describe("a new actor", () => {
  it.each(rows)("has the state of the old $name actor, whatever happened before", (row) => {
    const { machine, observations, comparable = (_world, value) => value } = row
    const law = fc.property(stepsOf(row), fc.constantFrom(...observations.keys()), (steps, last) => {
      const clock = makeClock(beginMillis)
      const old = startChart(machine, clock)
      for (const step of steps) {
        if ("situation" in step) old.send({ type: "observed", seen: observations.get(step.situation) })
        else if ("response" in step) old.send(step.response)
        else clock.advance(step.wait)
      }
      const fresh = startChart(machine, clock)
      const event = { type: "observed", seen: observations.get(last) }
      for (const player of [old, fresh]) player.take(event)
      expect(comparable(last, old.value())).toEqual(comparable(last, fresh.value()))
      expect(old.take(event)).toEqual(fresh.take(event))
    })
    fc.assert(law, seeded)
  })
})

interface WorkloadChange {
  readonly name: string
  readonly run: (workload: Workload) => void
}
const workloadChange = (name: string, run: WorkloadChange["run"]): WorkloadChange => ({ name, run })
const deletion = { deletionTimestamp: textAt(1), finalizers: ["foregroundDeletion"] }

const changes = [
  workloadChange("image v2", (workload) => workload.changeDeployment({}, { template: aTemplate("v2") })),
  workloadChange("image v1", (workload) => workload.changeDeployment({}, { template: aTemplate("v1") })),
  workloadChange("3 replicas", (workload) => workload.changeDeployment({}, { replicas: 3 })),
  workloadChange("7 replicas", (workload) => workload.changeDeployment({}, { replicas: 7 })),
  workloadChange("pause", (workload) => workload.changeDeployment({}, { paused: true })),
  workloadChange("resume", (workload) => workload.changeDeployment({}, { paused: false })),
  workloadChange("deadline 90", (workload) => workload.changeDeployment({}, { progressDeadlineSeconds: 90 })),
  workloadChange("deadline 900", (workload) =>
    workload.changeDeployment({}, { progressDeadlineSeconds: 900 })
  ),
  workloadChange("delete", (workload) => workload.changeDeployment(deletion, {})),
  workloadChange("Pods start", (workload) => {
    for (const { metadata, spec } of workload.replicaSets())
      workload.setCounts(metadata.name, { replicas: spec.replicas })
  }),
  workloadChange("Pods are available", (workload) => {
    for (const { metadata, status } of workload.replicaSets()) {
      const count = status.replicas ?? 0
      workload.setCounts(metadata.name, { readyReplicas: count, availableReplicas: count })
    }
  }),
  workloadChange("a Pod is lost", (workload) => {
    for (const { metadata, status } of workload.replicaSets()) {
      const available = Math.max(0, (status.availableReplicas ?? 0) - 1)
      workload.setCounts(metadata.name, { readyReplicas: available, availableReplicas: available })
    }
  })
] as const

const regionsOf = (actor: ReturnType<typeof startChart>): object => {
  const { check: _check, ...regions } = actor.value() as Readonly<Record<string, unknown>>
  return regions
}
const checkOf = (actor: ReturnType<typeof startChart>): unknown =>
  (actor.value() as Readonly<Record<string, unknown>>)["check"]

describe("a new actor of a Deployment in the middle of a rollout", () => {
  const machine = deploymentMachine([...builtInStrategies, heldBlueGreen])

  it.each([{}, { type: "HeldBlueGreen" }])(
    "has the state of the old one, and keeps it while time passes: %o",
    (traits) => {
      const steps = fc.array(
        fc.oneof(fc.constantFrom(...changes), fc.constantFrom(300, 7000, 61_000, 400_000)),
        {
          maxLength: 16
        }
      )
      const law = fc.property(steps, (history) => {
        const clock = makeClock(beginMillis)
        const workload = makeWorkload(aDeployment(traits))
        const old = startChart(machine, clock)
        const look = (): void => {
          for (let turn = 0; turn < 30; turn += 1) {
            const before = [workload.deployment(), ...workload.replicaSets()]
            workload.perform(
              old.take({ type: "observed", seen: workload.observe(clock.nowMillis()) }),
              clock.nowMillis()
            )
            if (JSON.stringify(before) === JSON.stringify([workload.deployment(), ...workload.replicaSets()]))
              return
          }
          throw new Error("it never settles")
        }
        look()
        for (const step of history) {
          if (typeof step === "number") {
            clock.advance(step, () => workload.perform(old.take(), clock.nowMillis()))
          } else step.run(workload)
          look()
        }
        const fresh = startChart(machine, clock)
        for (const millis of [0, ...laterMillis]) {
          clock.advance(millis)
          const event = { type: "observed", seen: workload.observe(clock.nowMillis()) }
          for (const actor of [old, fresh]) actor.take(event)
          expect(regionsOf(old)).toEqual(regionsOf(fresh))
          expect(old.take(event)).toEqual(fresh.take(event))
          // A check that was scheduled earlier is known to the old actor only. Whatever the new one waits for, both
          // wait for.
          if (checkOf(fresh) === "ahead") expect(checkOf(old)).toBe("ahead")
        }
      })
      fc.assert(law, seeded)
    }
  )

  it("waits for the same moment as the old one, if its strategy holds", () => {
    const history = fc.array(
      fc.oneof(fc.constantFrom(...changes), fc.constantFrom(300, 7000, 61_000, 290_000)),
      {
        maxLength: 16
      }
    )
    const law = fc.property(history, (steps) => {
      const clock = makeClock(beginMillis)
      // Without a deadline the strategy's timer is the only one.
      const workload = makeWorkload(aDeployment({ type: "HeldBlueGreen", deadline: null }))
      const old = startChart(machine, clock)
      const look = (): void => {
        for (let turn = 0; turn < 30; turn += 1) {
          const before = JSON.stringify([workload.deployment(), workload.replicaSets()])
          const commands = old.take({ type: "observed", seen: workload.observe(clock.nowMillis()) })
          workload.perform(commands, clock.nowMillis())
          if (JSON.stringify([workload.deployment(), workload.replicaSets()]) === before) return
        }
        throw new Error("it never settles")
      }
      look()
      for (const step of steps) {
        if (typeof step === "number") clock.advance(step)
        else if (step.name !== "deadline 90" && step.name !== "deadline 900") step.run(workload)
        look()
      }
      clock.advance(1000)
      const fresh = startChart(machine, clock)
      fresh.take({ type: "observed", seen: workload.observe(clock.nowMillis()) })
      const moments = [old, fresh].map(() => Array<number>())
      clock.advance(600_000, () => {
        for (const [index, actor] of [old, fresh].entries())
          if (actor.take().some(({ type }) => type === "lookAgain")) moments[index]?.push(clock.nowMillis())
      })
      expect(moments[1]).toEqual(moments[0])
      held += moments[1]?.length ?? 0
    })
    let held = 0
    fc.assert(law, seeded)
    expect(held).toBeGreaterThan(0)
  })
})
