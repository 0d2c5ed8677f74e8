import { describe, expect, it } from "vitest"
import { createMachine } from "xstate"
import { containerMachine } from "../../machines/container.ts"
import { deploymentMachine } from "../../machines/deployment.ts"
import { nodeMachine } from "../../machines/node.ts"
import { podMachine } from "../../machines/pod.ts"
import { replicaSetMachine } from "../../machines/replicaSet.ts"
import { containerPlan } from "../../src/kubernetes/pods/containers/containers.ts"
import { storedContainerFacts } from "../../src/kubernetes/pods/containers/storedContainers.ts"
import { explore, statesOf } from "./explore.ts"
import {
  aLife,
  aPod,
  beginning,
  lives,
  nodeWorlds,
  observedPod,
  replicaSetWorlds,
  reportedPod
} from "./leafWorlds.ts"
import { deploymentWorlds, millisAt } from "./worlds.ts"
import type { AnyEventObject, AnyMachineSnapshot } from "xstate"
import type { ContainerFacts, ContainerEventName } from "../../src/kubernetes/pods/containers/containers.ts"
import type { ExplorationOptions } from "./explore.ts"
import type { PodLife } from "../../src/kubernetes/pods/podLife.ts"

const observed = (worlds: ReadonlyMap<string, unknown>): ReadonlyArray<AnyEventObject> =>
  [...worlds.values()].map((seen) => ({ type: "observed", seen }))

/** Which of the worlds was seen last, as a number. */
const worldOf = (worlds: ReadonlyMap<string, unknown>, { context }: AnyMachineSnapshot): number =>
  [...worlds.values()].indexOf(context.seen)

const refused = (command: string, reason: string): AnyEventObject => ({
  type: "refused",
  refusal: { command, reason, message: "no" }
})

const hung = aLife({ mishap: { run: 0, silentMillis: 1300 } })
const killed = aLife({
  mishap: { run: 0, crash: { code: 137, reason: "OOMKilled", ranMillis: 1300 } }
})
const plans = [...lives.values(), aLife({ hangMillis: 2000 }), hung, killed].flatMap((life) =>
  ["Always", "OnFailure", "Never"].map((policy) =>
    containerPlan(
      {
        name: "app",
        image: "registry.example/app:v1",
        startupProbe: { periodSeconds: 1 },
        livenessProbe: { periodSeconds: 1, failureThreshold: 2 },
        readinessProbe: { periodSeconds: 1 }
      },
      { role: "app", spec: { restartPolicy: policy }, life }
    )
  )
)
const unprobed = [
  containerPlan({ name: "app", image: "i" }, { role: "app", spec: {}, life: aLife() }),
  containerPlan({ name: "app", image: "No Name" }, { role: "app", spec: {}, life: aLife() }),
  containerPlan(
    { name: "app", image: "i", imagePullPolicy: "Never" },
    { role: "init", spec: {}, life: aLife() }
  )
]
const stored: ReadonlyArray<ContainerFacts> = (
  ["creating", "running", "terminated", "pullFailed", "pullBackOff", "crashBackOff"] as const
).map((doing) => ({ ...beginning(), doing, ready: doing === "running" }))

/** What its Pod tells a container: how it lives from now on. */
const livesSo = (life: PodLife): AnyEventObject => ({
  type: "life.changed",
  plan: plans.find((plan) => plan.life === life.otherContainers),
  elapsedMillis: 1700
})

const bound = aPod({ node: "node-1" })
const probed = {
  ...bound,
  spec: {
    ...bound.spec,
    containers: bound.spec.containers.map((it) => ({ ...it, readinessProbe: { periodSeconds: 1 } }))
  }
}

const podWorlds = new Map(
  Object.entries({
    unbound: observedPod(aPod()),
    bound: observedPod(aPod({ node: "node-1" })),
    "told to go": observedPod(aPod({ node: "node-1", deleting: true })),
    "on a lost node": observedPod(aPod({ node: "node-1" }), aLife(), { kubelet: "lost" }),
    "bound, with an init container": observedPod(aPod({ node: "node-1", inits: ["setup"] })),
    "given up by its kubelet": observedPod(aPod({ node: "node-1" }), {
      ...aLife(),
      verdict: { reason: "Evicted", message: "The node was low on resource: memory. " }
    }),
    "hanging, which its readiness probe notices": observedPod(probed, hung),
    "moved by hand": observedPod(aPod(), aLife({}, "you")),
    failed: observedPod(aPod({ node: "node-1", status: { phase: "Failed" } })),
    succeeded: observedPod(aPod({ node: "node-1", status: { phase: "Succeeded" } })),
    "ended and told to go": observedPod(
      aPod({ node: "node-1", deleting: true, status: { phase: "Succeeded" } })
    ),
    "running, restarts on failure": observedPod(
      reportedPod(
        aPod({ node: "node-1", restartPolicy: "OnFailure" }),
        { containers: [beginning()] },
        millisAt(3)
      )
    )
  })
)

const told = (happening: ContainerEventName, facts: Partial<ContainerFacts>): AnyEventObject => ({
  type: "container.changed",
  happening,
  facts: { ...storedContainerFacts("app", undefined), ...facts }
})
const exit = (code: number) => ({ lastExit: { code, reason: code === 0 ? "Completed" : "Error" } })

interface Row extends ExplorationOptions {
  /** States that are meant to be rested in for ever, and why. */
  readonly ends: Readonly<Record<string, string>>
}

const charts: Readonly<Record<string, Row>> = {
  deployment: {
    machine: deploymentMachine(),
    events: [
      ...observed(deploymentWorlds),
      refused("createReplicaSet", "Forbidden"),
      refused("createReplicaSet", "AlreadyExists")
    ],
    project: (snapshot) => [worldOf(deploymentWorlds, snapshot), snapshot.context.notedMillis !== undefined],
    ends: {}
  },
  replicaSet: {
    machine: replicaSetMachine,
    events: [
      ...observed(replicaSetWorlds),
      { type: "performed" },
      refused("createPods", "Forbidden"),
      refused("reportReplicaSet", "Conflict")
    ],
    project: (snapshot) => [worldOf(replicaSetWorlds, snapshot), snapshot.context.created],
    ends: {}
  },
  pod: {
    machine: podMachine,
    events: [
      ...observed(podWorlds),
      { type: "deadline.passed" },
      told("exited", { name: "setup", role: "init", doing: "terminated", ...exit(0) }),
      told("exited", { name: "setup", role: "init", doing: "terminated", ...exit(3) }),
      told("crashBackOff", { name: "setup", role: "init", doing: "crashBackOff", ...exit(3) }),
      told("pulled", { doing: "creating" }),
      told("pullFailed", { doing: "pullFailed" }),
      told("started", { doing: "running", started: true }),
      told("ready", { doing: "running", started: true, ready: true }),
      told("crashBackOff", { doing: "crashBackOff", restartCount: 1, ...exit(3) }),
      told("exited", { doing: "terminated", ...exit(0) }),
      told("exited", { doing: "terminated", ...exit(3) })
    ],
    project: (snapshot) => [worldOf(podWorlds, snapshot), snapshot.context.containers],
    ends: {
      "pod.byHand": "nobody moves it but the user, who writes its status",
      "pod.succeeded": "a Pod that has come to its end stays as it is until it is deleted",
      "pod.failed": "the same",
      "pod.gone": "its object is taken away, and the actor with it",
      "pod.leftBehind": "the same"
    }
  },
  container: {
    machine: containerMachine,
    events: [{ type: "stop", withinMillis: 500, isKilled: false }, livesSo(hung), livesSo(killed)],
    inputs: [...plans, ...unprobed].flatMap((plan) =>
      stored.map((facts) => ({ plan, facts, elapsedMillis: 0 }))
    ),
    project: ({ context }) => [
      plans.indexOf(context.plan),
      context.facts.ready,
      context.facts.started,
      context.facts.lastExit,
      Math.min(context.facts.restartCount, 3),
      Math.min(context.facts.crashes, 2),
      Math.min(context.pulls, 3),
      Math.min(context.flaps, 3)
    ],
    ends: { "container.stopped": "it is final: its Pod is going" }
  },
  node: {
    machine: nodeMachine,
    events: observed(nodeWorlds),
    project: (snapshot) => worldOf(nodeWorlds, snapshot),
    ends: {}
  }
}

const flawed = createMachine({
  id: "flawed",
  initial: "begun",
  states: {
    begun: { after: { 700: "passing" }, on: { go: { target: "forbidden", guard: () => false } } },
    passing: { always: "stuck" },
    stuck: {},
    forbidden: { on: { go: "begun" } }
  }
})

describe("the explorer", () => {
  const found = explore({ machine: flawed, events: [{ type: "go" }], project: () => "" })

  it("fires timers, passes through what is left at once, and misses what no event leads to", () => {
    expect([...found.entered].sort()).toEqual(["flawed.begun", "flawed.passing", "flawed.stuck"])
  })

  it("names what it cannot leave", () => {
    expect([...found.deadEnds]).toEqual(["flawed.stuck"])
    expect(found.values.get('"begun"')).toEqual({ leaves: true })
    expect(found.values.get('"stuck"')).toEqual({ leaves: false })
  })
})

describe.each(Object.entries(charts))("%s", (_name, { ends, ...options }) => {
  const found = explore(options)

  it("reaches every state that its chart draws", () => {
    expect(statesOf(options.machine).filter((id) => !found.entered.has(id))).toEqual([])
  })

  it("can leave every state but those that are meant to last", () => {
    expect([...found.deadEnds].sort()).toEqual(Object.keys(ends).sort())
  })
})
