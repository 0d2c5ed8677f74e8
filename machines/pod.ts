import { assign, emit, enqueueActions, setup } from "xstate"
import { isFinished } from "../src/domain/pods.ts"
import { isTerminating } from "../src/domain/ownerReferences.ts"
import { kubeletEvents } from "../src/domain/kubeletEvents.ts"
import { containerPlan, elapsedMillis, factsOf } from "../src/domain/containers.ts"
import { containerMachine } from "./container.ts"
import type { ActorRefFrom } from "xstate"
import type { ContainerChanged } from "./container.ts"
import type { PodCommand } from "../src/domain/commands.ts"
import type { ContainerFacts } from "../src/domain/containers.ts"
import type { Pod } from "../src/domain/objects.ts"
import type { PodLife } from "../src/domain/podLife.ts"

/**
 * What a Pod's actor may know: its object, how it will live, and whether its node's kubelet can be reached.
 */
export interface PodObservation {
  readonly pod: Pod
  readonly life: PodLife
  readonly kubelet: "reachable" | "lost"
  readonly nowMillis: number
}

interface PodContext {
  readonly seen: PodObservation | undefined
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly actors: ReadonlyArray<ActorRefFrom<typeof containerMachine>>
}

type PodEvent = { readonly type: "observed"; readonly seen: PodObservation } | ContainerChanged

const about =
  (fact: (seen: PodObservation) => boolean) =>
  ({ context }: { readonly context: PodContext }): boolean =>
    context.seen !== undefined && fact(context.seen)

const all =
  (fact: (facts: ContainerFacts) => boolean) =>
  ({ context }: { readonly context: PodContext }): boolean =>
    context.containers.every(fact)

const isBackingOff = ({ doing }: ContainerFacts): boolean =>
  doing === "pullFailed" || doing === "pullBackOff" || doing === "crashBackOff"

const isSameFacts = (a: ContainerFacts, b: ContainerFacts): boolean =>
  a.doing === b.doing &&
  a.ready === b.ready &&
  a.started === b.started &&
  a.restartCount === b.restartCount &&
  a.lastExit === b.lastExit

const podSetup = setup({
  types: {} as {
    context: PodContext
    events: PodEvent
    emitted: PodCommand
    tags: "moving"
  },
  actors: { container: containerMachine },
  guards: {
    isByHand: about(({ life }) => life.mover === "you"),
    isLost: about(({ kubelet }) => kubelet === "lost"),
    isNowLost: ({ event }) => event.type === "observed" && event.seen.kubelet === "lost",
    isBack: ({ event }) => event.type === "observed" && event.seen.kubelet === "reachable",
    isFailed: about(({ pod }) => pod.status.phase === "Failed"),
    isSucceeded: about(({ pod }) => pod.status.phase === "Succeeded"),
    isTerminating: about(({ pod }) => isTerminating(pod) && !isFinished(pod)),
    isBound: about(({ pod }) => pod.spec.nodeName !== undefined),
    areDone: ({ context }) =>
      context.containers.length > 0 &&
      context.containers.every(({ doing, lastExit }) => {
        const policy = context.seen?.pod.spec.restartPolicy ?? "Always"
        return (
          doing === "terminated" && (policy === "Never" || (policy === "OnFailure" && lastExit?.code === 0))
        )
      }),
    didFail: ({ context }) => context.containers.some(({ lastExit }) => lastExit?.code !== 0),
    hasRunHere: ({ context }) => context.containers.length > 0,
    areReady: all(({ ready }) => ready),
    haveRun: all(({ doing, lastExit }) => doing === "running" || lastExit !== undefined),
    isHeldUp: ({ context }) => context.containers.some(isBackingOff),
    saysNothingNew: ({ context, event }) =>
      event.type === "container.changed" &&
      context.containers.some((it) => it.name === event.facts.name && isSameFacts(it, event.facts)),
    haveStopped: all(({ doing }) => doing === "terminated")
  },
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    noteContainer: assign(({ context, event }) =>
      event.type === "container.changed"
        ? { containers: context.containers.map((it) => (it.name === event.facts.name ? event.facts : it)) }
        : {}
    ),
    recordEvents: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "container.changed" || context.seen === undefined) return
      const { pod, life } = context.seen
      const { facts, happening } = event
      const { pullError, pullMillis } = life.containers[facts.name] ?? life.otherContainers
      const image = pod.spec.containers.find(({ name }) => name === facts.name)?.image ?? ""
      const happened = { happening, facts, image, pullError, pullMillis, pod: pod.metadata }
      for (const command of kubeletEvents(happened)) enqueue.emit(command)
    }),
    startContainers: assign(({ context, spawn }) => {
      if (context.seen === undefined || context.actors.length > 0) return {}
      const { pod, life, nowMillis } = context.seen
      const begun = pod.spec.containers.map((container) => {
        const status = pod.status.containerStatuses?.find(({ name }) => name === container.name)
        const facts = factsOf(container.name, status)
        const plan = containerPlan(
          container,
          life.containers[container.name] ?? life.otherContainers,
          pod.spec.restartPolicy ?? "Always"
        )
        const input = { plan, facts, elapsedMillis: elapsedMillis(status, nowMillis) }
        return { facts, actor: spawn("container", { id: container.name, input }) }
      })
      return { containers: begun.map(({ facts }) => facts), actors: begun.map(({ actor }) => actor) }
    }),
    stopContainers: enqueueActions(({ context, enqueue }) => {
      if (context.seen === undefined) return
      const { pod, life } = context.seen
      const graceMillis = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000
      const withinMillis = Math.min(life.terminateMillis, graceMillis)
      for (const actor of context.actors) enqueue.sendTo(actor, { type: "stop", withinMillis })
    }),
    loseContainers: enqueueActions(({ context, enqueue }) => {
      for (const actor of context.actors) enqueue.stopChild(actor)
      enqueue.assign({ actors: [] })
    }),
    requestBinding: emit({ type: "requestBinding" }),
    report: emit(({ context }) => ({ type: "reportPod", containers: context.containers })),
    remove: emit({ type: "removePod" })
  },
  delays: { schedule: ({ context }) => context.seen?.life.scheduleMillis ?? 0 }
})

/**
 * A Pod: what its kubelet makes of it, as a behaviour tells it from outside. Its containers are charts as well; what
 * they tell decides where the Pod is.
 *
 * Source: pkg/kubelet/kubelet.go (SyncPod, SyncTerminatingPod), pkg/kubelet/kubelet_pods.go.
 */
export const podMachine = podSetup.createMachine({
  id: "pod",
  context: { seen: undefined, containers: [], actors: [] },
  initial: "unseen",
  states: {
    unseen: { on: { observed: { target: "placing", actions: "remember" } } },
    placing: {
      description: "Where the Pod is in its life, by what is stored of it.",
      always: [
        { guard: "isByHand", target: "byHand" },
        { guard: "isFailed", target: "failed" },
        { guard: "isSucceeded", target: "succeeded" },
        { guard: "isLost", target: "outOfReach" },
        { guard: "isBound", target: "onNode" },
        { target: "pending" }
      ]
    },
    byHand: { description: "Nobody moves this Pod but you." },
    pending: {
      initial: "unscheduled",
      on: { observed: { actions: "remember" } },
      always: { guard: "isBound", target: "placing" },
      states: {
        unscheduled: {
          tags: "moving",
          after: { schedule: { target: "scheduled", actions: "requestBinding" } }
        },
        scheduled: { description: "The scheduler looks for a node, for as long as it takes." }
      }
    },
    onNode: {
      description: "A kubelet has it.",
      entry: ["startContainers", "report"],
      on: {
        // Said once more: the last report may have been refused.
        observed: { target: ".watching", actions: ["remember", "report"] },
        "container.changed": [
          { guard: "saysNothingNew", actions: "recordEvents" },
          { target: ".watching", actions: ["noteContainer", "recordEvents", "report"] }
        ]
      },
      initial: "watching",
      states: {
        watching: {
          always: [
            { guard: "isLost", target: "#pod.outOfReach" },
            { guard: "isTerminating", target: "#pod.terminating" },
            { guard: "areDone", target: "#pod.finishing" },
            { guard: "areReady", target: "running.ready" },
            { guard: "haveRun", target: "running" },
            { guard: "isHeldUp", target: "heldUp" },
            { target: "starting" }
          ]
        },
        starting: { tags: "moving", description: "Images are pulled, containers created." },
        heldUp: { description: "A container waits out a back-off before it can start." },
        running: {
          initial: "notReady",
          states: {
            notReady: {
              initial: "coming",
              states: {
                coming: { tags: "moving", always: { guard: "isHeldUp", target: "backingOff" } },
                backingOff: { description: "A container waits out a back-off before it starts again." }
              }
            },
            ready: { description: "Every container answers: the Pod serves." }
          }
        }
      }
    },
    finishing: { always: [{ guard: "didFail", target: "failed" }, { target: "succeeded" }] },
    succeeded: { on: { observed: { guard: "hasRunHere", actions: "report" } } },
    failed: { on: { observed: { guard: "hasRunHere", actions: "report" } } },
    terminating: {
      description: "Asked to stop; gone when every container has, or when the grace period is over.",
      tags: "moving",
      entry: ["startContainers", "stopContainers"],
      on: {
        observed: [
          { guard: "isNowLost", target: "outOfReach", actions: "remember" },
          { actions: "remember" }
        ],
        "container.changed": { target: ".stopping", actions: ["noteContainer", "recordEvents"] }
      },
      initial: "stopping",
      states: {
        stopping: { always: { guard: "haveStopped", target: "#pod.gone" } }
      }
    },
    outOfReach: {
      description:
        "Its node is lost: nothing is heard of it, and nothing done about it, until the node is back.",
      entry: "loseContainers",
      on: {
        observed: {
          target: "placing",
          guard: "isBack",
          actions: "remember"
        }
      }
    },
    gone: {
      description: "The kubelet takes the object away.",
      entry: ["report", "remove"],
      on: { observed: { actions: "remove" } }
    }
  }
})
