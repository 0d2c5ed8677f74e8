import * as Effect from "effect/Effect"
import { autoscalersAmong, scaleTargetId, whyNotScalable } from "../autoscalers.ts"
import { defaultNodeCount } from "../../cluster/defaultNodeCount.ts"
import { fieldsOrEmpty } from "../../kubernetes/meta/fields.ts"
import { lastDocumentOfEachObject } from "../documentKeys.ts"
import { makeSeedPlayer } from "../seeds/playSeed.ts"
import { objectIdOfDocument } from "../previous/previousDocuments.ts"
import { workloadsAmong } from "../workloads.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PlanInput, PlaySeed } from "../seeds/playSeed.ts"
import type { RolloutRun } from "../seeds/rolloutRun.ts"
import type { WorkloadId } from "../workloads.ts"

export interface AutoscaledSize {
  readonly replicas: number
  readonly autoscaler: string
  readonly outcome: RolloutRun["outcome"]
  readonly reasons: ReadonlyArray<string>
}

export type AutoscaledSizes = ReadonlyMap<WorkloadId, ReadonlyArray<AutoscaledSize>>

type Fields = Readonly<Record<string, unknown>>

interface ScaledWorkload {
  readonly id: WorkloadId
  readonly autoscaler: string
  readonly minReplicas: number
  readonly maxReplicas: number
  /** The replicas with which the plan is played. */
  readonly plannedReplicas: number
}

/** Larger sizes take too long to play. */
const replicasMax = 300

/** The number of default nodes grows with the Pods, so that only quotas and placement rules limit them. */
export const playAutoscaledSizes = Effect.fnUntraced(function* (
  input: PlanInput,
  seed: number
): Effect.fn.Return<AutoscaledSizes, Effect.Error<ReturnType<PlaySeed>>> {
  // With the Pods of a live cluster, sizes are not played.
  const scaledWorkloads = input.livePods === undefined ? scaledWorkloadsIn(input) : []
  const sizesById = new Map<WorkloadId, Array<AutoscaledSize>>()
  for (const bound of ["minReplicas", "maxReplicas"] as const) {
    const changedWorkloads = scaledWorkloads.filter(
      (scaled) => scaled[bound] !== scaled.plannedReplicas && scaled[bound] <= replicasMax
    )
    if (changedWorkloads.length === 0) continue
    const sizes = new Map(changedWorkloads.map((scaled) => [scaled.id, scaled[bound]]))
    const play = makeSeedPlayer(withSizes(input, sizes, growthOf(changedWorkloads, bound)))
    const { rollouts } = yield* play(seed, { undo: false })
    for (const { id, autoscaler, [bound]: replicas } of changedWorkloads) {
      const run = rollouts.get(id)
      if (run === undefined) continue
      const { outcome, reasons } = run
      sizesById.set(id, [
        ...(sizesById.get(id) ?? []),
        { replicas, autoscaler, outcome, reasons: reasons.map(({ text }) => text) }
      ])
    }
  }
  return sizesById
})

const scaledWorkloadsIn = ({ next, from = [] }: PlanInput): ReadonlyArray<ScaledWorkload> => {
  const plannedIds = new Set(workloadsAmong(next).map(({ id }) => id))
  const documents = lastDocumentOfEachObject([...from, ...next])
  const workloads = new Map(documents.map((document) => [objectIdOfDocument(document), document]))
  return autoscalersAmong(documents).flatMap((autoscaler): ReadonlyArray<ScaledWorkload> => {
    const { metadata, spec = {} } = autoscaler
    const id = scaleTargetId(autoscaler)
    const workload = plannedIds.has(id) ? workloads.get(id) : undefined
    if (workload === undefined || spec.maxReplicas === undefined || whyNotScalable(autoscaler) !== undefined)
      return []
    const { replicas } = specOf(workload)
    const scaled: ScaledWorkload = {
      id,
      autoscaler: metadata.name ?? "",
      minReplicas: spec.minReplicas ?? 1,
      maxReplicas: spec.maxReplicas,
      plannedReplicas: typeof replicas === "number" ? replicas : 1
    }
    // At 0 an autoscaler does nothing.
    return scaled.plannedReplicas === 0 ? [] : [scaled]
  })
}

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

const growthOf = (
  scaledWorkloads: ReadonlyArray<ScaledWorkload>,
  bound: "minReplicas" | "maxReplicas"
): number =>
  Math.max(1, ...scaledWorkloads.map((scaled) => Math.ceil(scaled[bound] / scaled.plannedReplicas)))

const withSizes = (input: PlanInput, sizes: ReadonlyMap<WorkloadId, number>, growth: number): PlanInput => {
  const withSizesApplied = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestDocument> =>
    documents.map((document) => {
      const replicas = sizes.get(objectIdOfDocument(document))
      return replicas === undefined ? document : withReplicas(document, replicas)
    })
  const { next, from, nodes = defaultNodeCount } = input
  return {
    ...input,
    next: withSizesApplied(next),
    ...(from === undefined ? {} : { from: withSizesApplied(from) }),
    ...(typeof nodes === "number" ? { nodes: nodes * growth } : {})
  }
}
