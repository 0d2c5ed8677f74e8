import { rolloutStepText, stepSettingsOf } from "./rolloutSteps.ts"
import { recordEvent } from "../apps/sharedCommands.ts"
import { reportSteered } from "./steeringActions.ts"
import { templateHashOf, revisionText } from "./steeringObservation.ts"
import { templateHashLabel } from "../apps/revisions/podTemplates.ts"
import type { BlueGreenSettings } from "./steeringSettings.ts"
import type { Service } from "../core/endpoints.ts"
import type { SteeringCommands } from "./steeringCommands.ts"
import type { SteeringPredicate, SteeringObservation } from "./steeringObservation.ts"

const previewName = (seen: SteeringObservation): string | undefined =>
  (stepSettingsOf(seen) as BlueGreenSettings).preview

const previewServiceOf = (seen: SteeringObservation): Service | undefined =>
  seen.services.find(({ metadata }) => metadata.name === previewName(seen))

const previewedHash = (seen: SteeringObservation): string | undefined =>
  previewServiceOf(seen)?.spec.selector?.[templateHashLabel]

export const isPreviewOfOtherRevision: SteeringPredicate = (seen) =>
  seen.newReplicaSet !== undefined &&
  previewServiceOf(seen) !== undefined &&
  previewedHash(seen) !== templateHashOf(seen.newReplicaSet)

export const pointPreview = (seen: SteeringObservation): SteeringCommands => {
  const service = previewServiceOf(seen)
  return service === undefined || seen.newReplicaSet === undefined
    ? []
    : [{ type: "pointService", service, hash: templateHashOf(seen.newReplicaSet) }]
}

/** Undefined if the preview reaches the waiting Pods, or the strategy has none. */
export const previewProblem = (seen: SteeringObservation): string | undefined => {
  const name = previewName(seen)
  if (name === undefined) return undefined
  const service = previewServiceOf(seen)
  if (service === undefined) return `there is no Service ${JSON.stringify(name)}. Create it`
  const missingLabel = selectorLabelMissingInTemplate(seen, service)
  if (missingLabel !== undefined)
    return (
      `Service ${JSON.stringify(name)} selects Pods with the label ${missingLabel}, which the Pod template does not have. ` +
      "Correct its spec.selector"
    )
  return service.spec.publishNotReadyAddresses === true
    ? undefined
    : `Service ${JSON.stringify(name)} leaves out Pods that are not Ready. Set its spec.publishNotReadyAddresses to true`
}

const selectorLabelMissingInTemplate = (
  { deployment }: SteeringObservation,
  { spec }: Service
): string | undefined => {
  const labels = deployment.spec.template.metadata?.labels ?? {}
  const missingLabel = Object.entries(spec.selector ?? {}).find(
    ([name, value]) => name !== templateHashLabel && labels[name] !== value
  )
  return missingLabel?.join("=")
}

export const reportPreviewMissing = (seen: SteeringObservation): SteeringCommands => {
  if (seen.newReplicaSet === undefined) return []
  const message = `${revisionText(seen.newReplicaSet)} ${rolloutStepText(seen)}, and waits: ${previewProblem(seen) ?? ""}`
  const condition = reportSteered(seen, "False", "PreviewMissing", message)
  return condition.length === 0 ? [] : [...condition, recordEvent("Warning", "PreviewMissing", message)]
}

export const previewText = (seen: SteeringObservation): string =>
  `preview ${previewName(seen) ?? "none"}: ${previewProblem(seen) ?? `selects ${previewedHash(seen) ?? "no revision"}`}`
