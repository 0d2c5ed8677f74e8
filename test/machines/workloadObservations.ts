import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { newReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { observeDeployment } from "../../src/kubernetes/apps/deploymentObservation.ts"
import { timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  revisionAnnotation,
  rollbackAnnotation
} from "../../src/kubernetes/apps/revisions/revisions.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import type {
  Annotations,
  Deployment,
  DeploymentStatus,
  Meta,
  PodTemplate,
  ReplicaSet
} from "../../src/kubernetes/meta/objects.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"

/** Objects and observations for the charts. Times are seconds after one start. */
export const beginMillis = Date.UTC(2026, 2, 1)
export const millisAt = (seconds: number): number => beginMillis + seconds * 1000
export const textAt = (seconds: number): string => timestampOf(millisAt(seconds))

export const aTemplate = (image: string): PodTemplate => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "app", image: `registry.example/app:${image}` }] }
})

export const aMeta = (name: string, rest: Partial<Meta> = {}): Meta => ({
  name,
  namespace: "shop",
  uid: `uid-${name}`,
  resourceVersion: "7",
  generation: 1,
  creationTimestamp: textAt(0),
  ...rest
})

interface DeploymentTraits {
  readonly replicas?: number
  readonly image?: string
  readonly type?: string
  readonly paused?: boolean
  readonly deleting?: boolean
  /** Seconds; null for a Deployment without a deadline. */
  readonly deadline?: number | null
  readonly historyLimit?: number
  readonly annotations?: Annotations
  readonly status?: DeploymentStatus
  /** The reason of the stored condition Progressing, and its last update. */
  readonly progressing?: readonly [reason: string, seconds: number]
}

/** Five replicas, two more at most, one fewer at least, a deadline of ten minutes. */
export const aDeployment = (traits: DeploymentTraits = {}): Deployment => {
  const { replicas = 5, image = "v1", type = "RollingUpdate" } = traits
  const { deadline = 600, status = {}, progressing } = traits
  const conditions = progressing === undefined ? status.conditions : [conditionAt(...progressing)]
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: aMeta("web", {
      ...(traits.deleting === true
        ? { deletionTimestamp: textAt(1), finalizers: ["foregroundDeletion"] }
        : {}),
      ...(traits.annotations === undefined ? {} : { annotations: traits.annotations })
    }),
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: aTemplate(image),
      strategy:
        type === "RollingUpdate"
          ? { type, rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } }
          : { type },
      revisionHistoryLimit: traits.historyLimit ?? 10,
      ...(deadline === null ? {} : { progressDeadlineSeconds: deadline }),
      ...(traits.paused === true ? { paused: true } : {})
    },
    status: { ...status, ...(conditions === undefined ? {} : { conditions }) }
  }
}

const conditionAt = (reason: string, seconds: number) => ({
  type: "Progressing",
  status:
    reason === "ProgressDeadlineExceeded" ? "False" : reason === "DeploymentPaused" ? "Unknown" : "True",
  reason,
  message: "",
  lastUpdateTime: textAt(seconds),
  lastTransitionTime: textAt(seconds)
})

export interface ReplicaSetTraits {
  readonly image?: string
  readonly revision?: number
  readonly replicas?: number
  readonly pods?: number
  readonly available?: number
  /** The desired and maximum replicas in its size annotations. */
  readonly desired?: number
  readonly max?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly owned?: boolean
  readonly deleting?: boolean
  readonly failure?: string
}

/** A ReplicaSet of `aDeployment`: every Pod exists and is available by default. */
export const aReplicaSet = (traits: ReplicaSetTraits = {}): ReplicaSet => {
  const { image = "v1", revision = 1, replicas = 5, desired = 5, max = 7, owned = true } = traits
  const { pods = replicas } = traits
  const { available = pods } = traits
  const name = newReplicaSetName(aDeployment({ image }))
  const labels = { app: "web", [templateHashLabel]: name.slice("web-".length) }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: aMeta(name, {
      creationTimestamp: textAt(revision),
      labels: traits.labels ?? labels,
      annotations: {
        [revisionAnnotation]: String(revision),
        [desiredReplicasAnnotation]: String(desired),
        [maxReplicasAnnotation]: String(max)
      },
      ...(owned ? { ownerReferences: [controllerReference(aDeployment())] } : {}),
      ...(traits.deleting === true ? { deletionTimestamp: textAt(1) } : {})
    }),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { ...aTemplate(image), metadata: { labels } }
    },
    status: {
      replicas: pods,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
      ...(traits.failure === undefined
        ? {}
        : {
            conditions: [
              { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: traits.failure }
            ]
          })
    }
  }
}

interface DeploymentSituation {
  readonly deployment?: DeploymentTraits
  readonly replicaSets?: ReadonlyArray<ReplicaSetTraits>
  readonly orphans?: ReadonlyArray<ReplicaSetTraits>
  readonly oldPods?: number
  readonly namesake?: boolean
  readonly countsTerminating?: boolean
  readonly atSeconds?: number
}

const observedDeployment = (situation: DeploymentSituation): DeploymentObservation => {
  const deployment = aDeployment(situation.deployment)
  return observeDeployment({
    deployment,
    owned: (situation.replicaSets ?? []).map(aReplicaSet),
    orphans: (situation.orphans ?? []).map((it) => aReplicaSet({ ...it, owned: false })),
    countUnfinishedPods: () => situation.oldPods ?? 0,
    countsTerminating: situation.countsTerminating ?? true,
    namesake:
      situation.namesake === true
        ? { ...aReplicaSet({ owned: false }), metadata: aMeta(newReplicaSetName(deployment)) }
        : undefined,
    nowMillis: millisAt(situation.atSeconds ?? 10)
  })
}

/** The last reported counts: of all Pods, and of those with the current template. */
const statusWith = (all: number, updated: number, available: number): DeploymentStatus => ({
  replicas: all,
  updatedReplicas: updated,
  readyReplicas: available,
  availableReplicas: available,
  observedGeneration: 1
})

const withRevision1 = { annotations: { [revisionAnnotation]: "1" } }
const withRevision2 = { annotations: { [revisionAnnotation]: "2" } }
const old = { image: "v1", revision: 1 }
const next = { image: "v2", revision: 2 }

/** A rollout from v1 to v2 that makes no progress: 4 old Pods, 3 new ones that are not available. */
const stalled: DeploymentSituation = {
  deployment: {
    image: "v2",
    status: statusWith(7, 3, 4),
    progressing: ["ReplicaSetUpdated", 5],
    ...withRevision2
  },
  replicaSets: [
    { ...old, replicas: 4 },
    { ...next, replicas: 3, available: 0 }
  ]
}

const stalledWith = (deployment: DeploymentTraits, rest: DeploymentSituation = {}): DeploymentSituation => ({
  ...stalled,
  ...rest,
  deployment: { ...stalled.deployment, ...deployment }
})

const complete: DeploymentSituation = {
  deployment: { status: statusWith(5, 5, 5), progressing: ["NewReplicaSetAvailable", 5], ...withRevision1 },
  replicaSets: [old]
}

const withRecreate = (situation: DeploymentSituation): DeploymentSituation => ({
  atSeconds: 20,
  ...situation,
  deployment: {
    type: "Recreate",
    image: "v2",
    progressing: ["ReplicaSetUpdated", 5],
    ...situation.deployment
  },
  replicaSets: (situation.replicaSets ?? []).map((it) => ({ max: 5, ...it }))
})

const deploymentSituations = {
  "created, without a ReplicaSet": {},
  "its first ReplicaSet exists": {
    deployment: { progressing: ["NewReplicaSetCreated", 0] },
    replicaSets: [{ ...old, pods: 0 }]
  },
  "its first Pods are available": {
    deployment: { status: statusWith(5, 5, 1), progressing: ["ReplicaSetUpdated", 3], ...withRevision1 },
    replicaSets: [{ ...old, available: 3 }]
  },
  "complete, not reported yet": {
    deployment: { status: statusWith(5, 5, 3), progressing: ["ReplicaSetUpdated", 3], ...withRevision1 },
    replicaSets: [old]
  },
  "complete and reported": complete,
  "complete, then Pods were lost": { ...complete, replicaSets: [{ ...old, pods: 3 }] },
  "found with a ReplicaSet, nothing reported": { deployment: { ...withRevision1 }, replicaSets: [old] },
  "scaled to nothing": {
    deployment: { replicas: 0, progressing: ["ReplicaSetUpdated", 3], ...withRevision1 },
    replicaSets: [{ ...old, replicas: 0, desired: 0, max: 0 }]
  },
  "more old revisions than the limit": {
    deployment: {
      image: "v4",
      historyLimit: 1,
      status: statusWith(5, 5, 5),
      progressing: ["NewReplicaSetAvailable", 5],
      annotations: { [revisionAnnotation]: "4" }
    },
    replicaSets: [
      { ...old, replicas: 0 },
      { ...next, replicas: 0 },
      { image: "v3", revision: 3, replicas: 0 },
      { image: "v4", revision: 4 }
    ]
  },
  "a new template": { ...complete, deployment: { ...complete.deployment, image: "v2" } },
  "rolling, old Pods may go": stalledWith(
    { status: statusWith(7, 2, 5) },
    { replicaSets: [old, { ...next, replicas: 2, available: 0 }] }
  ),
  "rolling, new Pods may come": stalledWith(
    { status: statusWith(6, 2, 4) },
    {
      replicaSets: [
        { ...old, replicas: 4 },
        { ...next, replicas: 2 }
      ]
    }
  ),
  "rolling, nothing may move": stalled,
  "rolling, one more is available": stalledWith(
    {},
    {
      replicaSets: [
        { ...old, replicas: 4 },
        { ...next, replicas: 3, available: 1 }
      ]
    }
  ),
  "rolled over by a third template": stalledWith({ image: "v3" }),
  "rolled over and going on": stalledWith(
    { image: "v3", annotations: { [revisionAnnotation]: "3" } },
    {
      replicaSets: [
        { ...old, replicas: 2 },
        { ...next, replicas: 3, available: 0 },
        { image: "v3", revision: 3, replicas: 2, available: 0 }
      ]
    }
  ),
  "paused in mid-rollout": stalledWith({ paused: true }),
  "paused and reported": stalledWith({ paused: true, progressing: ["DeploymentPaused", 8] }),
  "paused and scaled": stalledWith({ paused: true, replicas: 9, progressing: ["DeploymentPaused", 8] }),
  resumed: stalledWith({ progressing: ["DeploymentPaused", 8] }),
  "scaled in mid-rollout": stalledWith({ replicas: 9 }),
  "the deadline has passed": stalledWith({}, { atSeconds: 607 }),
  "the deadline has passed and is reported": stalledWith(
    { progressing: ["ProgressDeadlineExceeded", 607] },
    { atSeconds: 700 }
  ),
  "recovering after the deadline": stalledWith(
    { progressing: ["ProgressDeadlineExceeded", 607] },
    {
      atSeconds: 700,
      replicaSets: [
        { ...old, replicas: 4 },
        { ...next, replicas: 3, available: 1 }
      ]
    }
  ),
  "without a deadline": stalledWith({ deadline: null }),
  "being deleted": stalledWith({ deleting: true }),
  "an orphan matches": { ...stalled, orphans: [{ image: "v0", revision: 1, replicas: 3 }] },
  "an owned ReplicaSet matches no more": {
    ...stalled,
    replicaSets: [...(stalled.replicaSets ?? []), { image: "v0", revision: 1, labels: { app: "shop" } }]
  },
  "back to the first template": stalledWith({ image: "v1" }),
  "the name is taken": { ...complete, deployment: { ...complete.deployment, image: "v2" }, namesake: true },
  "a rollback is asked for": stalledWith({
    annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "1" }
  }),
  "a rollback is asked for along with a new template": stalledWith({
    image: "v3",
    annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "0" }
  }),
  "a rollback along with a new template whose name is taken": {
    ...stalledWith({ image: "v3", annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "0" } }),
    namesake: true
  },
  "the server refuses Pods": stalledWith(
    {},
    {
      replicaSets: [
        { ...old, replicas: 4 },
        { ...next, replicas: 3, pods: 0, failure: "exceeded quota" }
      ]
    }
  ),
  "an unknown strategy": stalledWith({ type: "Canary" }),
  "Recreate, created": withRecreate({}),
  "Recreate, the old one runs": withRecreate({
    deployment: { status: statusWith(5, 0, 5) },
    replicaSets: [old]
  }),
  "Recreate, old Pods still terminate": withRecreate({
    deployment: { status: statusWith(0, 0, 0) },
    replicaSets: [{ ...old, replicas: 0 }],
    oldPods: 3
  }),
  "Recreate, old Pods terminate uncounted": withRecreate({
    deployment: { status: statusWith(0, 0, 0), progressing: ["NewReplicaSetAvailable", 5] },
    replicaSets: [{ ...old, replicas: 0 }],
    oldPods: 3,
    countsTerminating: false
  }),
  "Recreate, the last old Pod is gone": withRecreate({
    deployment: { status: statusWith(0, 0, 0) },
    replicaSets: [{ ...old, replicas: 0 }]
  }),
  "Recreate, the name is taken": withRecreate({ replicaSets: [{ ...old, replicas: 0 }], namesake: true }),
  "Recreate, the new one is too small": withRecreate({
    deployment: { status: statusWith(3, 3, 3), ...withRevision2 },
    replicaSets: [
      { ...old, replicas: 0 },
      { ...next, replicas: 3 }
    ]
  }),
  "Recreate, new Pods start": withRecreate({
    deployment: { status: statusWith(5, 5, 0), ...withRevision2 },
    replicaSets: [
      { ...old, replicas: 0 },
      { ...next, available: 0 }
    ]
  }),
  "Recreate, complete": withRecreate({
    deployment: { status: statusWith(5, 5, 5), progressing: ["NewReplicaSetAvailable", 5], ...withRevision2 },
    replicaSets: [{ ...old, replicas: 0 }, next]
  })
} as const satisfies Readonly<Record<string, DeploymentSituation>>

export const deploymentObservations: ReadonlyMap<string, DeploymentObservation> = new Map(
  Object.entries(deploymentSituations).map(([name, situation]) => [name, observedDeployment(situation)])
)
