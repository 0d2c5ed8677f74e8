import type * as Core from "kubernetes-types/core/v1.js"
import { invalidField, noErrors, requiredValue, type FieldErrors } from "../../../validation/fieldErrors.ts"
import { validateFieldReference, validateResourceReference } from "../validateFieldReferences.ts"
import { validateRelativePath } from "./validateVolumeMounts.ts"
import type { ShallowPartial } from "../../../validation/partialTypes.ts"

/** The files of Secrets, ConfigMaps and the downward API, and of what projects several of them. */

export const requireField = (value: string | undefined, path: string): FieldErrors =>
  value === undefined || value === "" ? [requiredValue(path)] : noErrors

export const validateMode = (mode: number | undefined, path: string): FieldErrors =>
  mode === undefined || (mode >= 0 && mode <= 0o777)
    ? noErrors
    : [invalidField(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")]

type KeyFile = ShallowPartial<Core.KeyToPath> | undefined

/** Source: pkg/apis/core/validation/validation.go (validateKeyToPath). */
export const validateKeyFiles = (items: ReadonlyArray<KeyFile> = [], path: string): FieldErrors =>
  items.flatMap((item, index) => {
    const { key, path: target, mode } = item ?? {}
    return [
      ...requireField(key, `${path}[${index}].key`),
      ...validateFilePath(target, `${path}[${index}].path`),
      ...validateMode(mode, `${path}[${index}].mode`)
    ]
  })

type DownwardFile = ShallowPartial<Core.DownwardAPIVolumeFile> | undefined

const downwardFieldPaths: ReadonlyArray<string> = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid"
]

/**
 * These paths lack the index, as in Kubernetes. Source: pkg/apis/core/validation/validation.go
 * (validateDownwardAPIVolumeFile).
 */
export const validateDownwardFiles = (items: ReadonlyArray<DownwardFile> = [], path: string): FieldErrors =>
  items.flatMap((item) => {
    const { path: target, fieldRef, resourceFieldRef, mode } = item ?? {}
    return [
      ...validateFilePath(target, `${path}.path`),
      ...(fieldRef === undefined
        ? noErrors
        : validateFieldReference(fieldRef, `${path}.fieldRef`, downwardFieldPaths)),
      ...(fieldRef === undefined && resourceFieldRef !== undefined
        ? validateResourceReference(resourceFieldRef, `${path}.resourceFieldRef`, { needsContainer: true })
        : noErrors),
      ...validateOneReference(fieldRef, resourceFieldRef, path),
      ...validateMode(mode, `${path}.mode`)
    ]
  })

const validateOneReference = (
  fieldRef: object | undefined,
  resourceFieldRef: object | undefined,
  path: string
): FieldErrors => {
  if (fieldRef === undefined && resourceFieldRef === undefined)
    return [requiredValue(path, "one of fieldRef and resourceFieldRef is required")]
  return fieldRef !== undefined && resourceFieldRef !== undefined
    ? [invalidField(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")]
    : noErrors
}

const tokenSecondsMin = 600
const tokenSecondsMax = 2 ** 32

/** The path of the file lacks the source, as in Kubernetes. */
const validateToken = (
  { expirationSeconds, path: target }: ShallowPartial<Core.ServiceAccountTokenProjection>,
  { sourcePath, projectedPath }: { readonly sourcePath: string; readonly projectedPath: string }
): FieldErrors => {
  const seconds = expirationSeconds ?? tokenSecondsMin
  const problem =
    seconds < tokenSecondsMin
      ? "may not specify a duration less than 10 minutes"
      : seconds > tokenSecondsMax
        ? "may not specify a duration larger than 2^32 seconds"
        : undefined
  return [
    ...(problem === undefined
      ? noErrors
      : [invalidField(`${sourcePath}.expirationSeconds`, expirationSeconds, problem)]),
    ...validateFilePath(target, `${projectedPath}.path`)
  ]
}

/** Source: pkg/apis/core/validation/validation.go (validateProjectionSources). */
export const validateProjectedVolume = (
  projected: ShallowPartial<Core.ProjectedVolumeSource>,
  path: string
): FieldErrors => {
  const taken = new Set<string>()
  const duplicatePaths = (
    files: ReadonlyArray<{ readonly path?: string | undefined } | undefined> = [],
    sourceName?: string
  ): FieldErrors =>
    files.flatMap((file) => {
      const target = file?.path ?? ""
      if (target === "") return noErrors
      const isTaken = taken.has(target)
      taken.add(target)
      return isTaken ? [invalidField(path, sourceName ?? target, "conflicting duplicate paths")] : noErrors
    })
  return (projected.sources ?? []).flatMap((source, index) => {
    const { secret, configMap, downwardAPI, serviceAccountToken } = source ?? {}
    const sourcePath = `${path}.sources[${index}]`
    const errorsOfKeys = Object.entries({ secret, configMap }).flatMap(([field, keys]) =>
      keys === undefined
        ? []
        : [
            ...requireField(keys.name, `${sourcePath}.${field}.name`),
            ...validateKeyFiles(keys.items, `${sourcePath}.${field}.items`),
            ...duplicatePaths(keys.items, keys.name ?? "")
          ]
    )
    return [
      ...errorsOfKeys,
      ...validateDownwardFiles(downwardAPI?.items, `${sourcePath}.downwardAPI`),
      ...duplicatePaths(downwardAPI?.items),
      ...(serviceAccountToken === undefined
        ? noErrors
        : validateToken(serviceAccountToken, {
            sourcePath: `${sourcePath}.serviceAccountToken`,
            projectedPath: path
          })),
      ...duplicatePaths([serviceAccountToken])
    ]
  })
}

/** Names that begin with two dots are those of the kubelet. */
const validateFilePath = (target = "", path: string): FieldErrors => {
  if (target === "") return [requiredValue(path)]
  const errors = validateRelativePath(target, path)
  const isReserved = target.startsWith("..") && !target.startsWith("../") && target !== ".."
  return isReserved ? [...errors, invalidField(path, target, "must not start with '..'")] : errors
}
