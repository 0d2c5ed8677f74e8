import { describe, expect, it } from "vitest"
import { createMachine } from "xstate"
import { containerMachine } from "../../../machines/container.ts"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { nodeMachine } from "../../../machines/node.ts"
import { podMachine } from "../../../machines/pod.ts"
import { daemonSetMachine } from "../../../machines/daemonSet.ts"
import { daemonSetObservations } from "../daemonSetObservations.ts"
import { jobMachine } from "../../../machines/job.ts"
import { jobObservations } from "../jobObservations.ts"
import { horizontalPodAutoscalerMachine } from "../../../machines/horizontalPodAutoscaler.ts"
import { autoscalerObservations } from "../autoscalerObservations.ts"
import { cronJobMachine } from "../../../machines/cronJob.ts"
import { cronJobObservations } from "../cronJobObservations.ts"
import { steeringMachine } from "../../../machines/steering.ts"
import { steeringObservations } from "../steeringObservations.ts"
import { statefulSetMachine } from "../../../machines/statefulSet.ts"
import { statefulSetObservations } from "../statefulSetObservations.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { containerPlan } from "../../../src/kubernetes/pods/containers/containers.ts"
import { storedContainerFacts } from "../../../src/kubernetes/pods/containers/storedContainers.ts"
import { explore, statesOf } from "./explore.ts"
import {
  aLife,
  aPod,
  newContainer,
  lives,
  nodeObservations,
  observedPod,
  replicaSetObservations,
  reportedPod
} from "../podAndNodeObservations.ts"
import { deploymentObservations, millisAt } from "../workloadObservations.ts"
import type { AnyEventObject, AnyMachineSnapshot } from "xstate"
import type {
  ContainerFacts,
  ContainerEventName
} from "../../../src/kubernetes/pods/containers/containers.ts"
import type { ExplorationOptions } from "./explore.ts"
import type { PodLife } from "../../../src/kubernetes/pods/podLife.ts"

const observed = (observations: ReadonlyMap<string, unknown>): ReadonlyArray<AnyEventObject> =>
  [...observations.values()].map((seen) => ({ type: "observed", seen }))

const observationIndex = (
  observations: ReadonlyMap<string, unknown>,
  { context }: AnyMachineSnapshot
): number => [...observations.values()].indexOf(context.seen)

const refusedEvent = (command: string, reason: string): AnyEventObject => ({
  type: "refused",
  refusal: { command, reason, message: "no" }
})

const hung = aLife({ runFault: { run: 0, silentMillis: 1300 } })
const crashed = aLife({
  runFault: { run: 0, crash: { code: 137, reason: "OOMKilled", ranMillis: 1300 } }
})
const plans = [...lives.values(), aLife({ hangMillis: 2000 }), hung, crashed].flatMap((life) =>
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
).map((doing) => ({ ...newContainer(), doing, ready: doing === "running" }))

const lifeChanged = (life: PodLife): AnyEventObject => ({
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

const podObservations = new Map(
  Object.entries({
    unbound: observedPod(aPod()),
    bound: observedPod(aPod({ node: "node-1" })),
    deleted: observedPod(aPod({ node: "node-1", deleting: true })),
    "on a lost node": observedPod(aPod({ node: "node-1" }), aLife(), { kubelet: "lost" }),
    "bound, without its volumes": observedPod(aPod({ node: "node-1" }), aLife(), { volumes: "awaited" }),
    "bound, with an init container": observedPod(aPod({ node: "node-1", inits: ["setup"] })),
    "bound, with two containers": observedPod(aPod({ node: "node-1", containers: ["app", "proxy"] })),
    "evicted by its kubelet": observedPod(aPod({ node: "node-1" }), {
      ...aLife(),
      eviction: { reason: "Evicted", message: "The node was low on resource: memory. " }
    }),
    "hanging, with a readiness probe": observedPod(probed, hung),
    "bound, restarts as a whole": observedPod({
      ...bound,
      spec: {
        ...bound.spec,
        containers: bound.spec.containers.map((container) => ({
          ...container,
          restartPolicyRules: [
            { action: "RestartAllContainers", exitCodes: { operator: "NotIn", values: [0] } }
          ]
        }))
      }
    }),
    "moved by hand": observedPod(aPod(), aLife({}, "you")),
    failed: observedPod(aPod({ node: "node-1", status: { phase: "Failed" } })),
    succeeded: observedPod(aPod({ node: "node-1", status: { phase: "Succeeded" } })),
    "ended and deleted": observedPod(
      aPod({ node: "node-1", deleting: true, status: { phase: "Succeeded" } })
    ),
    "running, restarts on failure": observedPod(
      reportedPod(
        aPod({ node: "node-1", restartPolicy: "OnFailure" }),
        { containers: [newContainer()] },
        millisAt(3)
      )
    )
  })
)

const containerChanged = (happening: ContainerEventName, facts: Partial<ContainerFacts>): AnyEventObject => ({
  type: "container.changed",
  happening,
  facts: { ...storedContainerFacts("app", undefined), ...facts }
})
const exit = (code: number) => ({ lastExit: { code, reason: code === 0 ? "Completed" : "Error" } })

interface Row extends ExplorationOptions {
  /** States that are meant to last, and why. */
  readonly ends: Readonly<Record<string, string>>
}

const charts: Readonly<Record<string, Row>> = {
  deployment: {
    machine: deploymentMachine(),
    events: [
      ...observed(deploymentObservations),
      refusedEvent("createReplicaSet", "Forbidden"),
      refusedEvent("createReplicaSet", "AlreadyExists")
    ],
    project: (snapshot) => [
      observationIndex(deploymentObservations, snapshot),
      snapshot.context.lastProgressMillis !== undefined
    ],
    ends: {}
  },
  replicaSet: {
    machine: replicaSetMachine,
    events: [
      ...observed(replicaSetObservations),
      { type: "performed" },
      refusedEvent("createPods", "Forbidden"),
      refusedEvent("reportReplicaSet", "Conflict")
    ],
    project: (snapshot) => [observationIndex(replicaSetObservations, snapshot), snapshot.context.created],
    ends: {}
  },
  statefulSet: {
    machine: statefulSetMachine,
    events: [...observed(statefulSetObservations), refusedEvent("createReplica", "Forbidden")],
    project: (snapshot) => [observationIndex(statefulSetObservations, snapshot)],
    ends: {}
  },
  daemonSet: {
    machine: daemonSetMachine,
    events: [...observed(daemonSetObservations), refusedEvent("createDaemonPods", "Forbidden")],
    project: (snapshot) => [observationIndex(daemonSetObservations, snapshot)],
    ends: {}
  },
  job: {
    machine: jobMachine,
    events: [...observed(jobObservations), refusedEvent("createJobPods", "Forbidden")],
    project: (snapshot) => [
      observationIndex(jobObservations, snapshot),
      Math.min(snapshot.context.failures, 2)
    ],
    ends: {}
  },
  cronJob: {
    machine: cronJobMachine,
    events: [...observed(cronJobObservations), refusedEvent("startJob", "Forbidden")],
    project: (snapshot) => [observationIndex(cronJobObservations, snapshot)],
    ends: {}
  },
  horizontalPodAutoscaler: {
    machine: horizontalPodAutoscalerMachine,
    events: [
      ...observed(autoscalerObservations),
      { type: "performed" },
      refusedEvent("scaleTarget", "Forbidden")
    ],
    // Not what it remembers: that grows with every look.
    project: (snapshot) => [observationIndex(autoscalerObservations, snapshot)],
    ends: {}
  },
  steering: {
    machine: steeringMachine(),
    events: [...observed(steeringObservations), refusedEvent("recordSteering", "Conflict")],
    project: (snapshot) => [observationIndex(steeringObservations, snapshot)],
    ends: {}
  },
  pod: {
    machine: podMachine,
    events: [
      ...observed(podObservations),
      { type: "deadline.passed" },
      containerChanged("exited", { name: "setup", role: "init", doing: "terminated", ...exit(0) }),
      containerChanged("exited", { name: "setup", role: "init", doing: "terminated", ...exit(3) }),
      containerChanged("crashBackOff", { name: "setup", role: "init", doing: "crashBackOff", ...exit(3) }),
      containerChanged("pulled", { doing: "creating" }),
      containerChanged("pullFailed", { doing: "pullFailed" }),
      containerChanged("started", { doing: "running", started: true }),
      containerChanged("ready", { doing: "running", started: true, ready: true }),
      containerChanged("crashBackOff", { doing: "crashBackOff", restartCount: 1, ...exit(3) }),
      containerChanged("exited", { doing: "terminated", ...exit(0) }),
      containerChanged("exited", { doing: "terminated", ...exit(3) })
    ],
    project: (snapshot) => [observationIndex(podObservations, snapshot), snapshot.context.containers],
    ends: {
      "pod.byHand": "only the user moves it, by writing its status",
      "pod.succeeded": "a Pod that has come to its end stays as it is until it is deleted",
      "pod.failed": "the same",
      "pod.gone": "its object is taken away, and the actor with it",
      "pod.leftBehind": "the same"
    }
  },
  container: {
    machine: containerMachine,
    events: [{ type: "stop", withinMillis: 500, isKilled: false }, lifeChanged(hung), lifeChanged(crashed)],
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
    events: observed(nodeObservations),
    project: (snapshot) => observationIndex(nodeObservations, snapshot),
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
  const exploration = explore({ machine: flawed, events: [{ type: "go" }], project: () => "" })

  it("fires timers, records states that are left at once, and misses unreachable states", () => {
    expect([...exploration.entered].sort()).toEqual(["flawed.begun", "flawed.passing", "flawed.stuck"])
  })

  it("names the states that it cannot leave", () => {
    expect([...exploration.deadEnds]).toEqual(["flawed.stuck"])
    expect(exploration.values.get('"begun"')).toEqual({ leaves: true })
    expect(exploration.values.get('"stuck"')).toEqual({ leaves: false })
  })
})

describe.each(Object.entries(charts))("%s", (_name, { ends, ...options }) => {
  const exploration = explore(options)

  it("reaches every state of its chart", () => {
    expect(statesOf(options.machine).filter((id) => !exploration.entered.has(id))).toEqual([])
  })

  it("can leave every state that is not meant to last", () => {
    expect([...exploration.deadEnds].sort()).toEqual(Object.keys(ends).sort())
  })
})
