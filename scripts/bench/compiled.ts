import { assign, createActor, emit, setup } from "xstate"
import { deploymentMachine } from "../../machines/deployment.ts"
import { nodeMachine } from "../../machines/node.ts"
import { podMachine } from "../../machines/pod.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { compile } from "../../src/compiler/compile.ts"
import { makeClock } from "../../test/machines/chartActor.ts"
import {
  aPod,
  lives,
  nodeObservations,
  observedPod,
  replicaSetObservations
} from "../../test/machines/podAndNodeObservations.ts"
import { beginMillis, deploymentObservations } from "../../test/machines/workloadObservations.ts"
import type { AnyActor, AnyActorLogic, AnyEventObject, AnyStateMachine } from "xstate"

export interface CompiledRow {
  readonly name: string
  readonly interpretedMicros: number
  readonly compiledMicros: number
}

interface Workload {
  readonly name: string
  readonly machine: AnyStateMachine
  /** Prepares an actor's work. Each call of the returned function does it once and returns the number of events. */
  readonly play: (logic: AnyActorLogic) => () => number
}

const rounds = 15
const roundMillis = 20

/** Runs the workloads interpreted and compiled in turns; returns the medians. */
export const compiledRows = (): ReadonlyArray<CompiledRow> =>
  workloads.map(({ name, machine, play }) => {
    const interpreted = play(machine)
    const compiled = play(compile(machine))
    for (const run of [interpreted, compiled]) microsPerEvent(run)
    const pairs = Array.from(
      { length: rounds },
      () => [microsPerEvent(interpreted), microsPerEvent(compiled)] as const
    )
    return {
      name,
      interpretedMicros: median(pairs.map(([micros]) => micros)),
      compiledMicros: median(pairs.map(([, micros]) => micros))
    }
  })

const microsPerEvent = (play: () => number): number => {
  let events = 0
  const cpuBefore = process.cpuUsage()
  for (;;) {
    events += play()
    const { user, system } = process.cpuUsage(cpuBefore)
    if (user + system > roundMillis * 1000) return (user + system) / events
  }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

const start = (logic: AnyActorLogic, options: object = {}): AnyActor => {
  const actor = createActor(logic, { clock: makeClock(beginMillis), ...options })
  actor.on("*", () => {})
  return actor.start()
}

/** One actor gets the events fifty times. */
const sendRepeatedly =
  (...events: ReadonlyArray<AnyEventObject>): Workload["play"] =>
  (logic) => {
    const actor = start(logic)
    return () => {
      for (let index = 0; index < 50; index += 1) for (const event of events) actor.send(event)
      return 50 * events.length
    }
  }

/** A new actor gets the events, then time passes. Its creation and each timer count as an event. */
const liveAgain =
  (waits: ReadonlyArray<number>, events: ReadonlyArray<AnyEventObject>): Workload["play"] =>
  (logic) =>
  () => {
    const clock = makeClock(beginMillis)
    const actor = start(logic, { clock })
    let count = 1
    for (const event of events) {
      actor.send(event)
      count += 1
      for (const wait of waits) clock.advance(wait, () => (count += 1))
    }
    actor.stop()
    return count
  }

/** The events of the observations with these names. */
const observedEvents = (
  observations: ReadonlyMap<string, unknown>,
  ...names: ReadonlyArray<string>
): ReadonlyArray<AnyEventObject> =>
  names.map((name) => {
    const seen = observations.get(name)
    if (seen === undefined)
      throw new Error(`no situation is called ${name}: ${[...observations.keys()].join(", ")}`)
    return { type: "observed", seen }
  })

const onNode = aPod({ node: "node-1" })
const life = lives.get("healthy")
const podObserved: AnyEventObject = { type: "observed", seen: observedPod(onNode, life) }

const toggle = setup({}).createMachine({
  context: { count: 0 },
  initial: "off",
  states: {
    off: {
      on: {
        toggle: { target: "on", actions: assign({ count: ({ context }) => Number(context["count"]) + 1 }) }
      }
    },
    on: { on: { toggle: { target: "off", actions: emit({ type: "switched" }) } } }
  }
})

const region = { initial: "a", states: { a: { on: { next: "b" } }, b: { on: { next: "a" } } } }
const nested = setup({}).createMachine({
  type: "parallel",
  states: {
    one: region,
    two: {
      initial: "inner",
      states: { inner: { type: "parallel", states: { left: region, right: region } } }
    },
    three: region
  }
})

const interrupted = setup({}).createMachine({
  id: "work",
  initial: "one",
  states: {
    one: {
      initial: "first",
      on: { pause: "paused" },
      states: {
        first: { on: { next: "second" } },
        second: { on: { next: "first" } },
        last: { type: "history" }
      }
    },
    paused: { on: { resume: "#work.one.last" } }
  }
})

const workloads: ReadonlyArray<Workload> = [
  { name: "toggle, with assign and emit", machine: toggle, play: sendRepeatedly({ type: "toggle" }) },
  { name: "four nested parallel regions", machine: nested, play: sendRepeatedly({ type: "next" }) },
  {
    name: "history, interrupted and resumed",
    machine: interrupted,
    play: sendRepeatedly({ type: "next" }, { type: "pause" }, { type: "resume" })
  },
  {
    name: "Deployment, a look that changes nothing",
    machine: deploymentMachine(),
    play: sendRepeatedly(...observedEvents(deploymentObservations, "complete and reported"))
  },
  {
    name: "Deployment, steps of a rollout",
    machine: deploymentMachine(),
    play: sendRepeatedly(
      ...observedEvents(
        deploymentObservations,
        "a new template",
        "rolling, new Pods may come",
        "rolling, old Pods may go"
      )
    )
  },
  {
    name: "ReplicaSet, Pods missing and there",
    machine: replicaSetMachine,
    play: sendRepeatedly(...observedEvents(replicaSetObservations, "some Pods are missing", "all Pods exist"))
  },
  {
    name: "Pod, created until it is ready",
    machine: podMachine,
    play: liveAgain([30, 800, 400, 600], [podObserved])
  },
  { name: "Pod, a look that changes nothing", machine: podMachine, play: sendRepeatedly(podObserved) },
  {
    name: "node, a look and a heartbeat",
    machine: nodeMachine,
    play: liveAgain([10_000, 10_000, 10_000, 10_000], observedEvents(nodeObservations, "healthy", "healthy"))
  }
]

const show = (): void => {
  for (const { name, interpretedMicros, compiledMicros } of compiledRows()) {
    const ratio = (interpretedMicros / compiledMicros).toFixed(1)
    process.stdout.write(
      `${name.padEnd(42)} ${interpretedMicros.toFixed(2).padStart(8)} µs ${compiledMicros.toFixed(2).padStart(8)} µs  ${ratio.padStart(5)} times\n`
    )
  }
}

if (import.meta.main) show()
