import { assign, emit, setup } from "xstate"
import type { NodeCommand } from "../src/domain/commands.ts"
import type { Key } from "../src/domain/objects.ts"

/**
 * What a node's actor may know: whether its kubelet lives, how the node stands, and whose patience has run
 * out.
 */
export interface NodeObservation {
  readonly kubelet: "running" | "stopped"
  /** What the Ready condition says. */
  readonly ready: "True" | "False" | "Unknown"
  /** When its lease was last renewed, in Unix milliseconds. */
  readonly renewedMillis: number
  /** Pods whose toleration of an unreachable node is over. */
  readonly overdue: ReadonlyArray<Key>
  /** When the next Pod's toleration is over; undefined when none will be. */
  readonly nextOverdueMillis: number | undefined
  readonly nowMillis: number
}

interface NodeContext {
  readonly seen: NodeObservation | undefined
}

interface NodeEvent {
  readonly type: "observed"
  readonly seen: NodeObservation
}

/** The kubelet renews its lease this often. */
const heartbeatMillis = 10_000
/** A lease older than this means that the node is lost (node-monitor-grace-period, since 1.32). */
const graceMillis = 50_000

/**
 * A node: its kubelet's heartbeats, and what the control plane makes of their absence.
 *
 * Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go, pkg/controller/tainteviction/taint_eviction.go.
 */
export const nodeMachine = setup({
  types: {} as { context: NodeContext; events: NodeEvent; emitted: NodeCommand; tags: "moving" },
  guards: {
    isBeating: ({ event }) => event.seen.kubelet === "running",
    isKnownLost: ({ event }) => event.seen.kubelet === "stopped" && event.seen.ready === "Unknown",
    isOverdue: ({ context }) => (context.seen?.overdue.length ?? 0) > 0,
    hasPatience: ({ context }) => context.seen?.nextOverdueMillis !== undefined
  },
  actions: {
    remember: assign(({ event }) => ({ seen: event.seen })),
    renewLease: emit({ type: "renewLease" }),
    reportReady: emit({ type: "reportNode", ready: "True" }),
    reportLost: emit({ type: "reportNode", ready: "Unknown" }),
    evict: emit(({ context }) => ({ type: "evictPods", keys: context.seen?.overdue ?? [] })),
    lookAgain: emit({ type: "lookAgain" })
  },
  delays: {
    heartbeat: heartbeatMillis,
    grace: ({ context: { seen } }) =>
      seen === undefined ? graceMillis : Math.max(0, seen.renewedMillis + graceMillis - seen.nowMillis),
    toleration: ({ context: { seen } }) =>
      Math.max(0, (seen?.nextOverdueMillis ?? 0) - (seen?.nowMillis ?? 0))
  }
}).createMachine({
  id: "node",
  context: { seen: undefined },
  type: "parallel",
  states: {
    kubelet: {
      initial: "unseen",
      on: { observed: [{ guard: "isBeating", target: ".beating" }, { target: ".silent" }] },
      states: {
        unseen: {},
        beating: {
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
      initial: "unseen",
      on: {
        observed: [
          { guard: "isBeating", target: ".ready", actions: "remember" },
          { guard: "isKnownLost", target: ".notReady", actions: "remember" },
          { target: ".doubtful", actions: "remember" }
        ]
      },
      states: {
        unseen: {},
        ready: { entry: "reportReady" },
        doubtful: {
          description: "The lease grows old.",
          tags: "moving",
          after: { grace: { target: "notReady", actions: "reportLost" } }
        },
        notReady: {
          description:
            "Lost: its Pods no longer count as ready, and are evicted when their toleration is over.",
          initial: "tolerating",
          states: {
            tolerating: {
              always: [
                { guard: "isOverdue", target: "evicting" },
                { guard: "hasPatience", target: "waiting" }
              ]
            },
            waiting: { tags: "moving", after: { toleration: { actions: "lookAgain" } } },
            evicting: { entry: "evict" }
          }
        }
      }
    }
  }
})
