import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { rolloutStateOf } from "../../kubernetes/apps/rolloutStatus.ts"
import { reportedAvailableOf, reportedPodsOf, specReplicasOf } from "./modelPodCounts.ts"
import type {
  Deployment,
  DeploymentStatus,
  ReplicaSet,
  ReplicaSetStatus
} from "../../kubernetes/meta/objects.ts"
import type { PackedCounts } from "./modelPodCounts.ts"

/** The model's clock moves only to a moment for which a strategy waits. */
export const modelBeginMillis = Date.UTC(2026, 0, 1)

/** The stored objects without counts of Pods, shared by the states that differ only in counts. */
export interface ModelObjects {
  readonly id: number
  readonly nowMillis: number
  readonly deployment: Deployment
  readonly replicaSets: readonly [older: ReplicaSet | undefined, newer: ReplicaSet | undefined]
  /** -1 if no ReplicaSet has the current template. */
  readonly newPosition: number
  readonly isComplete: boolean
  /** Whether `minReadySeconds` is above 0. */
  readonly hasMinReady: readonly [older: boolean, newer: boolean]
}

/** Which part of the statuses tells two states apart. */
export type StatusDetail =
  /** What decisions depend on. */
  | "decisive"
  /** Also whether the Deployment's controller has seen the latest generation, for a steering chart. */
  | "steered"
  /** Every field, for tests that compare the verdicts with those of the far fewer `decisive` states. */
  | "everything"

export interface ModelObjectsTable {
  readonly findOrAdd: (
    deployment: Deployment,
    replicaSets: ReadonlyArray<ReplicaSet | undefined>,
    nowMillis?: number
  ) => ModelObjects
  readonly at: (id: number) => ModelObjects
}

export const makeModelObjectsTable = (detail: StatusDetail): ModelObjectsTable => {
  const objectsByText = new Map<string, ModelObjects>()
  const objectsById: Array<ModelObjects> = []
  return {
    at: (id) => {
      const objects = objectsById[id]
      if (objects === undefined) throw new Error(`no objects with id ${id}`)
      return objects
    },
    findOrAdd: (storedDeployment, [older, newer], nowMillis = modelBeginMillis) => {
      const deployment =
        detail === "everything" ? storedDeployment : withDecisiveStatus(storedDeployment, detail)
      const keepsObservedGeneration =
        detail === "everything" || storedDeployment.spec.revisionHistoryLimit === 0
      const replicaSets = [
        older && withoutCounts(older, keepsObservedGeneration, detail),
        newer && withoutCounts(newer, keepsObservedGeneration, detail)
      ] as const
      const text = JSON.stringify([
        nowMillis,
        changingFields(deployment),
        ...replicaSets.map((replicaSet) => replicaSet && changingFields(replicaSet))
      ])
      const existing = objectsByText.get(text)
      if (existing !== undefined) return existing
      const objects: ModelObjects = {
        id: objectsById.length,
        nowMillis,
        deployment,
        replicaSets,
        newPosition: newPositionOf(deployment, replicaSets),
        isComplete: rolloutStateOf(deployment) === "complete",
        hasMinReady: [hasMinReadySeconds(older), hasMinReadySeconds(newer)]
      }
      objectsByText.set(text, objects)
      objectsById.push(objects)
      return objects
    }
  }
}

export const toStoredReplicaSet = (replicaSet: ReplicaSet, packed: PackedCounts): ReplicaSet => {
  const [pods, available] = [reportedPodsOf(packed), reportedAvailableOf(packed)]
  return {
    ...replicaSet,
    spec: { ...replicaSet.spec, replicas: specReplicasOf(packed) },
    status: {
      ...(pods === 0 ? {} : { fullyLabeledReplicas: pods }),
      ...(available === 0 ? {} : { readyReplicas: available, availableReplicas: available }),
      ...replicaSet.status,
      replicas: pods
    }
  }
}

const hasMinReadySeconds = (replicaSet: ReplicaSet | undefined): boolean =>
  (replicaSet?.spec.minReadySeconds ?? 0) > 0

const newPositionOf = (deployment: Deployment, replicaSets: ModelObjects["replicaSets"]): number => {
  const next = findNewReplicaSet(
    deployment,
    replicaSets.filter((replicaSet) => replicaSet !== undefined)
  )
  return next === undefined ? -1 : replicaSets.indexOf(next)
}

/** Decisions depend on these conditions only as time passes. */
const builtInConditions: ReadonlySet<string> = new Set(["Available", "Progressing", "ReplicaFailure"])

const withDecisiveStatus = (deployment: Deployment, detail: StatusDetail): Deployment => {
  const { conditions = [], ...counts } = deployment.status
  const isComplete = rolloutStateOf({ ...deployment, status: counts }) === "complete"
  const otherConditions = conditions.filter(({ type }) => !builtInConditions.has(type))
  const status: DeploymentStatus = {
    ...(isComplete ? counts : {}),
    ...(detail === "steered" && counts.observedGeneration !== undefined
      ? { observedGeneration: counts.observedGeneration }
      : {}),
    ...(otherConditions.length === 0 ? {} : { conditions: otherConditions })
  }
  return { ...deployment, status }
}

/** `observedGeneration` matters only if the ReplicaSet may be deleted at once. */
const withoutCounts = (
  replicaSet: ReplicaSet,
  keepsObservedGeneration: boolean,
  detail: StatusDetail
): ReplicaSet => {
  const { replicas: _pods, availableReplicas: _available, ...rest } = replicaSet.status
  const decisive = {
    observedGeneration: keepsObservedGeneration ? (rest.observedGeneration ?? 0) : 1,
    terminatingReplicas: 0
  }
  const status = detail === "everything" ? rest : decisive
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, generation: 1 },
    spec: { ...replicaSet.spec, replicas: 0 },
    status: status as ReplicaSetStatus
  }
}

/**
 * The only fields that change: a Deployment's spec changes with its generation, a ReplicaSet's size is in
 * `PackedCounts`.
 */
const changingFields = ({ metadata, status, spec }: Deployment | ReplicaSet): ReadonlyArray<unknown> => [
  metadata.name,
  metadata.annotations,
  metadata.generation,
  metadata.creationTimestamp,
  "strategy" in spec ? undefined : spec.minReadySeconds,
  status
]
