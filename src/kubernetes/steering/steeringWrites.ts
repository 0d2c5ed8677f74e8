import { completedRevisionAnnotation, recordAnnotation } from "./steeringNames.ts"
import { steeringRecordText } from "./steeringRecord.ts"
import { withTemplateOnly } from "../apps/revisions/rollback.ts"
import type { Annotations, Deployment, ReplicaSet } from "../meta/objects.ts"
import type { SteeringCommand } from "./steeringCommands.ts"

/**
 * Removes a mark of a complete revision that `kubectl rollout undo` has brought back: the Deployment's
 * controller would copy it over each new mark.
 */
export const withSteeringRecord = (
  deployment: Deployment,
  { record, removes = [], undoTo }: Extract<SteeringCommand, { readonly type: "recordSteering" }>
): Deployment => {
  const kept: Annotations = Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(
      ([name]) => name !== recordAnnotation && name !== completedRevisionAnnotation && !removes.includes(name)
    )
  )
  const annotations =
    record === undefined ? kept : { ...kept, [recordAnnotation]: steeringRecordText(record) }
  const recorded = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  return undoTo === undefined ? recorded : withTemplateOnly(recorded, undoTo)
}

export const withCompletionMark = (replicaSet: ReplicaSet, annotationValue: string): ReplicaSet => ({
  ...replicaSet,
  metadata: {
    ...replicaSet.metadata,
    annotations: { ...replicaSet.metadata.annotations, [completedRevisionAnnotation]: annotationValue }
  }
})
