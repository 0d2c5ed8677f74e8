import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { Draft } from "../../../meta/objects.ts"
import { forbiddenField, invalidField, noErrors, type FieldErrors } from "../../../validation/fieldErrors.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateBehavior } from "./validateBehavior.ts"
import {
  validateMetric,
  validateScaleReference,
  versionProblem,
  type VersionRule
} from "./validateMetrics.ts"

type AutoscalerSpec = DeepPartial<Autoscaling.HorizontalPodAutoscalerSpec>

interface AutoscalerDraft extends Draft {
  readonly spec?: AutoscalerSpec
}

/** Source: pkg/apis/autoscaling/validation/validation.go (validateHorizontalPodAutoscalerSpec). */
export const validateAutoscaler = ({ spec = {} }: AutoscalerDraft): FieldErrors =>
  validateSpec(spec, { replicasMin: 1, targetVersion: targetVersionRule(spec), objectVersions: "wellFormed" })

/**
 * A stored autoscaler may keep scaling to zero and keep invalid API versions. Source:
 * pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go.
 */
export const validateAutoscalerUpdate = (
  { spec = {} }: AutoscalerDraft,
  { spec: old = {} }: AutoscalerDraft
): FieldErrors =>
  validateSpec(spec, {
    replicasMin: old.minReplicas === 0 ? 0 : 1,
    targetVersion: targetTypeOf(spec) === targetTypeOf(old) ? "any" : targetVersionRule(spec),
    objectVersions: (old.metrics ?? []).some(hasInvalidObjectVersion) ? "any" : "wellFormed"
  })

const targetTypeOf = ({ scaleTargetRef: { apiVersion = "", kind = "" } = {} }: AutoscalerSpec): string =>
  JSON.stringify([apiVersion, kind])

/** Only a ReplicationController has no API group. */
const targetVersionRule = ({ scaleTargetRef }: AutoscalerSpec): VersionRule =>
  scaleTargetRef?.kind === "ReplicationController" ? "wellFormed" : "withGroup"

const hasInvalidObjectVersion = ({ type, object }: NonNullable<AutoscalerSpec["metrics"]>[number]): boolean =>
  type === "Object" &&
  object !== undefined &&
  versionProblem(object.describedObject ?? {}, "wellFormed") !== undefined

const validateSpec = (
  { minReplicas = 1, maxReplicas = 0, scaleTargetRef, metrics = [], behavior }: AutoscalerSpec,
  options: {
    readonly replicasMin: number
    readonly targetVersion: VersionRule
    readonly objectVersions: VersionRule
  }
): FieldErrors => {
  const { replicasMin, targetVersion, objectVersions } = options
  const hasOutsideMetric = metrics.some(({ type }) => type === "Object" || type === "External")
  const zeroRule = "must specify at least one Object or External metric to support scaling to zero replicas"
  return [
    ...(minReplicas < replicasMin
      ? [invalidField("spec.minReplicas", minReplicas, `must be greater than or equal to ${replicasMin}`)]
      : noErrors),
    ...(maxReplicas < 1
      ? [invalidField("spec.maxReplicas", maxReplicas, "must be greater than 0")]
      : noErrors),
    ...(maxReplicas < minReplicas
      ? [invalidField("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")]
      : noErrors),
    ...validateScaleReference(scaleTargetRef, "spec.scaleTargetRef", targetVersion),
    ...metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`, objectVersions)),
    ...(minReplicas === 0 && !hasOutsideMetric ? [forbiddenField("spec.metrics", zeroRule)] : noErrors),
    ...(behavior === undefined ? noErrors : validateBehavior(behavior, "spec.behavior"))
  ]
}
