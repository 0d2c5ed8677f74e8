import type { KeyToPath, Volume, VolumeMount } from "kubernetes-types/core/v1.js"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  valueNotFound,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { labelProblems } from "../../validation/nameRules.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

/** Source: pkg/apis/core/validation/validation.go (ValidateVolumes, ValidateVolumeMounts). */
export const validateVolumes = (
  volumes: ReadonlyArray<ShallowPartial<Volume>>,
  path: string
): { readonly errors: FieldErrors; readonly names: ReadonlySet<string> } => {
  const errors: Array<FieldError> = []
  const names = new Set<string>()
  for (const [index, { name = "", ...sources }] of volumes.entries()) {
    const problems = validateVolume({ name, sources, path: `${path}[${index}]`, names })
    if (problems.length === 0) names.add(name)
    errors.push(...problems)
  }
  return { errors, names }
}

type Sources = ShallowPartial<Omit<Volume, "name">>

const validateVolume = (options: {
  readonly name: string
  readonly sources: Sources
  readonly path: string
  readonly names: ReadonlySet<string>
}): FieldErrors => {
  const { name, sources, path, names } = options
  const errors = [
    ...validateSources(sources, path),
    ...validateModes(sources, path),
    ...validateFiles(sources, path)
  ]
  if (name === "") errors.push(requiredValue(`${path}.name`))
  else for (const problem of labelProblems(name)) errors.push(invalidField(`${path}.name`, name, problem))
  if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name))
  return errors
}

/** Further sources are forbidden. Defaults have turned a missing source into emptyDir. */
const validateSources = (sources: Sources, path: string): FieldErrors => {
  const [first = "", ...others] = Object.keys(sources)
  const sourceRule = sourceRules(sources)[first]
  return [
    ...(sourceRule === undefined || sourceRule.value
      ? noErrors
      : [requiredValue(`${path}.${first}.${sourceRule.field}`)]),
    ...others.map((source) => forbiddenField(`${path}.${source}`, "may not specify more than 1 volume type"))
  ]
}

const validateModes = ({ secret, configMap, downwardAPI, projected }: Sources, path: string): FieldErrors => [
  ...validateDefaultMode(secret, `${path}.secret`),
  ...validateDefaultMode(configMap, `${path}.configMap`),
  ...validateDefaultMode(downwardAPI, `${path}.downwardAPI`),
  ...validateDefaultMode(projected, `${path}.projected`)
]

const validateDefaultMode = ({ defaultMode, items = [] }: ModesOfSource = {}, path: string): FieldErrors => [
  ...validateMode(defaultMode, `${path}.defaultMode`),
  ...items.flatMap((item, index) => validateMode(item?.mode, `${path}.items[${index}].mode`))
]

interface ModesOfSource {
  readonly defaultMode?: number | undefined
  readonly items?: ReadonlyArray<{ readonly mode?: number | undefined } | undefined> | undefined
}

const validateMode = (mode: number | undefined, path: string): FieldErrors =>
  mode === undefined || (mode >= 0 && mode <= 0o777)
    ? noErrors
    : [invalidField(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")]

type FileItem = ShallowPartial<KeyToPath> | undefined

/** Source: pkg/apis/core/validation/validation.go (validateKeyToPath, validateProjectionSources). */
const validateFiles = ({ secret, configMap, projected }: Sources, path: string): FieldErrors => [
  ...validateKeys(secret?.items, `${path}.secret.items`),
  ...validateKeys(configMap?.items, `${path}.configMap.items`),
  ...validateProjection(projected, `${path}.projected`)
]

const validateKeys = (items: ReadonlyArray<FileItem> = [], path: string): FieldErrors =>
  items.flatMap((item, index) => {
    const { key = "", path: target = "" } = item ?? {}
    return [
      ...(key === "" ? [requiredValue(`${path}[${index}].key`)] : noErrors),
      ...(target === ""
        ? [requiredValue(`${path}[${index}].path`)]
        : validateReservedPath(target, `${path}[${index}].path`))
    ]
  })

const validateProjection = (projected: Sources["projected"], path: string): FieldErrors => {
  const taken = new Set<string>()
  return (projected?.sources ?? []).flatMap((source, index) => {
    const { secret, configMap, downwardAPI, serviceAccountToken } = source ?? {}
    const sourcePath = `${path}.sources[${index}]`
    const conflictsOf = (
      items: ReadonlyArray<{ readonly path?: string | undefined } | undefined> = [],
      sourceName?: string
    ): FieldErrors =>
      items.flatMap((item) => {
        const target = item?.path ?? ""
        if (target === "") return noErrors
        const isTaken = taken.has(target)
        taken.add(target)
        return isTaken ? [invalidField(path, sourceName ?? target, "conflicting duplicate paths")] : noErrors
      })
    return [
      ...validateKeys(secret?.items, `${sourcePath}.secret.items`),
      ...validateKeys(configMap?.items, `${sourcePath}.configMap.items`),
      ...conflictsOf(secret?.items, secret?.name ?? ""),
      ...conflictsOf(configMap?.items, configMap?.name ?? ""),
      ...conflictsOf(downwardAPI?.items),
      ...conflictsOf([serviceAccountToken])
    ]
  })
}

interface SourceRule {
  readonly field: string
  readonly value: string | undefined
}

const sourceRules = (sources: Sources): Readonly<Record<string, SourceRule>> => {
  const { secret, configMap, hostPath, persistentVolumeClaim } = sources
  return {
    secret: { field: "secretName", value: secret?.secretName },
    configMap: { field: "name", value: configMap?.name },
    hostPath: { field: "path", value: hostPath?.path },
    persistentVolumeClaim: { field: "claimName", value: persistentVolumeClaim?.claimName }
  }
}

export const validateVolumeMounts = (
  mounts: ReadonlyArray<ShallowPartial<VolumeMount>> | undefined,
  { path, volumeNames }: { readonly path: string; readonly volumeNames: ReadonlySet<string> }
): FieldErrors => {
  if (mounts === undefined) return noErrors
  const errors: Array<FieldError> = []
  const paths = new Set<string>()
  for (const [index, { name = "", mountPath = "", subPath = "", subPathExpr = "" }] of mounts.entries()) {
    const field = `${path}[${index}]`
    if (name === "") errors.push(requiredValue(`${field}.name`))
    if (!volumeNames.has(name)) errors.push(valueNotFound(`${field}.name`, name))
    if (mountPath === "") errors.push(requiredValue(`${field}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalidField(`${field}.mountPath`, mountPath, "must be unique"))
    paths.add(mountPath)
    // These paths lack the index, as in Kubernetes.
    errors.push(...validateRelativePath(subPath, `${path}.subPath`))
    if (subPath !== "" && subPathExpr !== "") {
      errors.push(
        invalidField(`${field}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive")
      )
    }
    errors.push(...validateRelativePath(subPathExpr, `${path}.subPathExpr`))
  }
  return errors
}

/** Names that begin with two dots are those of the kubelet. */
const validateReservedPath = (target: string, path: string): FieldErrors => {
  const errors = validateRelativePath(target, path)
  const isReserved = target.startsWith("..") && !target.startsWith("../") && target !== ".."
  return isReserved ? [...errors, invalidField(path, target, "must not start with '..'")] : errors
}

const validateRelativePath = (target: string, path: string): FieldErrors => [
  ...(target.startsWith("/") ? [invalidField(path, target, "must be a relative path")] : noErrors),
  ...(target.split("/").includes("..") ? [invalidField(path, target, "must not contain '..'")] : noErrors)
]
