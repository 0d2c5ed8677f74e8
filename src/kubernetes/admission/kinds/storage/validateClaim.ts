import type * as Core from "kubernetes-types/core/v1.js"
import { formatQuantity, parseQuantity, quantityProblem } from "../../../meta/amounts/quantity.ts"
import type { Draft } from "../../../meta/objects.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { describeChange, isUnchanged, validateUnchanged } from "../../../validation/immutableFields.ts"
import { labelProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validateOptionalName } from "../../../validation/validateNames.ts"

interface ClaimDraft extends Draft {
  readonly spec?: ClaimSpec
  readonly status?: { readonly phase?: string; readonly capacity?: Readonly<Record<string, string>> }
}

type ClaimSpec = DeepPartial<Core.PersistentVolumeClaimSpec>

export const volumeModes: ReadonlyArray<string> = ["Block", "Filesystem"]

/**
 * Source: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaimSpec,
 * ValidatePersistentVolumeClaimUpdate).
 */
export const validateClaim = ({ spec = {} }: ClaimDraft): FieldErrors => validateClaimSpec(spec, "spec")

export const validateClaimSpec = (spec: ClaimSpec, path: string): FieldErrors => {
  const { accessModes = [], selector } = spec
  return [
    ...(accessModes.length === 0
      ? [requiredValue(`${path}.accessModes`, "at least 1 access mode is required")]
      : noErrors),
    ...(selector === undefined ? noErrors : validateLabelSelector(selector, `${path}.selector`)),
    ...validateAccessModes(accessModes, `${path}.accessModes`),
    ...validateStorageRequest(spec.resources?.requests?.["storage"], `${path}.resources[storage]`),
    ...validateOptionalName(subdomainProblems, spec.storageClassName, `${path}.storageClassName`),
    ...validateOptionalOneOf(spec.volumeMode, volumeModes, `${path}.volumeMode`),
    ...validateSource(spec.dataSource, `${path}.dataSource`),
    ...validateSource(spec.dataSourceRef, `${path}.dataSourceRef`),
    ...validateSourcesTogether(spec, path),
    ...validateOptionalName(
      subdomainProblems,
      spec.volumeAttributesClassName,
      `${path}.volumeAttributesClassName`
    )
  ]
}

const accessModeNames: ReadonlyArray<string> = [
  "ReadOnlyMany",
  "ReadWriteMany",
  "ReadWriteOnce",
  "ReadWriteOncePod"
]

/** ReadWriteOncePod excludes all other modes. */
export const validateAccessModes = (modes: ReadonlyArray<string>, path: string): FieldErrors => {
  const isExclusive = modes.includes("ReadWriteOncePod")
  const hasOthers = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModeNames.includes(mode))
  return [
    ...modes.flatMap((mode) =>
      accessModeNames.includes(mode) ? [] : [unsupportedValue(path, mode, accessModeNames)]
    ),
    ...(isExclusive && hasOthers
      ? [forbiddenField(path, "may not use ReadWriteOncePod with other access modes")]
      : noErrors)
  ]
}

const validateStorageRequest = (amount: string | undefined, path: string): FieldErrors =>
  amount === undefined ? [requiredValue(path)] : validatePositiveQuantity(amount, path)

export const validatePositiveQuantity = (amount: string | number, path: string): FieldErrors => {
  const quantity = parseQuantity(amount)
  if (quantity === undefined) return [invalidField(path, amount, quantityProblem)]
  return quantity.nanos > 0n
    ? noErrors
    : [invalidField(path, formatQuantity(quantity), "must be greater than zero")]
}

type SourceDraft = DeepPartial<Core.TypedObjectReference>

const validateSource = (source: SourceDraft | undefined, path: string): FieldErrors => {
  if (source === undefined) return noErrors
  const { name = "", kind = "", apiGroup = "" } = source
  const rule = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
  return [
    ...(name === "" ? [requiredValue(`${path}.name`)] : noErrors),
    ...(kind === "" ? [requiredValue(`${path}.kind`)] : noErrors),
    ...(apiGroup === "" && kind !== "PersistentVolumeClaim" ? [invalidField(path, kind, rule)] : noErrors),
    ...validateOptionalName(subdomainProblems, apiGroup, `${path}.apiGroup`),
    ...validateOptionalName(labelProblems, source.namespace, `${path}.namespace`)
  ]
}

/** Upstream prints an empty struct as the value in these messages. */
const validateSourcesTogether = ({ dataSource, dataSourceRef }: ClaimSpec, path: string): FieldErrors => {
  if (dataSource === undefined || dataSourceRef === undefined) return noErrors
  if ((dataSourceRef.namespace ?? "") !== "")
    return [invalidField(path, {}, "may not be specified when dataSourceRef.namespace is specified")]
  const isSame =
    dataSource.apiGroup === dataSourceRef.apiGroup &&
    dataSource.kind === dataSourceRef.kind &&
    dataSource.name === dataSourceRef.name
  return isSame ? noErrors : [invalidField(path, {}, "must match dataSourceRef")]
}

const immutableRule =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"

export const validateClaimUpdate = (claim: ClaimDraft, stored: ClaimDraft): FieldErrors => {
  const { spec = {} } = claim
  const { spec: old = {} } = stored
  const [before, after] = [withFirstVolumeName(old, spec), comparableSpec(claim, old)]
  return [
    ...validateClaimSpec(spec, "spec"),
    ...(isUnchanged(after, before)
      ? noErrors
      : [forbiddenField("spec", [immutableRule, ...describeChange(before, after)].join("\n"))]),
    ...validateSize(spec, stored),
    ...validateUnchanged(spec.volumeMode, old.volumeMode, "volumeMode"),
    ...validateAttributesClass(spec, old)
  ]
}

/** The name of the volume may be set once. */
const withFirstVolumeName = (old: ClaimSpec, spec: ClaimSpec): ClaimSpec =>
  (old.volumeName ?? "") === "" ? { ...old, volumeName: spec.volumeName } : old

/** The new spec with the stored values of the fields that may change. */
const comparableSpec = ({ spec = {}, status }: ClaimDraft, old: ClaimSpec): ClaimSpec => {
  const storageClassName = old.storageClassName === undefined ? undefined : spec.storageClassName
  const withClass = { ...spec, storageClassName }
  if (status?.phase !== "Bound") return withClass
  const requests = spec.resources?.requests
  return {
    ...withClass,
    ...(requests === undefined
      ? {}
      : {
          resources: {
            ...spec.resources,
            requests: { ...requests, storage: old.resources?.requests?.["storage"] ?? "0" }
          }
        }),
    ...(spec.volumeAttributesClassName === undefined
      ? {}
      : { volumeAttributesClassName: old.volumeAttributesClassName })
  }
}

const nanosOf = (amount: string | undefined): bigint => parseQuantity(amount ?? "0")?.nanos ?? 0n

/** After a failed expansion a request may be lowered, but stays above the volume's capacity. */
const validateSize = ({ resources }: ClaimSpec, { spec: old = {}, status = {} }: ClaimDraft): FieldErrors => {
  const size = nanosOf(resources?.requests?.["storage"])
  const isShrunk = size < nanosOf(old.resources?.requests?.["storage"])
  return isShrunk && size <= nanosOf(status.capacity?.["storage"])
    ? [forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity")]
    : noErrors
}

const validateAttributesClass = (
  { volumeAttributesClassName: name }: ClaimSpec,
  { volumeAttributesClassName: old }: ClaimSpec
): FieldErrors => {
  const path = "spec.volumeAttributesClassName"
  if (old === undefined || name === old) return noErrors
  if (name === undefined) return [forbiddenField(path, "update from non-nil value to nil is forbidden")]
  return name === ""
    ? [forbiddenField(path, "update from non-nil value to an empty string is forbidden")]
    : noErrors
}
