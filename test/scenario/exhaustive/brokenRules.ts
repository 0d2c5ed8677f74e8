import { createNext, createWhole } from "../../../src/kubernetes/apps/deploymentCommands.ts"
import { resolveFenceposts } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import { isNextMissing } from "../../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { planNext, planPrevious, toResize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import { revisionAnnotation, sizeAnnotations } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { recreate } from "../../../machines/strategies/recreate.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import type { DeploymentCommands } from "../../../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import type { Resize } from "../../../src/kubernetes/apps/rollingUpdate.ts"
import type { ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

/** Strategies like those that are built in, each with one rule wrong. */

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

/** A rolling update with other sums. */
export const rollingWith = (sums: {
  readonly next?: Plan
  readonly previous?: Plan
  readonly create?: (seen: DeploymentObservation) => DeploymentCommands
}): Strategy => {
  const { next = planNext, previous = planPrevious, create = createNext } = sums
  return {
    ...rollingUpdate,
    guards: {
      ...rollingUpdate.guards,
      mayResizeNew: (seen) => next(seen).length > 0,
      mayScaleDownOld: (seen) => previous(seen).length > 0
    },
    commands: {
      ...rollingUpdate.commands,
      createNext: create,
      resizeNext: (seen) => scale(seen, next(seen)),
      shrinkPrevious: (seen) => scale(seen, previous(seen))
    }
  }
}

const told = ({ status }: ReplicaSet): number => status.availableReplicas ?? 0
const total = (replicaSets: ReadonlyArray<ReplicaSet>, of: (replicaSet: ReplicaSet) => number): number =>
  replicaSets.reduce((sum, it) => sum + of(it), 0)
const asked = ({ spec }: ReplicaSet): number => spec.replicas

/** Takes so many old Pods away as there are beyond the floor, by what it takes to be available. */
const takingBeyondFloor =
  (available: (seen: DeploymentObservation) => number): Plan =>
  (seen) => {
    const spare = available(seen) - (seen.deployment.spec.replicas - seen.unavailableMax)
    const [old] = seen.previous
    if (old === undefined || old.spec.replicas === 0 || spare <= 0) return []
    return [toResize(old, Math.max(0, old.spec.replicas - spare))]
  }

const grownTo =
  (size: (seen: DeploymentObservation, next: ReplicaSet) => number): Plan =>
  (seen) => {
    if (seen.next === undefined) return []
    const wanted = Math.max(0, size(seen, seen.next))
    return wanted === seen.next.spec.replicas ? [] : [toResize(seen.next, wanted)]
  }

/** The room under the surge, counted as `taken` says. */
const withRoom = (taken: (seen: DeploymentObservation) => number): Plan =>
  grownTo((seen, next) => {
    const desired = seen.deployment.spec.replicas
    const room = Math.max(0, desired + seen.surgeMax - taken(seen))
    return Math.min(desired, next.spec.replicas + room)
  })

/** Each by what is wrong with it. */
export const brokenStrategies: Readonly<Record<string, Strategy>> = {
  "the room is one too large": rollingWith({ next: withRoom((seen) => total(seen.replicaSets, asked) - 1) }),
  "only old Pods take room": rollingWith({ next: withRoom((seen) => total(seen.previous, asked)) }),
  "Pods that are there take room, and not those asked for": rollingWith({
    next: withRoom((seen) => total(seen.replicaSets, ({ status }) => status.replicas))
  }),
  "the new ReplicaSet begins at its full size": rollingWith({ create: createWhole }),
  "one more may be missing than is allowed": rollingWith({
    previous: takingBeyondFloor((seen) => total(seen.replicaSets, told) + 1)
  }),
  "new Pods count before they are available": rollingWith({
    previous: takingBeyondFloor((seen) => total(seen.replicaSets, asked))
  }),
  "old Pods that were told to go still count": rollingWith({
    previous: takingBeyondFloor((seen) => total(seen.replicaSets, told))
  }),
  "everything old goes at once": rollingWith({
    previous: ({ previous }) =>
      previous.filter(({ spec }) => spec.replicas > 0).map((replicaSet) => toResize(replicaSet, 0))
  }),
  "nothing goes before all that is new is available": rollingWith({
    previous: (seen) =>
      seen.next !== undefined && told(seen.next) === seen.deployment.spec.replicas ? planPrevious(seen) : []
  }),
  "the last old Pod stays": rollingWith({
    previous: (seen) => planPrevious(seen).filter(({ replicasTo }) => replicasTo > 0)
  }),
  "what is new gives way when it is not available": rollingWith({
    next: (seen) =>
      seen.next !== undefined && told(seen.next) < seen.next.spec.replicas && seen.next.spec.replicas > 1
        ? [toResize(seen.next, seen.next.spec.replicas - 1)]
        : planNext(seen)
  }),
  "a new revision is numbered as if it were the first": rollingWith({
    create: (seen) =>
      createNext(seen).map((command) =>
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
  "Recreate goes by reports and does not look at Pods": {
    ...recreate,
    guards: {
      ...recreate.guards,
      isOldRunning: ({ previous }) => total(previous, ({ status }) => status.replicas) > 0
    },
    isCreating: isNextMissing
  },
  "Recreate waits for nobody": { ...recreate, guards: { ...recreate.guards, isOldRunning: () => false } }
}
