import { dequal } from "dequal/lite"
import { assign, setup } from "xstate"
import { namespaceTerminatingCause } from "../src/kubernetes/core/namespaceDeletion.ts"
import {
  slowStartBatchSize,
  podBurstMax,
  missingPodCount,
  replicaSetStatus
} from "../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import { emitEach } from "./emitEach.ts"
import { replicaSetGuards } from "./guards/replicaSetGuards.ts"
import type { ReplicaSetContext, ReplicaSetEvent } from "./guards/replicaSetGuards.ts"
import type { ReplicaSetCommand } from "../src/kubernetes/apps/commands.ts"
import { identityOf } from "../src/kubernetes/apps/sharedCommands.ts"
import type {
  ReplicaFailure,
  ReplicaSetObservation
} from "../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"

const emitCommands = (
  commands: (
    context: ReplicaSetContext,
    observation: ReplicaSetObservation,
    event: ReplicaSetEvent
  ) => ReadonlyArray<ReplicaSetCommand>
) =>
  emitEach<ReplicaSetContext, ReplicaSetEvent, ReplicaSetCommand>(({ context, event }) =>
    context.seen === undefined ? [] : commands(context, context.seen, event)
  )

const reportChange = (observation: ReplicaSetObservation): ReadonlyArray<ReplicaSetCommand> => {
  const status = replicaSetStatus(observation)
  return dequal(observation.replicaSet.status, status) ? [] : [{ type: "reportReplicaSet", status }]
}

/** A terminating namespace refuses every Pod, which is no failure. */
const failureOf = (event: ReplicaSetEvent): ReplicaFailure | undefined =>
  event.type !== "refused" || event.refusal.reason === namespaceTerminatingCause
    ? undefined
    : {
        reason: event.refusal.command === "deletePods" ? "FailedDelete" : "FailedCreate",
        message: event.refusal.message
      }

const replicaSetSetup = setup({
  types: {} as {
    context: ReplicaSetContext
    events: ReplicaSetEvent
    emitted: ReplicaSetCommand
    tags: "moving"
  },
  guards: replicaSetGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claimPods: emitCommands((_context, { claims }) => [
      ...claims.release.map((pod) => ({ type: "releasePod", child: identityOf(pod) }) as const),
      ...claims.adopt.map((pod) => ({ type: "adoptPod", child: identityOf(pod) }) as const)
    ]),
    beginSlowStart: assign(({ context }) => ({
      created: 0,
      wanted: context.seen === undefined ? 0 : Math.min(missingPodCount(context.seen), podBurstMax)
    })),
    createBatch: emitCommands((context) => [{ type: "createPods", count: slowStartBatchSize(context) }]),
    countBatch: assign(({ context }) => ({ created: context.created + slowStartBatchSize(context) })),
    deleteSurplus: emitCommands((_context, observation) => [
      { type: "deletePods", count: Math.min(-missingPodCount(observation), podBurstMax) }
    ]),
    report: emitCommands((_context, observation) => reportChange(observation)),
    reportFailure: emitCommands((_context, observation, event) => [
      { type: "reportReplicaSet", status: replicaSetStatus(observation, failureOf(event)) }
    ]),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }])
  },
  delays: {
    untilNextAvailable: ({ context }) =>
      Math.max(0, (context.seen?.pods.nextAvailableMillis ?? 0) - (context.seen?.nowMillis ?? 0))
  }
})

/**
 * Keeps the desired number of Pods.
 * Source: pkg/controller/replicaset/replica_set.go (syncReplicaSet, manageReplicas, slowStartBatch).
 */
export const replicaSetMachine = replicaSetSetup.createMachine({
  id: "replicaSet",
  context: { seen: undefined, created: 0, wanted: 0 },
  initial: "unseen",
  on: {
    observed: { target: ".counting", actions: ["remember", "claimPods"] },
    refused: { guard: "isScalingRefused", target: ".failing" }
  },
  states: {
    unseen: { description: "No observation has arrived yet." },
    counting: {
      description: "Does the number of Pods match spec.replicas?",
      always: [
        { guard: "isTerminating", target: "terminating" },
        { guard: "hasLostPods", target: "replacing" },
        { guard: "hasTooFewPods", target: "scalingUp" },
        { guard: "hasTooManyPods", target: "scalingDown" },
        { target: "settled" }
      ]
    },
    settled: {
      description: "The number of Pods matches spec.replicas.",
      entry: "report",
      initial: "resting",
      states: {
        resting: {
          description: "No work is left.",
          always: { guard: "isAwaitingAvailability", target: "awaitingAvailability" }
        },
        awaitingAvailability: {
          description: "A Pod is ready, but not yet for minReadySeconds.",
          tags: "moving",
          after: { untilNextAvailable: { actions: "lookAgain" } }
        }
      }
    },
    replacing: {
      description:
        "Pods were lost. Updates the status before it replaces them, so that the Deployment notices the loss.",
      entry: "report",
      always: "scalingUp"
    },
    scalingUp: {
      description:
        "Creates Pods in batches of 1, 2, 4, … (slow start), so that a refusal costs few requests.",
      entry: ["beginSlowStart", "createBatch"],
      on: {
        performed: { guard: "hasMoreToCreate", actions: ["countBatch", "createBatch"] }
      }
    },
    scalingDown: {
      description: "Deletes surplus Pods, least important first.",
      entry: "deleteSurplus"
    },
    failing: {
      description: "The API server refused. Sets the ReplicaFailure condition and retries with back-off.",
      entry: "reportFailure",
      after: { untilNextAvailable: { guard: "isAwaitingAvailability", actions: "lookAgain" } }
    },
    terminating: {
      description: "The ReplicaSet is being deleted: the garbage collector deletes its Pods.",
      entry: "report"
    }
  }
})
