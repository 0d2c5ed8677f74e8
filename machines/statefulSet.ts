import { assign, setup } from "xstate"
import { isSemanticallyEqual } from "../src/kubernetes/meta/semanticEquality.ts"
import {
  claimDrafts,
  draftReplica,
  withIdentity
} from "../src/kubernetes/apps/statefulSets/replicaIdentity.ts"
import { nextAvailableMillis } from "../src/kubernetes/apps/statefulSets/statefulSetObservation.ts"
import {
  condemnedPodsToDelete,
  podsWithoutIdentity,
  actionableReplicas,
  revisionForNewPod,
  updateStep
} from "../src/kubernetes/apps/statefulSets/statefulSetOrder.ts"
import { statefulSetStatus } from "../src/kubernetes/apps/statefulSets/statefulSetStatus.ts"
import { templateOfRevision } from "../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { emitEach } from "./emitEach.ts"
import { dropRevisions, recordRevision } from "./revisionActions.ts"
import { identityOf } from "../src/kubernetes/apps/sharedCommands.ts"
import { revisionsToDrop, statefulSetGuards } from "./guards/statefulSetGuards.ts"
import type {
  OrdinalPod,
  StatefulSetObservation
} from "../src/kubernetes/apps/statefulSets/statefulSetObservation.ts"
import type { StatefulSetCommand } from "../src/kubernetes/apps/statefulSets/statefulSetCommands.ts"
import type { StatefulSetContext, StatefulSetEvent } from "./guards/statefulSetGuards.ts"

const emitCommands = (commands: (seen: StatefulSetObservation) => ReadonlyArray<StatefulSetCommand>) =>
  emitEach<StatefulSetContext, StatefulSetEvent, StatefulSetCommand>(({ context: { seen } }) =>
    seen === undefined ? [] : commands(seen)
  )

const deleteEach = (pods: ReadonlyArray<OrdinalPod>): ReadonlyArray<StatefulSetCommand> =>
  pods.map(({ pod }) => ({ type: "deleteReplica", child: identityOf(pod) }))

const createMissing = (seen: StatefulSetObservation): ReadonlyArray<StatefulSetCommand> =>
  actionableReplicas(seen, "missing").flatMap(({ ordinal }) => {
    const { statefulSet } = seen
    const revision = revisionForNewPod(seen, ordinal)
    if (revision === undefined) return []
    const template = templateOfRevision(revision) ?? statefulSet.spec.template
    const pod = draftReplica(statefulSet, ordinal, { template, revisionName: revision.metadata.name })
    return [{ type: "createReplica", pod, claims: claimDrafts(statefulSet, ordinal) }]
  })

const statefulSetSetup = setup({
  types: {} as {
    context: StatefulSetContext
    events: StatefulSetEvent
    emitted: StatefulSetCommand
    tags: "moving"
  },
  guards: statefulSetGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claim: emitCommands(({ claims, orphanedRevisions }) => [
      ...orphanedRevisions.map((it) => ({ type: "adoptRevision", child: identityOf(it) }) as const),
      ...claims.release.map((pod) => ({ type: "releasePod", child: identityOf(pod) }) as const),
      ...claims.adopt.map((pod) => ({ type: "adoptPod", child: identityOf(pod) }) as const)
    ]),
    recordRevision: emitCommands(({ templateRecord }) => recordRevision(templateRecord)),
    dropRevisions: emitCommands((seen) => dropRevisions(revisionsToDrop(seen))),
    repairIdentities: emitCommands((seen) =>
      podsWithoutIdentity(seen).map(
        ({ ordinal, pod }) =>
          ({
            type: "repairReplica",
            pod: withIdentity(seen.statefulSet, pod, ordinal),
            claims: claimDrafts(seen.statefulSet, ordinal)
          }) as const
      )
    ),
    deleteEnded: emitCommands((seen) =>
      deleteEach(
        actionableReplicas(seen, "ended").flatMap(({ ordinal, pod }) =>
          pod === undefined ? [] : [{ ordinal, pod }]
        )
      )
    ),
    createMissing: emitCommands(createMissing),
    createClaims: emitCommands((seen) =>
      actionableReplicas(seen, "claimless").map(
        ({ ordinal, pod }) =>
          ({
            type: "createClaims",
            podName: pod?.metadata.name ?? "",
            claims: claimDrafts(seen.statefulSet, ordinal)
          }) as const
      )
    ),
    // Sets the owner references that persistentVolumeClaimRetentionPolicy asks for.
    reownClaims: emitCommands(({ claimsAgainstRetentionPolicy }) =>
      claimsAgainstRetentionPolicy.map((owners) => ({ type: "reownClaim", owners }) as const)
    ),
    deleteCondemned: emitCommands((seen) => deleteEach(condemnedPodsToDelete(seen))),
    replaceOutdated: emitCommands((seen) => {
      const step = updateStep(seen)
      return step?.type === "replace" ? deleteEach([step.target]) : []
    }),
    report: emitCommands((seen) => {
      const status = statefulSetStatus(seen)
      return isSemanticallyEqual(seen.statefulSet.status, status)
        ? []
        : [{ type: "reportStatefulSet", status }]
    }),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }])
  },
  delays: {
    untilNextAvailable: ({ context: { seen } }) =>
      seen === undefined ? 0 : Math.max(0, (nextAvailableMillis(seen) ?? 0) - seen.nowMillis)
  }
})

/** A state that waits for Pods, and for the time until a ready one is available. */
const waitingState = (description: string) =>
  statefulSetSetup.createStateConfig({
    description,
    entry: "report",
    initial: "waiting",
    states: {
      waiting: {
        description: "Waits for a Pod to change.",
        always: { guard: "isAwaitingAvailability", target: "awaitingAvailability" }
      },
      awaitingAvailability: {
        description: "A Pod is ready, but not yet for minReadySeconds.",
        tags: "moving",
        after: { untilNextAvailable: { actions: "lookAgain" } }
      }
    }
  })

/**
 * Keeps a Pod for every ordinal. Pods are created from the lowest ordinal up, and deleted and updated from the highest
 * down. With OrderedReady, each waits until the one before it is available; with Parallel, none waits.
 * Source: pkg/controller/statefulset/stateful_set.go (sync), stateful_set_control.go (updateStatefulSet).
 */
export const statefulSetMachine = statefulSetSetup.createMachine({
  id: "statefulSet",
  context: { seen: undefined },
  initial: "unseen",
  on: {
    observed: { target: ".looking", actions: "remember" },
    refused: ".failing"
  },
  states: {
    unseen: { description: "No observation has arrived yet." },
    looking: {
      description: "Are all Pods and revisions its own, and is the present template recorded?",
      always: [
        { guard: "isTerminating", target: "terminating" },
        { guard: "hasClaims", target: "claiming" },
        { guard: "isTemplateNew", target: "revising.recording" },
        { guard: "isTemplateBack", target: "revising.renumbering" },
        { guard: "hasSurplusRevisions", target: "revising.truncating" },
        { target: "keeping" }
      ]
    },
    claiming: {
      description: "Adopts Pods and revisions that its selector matches, and releases the others.",
      entry: "claim"
    },
    revising: {
      description: "Keeps a ControllerRevision of every template, for updates and for kubectl rollout undo.",
      initial: "recording",
      states: {
        recording: {
          description: "Records the present template as a new revision.",
          entry: "recordRevision"
        },
        renumbering: {
          description: "Makes the revision of an earlier template, which is back, the latest.",
          entry: "recordRevision"
        },
        truncating: { description: "Deletes the oldest revisions that no Pod has.", entry: "dropRevisions" }
      }
    },
    keeping: {
      description: "Keeps a Pod for every ordinal, from the lowest up, and none beyond.",
      initial: "counting",
      states: {
        counting: {
          description: "Which ordinal comes next?",
          always: [
            { guard: "hasOtherClaimOwners", target: "reowningClaims" },
            { guard: "hasPodWithoutIdentity", target: "repairing" },
            { guard: "hasEndedPod", target: "replacingEnded" },
            { guard: "hasMissingPod", target: "creating" },
            { guard: "lacksClaims", target: "creatingClaims" },
            { guard: "isAwaitingPod", target: "awaitingPod" },
            { guard: "hasCondemnedPods", target: "scalingDown" },
            { guard: "isAwaitingRemoval", target: "awaitingRemoval" },
            { target: "#statefulSet.updating" }
          ]
        },
        repairing: {
          description: "Gives a Pod the labels and volumes of its ordinal.",
          entry: ["report", "repairIdentities"]
        },
        replacingEnded: {
          description: "Deletes a Pod that has failed or succeeded, to create it anew.",
          entry: ["report", "deleteEnded"]
        },
        creating: {
          description: "Creates the next Pod, or with Parallel all missing ones, their claims first.",
          entry: ["report", "createMissing"]
        },
        creatingClaims: {
          description: "Creates claims that a Pending Pod lacks.",
          entry: ["report", "createClaims"]
        },
        awaitingPod: waitingState("The next Pod has to wait until the one below it is available, or gone."),
        reowningClaims: {
          description: "Makes claims follow persistentVolumeClaimRetentionPolicy.",
          entry: ["report", "reownClaims"]
        },
        scalingDown: {
          description: "Deletes the Pod of the highest ordinal beyond spec.replicas, or with Parallel all.",
          entry: ["report", "deleteCondemned"]
        },
        awaitingRemoval: waitingState("The next Pod has to wait until the one above it is gone.")
      }
    },
    updating: {
      description: "Replaces Pods of old revisions, from the highest ordinal down to the partition.",
      initial: "comparing",
      states: {
        comparing: {
          description: "Which Pod has an old revision? With OnDelete none is replaced.",
          always: [
            { guard: "hasOutdatedPods", target: "replacing" },
            { guard: "isAwaitingUpdated", target: "awaitingUpdated" },
            { target: "#statefulSet.settled" }
          ]
        },
        replacing: {
          description: "Deletes the highest Pod of an old revision.",
          entry: ["report", "replaceOutdated"]
        },
        awaitingUpdated: waitingState("The next Pod has to wait until the updated one is available.")
      }
    },
    settled: waitingState("Every ordinal has its Pod, and none is to be updated."),
    failing: { description: "The API server refused a write. Retries with back-off." },
    terminating: {
      description: "The StatefulSet is being deleted: the garbage collector deletes its Pods.",
      entry: "report"
    }
  }
})
