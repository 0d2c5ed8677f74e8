import * as Effect from "effect/Effect"
import { autoscalersAmong, scaledId } from "../autoscalers.ts"
import { defaultNodeCount } from "../../cluster/defaultNodeCount.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { lastOfEach } from "../documentKeys.ts"
import { makeSeedPlayer } from "../seeds/playSeed.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { workloadsAmong } from "../workloads.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PlanWorld, PlaySeed, RolloutRun } from "../seeds/playSeed.ts"
import type { WorkloadId } from "../workloads.ts"

/** A size that an autoscaler may choose, and how the rollout ends with it. */
export interface AutoscaledSize {
  readonly replicas: number
  readonly autoscaler: string
  readonly outcome: RolloutRun["outcome"]
  readonly reasons: ReadonlyArray<string>
}

export type AutoscaledSizes = ReadonlyMap<WorkloadId, ReadonlyArray<AutoscaledSize>>

type Fields = Readonly<Record<string, unknown>>

interface Target {
  readonly id: WorkloadId
  /** The name of the HorizontalPodAutoscaler. */
  readonly autoscaler: string
  /** Its minReplicas and maxReplicas. */
  readonly min: number
  readonly max: number
  /** The replicas with which the seeds of the plan are played. */
  readonly planned: number
}

/** Larger sizes take too long to play. */
const replicasMax = 300

/**
 * Plays one seed with the least and one with the largest size that the autoscalers of the manifests allow, for all of
 * them at once. The number of default nodes grows as the Pods do: then only quotas and placement rules are in the way.
 */
export const playAutoscaledSizes = Effect.fnUntraced(function* (
  world: PlanWorld,
  seed: number
): Effect.fn.Return<AutoscaledSizes, Effect.Error<ReturnType<PlaySeed>>> {
  const targets = world.running === undefined ? targetsIn(world) : []
  const found = new Map<WorkloadId, Array<AutoscaledSize>>()
  for (const bound of ["min", "max"] as const) {
    const changed = targets.filter(
      (target) => target[bound] !== target.planned && target[bound] <= replicasMax
    )
    if (changed.length === 0) continue
    const sizes = new Map(changed.map((target) => [target.id, target[bound]]))
    const play = makeSeedPlayer(withSizes(world, sizes, growthOf(changed, bound)))
    const { rollouts } = yield* play(seed, { undo: false })
    for (const { id, autoscaler, [bound]: replicas } of changed) {
      const run = rollouts.get(id)
      if (run === undefined) continue
      const { outcome, reasons } = run
      found.set(id, [...(found.get(id) ?? []), { replicas, autoscaler, outcome, reasons }])
    }
  }
  return found
})

const targetsIn = ({ next, from = [] }: PlanWorld): ReadonlyArray<Target> => {
  const planned = new Set(workloadsAmong(next).map(({ id }) => id))
  const documents = lastOfEach([...from, ...next])
  const workloads = new Map(documents.map((document) => [idOf(document), document]))
  return autoscalersAmong(documents).flatMap((autoscaler): ReadonlyArray<Target> => {
    const { metadata, spec = {} } = autoscaler
    const id = scaledId(autoscaler)
    const workload = planned.has(id) ? workloads.get(id) : undefined
    if (workload === undefined || spec.maxReplicas === undefined) return []
    const { replicas } = specOf(workload)
    const target: Target = {
      id,
      autoscaler: metadata.name ?? "",
      min: spec.minReplicas ?? 1,
      max: spec.maxReplicas,
      planned: typeof replicas === "number" ? replicas : 1
    }
    // At 0 an autoscaler does nothing.
    return target.planned === 0 ? [] : [target]
  })
}

const idOf = ({ kind, draft: { metadata } }: ManifestDocument): WorkloadId =>
  `${kind.kind} ${toObjectKey(metadata.namespace, metadata.name ?? "")}`

const specOf = ({ draft }: ManifestDocument): Fields => fieldsOrEmpty(fieldsOrEmpty(draft)["spec"])

const withReplicas = (document: ManifestDocument, replicas: number): ManifestDocument => {
  const { rawFields } = document
  const draft: Draft & { readonly spec: Fields } = {
    ...document.draft,
    spec: { ...specOf(document), replicas }
  }
  return {
    ...document,
    draft,
    rawFields: { ...rawFields, spec: { ...fieldsOrEmpty(rawFields["spec"]), replicas } }
  }
}

const growthOf = (targets: ReadonlyArray<Target>, bound: "min" | "max"): number =>
  Math.max(1, ...targets.map((target) => Math.ceil(target[bound] / target.planned)))

const withSizes = (world: PlanWorld, sizes: ReadonlyMap<WorkloadId, number>, growth: number): PlanWorld => {
  const sized = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestDocument> =>
    documents.map((document) => {
      const replicas = sizes.get(idOf(document))
      return replicas === undefined ? document : withReplicas(document, replicas)
    })
  const { next, from, nodes = defaultNodeCount } = world
  return {
    ...world,
    next: sized(next),
    ...(from === undefined ? {} : { from: sized(from) }),
    ...(typeof nodes === "number" ? { nodes: nodes * growth } : {})
  }
}
