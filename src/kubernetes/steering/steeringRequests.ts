import {
  abortAnnotation,
  approvesAllPodsText,
  holdAnnotation,
  promoteAnnotation,
  steeredCondition
} from "./steeringNames.ts"
import { annotationOf } from "../apps/revisions/revisions.ts"
import { conditionOf } from "../meta/conditions.ts"
import type { Deployment } from "../meta/objects.ts"

export interface AnnotationRequest {
  readonly id: "promote" | "promote-all" | "hold" | "go-on" | "abort"
  readonly title: string
  readonly annotation: string
  /** Null removes the annotation. */
  readonly value: string | null
}

const reasonsDuringSteps = [
  "Approving",
  "Holding",
  "Checking",
  "HeldByUser",
  "PreviewMissing",
  "HookNotStarted"
]

export const steeringRequests = (deployment: Deployment): ReadonlyArray<AnnotationRequest> => {
  const { reason = "", message = "" } = conditionOf(deployment.status.conditions, steeredCondition) ?? {}
  if (reason === "Watching") return [abort]
  if (!reasonsDuringSteps.includes(reason)) return []
  const isHeld = annotationOf(deployment, holdAnnotation) !== undefined
  const isPaused = deployment.spec.paused === true
  const canPromote = !isHeld && !isPaused
  return [
    ...(canPromote && reason === "Holding" ? [promote] : []),
    ...(canPromote && !message.endsWith(approvesAllPodsText) ? [promoteAll] : []),
    isHeld ? goOn : hold,
    abort
  ]
}

/** True also while the rollout waits for a preview Service or a hook's Job. */
export const isSteeringInProgress = ({ status }: Pick<Deployment, "status">): boolean => {
  const condition = conditionOf(status.conditions, steeredCondition)
  return (
    (condition?.status === "True" && condition.reason !== "Complete") ||
    condition?.reason === "PreviewMissing" ||
    condition?.reason === "HookNotStarted"
  )
}

const promote: AnnotationRequest = {
  id: "promote",
  title: "Promote",
  annotation: promoteAnnotation,
  value: ""
}
const promoteAll: AnnotationRequest = {
  id: "promote-all",
  title: "Promote to the end",
  annotation: promoteAnnotation,
  value: "all"
}
const hold: AnnotationRequest = { id: "hold", title: "Hold", annotation: holdAnnotation, value: "" }
const goOn: AnnotationRequest = { id: "go-on", title: "Go on", annotation: holdAnnotation, value: null }
const abort: AnnotationRequest = { id: "abort", title: "Abort", annotation: abortAnnotation, value: "" }

export const annotateArgument = ({ annotation, value }: AnnotationRequest): string =>
  value === null ? `${annotation}-` : `${annotation}=${value}`

export const steeringPatch = ({ annotation, value }: AnnotationRequest): object => ({
  metadata: { annotations: { [annotation]: value } }
})
