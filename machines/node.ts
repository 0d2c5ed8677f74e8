import { and, assign, emit, enqueueActions, setup } from "xstate"
import { nodeGuards } from "./nodeGuards.ts"
import type { NodeCommand } from "../src/kubernetes/apps/commands.ts"
import type { NodeEvent, NodeObservation } from "./nodeGuards.ts"

interface NodeContext {
  readonly seen: NodeObservation | undefined
}

export const heartbeatMillis = 10_000

/**
 * A node: its kubelet's heartbeats, its health and its taint-based evictions.
 * Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/tainteviction/taint_eviction.go.
 */
export const nodeMachine = setup({
  types: {} as { context: NodeContext; events: NodeEvent; emitted: NodeCommand; tags: "moving" },
  guards: nodeGuards,
  actions: {
    remember: assign(({ event }) => ({ seen: event.seen })),
    renewLease: emit({ type: "renewLease" }),
    reportReady: emit({ type: "reportNode", ready: "True" }),
    reportLost: emit({ type: "reportNode", ready: "Unknown" }),
    markPodsUnready: emit({ type: "markPodsUnready" }),
    taint: emit({ type: "taintNode" }),
    evict: emit(({ event }) => ({ type: "evictPods", keys: event.seen.overdue })),
    spare: enqueueActions(({ context, event, enqueue }) => {
      const { overdue, tolerating } = event.seen
      const keys = (context.seen?.tolerating ?? []).filter(
        (key) => !tolerating.includes(key) && !overdue.includes(key)
      )
      if (keys.length > 0) enqueue.emit({ type: "cancelEvictions", keys })
    }),
    lookAgain: emit({ type: "lookAgain" })
  },
  delays: {
    heartbeat: heartbeatMillis,
    grace: ({ context: { seen } }) =>
      seen === undefined ? 0 : Math.max(0, seen.lostMillis - seen.nowMillis),
    toleration: ({ context: { seen } }) =>
      Math.max(0, (seen?.nextOverdueMillis ?? 0) - (seen?.nowMillis ?? 0))
  }
}).createMachine({
  id: "node",
  context: { seen: undefined },
  type: "parallel",
  states: {
    kubelet: {
      description: "Whether it says that it lives.",
      initial: "unseen",
      on: { observed: [{ guard: "isBeating", target: ".beating" }, { target: ".silent" }] },
      states: {
        unseen: {},
        beating: {
          description: "A heartbeat every ten seconds.",
          initial: "resting",
          entry: "renewLease",
          on: { observed: { guard: "isBeating" } },
          states: {
            resting: { after: { heartbeat: { target: "resting", reenter: true, actions: "renewLease" } } }
          }
        },
        silent: { description: "No heartbeats come." }
      }
    },
    health: {
      description: "What the control plane makes of what it hears.",
      initial: "unseen",
      on: {
        observed: [
          { guard: "isBeating", target: ".ready" },
          { guard: and(["isKnownLost", "isServing"]), target: ".lost", actions: "markPodsUnready" },
          { guard: "isKnownLost", target: ".lost" },
          { guard: "isServing", target: ".doubtful", actions: "markPodsUnready" },
          { target: ".doubtful" }
        ]
      },
      states: {
        unseen: {},
        ready: { description: "Heartbeats come.", entry: "reportReady" },
        doubtful: {
          description: "The lease grows old.",
          tags: "moving",
          after: { grace: { target: "lost", actions: "reportLost" } }
        },
        lost: { description: "Its Pods no longer count as ready." }
      }
    },
    taints: {
      description: "Whether they say what the conditions say.",
      initial: "fitting",
      on: { observed: [{ guard: "isMistainted", target: ".outdated" }, { target: ".fitting" }] },
      states: {
        fitting: { description: "Nothing is to be done." },
        outdated: { description: "They are put right.", entry: "taint" }
      }
    },
    pods: {
      description: "Which of its Pods have to leave.",
      initial: "staying",
      on: {
        observed: [
          { guard: "isOverdue", target: ".leaving", actions: ["spare", "remember"] },
          { guard: "isTolerated", target: ".tolerating", actions: ["spare", "remember"] },
          { target: ".staying", actions: ["spare", "remember"] }
        ]
      },
      states: {
        staying: { description: "No taint drives any more of them away." },
        tolerating: {
          description: "A taint drives them away, in the time that their tolerations give them.",
          tags: "moving",
          after: { toleration: { actions: "lookAgain" } }
        },
        leaving: {
          // The chart does not stay here: otherwise it would evict the same Pods again at every look.
          description: "The tolerations of some Pods have expired: they are evicted.",
          entry: "evict",
          always: [{ guard: "isTolerated", target: "tolerating" }, { target: "staying" }]
        }
      }
    }
  }
})
