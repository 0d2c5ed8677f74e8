import { controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { nextReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
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

/** The worlds that charts are shown in tests. Time counts in seconds from one beginning. */
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
  /** The stored Progressing condition, and when it was last noted. */
  readonly progressing?: readonly [reason: string, seconds: number]
}

/** Five replicas, two more at most, one fewer at least, ten minutes for progress. */
export const aDeployment = (traits: DeploymentTraits = {}): Deployment => {
  const {
    replicas = 5,
    image = "v1",
    type = "RollingUpdate",
    deadline = 600,
    status = {},
    progressing
  } = traits
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
  readonly asked?: number
  readonly pods?: number
  readonly available?: number
  /** The Deployment's size that it remembers, and the most it allows for. */
  readonly desired?: number
  readonly max?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly owned?: boolean
  readonly deleting?: boolean
  readonly failure?: string
}

/** A ReplicaSet of `aDeployment`: all it asks for is there and available, unless told otherwise. */
export const aReplicaSet = (traits: ReplicaSetTraits = {}): ReplicaSet => {
  const { image = "v1", revision = 1, asked = 5, desired = 5, max = 7, owned = true } = traits
  const { pods = asked } = traits
  const { available = pods } = traits
  const name = nextReplicaSetName(aDeployment({ image }))
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
      replicas: asked,
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

interface DeploymentWorld {
  readonly deployment?: DeploymentTraits
  readonly replicaSets?: ReadonlyArray<ReplicaSetTraits>
  readonly orphans?: ReadonlyArray<ReplicaSetTraits>
  /** Pods of old ReplicaSets that are still there. */
  readonly oldPods?: number
  readonly namesake?: boolean
  readonly countsTerminating?: boolean
  readonly atSeconds?: number
}

const observedDeployment = (world: DeploymentWorld): DeploymentObservation => {
  const deployment = aDeployment(world.deployment)
  return observeDeployment({
    deployment,
    owned: (world.replicaSets ?? []).map(aReplicaSet),
    orphans: (world.orphans ?? []).map((it) => aReplicaSet({ ...it, owned: false })),
    podsOf: () => world.oldPods ?? 0,
    countsTerminating: world.countsTerminating ?? true,
    namesake:
      world.namesake === true
        ? { ...aReplicaSet({ owned: false }), metadata: aMeta(nextReplicaSetName(deployment)) }
        : undefined,
    nowMillis: millisAt(world.atSeconds ?? 10)
  })
}

/** What was last reported, of all Pods and those of the present template. */
const reported = (all: number, updated: number, available: number): DeploymentStatus => ({
  replicas: all,
  updatedReplicas: updated,
  readyReplicas: available,
  availableReplicas: available,
  observedGeneration: 1
})

const shown = { annotations: { [revisionAnnotation]: "1" } }
const shown2 = { annotations: { [revisionAnnotation]: "2" } }
const old = { image: "v1", revision: 1 }
const next = { image: "v2", revision: 2 }

/** A rollout from v1 to v2 that stands still: 4 old Pods, 3 new ones that are not available. */
const midway: DeploymentWorld = {
  deployment: {
    image: "v2",
    status: reported(7, 3, 4),
    progressing: ["ReplicaSetUpdated", 5],
    ...shown2
  },
  replicaSets: [
    { ...old, asked: 4 },
    { ...next, asked: 3, available: 0 }
  ]
}

const midwayWith = (deployment: DeploymentTraits, rest: DeploymentWorld = {}): DeploymentWorld => ({
  ...midway,
  ...rest,
  deployment: { ...midway.deployment, ...deployment }
})

const complete: DeploymentWorld = {
  deployment: { status: reported(5, 5, 5), progressing: ["NewReplicaSetAvailable", 5], ...shown },
  replicaSets: [old]
}

const recreating = (world: DeploymentWorld): DeploymentWorld => ({
  atSeconds: 20,
  ...world,
  deployment: { type: "Recreate", image: "v2", progressing: ["ReplicaSetUpdated", 5], ...world.deployment },
  replicaSets: (world.replicaSets ?? []).map((it) => ({ max: 5, ...it }))
})

const stories = {
  "created, nothing there yet": {},
  "its first ReplicaSet is there": {
    deployment: { progressing: ["NewReplicaSetCreated", 0] },
    replicaSets: [{ ...old, pods: 0 }]
  },
  "its first Pods are available": {
    deployment: { status: reported(5, 5, 1), progressing: ["ReplicaSetUpdated", 3], ...shown },
    replicaSets: [{ ...old, available: 3 }]
  },
  "complete, not said yet": {
    deployment: { status: reported(5, 5, 3), progressing: ["ReplicaSetUpdated", 3], ...shown },
    replicaSets: [old]
  },
  "complete and said": complete,
  "complete, then Pods were lost": { ...complete, replicaSets: [{ ...old, pods: 3 }] },
  "found with a ReplicaSet, nothing said": { deployment: { ...shown }, replicaSets: [old] },
  "scaled to nothing": {
    deployment: { replicas: 0, progressing: ["ReplicaSetUpdated", 3], ...shown },
    replicaSets: [{ ...old, asked: 0, desired: 0, max: 0 }]
  },
  "more old revisions than the limit": {
    deployment: {
      image: "v4",
      historyLimit: 1,
      status: reported(5, 5, 5),
      progressing: ["NewReplicaSetAvailable", 5],
      annotations: { [revisionAnnotation]: "4" }
    },
    replicaSets: [
      { ...old, asked: 0 },
      { ...next, asked: 0 },
      { image: "v3", revision: 3, asked: 0 },
      { image: "v4", revision: 4 }
    ]
  },
  "a new template": { ...complete, deployment: { ...complete.deployment, image: "v2" } },
  "rolling, old Pods may go": midwayWith(
    { status: reported(7, 2, 5) },
    { replicaSets: [old, { ...next, asked: 2, available: 0 }] }
  ),
  "rolling, new Pods may come": midwayWith(
    { status: reported(6, 2, 4) },
    {
      replicaSets: [
        { ...old, asked: 4 },
        { ...next, asked: 2 }
      ]
    }
  ),
  "rolling, nothing may move": midway,
  "rolling, one more is available": midwayWith(
    {},
    {
      replicaSets: [
        { ...old, asked: 4 },
        { ...next, asked: 3, available: 1 }
      ]
    }
  ),
  "rolled over by a third template": midwayWith({ image: "v3" }),
  "rolled over and going on": midwayWith(
    { image: "v3", annotations: { [revisionAnnotation]: "3" } },
    {
      replicaSets: [
        { ...old, asked: 2 },
        { ...next, asked: 3, available: 0 },
        { image: "v3", revision: 3, asked: 2, available: 0 }
      ]
    }
  ),
  "paused in mid-rollout": midwayWith({ paused: true }),
  "paused and said": midwayWith({ paused: true, progressing: ["DeploymentPaused", 8] }),
  "paused and scaled": midwayWith({ paused: true, replicas: 9, progressing: ["DeploymentPaused", 8] }),
  resumed: midwayWith({ progressing: ["DeploymentPaused", 8] }),
  "scaled in mid-rollout": midwayWith({ replicas: 9 }),
  "the deadline has passed": midwayWith({}, { atSeconds: 607 }),
  "the deadline has passed and that is said": midwayWith(
    { progressing: ["ProgressDeadlineExceeded", 607] },
    { atSeconds: 700 }
  ),
  "recovering after the deadline": midwayWith(
    { progressing: ["ProgressDeadlineExceeded", 607] },
    {
      atSeconds: 700,
      replicaSets: [
        { ...old, asked: 4 },
        { ...next, asked: 3, available: 1 }
      ]
    }
  ),
  "without a deadline": midwayWith({ deadline: null }),
  "being deleted": midwayWith({ deleting: true }),
  "an orphan matches": { ...midway, orphans: [{ image: "v0", revision: 1, asked: 3 }] },
  "a child matches no more": {
    ...midway,
    replicaSets: [...(midway.replicaSets ?? []), { image: "v0", revision: 1, labels: { app: "shop" } }]
  },
  "back to the first template": midwayWith({ image: "v1" }),
  "the name is taken": { ...complete, deployment: { ...complete.deployment, image: "v2" }, namesake: true },
  "a rollback is asked for": midwayWith({
    annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "1" }
  }),
  "a rollback is asked for along with a new template": midwayWith({
    image: "v3",
    annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "0" }
  }),
  "and the name of that template is taken": {
    ...midwayWith({ image: "v3", annotations: { [revisionAnnotation]: "2", [rollbackAnnotation]: "0" } }),
    namesake: true
  },
  "the server refuses Pods": midwayWith(
    {},
    {
      replicaSets: [
        { ...old, asked: 4 },
        { ...next, asked: 3, pods: 0, failure: "exceeded quota" }
      ]
    }
  ),
  "a strategy nobody knows": midwayWith({ type: "Canary" }),
  "Recreate, created": recreating({}),
  "Recreate, the old one runs": recreating({
    deployment: { status: reported(5, 0, 5) },
    replicaSets: [old]
  }),
  "Recreate, old Pods still terminate": recreating({
    deployment: { status: reported(0, 0, 0) },
    replicaSets: [{ ...old, asked: 0 }],
    oldPods: 3
  }),
  "Recreate, old Pods terminate uncounted": recreating({
    deployment: { status: reported(0, 0, 0), progressing: ["NewReplicaSetAvailable", 5] },
    replicaSets: [{ ...old, asked: 0 }],
    oldPods: 3,
    countsTerminating: false
  }),
  "Recreate, the last old Pod is gone": recreating({
    deployment: { status: reported(0, 0, 0) },
    replicaSets: [{ ...old, asked: 0 }]
  }),
  "Recreate, the name is taken": recreating({ replicaSets: [{ ...old, asked: 0 }], namesake: true }),
  "Recreate, the new one is too small": recreating({
    deployment: { status: reported(3, 3, 3), ...shown2 },
    replicaSets: [
      { ...old, asked: 0 },
      { ...next, asked: 3 }
    ]
  }),
  "Recreate, new Pods start": recreating({
    deployment: { status: reported(5, 5, 0), ...shown2 },
    replicaSets: [
      { ...old, asked: 0 },
      { ...next, available: 0 }
    ]
  }),
  "Recreate, complete": recreating({
    deployment: { status: reported(5, 5, 5), progressing: ["NewReplicaSetAvailable", 5], ...shown2 },
    replicaSets: [{ ...old, asked: 0 }, next]
  })
} as const satisfies Readonly<Record<string, DeploymentWorld>>

/** What a Deployment's actor would be shown in each of these worlds. */
export const deploymentWorlds: ReadonlyMap<string, DeploymentObservation> = new Map(
  Object.entries(stories).map(([name, world]) => [name, observedDeployment(world)])
)
