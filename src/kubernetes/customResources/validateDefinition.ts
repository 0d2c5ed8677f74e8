import {
  forbiddenField,
  immutableField,
  invalidField,
  unsupportedValue,
  requiredValue
} from "../validation/fieldErrors.ts"
import { label1035Problems, subdomainProblems } from "../validation/nameRules.ts"
import { conditionOf } from "../meta/conditions.ts"
import { structuralSchemaErrors } from "./validateSchema.ts"
import type { FieldError, FieldErrors } from "../validation/fieldErrors.ts"
import type { Draft } from "../meta/objects.ts"
import type { DefinitionDraft, DefinitionNames, DefinitionSpec, DefinitionVersion } from "./definitions.ts"
import type { PrinterColumn, ScalePaths } from "../meta/kinds.ts"

/** Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go. */
export const validateDefinition = (draft: DefinitionDraft): FieldErrors => {
  const { spec = {} } = draft
  return [...nameProblems(draft, spec), ...approvalProblems(draft, spec), ...specProblems(spec)]
}

export const validateDefinitionUpdate = (draft: DefinitionDraft, old: Draft): FieldErrors => {
  const stored = old as DefinitionDraft
  const { spec = {} } = draft
  const { spec: storedSpec = {} } = stored
  const isEstablished = conditionOf(stored.status?.conditions, "Established")?.status === "True"
  const fixedWhenEstablished: ReadonlyArray<FieldChange> = [
    ["spec.scope", spec.scope, storedSpec.scope],
    ["spec.names.kind", spec.names?.kind, storedSpec.names?.kind]
  ]
  const fixedAlways: ReadonlyArray<FieldChange> = [
    ["spec.group", spec.group, storedSpec.group],
    ["spec.names.plural", spec.names?.plural, storedSpec.names?.plural]
  ]
  return [
    ...specProblems(spec),
    ...[...(isEstablished ? fixedWhenEstablished : []), ...fixedAlways].flatMap(
      ([field, value, storedValue]) => (value === storedValue ? [] : [immutableField(field, value ?? "")])
    ),
    ...storedVersionProblems(spec, stored)
  ]
}

type FieldChange = readonly [field: string, value: string | undefined, stored: string | undefined]

const nameProblems = (
  { metadata }: DefinitionDraft,
  { names, group }: Partial<DefinitionSpec>
): FieldErrors => {
  const { name = "" } = metadata
  const expectedName = `${names?.plural ?? ""}.${group ?? ""}`
  return name === expectedName
    ? []
    : [invalidField("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]
}

const approvalAnnotation = "api-approved.kubernetes.io"

const approvalProblems = (
  { metadata }: DefinitionDraft,
  { group = "" }: Partial<DefinitionSpec>
): FieldErrors => {
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) return []
  const reference = "see https://github.com/kubernetes/enhancements/pull/1111"
  const field = `metadata.annotations[${approvalAnnotation}]`
  return (metadata.annotations?.[approvalAnnotation] ?? "") === ""
    ? [
        requiredValue(
          field,
          `protected groups must have approval annotation ${JSON.stringify(approvalAnnotation)}, ${reference}`
        )
      ]
    : []
}

const specProblems = (spec: Partial<DefinitionSpec>): FieldErrors => {
  const { group = "", scope = "", versions = [], names, conversion, preserveUnknownFields = false } = spec
  const strategy = conversion?.strategy ?? "None"
  return [
    ...groupProblems(group),
    ...(scope === ""
      ? [requiredValue("spec.scope")]
      : validateChoice("spec.scope", scope, ["Cluster", "Namespaced"])),
    ...(preserveUnknownFields ? [invalidField("spec.preserveUnknownFields", true, "must be false")] : []),
    ...versionsProblems(versions),
    ...namesProblems(names),
    ...validateChoice("spec.conversion.strategy", strategy, ["None", "Webhook"]),
    // Unlike Kubernetes, conversion webhooks are not supported.
    ...(strategy === "Webhook"
      ? [forbiddenField("spec.conversion.strategy", "webhooks are not called here")]
      : [])
  ]
}

const validateChoice = (field: string, value: string, allowed: ReadonlyArray<string>): FieldErrors =>
  allowed.includes(value) ? [] : [unsupportedValue(field, value, allowed)]

const groupProblems = (group: string): FieldErrors => {
  if (group === "") return [requiredValue("spec.group")]
  const problems = subdomainProblems(group)
  if (problems.length > 0) return [invalidField("spec.group", group, problems.join(","))]
  return group.includes(".")
    ? []
    : [invalidField("spec.group", group, "should be a domain with at least one dot")]
}

const versionsProblems = (versions: ReadonlyArray<DefinitionVersion>): FieldErrors => {
  const names = versions.map(({ name }) => name)
  const storageVersionCount = versions.filter(({ storage }) => storage).length
  return [
    ...versions.flatMap((version, index) => versionProblems(version, `spec.versions[${index}]`)),
    ...(new Set(names).size === names.length
      ? []
      : [invalidField("spec.versions", versions, "must contain unique version names")]),
    ...(storageVersionCount === 1
      ? []
      : [invalidField("spec.versions", versions, "must have exactly one version marked as storage version")])
  ]
}

const versionProblems = (version: Partial<DefinitionVersion>, path: string): FieldErrors => {
  const { name = "", schema, subresources, additionalPrinterColumns = [] } = version
  const problems = label1035Problems(name)
  const columnErrors = additionalPrinterColumns.flatMap((column, index) =>
    columnProblems(column, `${path}.additionalPrinterColumns[${index}]`)
  )
  const schemaPath = `${path}.schema.openAPIV3Schema`
  return [
    ...(problems.length === 0 ? [] : [invalidField(`${path}.name`, name, problems.join(","))]),
    ...(schema?.openAPIV3Schema === undefined
      ? [requiredValue(schemaPath, "schemas are required")]
      : structuralSchemaErrors(schema.openAPIV3Schema, schemaPath)),
    ...(subresources?.scale === undefined
      ? []
      : scaleProblems(subresources.scale, `${path}.subresources.scale`)),
    ...columnErrors
  ]
}

const columnTypes = ["boolean", "date", "integer", "number", "string"]

const columnProblems = ({ name, type, jsonPath }: Partial<PrinterColumn>, path: string): FieldErrors => {
  const typeRule = `must be one of ${columnTypes.join(",")}`
  return [
    ...(name ? [] : [requiredValue(`${path}.name`)]),
    ...(type === undefined || type === ""
      ? [requiredValue(`${path}.type`, typeRule)]
      : columnTypes.includes(type)
        ? []
        : [invalidField(`${path}.type`, type, typeRule)]),
    ...(jsonPath ? pathProblems(jsonPath, `${path}.jsonPath`) : [requiredValue(`${path}.jsonPath`)])
  ]
}

const pathProblems = (path: string, field: string): FieldErrors =>
  path.startsWith(".") ? [] : [invalidField(field, path, "must be a simple json path starting with .")]

const scaleProblems = (scale: Partial<ScalePaths>, path: string): FieldErrors => {
  const validatePath = (
    field: keyof ScalePaths,
    { parentField, isRequired }: { readonly parentField: string; readonly isRequired: boolean }
  ): FieldErrors => {
    const value = scale[field] ?? ""
    const fieldPath = `${path}.${field}`
    if (value === "") return isRequired ? [requiredValue(fieldPath)] : []
    const problems = pathProblems(value, fieldPath)
    if (problems.length > 0 || value.startsWith(`.${parentField}.`)) return problems
    return [invalidField(fieldPath, value, `should be a json path under .${parentField}`)]
  }
  return [
    ...validatePath("specReplicasPath", { parentField: "spec", isRequired: true }),
    ...validatePath("statusReplicasPath", { parentField: "status", isRequired: true }),
    ...(scale.labelSelectorPath?.startsWith(".spec.") === true
      ? []
      : validatePath("labelSelectorPath", { parentField: "status", isRequired: false }))
  ]
}

const namesProblems = (names: Partial<DefinitionNames> = {}): FieldErrors => {
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names
  const missing = Object.entries({ plural, singular, kind, listKind }).flatMap(([field, name]) =>
    name === "" ? [requiredValue(`spec.names.${field}`)] : []
  )
  const validateLabel = (
    field: string,
    name: string,
    { mixedCase = false } = {}
  ): ReadonlyArray<FieldError> => {
    const problems = name === "" ? [] : label1035Problems(mixedCase ? name.toLowerCase() : name)
    const prefix = mixedCase ? "may have mixed case, but should otherwise match: " : ""
    return problems.length === 0
      ? []
      : [invalidField(`spec.names.${field}`, name, `${prefix}${problems.join(",")}`)]
  }
  return [
    ...missing,
    ...validateLabel("plural", plural),
    ...validateLabel("singular", singular),
    ...validateLabel("kind", kind, { mixedCase: true }),
    ...validateLabel("listKind", listKind, { mixedCase: true }),
    ...shortNames.flatMap((name, index) => validateLabel(`shortNames[${index}]`, name)),
    ...(kind !== "" && kind === listKind
      ? [invalidField("spec.names.listKind", listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((name, index) => validateLabel(`categories[${index}]`, name))
  ]
}

const storedVersionProblems = (
  { versions = [] }: Partial<DefinitionSpec>,
  { status }: DefinitionDraft
): FieldErrors =>
  (status?.storedVersions ?? []).flatMap((stored, index) => {
    if (versions.some(({ name }) => name === stored)) return []
    const why =
      `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions ` +
      `until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from ` +
      "status.storedVersions"
    return [invalidField(`status.storedVersions[${index}]`, stored, why)]
  })
