import { and, assign, emit, enqueueActions, setup } from "xstate"
import { nodeGuards } from "./guards/nodeGuards.ts"
import type { NodeCommand } from "../src/kubernetes/apps/commands.ts"
import type { NodeEvent, NodeObservation } from "./guards/nodeGuards.ts"

interface NodeContext {
  readonly seen: NodeObservation | undefined
}

/** A kubelet renews its lease after a quarter of its 40 seconds. */
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
    evict: emit(({ event }) => ({ type: "evictPods", keys: event.seen.overduePods })),
    cancelEvictions: enqueueActions(({ context, event, enqueue }) => {
      const { overduePods, toleratingPods } = event.seen
      const keys = (context.seen?.toleratingPods ?? []).filter(
        (key) => !toleratingPods.includes(key) && !overduePods.includes(key)
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
      description: "Whether the kubelet sends heartbeats.",
      initial: "unseen",
      on: { observed: [{ guard: "isBeating", target: ".beating" }, { target: ".silent" }] },
      states: {
        unseen: {},
        beating: {
          description: "The kubelet renews its lease every ten seconds.",
          initial: "resting",
          entry: "renewLease",
          // No target: re-entering the state would renew the lease at every look.
          on: { observed: { guard: "isBeating" } },
          states: {
            resting: { after: { heartbeat: { target: "resting", reenter: true, actions: "renewLease" } } }
          }
        },
        silent: { description: "The kubelet sends no heartbeats." }
      }
    },
    health: {
      description: "The node's Ready condition, as the node lifecycle controller sets it.",
      initial: "unseen",
      on: {
        observed: [
          { guard: "isBeating", target: ".ready" },
          { guard: and(["isKnownLost", "hasStaleReadyPods"]), target: ".lost", actions: "markPodsUnready" },
          { guard: "isKnownLost", target: ".lost" },
          { guard: "hasStaleReadyPods", target: ".doubtful", actions: "markPodsUnready" },
          { target: ".doubtful" }
        ]
      },
      states: {
        unseen: {},
        ready: { description: "Heartbeats arrive.", entry: "reportReady" },
        doubtful: {
          description: "No heartbeat has arrived for a while: the grace period runs.",
          tags: "moving",
          after: { grace: { target: "lost", actions: "reportLost" } }
        },
        lost: { description: "The node is lost: its Pods are set to not ready." }
      }
    },
    taints: {
      description: "Whether the taints match the conditions.",
      initial: "fitting",
      on: { observed: [{ guard: "isMistainted", target: ".outdated" }, { target: ".fitting" }] },
      states: {
        fitting: { description: "No work is left." },
        outdated: { description: "Updates the taints.", entry: "taint" }
      }
    },
    pods: {
      description: "Which Pods a NoExecute taint evicts.",
      initial: "staying",
      on: {
        observed: [
          { guard: "hasOverduePods", target: ".leaving", actions: ["cancelEvictions", "remember"] },
          { guard: "hasToleratingPods", target: ".tolerating", actions: ["cancelEvictions", "remember"] },
          { target: ".staying", actions: ["cancelEvictions", "remember"] }
        ]
      },
      states: {
        staying: { description: "No Pod is to be evicted." },
        tolerating: {
          description: "A taint evicts Pods, each after its tolerationSeconds.",
          tags: "moving",
          after: { toleration: { actions: "lookAgain" } }
        },
        leaving: {
          // The chart leaves this state at once; otherwise it would evict the same Pods at every look.
          description: "Evicts Pods whose tolerationSeconds are over.",
          entry: "evict",
          always: [{ guard: "hasToleratingPods", target: "tolerating" }, { target: "staying" }]
        }
      }
    }
  }
})
