import type * as Core from "kubernetes-types/core/v1.js"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  duplicateValue,
  forbiddenField,
  immutableField,
  invalidField,
  noErrors,
  requiredValue,
  valueTooLong,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { isUnchanged } from "../../../validation/immutableFields.ts"
import { qualifiedNameProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateDriverName } from "./validateVolumeSource.ts"

type StorageClassDraft = Draft & DeepPartial<Omit<Storage.StorageClass, keyof Draft>>

const reclaimPolicies = ["Delete", "Retain"]
const bindingModes = ["Immediate", "WaitForFirstConsumer"]

/**
 * Source: pkg/apis/storage/validation/validation.go (ValidateStorageClass,
 * ValidateVolumeAttributesClass).
 */
export const validateStorageClass = (storageClass: StorageClassDraft): FieldErrors => {
  const { provisioner = "", parameters = {}, allowedTopologies = [] } = storageClass
  return [
    ...(provisioner === ""
      ? [requiredValue("provisioner")]
      : qualifiedNameProblems(provisioner.toLowerCase()).map((problem) =>
          invalidField("provisioner", provisioner.toLowerCase(), problem)
        )),
    ...validateParameters(parameters),
    ...validateOptionalOneOf(storageClass.reclaimPolicy || undefined, reclaimPolicies, "reclaimPolicy"),
    ...validateOptionalOneOf(storageClass.volumeBindingMode, bindingModes, "volumeBindingMode"),
    ...validateTopologies(allowedTopologies)
  ]
}

type TopologyTerm = DeepPartial<Core.TopologySelectorTerm>

/** Source: pkg/apis/core/validation/validation.go (ValidateTopologySelectorTerm). */
const validateTopologies = (terms: ReadonlyArray<TopologyTerm>): FieldErrors => {
  const termTexts = terms.map(topologyText)
  return terms.flatMap(({ matchLabelExpressions = [] }, index) => {
    const path = `allowedTopologies[${index}].matchLabelExpressions`
    // Kubernetes reports an empty term as a duplicate, even the only one.
    const isDuplicate =
      matchLabelExpressions.length === 0 || termTexts.indexOf(termTexts[index] ?? "") < index
    return [
      ...matchLabelExpressions.flatMap((requirement, position) =>
        validateRequirement(requirement, `${path}[${position}]`, {
          isRepeated: matchLabelExpressions.findIndex(({ key }) => key === requirement.key) < position
        })
      ),
      ...(isDuplicate ? [duplicateValue(path, "")] : noErrors)
    ]
  })
}

/** The text is equal for terms that allow the same nodes. */
const topologyText = ({ matchLabelExpressions = [] }: TopologyTerm): string =>
  JSON.stringify(
    matchLabelExpressions
      .map(({ key = "", values = [] }) => JSON.stringify([key, ...[...values].sort()]))
      .sort()
  )

const validateRequirement = (
  { key = "", values = [] }: DeepPartial<Core.TopologySelectorLabelRequirement>,
  path: string,
  { isRepeated }: { readonly isRepeated: boolean }
): FieldErrors => [
  ...(values.length === 0 ? [requiredValue(`${path}.values`)] : noErrors),
  ...values.flatMap((value, index) =>
    values.indexOf(value) < index ? [duplicateValue(`${path}.values[${index}]`, value)] : noErrors
  ),
  ...qualifiedNameProblems(key).map((problem) => invalidField(`${path}.key`, key, problem)),
  ...(isRepeated ? [duplicateValue(`${path}.key`, key)] : noErrors)
]

const parametersMax = 512
const parameterBytesMax = 256 * 1024

const validateParameters = (parameters: Readonly<Record<string, string>>): FieldErrors => {
  const entries = Object.entries(parameters)
  if (entries.length > parametersMax) return [valueTooLong("parameters", parametersMax)]
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0
  )
  return [
    ...entries.flatMap(([key]) =>
      key === "" ? [invalidField("parameters", key, "field can not be empty.")] : []
    ),
    ...(bytes > parameterBytesMax ? [valueTooLong("parameters", parameterBytesMax)] : noErrors)
  ]
}

const forbiddenChange = (field: string, value: unknown, old: unknown): FieldErrors =>
  isUnchanged(value, old) ? noErrors : [forbiddenField(field, `updates to ${field} are forbidden.`)]

export const validateStorageClassUpdate = (
  storageClass: StorageClassDraft,
  old: StorageClassDraft
): FieldErrors => {
  const mode = storageClass.volumeBindingMode ?? "Immediate"
  return [
    ...validateStorageClass(storageClass),
    ...forbiddenChange("parameters", storageClass.parameters ?? {}, old.parameters ?? {}),
    ...forbiddenChange("provisioner", storageClass.provisioner, old.provisioner),
    ...forbiddenChange(
      "reclaimPolicy",
      storageClass.reclaimPolicy ?? "Delete",
      old.reclaimPolicy ?? "Delete"
    ),
    ...(mode === (old.volumeBindingMode ?? "Immediate")
      ? noErrors
      : [immutableField("volumeBindingMode", mode)])
  ]
}

interface AttributesClassDraft extends Draft {
  readonly driverName?: string
  readonly parameters?: Readonly<Record<string, string>>
}

export const validateVolumeAttributesClass = ({
  driverName,
  parameters = {}
}: AttributesClassDraft): FieldErrors => [
  ...validateDriverName(driverName, "driverName"),
  ...(Object.keys(parameters).length === 0
    ? [requiredValue("parameters", "must contain at least one key/value pair")]
    : validateParameters(parameters))
]

export const validateVolumeAttributesClassUpdate = (
  attributesClass: AttributesClassDraft,
  old: AttributesClassDraft
): FieldErrors => [
  ...forbiddenChange("driverName", attributesClass.driverName, old.driverName),
  ...forbiddenChange("parameters", attributesClass.parameters ?? {}, old.parameters ?? {})
]
