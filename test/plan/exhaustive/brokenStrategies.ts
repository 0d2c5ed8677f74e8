import { createNew, createAtFullSize } from "../../../src/kubernetes/apps/deploymentCommands.ts"
import { resolveFenceposts } from "../../../src/kubernetes/apps/rolloutBounds.ts"
import { isNewMissing } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { planNewSize, planOldSizes, toResize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import { revisionAnnotation, sizeAnnotations } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { recreate } from "../../../machines/strategies/recreate.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import type { DeploymentCommands } from "../../../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { Resize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import type { ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/** Copies of the built-in strategies, each with one wrong rule. */

type Plan = (seen: DeploymentObservation) => ReadonlyArray<Resize>

const scale = ({ deployment }: DeploymentObservation, resizes: ReadonlyArray<Resize>): DeploymentCommands => {
  const { replicas } = deployment.spec
  const annotations = sizeAnnotations(replicas, replicas + resolveFenceposts(deployment).surgeMax)
  return resizes.map(({ replicaSet, replicasFrom, replicasTo }) => ({
    type: "scaleReplicaSet",
    name: replicaSet.metadata.name,
    replicasFrom,
    replicasTo,
    annotations
  }))
}

/** RollingUpdate with other sizes. */
export const rollingUpdateWith = (sums: {
  readonly next?: Plan
  readonly previous?: Plan
  readonly create?: (seen: DeploymentObservation) => DeploymentCommands
}): Strategy => {
  const { next = planNewSize, previous = planOldSizes, create = createNew } = sums
  return {
    ...rollingUpdate,
    guards: {
      ...rollingUpdate.guards,
      mayResizeNew: (seen) => next(seen).length > 0,
      mayScaleDownOld: (seen) => previous(seen).length > 0
    },
    commands: {
      ...rollingUpdate.commands,
      createNew: create,
      resizeNew: (seen) => scale(seen, next(seen)),
      scaleDownOld: (seen) => scale(seen, previous(seen))
    }
  }
}

const availableOf = ({ status }: ReplicaSet): number => status.availableReplicas ?? 0
const total = (replicaSets: ReadonlyArray<ReplicaSet>, of: (replicaSet: ReplicaSet) => number): number =>
  replicaSets.reduce((sum, it) => sum + of(it), 0)
const specReplicasOf = ({ spec }: ReplicaSet): number => spec.replicas

/**
 * Scales the first old ReplicaSet down by the Pods above the floor, with `available` as the count of available Pods.
 */
const takingBeyondFloor =
  (available: (seen: DeploymentObservation) => number): Plan =>
  (seen) => {
    const spare = available(seen) - (seen.deployment.spec.replicas - seen.unavailableMax)
    const [old] = seen.oldReplicaSets
    if (old === undefined || old.spec.replicas === 0 || spare <= 0) return []
    return [toResize(old, Math.max(0, old.spec.replicas - spare))]
  }

const growingTo =
  (size: (seen: DeploymentObservation, next: ReplicaSet) => number): Plan =>
  (seen) => {
    if (seen.newReplicaSet === undefined) return []
    const wanted = Math.max(0, size(seen, seen.newReplicaSet))
    return wanted === seen.newReplicaSet.spec.replicas ? [] : [toResize(seen.newReplicaSet, wanted)]
  }

/** Grows the new ReplicaSet into the room under the surge, of which `taken` is used. */
const withRoom = (taken: (seen: DeploymentObservation) => number): Plan =>
  growingTo((seen, next) => {
    const desired = seen.deployment.spec.replicas
    const room = Math.max(0, desired + seen.surgeMax - taken(seen))
    return Math.min(desired, next.spec.replicas + room)
  })

/** By the wrong rule. */
export const brokenStrategies: Readonly<Record<string, Strategy>> = {
  "the surge room is one too large": rollingUpdateWith({
    next: withRoom((seen) => total(seen.replicaSets, specReplicasOf) - 1)
  }),
  "only old Pods count against the surge": rollingUpdateWith({
    next: withRoom((seen) => total(seen.oldReplicaSets, specReplicasOf))
  }),
  "status.replicas counts against the surge in place of spec.replicas": rollingUpdateWith({
    next: withRoom((seen) => total(seen.replicaSets, ({ status }) => status.replicas))
  }),
  "the new ReplicaSet starts at its full size": rollingUpdateWith({ create: createAtFullSize }),
  "one Pod more may be unavailable than maxUnavailable": rollingUpdateWith({
    previous: takingBeyondFloor((seen) => total(seen.replicaSets, availableOf) + 1)
  }),
  "new Pods count as available before they are": rollingUpdateWith({
    previous: takingBeyondFloor((seen) => total(seen.replicaSets, specReplicasOf))
  }),
  "terminating old Pods still count as available": rollingUpdateWith({
    previous: takingBeyondFloor((seen) => total(seen.replicaSets, availableOf))
  }),
  "all old ReplicaSets are scaled to 0 at once": rollingUpdateWith({
    previous: ({ oldReplicaSets }) =>
      oldReplicaSets.filter(({ spec }) => spec.replicas > 0).map((replicaSet) => toResize(replicaSet, 0))
  }),
  "old Pods stay until all new Pods are available": rollingUpdateWith({
    previous: (seen) =>
      seen.newReplicaSet !== undefined && availableOf(seen.newReplicaSet) === seen.deployment.spec.replicas
        ? planOldSizes(seen)
        : []
  }),
  "the last old Pod is never scaled down": rollingUpdateWith({
    previous: (seen) => planOldSizes(seen).filter(({ replicasTo }) => replicasTo > 0)
  }),
  "the new ReplicaSet is scaled down while unavailable": rollingUpdateWith({
    next: (seen) =>
      seen.newReplicaSet !== undefined &&
      availableOf(seen.newReplicaSet) < seen.newReplicaSet.spec.replicas &&
      seen.newReplicaSet.spec.replicas > 1
        ? [toResize(seen.newReplicaSet, seen.newReplicaSet.spec.replicas - 1)]
        : planNewSize(seen)
  }),
  "a new revision is numbered 0": rollingUpdateWith({
    create: (seen) =>
      createNew(seen).map((command) =>
        command.type !== "createReplicaSet"
          ? command
          : {
              ...command,
              replicaSet: {
                ...command.replicaSet,
                metadata: {
                  ...command.replicaSet.metadata,
                  annotations: { ...command.replicaSet.metadata.annotations, [revisionAnnotation]: "0" }
                }
              }
            }
      )
  }),
  "Recreate trusts status.replicas and ignores terminating Pods": {
    ...recreate,
    guards: {
      ...recreate.guards,
      isOldRunning: ({ oldReplicaSets }) => total(oldReplicaSets, ({ status }) => status.replicas) > 0
    },
    isCreating: isNewMissing
  },
  "Recreate does not wait for old Pods": {
    ...recreate,
    guards: { ...recreate.guards, isOldRunning: () => false }
  }
}
