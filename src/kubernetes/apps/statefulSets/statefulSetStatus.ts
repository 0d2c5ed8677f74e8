import { isTerminating } from "../../meta/deletion.ts"
import { currentAndUpdate, isAvailable, isRunningAndReady, revisionNameOf } from "./statefulSetObservation.ts"
import type { StatefulSetObservation } from "./statefulSetObservation.ts"
import type { StatefulSetStatus } from "./statefulSetTypes.ts"

/**
 * An update is over when all replicas are there, updated and ready: the update revision becomes the current one.
 * Source: pkg/controller/statefulset/stateful_set_control.go (updateStatus, computeReplicaStatus),
 * stateful_set_utils.go (completeRollingUpdate).
 */
export const statefulSetStatus = (seen: StatefulSetObservation): StatefulSetStatus => {
  const { statefulSet, pods, templateRecord } = seen
  const { spec, status, metadata } = statefulSet
  // Undefined until the present template is recorded in a ControllerRevision.
  const revisions = currentAndUpdate(seen)
  const currentRevision = revisions?.current.metadata.name ?? status.currentRevision
  const updateRevision = revisions?.update.metadata.name ?? status.updateRevision
  // A revision that is yet to be created may have to avoid the name of another, which this count does.
  const collisionCount =
    templateRecord.type === "create" ? templateRecord.collisionCount : status.collisionCount
  const ofRevision = (name: string | undefined): number =>
    pods.filter(({ pod }) => !isTerminating(pod) && revisionNameOf(pod) === name).length
  const readyReplicas = pods.filter(({ pod }) => isRunningAndReady(pod)).length
  const updatedReplicas = ofRevision(updateRevision)
  const isUpdated =
    spec.updateStrategy?.type === "RollingUpdate" &&
    [updatedReplicas, readyReplicas, pods.length].every((count) => count === spec.replicas)
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: pods.length,
    ...unlessZero("readyReplicas", readyReplicas),
    ...unlessZero("currentReplicas", isUpdated ? updatedReplicas : ofRevision(currentRevision)),
    ...unlessZero("updatedReplicas", updatedReplicas),
    ...(currentRevision === undefined
      ? {}
      : { currentRevision: isUpdated ? (updateRevision ?? currentRevision) : currentRevision }),
    ...(updateRevision === undefined ? {} : { updateRevision }),
    collisionCount: collisionCount ?? 0,
    availableReplicas: pods.filter(({ pod }) => isAvailable(seen, pod)).length
  }
}

/** Upstream leaves these counts out when they are 0, but not `replicas` and `availableReplicas`. */
const unlessZero = (name: string, count: number): object => (count === 0 ? {} : { [name]: count })
