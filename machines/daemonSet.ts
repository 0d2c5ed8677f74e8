import { assign, setup } from "xstate"
import {
  backOffsAfterReplacing,
  nextDaemonSetWakeMillis,
  replaceablePods
} from "../src/kubernetes/apps/daemonSets/daemonBackOff.ts"
import {
  currentRevisionHash,
  daemonSetStatus,
  daemonUpdate,
  daemonRevisionsToDrop,
  misplacedPods,
  nodesWithoutPod
} from "../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import { daemonBurstMax, draftDaemonPod } from "../src/kubernetes/apps/daemonSets/daemonPods.ts"
import { isSemanticallyEqual } from "../src/kubernetes/meta/semanticEquality.ts"
import { daemonSetGuards } from "./guards/daemonSetGuards.ts"
import { emitEach } from "./emitEach.ts"
import { dropRevisions, recordRevision } from "./revisionActions.ts"
import { identityOf } from "../src/kubernetes/apps/sharedCommands.ts"
import type { DaemonSetCommand } from "../src/kubernetes/apps/daemonSets/daemonSetCommands.ts"
import type { DaemonSetContext, DaemonSetEvent } from "./guards/daemonSetGuards.ts"
import type { DaemonSetObservation } from "../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import type { Pod } from "../src/kubernetes/meta/objects.ts"

const emitCommands = (
  commands: (seen: DaemonSetObservation, context: DaemonSetContext) => ReadonlyArray<DaemonSetCommand>
) =>
  emitEach<DaemonSetContext, DaemonSetEvent, DaemonSetCommand>(({ context }) =>
    context.seen === undefined ? [] : commands(context.seen, context)
  )

/** Deletes at most `daemonBurstMax` Pods; the others after a later look. */
const deletePods = (pods: ReadonlyArray<Pod>): ReadonlyArray<DaemonSetCommand> =>
  pods.length === 0
    ? []
    : [{ type: "deleteDaemonPods", children: pods.slice(0, daemonBurstMax).map(identityOf) }]

const createPodsOn = (
  seen: DaemonSetObservation,
  nodeNames: ReadonlyArray<string>
): ReadonlyArray<DaemonSetCommand> => {
  const pods = nodeNames
    .slice(0, daemonBurstMax)
    .map((nodeName) => draftDaemonPod(seen.daemonSet, nodeName, currentRevisionHash(seen)))
  return pods.length === 0 ? [] : [{ type: "createDaemonPods", pods }]
}

const daemonSetSetup = setup({
  types: {} as {
    context: DaemonSetContext
    events: DaemonSetEvent
    emitted: DaemonSetCommand
    tags: "moving"
  },
  guards: daemonSetGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claim: emitCommands(({ claims, orphanedRevisions }) => [
      ...orphanedRevisions.map((it) => ({ type: "adoptRevision", child: identityOf(it) }) as const),
      ...claims.release.map((pod) => ({ type: "releasePod", child: identityOf(pod) }) as const),
      ...claims.adopt.map((pod) => ({ type: "adoptPod", child: identityOf(pod) }) as const)
    ]),
    recordRevision: emitCommands(({ templateRecord }) => recordRevision(templateRecord)),
    dropRevisions: emitCommands((seen) => dropRevisions(daemonRevisionsToDrop(seen))),
    deleteFinished: emitCommands((seen, { backOffs }) =>
      replaceablePods(seen, backOffs).map(
        ({ node, pod }) =>
          ({
            type: "deleteFinishedPod",
            child: identityOf(pod),
            nodeName: node.name,
            phase: pod.status.phase
          }) as const
      )
    ),
    backOff: assign(({ context: { seen, backOffs } }) =>
      seen === undefined ? {} : { backOffs: backOffsAfterReplacing(seen, backOffs) }
    ),
    deleteMisplaced: emitCommands((seen) => deletePods(misplacedPods(seen))),
    createMissing: emitCommands((seen) => createPodsOn(seen, nodesWithoutPod(seen))),
    replaceOutdated: emitCommands((seen) => {
      const update = daemonUpdate(seen)
      return [...deletePods(update.podsToDelete), ...createPodsOn(seen, update.nodesToSurge)]
    }),
    report: emitCommands((seen) => {
      const status = daemonSetStatus(seen)
      return isSemanticallyEqual(seen.daemonSet.status, status) ? [] : [{ type: "reportDaemonSet", status }]
    }),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }])
  },
  delays: {
    untilDue: ({ context: { seen, backOffs } }) =>
      seen === undefined ? 0 : Math.max(0, (nextDaemonSetWakeMillis(seen, backOffs) ?? 0) - seen.nowMillis)
  }
})

const waitingState = (description: string) =>
  daemonSetSetup.createStateConfig({
    description,
    entry: "report",
    initial: "waiting",
    states: {
      waiting: {
        description: "Waits for a Pod or a node to change.",
        always: { guard: "isDueLater", target: "awaitingTime" }
      },
      awaitingTime: {
        description:
          "A Pod is not yet ready for minReadySeconds, or the back-off of a failed one is not over.",
        tags: "moving",
        after: { untilDue: { actions: "lookAgain" } }
      }
    }
  })

/**
 * Keeps one Pod on every node that fits, and replaces them node by node when the template changes.
 * Source: pkg/controller/daemon/daemon_controller.go (syncDaemonSet, manage), update.go (rollingUpdate).
 */
export const daemonSetMachine = daemonSetSetup.createMachine({
  id: "daemonSet",
  context: { seen: undefined, backOffs: {} },
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
        { target: "placing" }
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
        truncating: {
          description: "Deletes the oldest revisions that no Pod has.",
          entry: ["report", "dropRevisions"]
        }
      }
    },
    placing: {
      description: "Keeps one Pod on every node that fits, and none on the others.",
      initial: "comparing",
      states: {
        comparing: {
          description: "Does every node have what it should have?",
          always: [
            { guard: "hasFinishedPods", target: "replacingFinished" },
            { guard: "hasMisplacedPods", target: "removing" },
            { guard: "hasNodeWithoutPod", target: "creating" },
            { target: "#daemonSet.updating" }
          ]
        },
        replacingFinished: {
          description:
            "Deletes failed and succeeded Pods. If Pods fail on a node again, it waits longer each time.",
          entry: ["report", "deleteFinished", "backOff"]
        },
        removing: {
          description: "Deletes Pods from nodes that do not fit any more, and surplus Pods.",
          entry: ["report", "deleteMisplaced"]
        },
        creating: {
          description: "Creates a Pod for every node that fits and has none. The scheduler binds it.",
          entry: ["report", "createMissing"]
        }
      }
    },
    updating: {
      description: "Replaces Pods of old templates, within maxUnavailable and maxSurge.",
      initial: "comparing",
      states: {
        comparing: {
          description: "May an old Pod go, or a new one come beside it? With OnDelete none is replaced.",
          always: [
            { guard: "hasOutdatedPods", target: "replacing" },
            { guard: "hasSurplusRevisions", target: "#daemonSet.revising.truncating" },
            { guard: "isAwaitingUpdated", target: "awaitingUpdated" },
            { target: "#daemonSet.settled" }
          ]
        },
        replacing: {
          description: "Deletes old Pods, or with maxSurge creates new ones beside them.",
          entry: ["report", "replaceOutdated"]
        },
        awaitingUpdated: waitingState("New Pods are not available yet, so that no more old ones may go.")
      }
    },
    settled: waitingState("Every node that fits has its Pod, and none is to be updated."),
    failing: { description: "The API server refused a write. Retries with back-off." },
    terminating: { description: "The DaemonSet is being deleted: the garbage collector deletes its Pods." }
  }
})
