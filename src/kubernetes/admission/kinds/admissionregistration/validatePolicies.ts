import type * as Admission from "kubernetes-types/admissionregistration/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  invalidWithoutValue,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import {
  label1035Problems,
  pathSegmentProblems,
  qualifiedNameProblems,
  subdomainProblems
} from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import {
  validateNameBy,
  validateOptionalName,
  validateRequiredName
} from "../../../validation/validateNames.ts"
import { failurePolicies, validateMatchConditions, validateMatchResources } from "./validateRules.ts"

interface PolicyDraft extends Draft {
  readonly spec?: PolicySpec
}

type PolicySpec = DeepPartial<Admission.ValidatingAdmissionPolicySpec>

const validateFieldsOfBothPolicies = (spec: PolicySpec): FieldErrors => {
  const { paramKind, matchConstraints: match } = spec
  return [
    ...validateOptionalOneOf(spec.failurePolicy, failurePolicies, "spec.failurePolicy"),
    ...(paramKind === undefined ? noErrors : validateParamKind(paramKind)),
    ...(match === undefined
      ? [requiredValue("spec.matchConstraints")]
      : [
          ...validateMatchResources(match, "spec.matchConstraints"),
          ...((match.resourceRules ?? []).length === 0
            ? [requiredValue("spec.matchConstraints.resourceRules")]
            : noErrors)
        ]),
    ...validateMatchConditions(spec.matchConditions ?? [], "spec.matchConditions"),
    ...(spec.variables ?? []).flatMap(validateVariable)
  ]
}

/**
 * Source: pkg/apis/admissionregistration/validation/validation.go
 * (validateValidatingAdmissionPolicySpec).
 */
export const validateAdmissionPolicy = ({ metadata, spec = {} }: PolicyDraft): FieldErrors => {
  const { validations = [], auditAnnotations = [] } = spec
  const oneOf = "validations or auditAnnotations must contain at least one item"
  return [
    ...validateFieldsOfBothPolicies(spec),
    ...(validations.length === 0 && auditAnnotations.length === 0
      ? [requiredValue("spec.validations", oneOf), requiredValue("spec.auditAnnotations", oneOf)]
      : [
          ...validations.flatMap(validateValidation),
          ...validateAuditAnnotations(auditAnnotations, metadata.name ?? "")
        ])
  ]
}

const auditAnnotationsMax = 20
const valueExpressionBytesMax = 5 * 1024

/** The audit log joins the policy's name, a slash and the key. */
const validateAuditAnnotations = (
  annotations: ReadonlyArray<DeepPartial<Admission.AuditAnnotation>>,
  policyName: string
): FieldErrors => {
  const path = "spec.auditAnnotations"
  const keys = annotations.map(({ key = "" }) => key)
  return [
    ...(annotations.length > auditAnnotationsMax
      ? [invalidWithoutValue(path, `must not have more than ${auditAnnotationsMax} auditAnnotations`)]
      : noErrors),
    ...annotations.flatMap(({ key = "", valueExpression = "" }, index) => [
      ...validateNameBy(qualifiedNameProblems, `${policyName}/${key}`, `${path}[${index}].key`),
      ...validateValueExpression(valueExpression.trim(), `${path}[${index}].valueExpression`),
      ...(keys.indexOf(key) < index ? [duplicateValue(`${path}[${index}].key`, key)] : noErrors)
    ])
  ]
}

const validateValueExpression = (expression: string, path: string): FieldErrors => {
  if (expression === "") return [requiredValue(path, "valueExpression is not specified")]
  return Buffer.byteLength(expression) > valueExpressionBytesMax
    ? [requiredValue(path, `must not exceed ${valueExpressionBytesMax} bytes in length`)]
    : noErrors
}

const validateParamKind = ({ apiVersion = "", kind = "" }: DeepPartial<Admission.ParamKind>): FieldErrors => {
  const path = "spec.paramKind"
  const kindProblems = kind === "" ? [] : label1035Problems(kind.toLowerCase())
  const mixedCase = "may have mixed case, but should otherwise match: "
  return [
    ...(apiVersion === "" ? [requiredValue(`${path}.apiVersion`)] : validateGroupVersion(apiVersion, path)),
    ...(kind === "" ? [requiredValue(`${path}.kind`)] : noErrors),
    ...(kindProblems.length === 0
      ? noErrors
      : [invalidField(`${path}.kind`, kind, `${mixedCase}${kindProblems.join(",")}`)])
  ]
}

const validateGroupVersion = (text: string, parent: string): FieldErrors => {
  const path = `${parent}.apiVersion`
  const parts = text.split("/")
  if (parts.length > 2) return [invalidField(path, text, `unexpected GroupVersion string: ${text}`)]
  const version = parts.at(-1) ?? ""
  const group = parts.length === 2 ? (parts[0] ?? "") : ""
  const groupProblems = group === "" ? [] : subdomainProblems(group)
  const versionProblems = version === "" ? [] : label1035Problems(version)
  return [
    ...(groupProblems.length === 0 ? noErrors : [invalidField(path, group, groupProblems.join(","))]),
    ...(version === "" ? [invalidField(path, text, "version must be specified")] : noErrors),
    ...(versionProblems.length === 0 ? noErrors : [invalidField(path, version, versionProblems.join(","))])
  ]
}

const identifierShape = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reservedWords: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" ")
)

const validateVariable = (
  { name = "", expression = "" }: DeepPartial<Admission.Variable>,
  index: number
): FieldErrors => {
  const path = `spec.variables[${index}]`
  const isIdentifier = identifierShape.test(name) && !reservedWords.has(name)
  return [
    ...(name.trim() === ""
      ? [requiredValue(`${path}.name`, "name is not specified")]
      : isIdentifier
        ? noErrors
        : [invalidField(`${path}.name`, name, "must be a valid CEL identifier")]),
    ...(expression.trim() === ""
      ? [requiredValue(`${path}.expression`, "expression is not specified")]
      : noErrors)
  ]
}

const validationReasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"]

const validateValidation = (
  { expression = "", message = "", messageExpression = "", reason }: DeepPartial<Admission.Validation>,
  index: number
): FieldErrors => {
  const path = `spec.validations[${index}]`
  const notEmpty = "must be non-empty if specified"
  const isBlank = (text: string): boolean => text !== "" && text.trim() === ""
  return [
    ...(expression.trim() === ""
      ? [requiredValue(`${path}.expression`, "expression is not specified")]
      : noErrors),
    ...(isBlank(messageExpression)
      ? [invalidField(`${path}.messageExpression`, messageExpression, notEmpty)]
      : noErrors),
    ...(isBlank(message)
      ? [invalidField(`${path}.message`, message, notEmpty)]
      : /[\n\r]/.test(message.trim())
        ? [invalidField(`${path}.message`, message, "must not contain line breaks")]
        : noErrors),
    ...validateOptionalOneOf(reason, validationReasons, `${path}.reason`)
  ]
}

interface MutatingDraft extends Draft {
  readonly spec?: PolicySpec & {
    readonly mutations?: ReadonlyArray<Mutation>
    readonly reinvocationPolicy?: string
  }
}

/** `kubernetes-types` lacks MutatingAdmissionPolicy. */
interface Mutation {
  readonly patchType?: string
  readonly applyConfiguration?: { readonly expression?: string }
  readonly jsonPatch?: { readonly expression?: string }
}

const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"]

export const validateMutatingPolicy = ({ spec = {} }: MutatingDraft): FieldErrors => {
  const { mutations = [], matchConstraints: match, reinvocationPolicy } = spec
  const operations = (match?.resourceRules ?? []).flatMap((rule) => rule.operations ?? [])
  const operationPath = "spec.matchConstraints.resourceRules.operations"
  return [
    ...validateFieldsOfBothPolicies(spec),
    ...operations.flatMap((operation) =>
      mutatingOperations.includes(operation)
        ? []
        : [unsupportedValue(operationPath, operation, mutatingOperations)]
    ),
    ...(mutations.length === 0
      ? [requiredValue("spec.mutations", "mutations must contain at least one item")]
      : mutations.flatMap(validateMutation)),
    ...((reinvocationPolicy ?? "") === ""
      ? [requiredValue("spec.reinvocationPolicy")]
      : validateOptionalOneOf(reinvocationPolicy, ["IfNeeded", "Never"], "spec.reinvocationPolicy"))
  ]
}

const patchFields = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const

const validateMutation = (mutation: Mutation, index: number): FieldErrors => {
  const path = `spec.mutations[${index}]`
  const { patchType = "" } = mutation
  if (patchType === "") return [requiredValue(`${path}.patchType`)]
  if (patchType !== "ApplyConfiguration" && patchType !== "JSONPatch")
    return [unsupportedValue(`${path}.patchType`, patchType, Object.keys(patchFields))]
  const field = patchFields[patchType]
  const other = field === "jsonPatch" ? "applyConfiguration" : "jsonPatch"
  const patch = mutation[field]
  // Upstream shows the field's name in braces instead of a value.
  const printedOther = `{${other}}`
  return [
    ...(patch === undefined
      ? [requiredValue(`${path}.${field}`, `must be specified when patchType is ${patchType}`)]
      : (patch.expression ?? "").trim() === ""
        ? [requiredValue(`${path}.${field}.expression`)]
        : noErrors),
    ...(mutation[other] === undefined
      ? noErrors
      : [
          invalidField(
            `${path}.${other}`,
            printedOther,
            `must not be specified when patchType is ${patchType}`
          )
        ])
  ]
}

interface BindingDraft extends Draft {
  readonly spec?: DeepPartial<Admission.ValidatingAdmissionPolicyBindingSpec>
}

const validationActionNames = ["Audit", "Deny", "Warn"]
const denyAndWarnRule =
  "must not contain both Deny and Warn (repeating the same validation failure information in the API response and " +
  "headers serves no purpose)"

/** A mutating binding has no actions. */
export const validatePolicyBinding = (binding: BindingDraft): FieldErrors => {
  const { validationActions = [] } = binding.spec ?? {}
  const path = "spec.validationActions"
  return [
    ...validateMutatingPolicyBinding(binding),
    ...validationActions.flatMap((action, index) => [
      ...(validationActionNames.includes(action)
        ? noErrors
        : [unsupportedValue(`${path}[${index}]`, action, validationActionNames)]),
      ...(validationActions.indexOf(action) < index
        ? [duplicateValue(`${path}[${index}]`, action)]
        : noErrors)
    ]),
    ...(validationActions.includes("Deny") && validationActions.includes("Warn")
      ? [invalidField(path, validationActions, denyAndWarnRule)]
      : noErrors),
    ...(validationActions.length === 0
      ? [requiredValue(path, "at least one validation action is required")]
      : noErrors)
  ]
}

export const validateMutatingPolicyBinding = ({ spec = {} }: BindingDraft): FieldErrors => [
  ...validateRequiredName(subdomainProblems, spec.policyName, { path: "spec.policyName" }),
  ...(spec.paramRef === undefined ? noErrors : validateParamRef(spec.paramRef)),
  ...(spec.matchResources === undefined
    ? noErrors
    : validateMatchResources(spec.matchResources, "spec.matchResources"))
]

const validateParamRef = ({
  name = "",
  selector,
  parameterNotFoundAction: action = ""
}: DeepPartial<Admission.ParamRef>): FieldErrors => {
  const path = "spec.paramRef"
  const isBoth = name !== "" && selector !== undefined
  const exclusive = "name and selector are mutually exclusive"
  return [
    ...validateOptionalName(pathSegmentProblems, name, `${path}.name`),
    ...(isBoth ? [forbiddenField(`${path}.name`, exclusive)] : noErrors),
    ...(selector === undefined ? noErrors : validateLabelSelector(selector, `${path}.selector`)),
    ...(isBoth ? [forbiddenField(`${path}.selector`, exclusive)] : noErrors),
    ...(name === "" && selector === undefined
      ? [requiredValue(path, "one of name or selector must be specified")]
      : noErrors),
    ...(action === ""
      ? [requiredValue(`${path}.parameterNotFoundAction`)]
      : validateOptionalOneOf(action, ["Deny", "Allow"], `${path}.parameterNotFoundAction`))
  ]
}
