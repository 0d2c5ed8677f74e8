import { planTemplateRecord } from "../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { aTemplate, millisAt, textAt } from "./workloadObservations.ts"
import type { ControllerRevision } from "../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type {
  DaemonNode,
  DaemonSetObservation
} from "../../src/kubernetes/apps/daemonSets/daemonSetObservation.ts"
import type { DaemonSet } from "../../src/kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"

export type DaemonLook = "ready" | "fresh" | "unready" | "failed" | "succeeded" | "terminating"

/** What stands on a node: how each Pod looks, and the version of its template. */
type NodePods = ReadonlyArray<readonly [DaemonLook, version: number]>

export interface DaemonSetSituation {
  readonly nodes?: ReadonlyArray<NodePods>
  /** Whether a Pod may be on the last node, or that the node is gone. */
  readonly last?: "fits" | "mayStay" | "mustGo" | "gone"
  readonly strategy?: string
  readonly maxSurge?: number
  readonly maxUnavailable?: number
  readonly deleting?: boolean
  /** Versions of recorded templates, oldest first. */
  readonly revisions?: ReadonlyArray<number>
  readonly adopts?: boolean
}

const revisionOf = (version: number, revision: number): ControllerRevision => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: {
    name: `agent-v${version}`,
    namespace: "shop",
    uid: `revision-${version}`,
    resourceVersion: "1",
    creationTimestamp: textAt(revision),
    labels: { "controller-revision-hash": `v${version}` }
  },
  data: { spec: { template: aTemplate(`v${version}`) } },
  revision
})

const podOf = (name: string, look: DaemonLook, version: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "shop",
    uid: name,
    resourceVersion: "1",
    creationTimestamp: textAt(0),
    labels: { app: "web", "controller-revision-hash": `v${version}` },
    ...(look === "terminating" ? { deletionTimestamp: textAt(9) } : {})
  },
  spec: { containers: [], nodeName: "node" },
  status: {
    phase: look === "failed" ? "Failed" : look === "succeeded" ? "Succeeded" : "Running",
    conditions: [
      {
        type: "Ready",
        status: look === "ready" || look === "fresh" ? "True" : "False",
        lastTransitionTime: textAt(look === "fresh" ? 9 : 0)
      }
    ]
  }
})

const placements = {
  fits: { fits: true, mayStay: true, isGone: false },
  mayStay: { fits: false, mayStay: true, isGone: false },
  mustGo: { fits: false, mayStay: false, isGone: false },
  gone: { fits: false, mayStay: false, isGone: true }
}

export const observedDaemonSet = (situation: DaemonSetSituation): DaemonSetObservation => {
  const {
    nodes = [],
    last = "fits",
    strategy = "RollingUpdate",
    maxSurge = 0,
    maxUnavailable = 1
  } = situation
  const daemonSet: DaemonSet = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: {
      name: "agent",
      namespace: "shop",
      uid: "agent",
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: textAt(0),
      ...(situation.deleting === true ? { deletionTimestamp: textAt(5) } : {})
    },
    spec: {
      minReadySeconds: 5,
      updateStrategy:
        strategy === "RollingUpdate"
          ? { type: strategy, rollingUpdate: { maxSurge, maxUnavailable } }
          : { type: strategy },
      revisionHistoryLimit: 1,
      selector: { matchLabels: { app: "web" } },
      template: aTemplate("v2")
    },
    status: {
      currentNumberScheduled: 0,
      desiredNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
      observedGeneration: 1
    }
  }
  const revisions = (situation.revisions ?? [1, 2]).map((version, index) => revisionOf(version, index + 1))
  return {
    daemonSet,
    nodes: nodes.map((pods, index): DaemonNode => ({
      name: `node-${index}`,
      ...(index === nodes.length - 1 ? placements[last] : placements.fits),
      pods: pods.map(([look, version], place) => podOf(`agent-${index}-${place}`, look, version))
    })),
    claims: { adopt: situation.adopts === true ? [podOf("orphan", "ready", 1)] : [], release: [] },
    revisions,
    orphanedRevisions: [],
    templateRecord: planTemplateRecord(daemonSet, revisions, () => undefined),
    nowMillis: millisAt(10)
  }
}

const updated: NodePods = [["ready", 2]]
const outdated: NodePods = [["ready", 1]]

export const daemonSetObservations: ReadonlyMap<string, DaemonSetObservation> = new Map(
  Object.entries({
    "no node": {},
    "created, no revision yet": { nodes: [[]], revisions: [] },
    "an earlier template is back": { nodes: [updated], revisions: [1, 2, 3] },
    "too many revisions": { nodes: [updated], revisions: [3, 4, 2] },
    "no Pod yet": { nodes: [[], []] },
    "one is not ready": { nodes: [updated, [["unready", 2]]] },
    "one is not available yet": { nodes: [updated, [["fresh", 2]]] },
    "all available": { nodes: [updated, updated] },
    "one has failed": { nodes: [updated, [["failed", 2]]] },
    "one has succeeded": { nodes: [updated, [["succeeded", 2]]] },
    "one is terminating": { nodes: [updated, [["terminating", 2]]] },
    "two on a node": { nodes: [updated, [...updated, ["ready", 2]]] },
    "a node fits no more": { nodes: [updated, updated], last: "mustGo" },
    "a node is tainted, and keeps its Pod": { nodes: [updated, updated], last: "mayStay" },
    "a node is gone": { nodes: [updated, updated], last: "gone" },
    "all are old": { nodes: [outdated, outdated, outdated] },
    "one is old, one not available": { nodes: [outdated, [["unready", 2]]] },
    "old ones are not ready": { nodes: [[["unready", 1]], [["unready", 1]]] },
    "OnDelete, all are old": { strategy: "OnDelete", nodes: [outdated, outdated] },
    "OnDelete, one not available yet": { strategy: "OnDelete", nodes: [outdated, [["fresh", 2]]] },
    "surge, all are old": { maxSurge: 1, maxUnavailable: 0, nodes: [outdated, outdated] },
    "surge, one is beside": {
      maxSurge: 1,
      maxUnavailable: 0,
      nodes: [
        outdated,
        [
          ["ready", 1],
          ["unready", 2]
        ]
      ]
    },
    "surge, the new one is available": {
      maxSurge: 1,
      maxUnavailable: 0,
      nodes: [
        outdated,
        [
          ["ready", 1],
          ["ready", 2]
        ]
      ]
    },
    "an orphan matches": { nodes: [updated], adopts: true },
    "being deleted": { nodes: [updated], deleting: true }
  } satisfies Readonly<Record<string, DaemonSetSituation>>).map(([name, situation]) => [
    name,
    observedDaemonSet(situation)
  ])
)
