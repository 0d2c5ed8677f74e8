import * as Effect from "effect/Effect"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import {
  holdAnnotation,
  promoteAnnotation,
  steeredCondition
} from "../../kubernetes/steering/steeringNames.ts"
import { annotationOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { decodedStrategyOf } from "../../steering/decodeStrategy.ts"
import { hasSteps } from "../../kubernetes/steering/stepPlan.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { recordOf } from "../../kubernetes/steering/steeringRecord.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { waitsForPromotion } from "../../kubernetes/steering/rolloutSteps.ts"
import { workloadReference } from "../workloads.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Deployment, Key } from "../../kubernetes/meta/objects.ts"
import type { WorkloadId } from "../workloads.ts"

/** An event of a steered rollout: a step is over, or the rollout is taken back. */
export interface SteeredStep {
  readonly atMillis: number
  readonly what: string
  /** Why the rollout is taken back; undefined for every other event. */
  readonly takeBackReason?: string
}

export interface SteeredSteps {
  /** Forgets the steps so far. */
  readonly begin: (deployments: Iterable<Deployment>) => void
  readonly observe: (change: Change, atMillis: number) => void
  readonly of: (id: WorkloadId) => ReadonlyArray<SteeredStep>
  readonly awaitingPromotion: () => ReadonlyArray<Deployment>
}

/** Reads the records that the steering controller writes. */
export const makeSteeredSteps = (): SteeredSteps => {
  const steps = new Map<WorkloadId, Array<SteeredStep>>()
  const awaitingByKey = new Map<Key, Deployment>()
  const updateAwaiting = (deployment: Deployment, { exists }: { readonly exists: boolean }): void => {
    const key = objectKeyOf(deployment)
    if (exists && awaitsPromotion(deployment)) awaitingByKey.set(key, deployment)
    else awaitingByKey.delete(key)
  }
  return {
    begin: (deployments) => {
      steps.clear()
      for (const deployment of deployments) updateAwaiting(deployment, { exists: true })
    },
    observe: ({ resource, type, object, old }, atMillis) => {
      if (resource !== resources.deployments) return
      updateAwaiting(object as Deployment, { exists: type !== "DELETED" })
      if (type !== "MODIFIED" || old === undefined) return
      const step = stepBetween(old as Deployment, object as Deployment)
      if (step === undefined) return
      const { id } = workloadReference(resource, objectKeyOf(object))
      steps.set(id, [...(steps.get(id) ?? []), { atMillis, ...step }])
    },
    of: (id) => steps.get(id) ?? [],
    awaitingPromotion: () => [...awaitingByKey.values()]
  }
}

const stepBetween = (old: Deployment, deployment: Deployment): Omit<SteeredStep, "atMillis"> | undefined => {
  const [before, after] = [recordOf(old), recordOf(deployment)]
  if (before === undefined || after === undefined || before.hash !== after.hash) return undefined
  if (before.aborted === undefined && after.aborted !== undefined)
    return (after.undone?.length ?? 0) > (before.undone?.length ?? 0)
      ? { what: "taken back", takeBackReason: after.aborted.reason }
      : { what: "failed, and stopped there" }
  const step = after.step ?? 0
  return step > (before.step ?? 0) ? { what: `step ${step} over` } : undefined
}

export const lastTakeBack = (steps: ReadonlyArray<SteeredStep>): SteeredStep | undefined =>
  steps.findLast(({ takeBackReason }) => takeBackReason !== undefined)

const awaitsPromotion = (deployment: Deployment): boolean => {
  const { metadata, spec, status } = deployment
  const isHeldByStep =
    conditionOf(status.conditions, steeredCondition)?.reason === "Holding" &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  const isHeldByUser = spec.paused === true || annotationOf(deployment, holdAnnotation) !== undefined
  if (!isHeldByStep || isHeldByUser) return false
  if (annotationOf(deployment, promoteAnnotation) !== undefined) return false
  const settings = decodedStrategyOf(deployment)?.strategy?.settings
  return hasSteps(settings) && waitsForPromotion(settings.steps[recordOf(deployment)?.step ?? 0])
}

/** Advances time as `cluster.until` does, and promotes each rollout as soon as it waits for a promotion. */
export const advanceAndPromote = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  { awaitingPromotion }: SteeredSteps,
  condition: () => boolean,
  limitMillis: number
) {
  const endMillis = cluster.nowMillis() + limitMillis
  for (;;) {
    yield* cluster.until(
      () => condition() || awaitingPromotion().length > 0,
      Math.max(0, endMillis - cluster.nowMillis()),
      { skipsHeartbeats: true }
    )
    const promoted = condition() ? [] : awaitingPromotion()
    if (promoted.length === 0) return
    for (const { metadata } of promoted) {
      const { name, namespace = "default" } = metadata
      yield* Effect.orDie(
        cluster.modify({ resource: resources.deployments, name, namespace }, (object) => ({
          ...object,
          metadata: {
            ...object.metadata,
            annotations: { ...object.metadata.annotations, [promoteAnnotation]: "" }
          }
        }))
      )
    }
  }
})
