import type * as Core from "kubernetes-types/core/v1.js"
import { parseQuantity, milliValueOf } from "../../../meta/amounts/quantity.ts"
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
import { subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateOptionalName, validateRequiredName } from "../../../validation/validateNames.ts"
import { validateNodeSelector } from "../../pods/placement/validateNodeSelector.ts"
import { validateAccessModes, validatePositiveQuantity, volumeModes } from "./validateClaim.ts"
import { validateVolumeSource, volumeSourceNames, type VolumeSources } from "./validateVolumeSource.ts"

interface VolumeDraft extends Draft {
  readonly spec?: VolumeSpec
}

type VolumeSpec = DeepPartial<Core.PersistentVolumeSpec>

const reclaimPolicies = ["Delete", "Recycle", "Retain"]

/** Source: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec). */
export const validateVolume = ({ spec = {} }: VolumeDraft): FieldErrors => {
  const { accessModes = [], nodeAffinity, hostPath } = spec
  const policy = spec.persistentVolumeReclaimPolicy || undefined
  const policyPath = "spec.persistentVolumeReclaimPolicy"
  const isHostRoot = hostPath !== undefined && /^\/*$/.test(hostPath.path ?? "") && hostPath.path !== ""
  return [
    ...(accessModes.length === 0 ? [requiredValue("spec.accessModes")] : noErrors),
    ...validateAccessModes(accessModes, "spec.accessModes"),
    ...validateCapacity(spec.capacity ?? {}),
    ...validateOptionalOneOf(policy, reclaimPolicies, policyPath),
    ...(nodeAffinity === undefined ? noErrors : validateAffinity(nodeAffinity)),
    ...validateOneSource(spec),
    ...(isHostRoot && policy === "Recycle"
      ? [forbiddenField(policyPath, "may not be 'recycle' for a hostPath mount of '/'")]
      : noErrors),
    ...validateOptionalName(subdomainProblems, spec.storageClassName, "spec.storageClassName"),
    ...validateOptionalOneOf(spec.volumeMode, volumeModes, "spec.volumeMode"),
    ...validateAttributesClass(spec)
  ]
}

const validateCapacity = (capacity: Readonly<Record<string, string>>): FieldErrors => {
  const path = "spec.capacity"
  const entries = Object.entries(capacity)
  const isStorageAlone = entries.length === 1 && capacity["storage"] !== undefined
  return [
    ...(entries.length === 0 ? [requiredValue(path)] : noErrors),
    ...(isStorageAlone
      ? noErrors
      : [unsupportedValue(path, entries.length === 0 ? undefined : capacity, ["storage"])]),
    ...entries.flatMap(([name, amount]) => validateAmount(amount, `${path}[${name}]`))
  ]
}

const validateAmount = (amount: string, path: string): FieldErrors => {
  const quantity = parseQuantity(amount)
  const isNegative = quantity !== undefined && quantity.nanos < 0n
  return [
    ...(isNegative
      ? [invalidField(path, Number(milliValueOf(quantity) / 1000n), "must be a valid resource quantity")]
      : noErrors),
    ...validatePositiveQuantity(amount, path)
  ]
}

const validateAffinity = ({ required }: DeepPartial<Core.VolumeNodeAffinity>): FieldErrors =>
  required === undefined
    ? [requiredValue("spec.nodeAffinity.required", "must specify required node constraints")]
    : validateNodeSelector(required, "spec.nodeAffinity.required")

const sourcesOf = (spec: VolumeSpec): VolumeSources =>
  Object.fromEntries(
    volumeSourceNames.filter((name) => spec[name] !== undefined).map((name) => [name, spec[name]])
  )

const validateOneSource = (spec: VolumeSpec): FieldErrors => {
  const sources = sourcesOf(spec)
  const [first, ...others] = volumeSourceNames.filter((name) => sources[name] !== undefined)
  if (first === undefined) return [requiredValue("spec", "must specify a volume type")]
  return [
    ...validateVolumeSource(first, sources, `spec.${first}`),
    ...(first === "local" && spec.nodeAffinity === undefined
      ? [requiredValue("spec.nodeAffinity", "Local volume requires node affinity")]
      : noErrors),
    ...others.map((name) =>
      // Upstream writes this one path differently.
      forbiddenField(`spec.${name === "cephfs" ? "cephFS" : name}`, "may not specify more than 1 volume type")
    )
  ]
}

const validateAttributesClass = ({ volumeAttributesClassName: name, csi }: VolumeSpec): FieldErrors =>
  name === undefined
    ? noErrors
    : [
        ...validateRequiredName(subdomainProblems, name, {
          path: "spec.volumeAttributesClassName",
          why: "an empty string is disallowed"
        }),
        ...(csi === undefined
          ? [requiredValue("spec.csi", "has to be specified when using volumeAttributesClassName")]
          : noErrors)
      ]

export const validateVolumeUpdate = (volume: VolumeDraft, { spec: old = {} }: VolumeDraft): FieldErrors => {
  const { spec = {} } = volume
  const [before, after] = [sourcesOf(old), withoutFirstExpandSecret(sourcesOf(spec), old)]
  const rule = "spec.persistentvolumesource is immutable after creation"
  const isClassRemoved =
    old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined
  return [
    ...validateVolume(volume),
    ...(isUnchanged(after, before)
      ? noErrors
      : [forbiddenField("spec.persistentvolumesource", [rule, ...describeChange(before, after)].join("\n"))]),
    ...validateUnchanged(spec.volumeMode, old.volumeMode, "volumeMode"),
    ...(old.nodeAffinity === undefined
      ? noErrors
      : validateUnchanged(spec.nodeAffinity, old.nodeAffinity, "nodeAffinity")),
    ...(isClassRemoved
      ? [forbiddenField("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")]
      : noErrors)
  ]
}

/** The Secret for expanding a volume may be added later. */
const withoutFirstExpandSecret = (sources: VolumeSources, { csi: old }: VolumeSpec): VolumeSources => {
  const { csi } = sources
  if (csi === undefined || old === undefined || old.controllerExpandSecretRef !== undefined) return sources
  const { controllerExpandSecretRef: _first, ...rest } = csi
  return { ...sources, csi: rest }
}
