import { countText } from "../../../kubernetes/meta/text/countText.ts"
import { recordOf } from "../../../kubernetes/steering/steeringRecord.ts"
import type { Deployment } from "../../../kubernetes/meta/objects.ts"
import type { SteeringCommand } from "../../../kubernetes/steering/steeringCommands.ts"

export const recordWriteText = (
  deployment: Deployment,
  { record, removes = [], undoTo }: Extract<SteeringCommand, { readonly type: "recordSteering" }>
): string => {
  if (undoTo !== undefined) return `went back to the template of ${undoTo.metadata.name}`
  if (record === undefined) return "removed its record"
  const before = recordOf(deployment)
  if (before?.hash !== record.hash || before.revision !== record.revision)
    return `recorded the rollout of revision ${record.revision}`
  if (record.aborted !== undefined && before.aborted === undefined) return "gave the rollout up"
  const step = record.step ?? 0
  if (step !== (before.step ?? 0)) return `went on from step ${(before.step ?? 0) + 1}`
  if (record.isHeld !== before.isHeld) return record.isHeld === true ? "recorded the hold" : "ended the hold"
  if (record.isResumed !== before.isResumed) return "began the step anew"
  // Pods are named in the record before they are approved.
  const addedPods = (record.reserved?.length ?? 0) - (before.reserved?.length ?? 0)
  if (addedPods > 0) return `put ${countText(addedPods, "Pod")} on record`
  // Annotations with requests of the user.
  if (removes.length > 0) return "answered its user"
  return record.check === before.check ? "wrote its record" : "recorded an answer"
}
