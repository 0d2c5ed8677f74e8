import { isCheckStep } from "./stepChecks.ts"
import { isHoldStep, mayApproveAll, stepsOf, rolloutStepText } from "./rolloutSteps.ts"
import { reportSteered } from "./steeringActions.ts"
import { templateHashOf, revisionText } from "./steeringObservation.ts"
import { templateHashLabel } from "../apps/revisions/podTemplates.ts"
import type { BlueGreenSettings } from "./steeringSettings.ts"
import type { Service } from "../core/endpoints.ts"
import type { SteeringCommands } from "./steeringActions.ts"
import type { SteeringPredicate, SteeringObservation } from "./steeringObservation.ts"

const previewName = (seen: SteeringObservation): string | undefined =>
  (stepsOf(seen) as BlueGreenSettings).preview

const previewOf = (seen: SteeringObservation): Service | undefined =>
  seen.services.find(({ metadata }) => metadata.name === previewName(seen))

/** The pod-template-hash that the preview selects; undefined if it selects none, or there is no preview. */
const previewedHash = (seen: SteeringObservation): string | undefined =>
  previewOf(seen)?.spec.selector?.[templateHashLabel]

/** Whether the preview Service selects another revision than the newest. */
export const isPreviewOfOtherRevision: SteeringPredicate = (seen) =>
  seen.newReplicaSet !== undefined &&
  previewOf(seen) !== undefined &&
  previewedHash(seen) !== templateHashOf(seen.newReplicaSet)

/** Lets the preview Service select the newest revision. */
export const pointPreview = (seen: SteeringObservation): SteeringCommands => {
  const service = previewOf(seen)
  return service === undefined || seen.newReplicaSet === undefined
    ? []
    : [{ type: "pointService", service, hash: templateHashOf(seen.newReplicaSet) }]
}

/** Why the preview does not reach Pods that wait for an approval; undefined if it does, or the strategy has none. */
const previewProblem = (seen: SteeringObservation): string | undefined => {
  const name = previewName(seen)
  if (name === undefined) return undefined
  const service = previewOf(seen)
  if (service === undefined) return `there is no Service ${JSON.stringify(name)}. Create it`
  return service.spec.publishNotReadyAddresses === true
    ? undefined
    : `Service ${JSON.stringify(name)} leaves out Pods that are not Ready. Set its spec.publishNotReadyAddresses to true`
}

/** Whether the checks before the approval wait, because the preview does not reach the new Pods. */
export const isPreviewMissing: SteeringPredicate = (seen) =>
  (isCheckStep(seen) || isHoldStep(seen)) && !mayApproveAll(seen) && previewProblem(seen) !== undefined

export const reportPreviewMissing = (seen: SteeringObservation): SteeringCommands =>
  seen.newReplicaSet === undefined
    ? []
    : reportSteered(
        seen,
        "False",
        "PreviewMissing",
        `${revisionText(seen.newReplicaSet)} ${rolloutStepText(seen)}, and waits: ${previewProblem(seen) ?? ""}`
      )

export const previewText = (seen: SteeringObservation): string =>
  `preview ${previewName(seen) ?? "none"}: ${previewProblem(seen) ?? `selects ${previewedHash(seen) ?? "no revision"}`}`
