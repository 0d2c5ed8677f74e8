import { isTerminating } from "../../meta/deletion.ts"
import {
  currentAndUpdateRevisions,
  isAvailable,
  isRunningAndReady,
  revisionNameOf
} from "./statefulSetObservation.ts"
import type { StatefulSetObservation } from "./statefulSetObservation.ts"
import type { StatefulSetStatus } from "./statefulSetTypes.ts"

/**
 * The update revision becomes the current one when all replicas are updated and ready. Source:
 * stateful_set_control.go (updateStatus), stateful_set_utils.go
 * (completeRollingUpdate).
 */
export const statefulSetStatus = (seen: StatefulSetObservation): StatefulSetStatus => {
  const { statefulSet, pods, templateRecord } = seen
  const { spec, status, metadata } = statefulSet
  const revisions = currentAndUpdateRevisions(seen)
  const currentRevision = revisions?.current.metadata.name ?? status.currentRevision
  const updateRevision = revisions?.update.metadata.name ?? status.updateRevision
  // The template's revision, if it is not created yet, may need a higher count to get a free name.
  const collisionCount =
    templateRecord.type === "create" ? templateRecord.collisionCount : status.collisionCount
  const countOfRevision = (name: string | undefined): number =>
    pods.filter(({ pod }) => !isTerminating(pod) && revisionNameOf(pod) === name).length
  const readyReplicas = pods.filter(({ pod }) => isRunningAndReady(pod)).length
  const updatedReplicas = countOfRevision(updateRevision)
  const isUpdated =
    spec.updateStrategy?.type === "RollingUpdate" &&
    [updatedReplicas, readyReplicas, pods.length].every((count) => count === spec.replicas)
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: pods.length,
    ...countUnlessZero("readyReplicas", readyReplicas),
    ...countUnlessZero("currentReplicas", isUpdated ? updatedReplicas : countOfRevision(currentRevision)),
    ...countUnlessZero("updatedReplicas", updatedReplicas),
    ...(currentRevision === undefined
      ? {}
      : { currentRevision: isUpdated ? (updateRevision ?? currentRevision) : currentRevision }),
    ...(updateRevision === undefined ? {} : { updateRevision }),
    collisionCount: collisionCount ?? 0,
    availableReplicas: pods.filter(({ pod }) => isAvailable(seen, pod)).length
  }
}

/** Upstream omits these counts when they are 0, but not `replicas` and `availableReplicas`. */
const countUnlessZero = (name: string, count: number): object => (count === 0 ? {} : { [name]: count })
