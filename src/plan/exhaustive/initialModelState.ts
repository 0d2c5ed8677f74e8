import { objectsIdOf, podFailuresOf, ignoreViolations, packObjectsAndFailures } from "./modelMoves.ts"
import { noPackedCounts } from "./modelPodCounts.ts"
import { OutsideModel } from "./searchStep.ts"
import { dequal } from "dequal/lite"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import { copiedAnnotations, uncopiedAnnotations } from "../../kubernetes/apps/revisions/revisions.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { ModelObjectsTable } from "./modelObjects.ts"
import type { ModelMoves, PackedObjectsAndFailures } from "./modelMoves.ts"

export interface ModelState {
  readonly olderCounts: PackedCounts
  readonly newerCounts: PackedCounts
  readonly objectsAndFailures: PackedObjectsAndFailures
}

/** Far more than the rollout of `from` takes. */
const stepsMax = 10_000

const noPodFailures = 0

export const initialModelState = (options: {
  readonly from: Deployment | undefined
  readonly next: Deployment
  readonly objectsTable: ModelObjectsTable
  readonly moves: ModelMoves
}): ModelState => {
  const { moves, objectsTable } = options
  const next = deepFreeze(options.next)
  if (options.from === undefined) return createInModel(next, objectsTable)
  const from = deepFreeze(options.from)
  const isPaused = from.spec.paused === true
  const settledState = settleModel(createInModel(isPaused ? unpaused(from) : from, objectsTable), moves)
  const apply = (state: ModelState, manifest: Deployment): ModelState =>
    applyToModel(state, { applied: from, manifest }, objectsTable)
  return apply(isPaused ? settleModel(apply(settledState, from), moves) : settledState, next)
}

const createInModel = (manifest: Deployment, objectsTable: ModelObjectsTable): ModelState => ({
  olderCounts: noPackedCounts,
  newerCounts: noPackedCounts,
  objectsAndFailures: packObjectsAndFailures(
    objectsTable.findOrAdd(withGeneration(manifest, 1), []),
    noPodFailures
  )
})

/** Annotations that were never applied stay, as do those of the Deployment's controller. */
const applyToModel = (
  state: ModelState,
  { applied, manifest }: { readonly applied: Deployment; readonly manifest: Deployment },
  objectsTable: ModelObjectsTable
): ModelState => {
  const { deployment, replicaSets, nowMillis } = objectsTable.at(objectsIdOf(state.objectsAndFailures))
  const appliedAnnotations = applied.metadata.annotations ?? {}
  const unappliedAnnotations = Object.entries(copiedAnnotations(deployment.metadata.annotations)).filter(
    ([name]) => !Object.hasOwn(appliedAnnotations, name)
  )
  const { generation = 1 } = deployment.metadata
  const updated = withGeneration(
    manifest,
    dequal(deployment.spec, manifest.spec) ? generation : generation + 1
  )
  const changed: Deployment = {
    ...updated,
    metadata: {
      ...updated.metadata,
      uid: deployment.metadata.uid,
      annotations: {
        ...Object.fromEntries(unappliedAnnotations),
        ...updated.metadata.annotations,
        ...uncopiedAnnotations(deployment.metadata.annotations)
      }
    },
    status: deployment.status
  }
  return {
    ...state,
    objectsAndFailures: packObjectsAndFailures(
      objectsTable.findOrAdd(changed, replicaSets, nowMillis),
      noPodFailures
    )
  }
}

const withGeneration = (deployment: Deployment, generation: number): Deployment => ({
  ...deployment,
  metadata: { ...deployment.metadata, generation },
  status: {}
})

const unpaused = (deployment: Deployment): Deployment => {
  const { paused: _paused, ...spec } = deployment.spec
  return { ...deployment, spec }
}

/** Of a reconciliation's outcomes, the last has all writes. */
const settleModel = (state: ModelState, moves: ModelMoves): ModelState => {
  let current = state
  for (let steps = 0; steps < stepsMax; steps += 1) {
    let stateAfterAllWrites: ModelState | undefined
    moves.visitSteps(current.olderCounts, current.newerCounts, current.objectsAndFailures, {
      reach: (olderCounts, newerCounts, objectsAndFailures) => {
        if (podFailuresOf(objectsAndFailures) === 0)
          stateAfterAllWrites = { olderCounts, newerCounts, objectsAndFailures }
      },
      violate: ignoreViolations
    })
    if (stateAfterAllWrites === undefined) return current
    current = stateAfterAllWrites
  }
  throw new OutsideModel(`what runs before does not come to rest within ${stepsMax} steps`)
}
