import type * as Networking from "kubernetes-types/networking/v1.js"
import type { TypedLocalObjectReference } from "kubernetes-types/core/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  forbiddenField,
  noErrors,
  requiredValue,
  unsupportedValue,
  valueTooLong,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { validateUnchanged } from "../../../validation/immutableFields.ts"
import { labelProblems, pathSegmentProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import {
  validateDomainPath,
  validateNameBy,
  validateRequiredName
} from "../../../validation/validateNames.ts"

interface IngressClassDraft extends Draft {
  readonly spec?: DeepPartial<Networking.IngressClassSpec>
}

const controllerLengthMax = 250

/** Source: pkg/apis/networking/validation/validation.go (ValidateIngressClass). */
export const validateIngressClass = ({ spec = {} }: IngressClassDraft): FieldErrors => [
  ...((spec.controller ?? "").length > controllerLengthMax
    ? [valueTooLong("spec.controller", controllerLengthMax)]
    : noErrors),
  ...validateDomainPath(spec.controller, "spec.controller"),
  ...(spec.parameters === undefined ? noErrors : validateParameters(spec.parameters, "spec.parameters"))
]

export const validateIngressClassUpdate = (
  ingressClass: IngressClassDraft,
  old: IngressClassDraft
): FieldErrors => [
  ...validateUnchanged(ingressClass.spec?.controller, old.spec?.controller, "spec.controller"),
  ...validateIngressClass(ingressClass)
]

const scopes = ["Cluster", "Namespace"]

const validateParameters = (
  parameters: DeepPartial<Networking.IngressClassParametersReference>,
  path: string
): FieldErrors => {
  const { scope = "Cluster", namespace } = parameters
  const field = `${path}.namespace`
  return [
    ...validateObjectReference(parameters, path),
    ...(scopes.includes(scope) ? noErrors : [unsupportedValue(`${path}.scope`, scope, scopes)]),
    ...(scope === "Namespace" && namespace === undefined
      ? [requiredValue(field, "`parameters.scope` is set to 'Namespace'")]
      : noErrors),
    ...(scope === "Namespace" && namespace !== undefined
      ? validateNameBy(labelProblems, namespace, field)
      : noErrors),
    ...(scope === "Cluster" && namespace !== undefined
      ? [forbiddenField(field, "`parameters.scope` is set to 'Cluster'")]
      : noErrors)
  ]
}

export const validateObjectReference = (
  { apiGroup, kind, name }: DeepPartial<TypedLocalObjectReference>,
  path: string
): FieldErrors => [
  ...(apiGroup === undefined ? noErrors : validateNameBy(subdomainProblems, apiGroup, `${path}.apiGroup`)),
  ...validateRequiredName(pathSegmentProblems, kind, { path: `${path}.kind`, why: "kind is required" }),
  ...validateRequiredName(pathSegmentProblems, name, { path: `${path}.name`, why: "name is required" })
]
