import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { planTemplateRecord } from "../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { aTemplate, millisAt, textAt } from "./workloadObservations.ts"
import type { ControllerRevision } from "../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type {
  OrdinalPod,
  StatefulSetObservation
} from "../../src/kubernetes/apps/statefulSets/statefulSetObservation.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../src/kubernetes/apps/statefulSets/statefulSetTypes.ts"

export type ReplicaLook = "ready" | "fresh" | "unready" | "ended" | "terminating" | "unlabelled"

export interface StatefulSetSituation {
  readonly replicas?: number
  readonly isParallel?: boolean
  readonly strategy?: string
  readonly partition?: number
  readonly deleting?: boolean
  /** By ordinal: how each Pod looks, and the version of its template, 2 by default. */
  readonly pods?: ReadonlyArray<readonly [ReplicaLook, version?: number]>
  /** Versions of recorded templates, oldest first. */
  readonly revisions?: ReadonlyArray<number>
  readonly adopts?: boolean
  readonly lacksClaim?: boolean
  readonly misowned?: boolean
}

const revisionOf = (version: number, revision: number): ControllerRevision => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: {
    name: `db-v${version}`,
    namespace: "shop",
    uid: `revision-${version}`,
    resourceVersion: "1",
    creationTimestamp: textAt(revision)
  },
  data: { spec: { template: aTemplate(`v${version}`) } },
  revision
})

const podOf = (ordinal: number, look: ReplicaLook, version: number, owner: StatefulSet): Pod => {
  const name = `db-${ordinal}`
  const isReady = look !== "unready" && look !== "ended"
  const labels = look === "unlabelled" ? {} : { "statefulset.kubernetes.io/pod-name": name }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: `pod-${ordinal}`,
      resourceVersion: "1",
      creationTimestamp: textAt(0),
      labels: { app: "web", "controller-revision-hash": `db-v${version}`, ...labels },
      ownerReferences: [controllerReference(owner)],
      ...(look === "terminating" ? { deletionTimestamp: textAt(9) } : {})
    },
    spec: { containers: [{ name: "app", image: `app:v${version}` }] },
    status: {
      phase: look === "ended" ? "Failed" : "Running",
      conditions: [
        {
          type: "Ready",
          status: isReady ? "True" : "False",
          lastTransitionTime: textAt(look === "fresh" ? 9 : 0)
        }
      ]
    }
  }
}

export const observedStatefulSet = (situation: StatefulSetSituation): StatefulSetObservation => {
  const { replicas = 3, isParallel = false, strategy = "RollingUpdate", partition = 0 } = situation
  const statefulSet: StatefulSet = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name: "db",
      namespace: "shop",
      uid: "db",
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: textAt(0),
      ...(situation.deleting === true ? { deletionTimestamp: textAt(5) } : {})
    },
    spec: {
      serviceName: "db",
      replicas,
      minReadySeconds: 5,
      podManagementPolicy: isParallel ? "Parallel" : "OrderedReady",
      updateStrategy:
        strategy === "RollingUpdate" ? { type: strategy, rollingUpdate: { partition } } : { type: strategy },
      revisionHistoryLimit: 2,
      selector: { matchLabels: { app: "web" } },
      template: aTemplate("v2")
    },
    status: { replicas: 0, currentRevision: "db-v1" }
  }
  const pods: ReadonlyArray<OrdinalPod> = (situation.pods ?? []).map(([look, version = 2], ordinal) => ({
    ordinal,
    pod: podOf(ordinal, look, version, statefulSet)
  }))
  const revisions = (situation.revisions ?? [1, 2]).map((version, index) => revisionOf(version, index + 1))
  const orphan = podOf(7, "ready", 1, statefulSet)
  const claim = { ...orphan, kind: "PersistentVolumeClaim" }
  return {
    statefulSet,
    pods,
    claims: { adopt: situation.adopts === true ? [orphan] : [], release: [] },
    revisions,
    orphanedRevisions: [],
    templateRecord: planTemplateRecord(statefulSet, revisions, () => undefined),
    ordinalsWithoutClaim: situation.lacksClaim === true ? [0] : [],
    ordinalsWithStaleClaim: [],
    claimsAgainstRetentionPolicy: situation.misowned === true ? [{ claim, ownerReferences: [] }] : [],
    nowMillis: millisAt(10)
  }
}

const ready = ["ready"] as const

export const statefulSetObservations: ReadonlyMap<string, StatefulSetObservation> = new Map(
  Object.entries({
    "created, no revision yet": { revisions: [] },
    "an earlier template is back": { revisions: [1, 2, 3], pods: [ready, ready, ready] },
    "too many revisions": { revisions: [3, 4, 5, 1, 2], pods: [ready, ready, ready] },
    "no Pod yet": {},
    "no Pod yet, Parallel": { isParallel: true },
    "the first is not ready": { pods: [["unready"]] },
    "the first is not available yet": { pods: [["fresh"]] },
    "the first is available": { pods: [ready] },
    "a Pod has failed": { pods: [["ended"], ready] },
    "a Pod is terminating": { pods: [["terminating"], ready] },
    "a Pod lacks a claim": { pods: [["unready"]], lacksClaim: true },
    "a Pod lacks its label": { pods: [["unlabelled"], ready, ready] },
    "claims have other owners": { pods: [ready, ready, ready], misowned: true },
    "all available": { pods: [ready, ready, ready] },
    "all ready, one not available yet": { isParallel: true, pods: [ready, ready, ["fresh"]] },
    "two surplus Pods": { replicas: 1, pods: [ready, ready, ready] },
    "a surplus Pod is terminating": { replicas: 1, pods: [ready, ready, ["terminating"]] },
    "two unready surplus Pods": { replicas: 1, pods: [ready, ["unready"], ["unready"]] },
    "surplus Pods wait for one another": { replicas: 1, pods: [ready, ["unready"], ["fresh"]] },
    "OnDelete, one not available yet": {
      isParallel: true,
      strategy: "OnDelete",
      pods: [ready, ready, ["fresh"]]
    },
    "all are old": {
      pods: [
        ["ready", 1],
        ["ready", 1],
        ["ready", 1]
      ]
    },
    "an updated Pod is not ready": { isParallel: true, pods: [["ready", 1], ["ready", 1], ["unready"]] },
    "old below the partition": { partition: 2, pods: [["ready", 1], ["ready", 1], ready] },
    "old, and OnDelete": {
      strategy: "OnDelete",
      pods: [
        ["ready", 1],
        ["ready", 1],
        ["ready", 1]
      ]
    },
    "an orphan matches": { pods: [ready], adopts: true },
    "being deleted": { deleting: true, pods: [ready] }
  } satisfies Readonly<Record<string, StatefulSetSituation>>).map(([name, situation]) => [
    name,
    observedStatefulSet(situation)
  ])
)
