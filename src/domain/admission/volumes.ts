import type { Volume, VolumeMount } from "kubernetes-types/core/v1.js"
import {
  duplicate,
  forbidden,
  invalid,
  noErrors,
  notFound,
  required,
  type FieldError,
  type FieldErrors
} from "./fieldErrors.ts"
import { labelProblems } from "./names.ts"
import type { Loose } from "./sharing.ts"

/**
 * The volumes of a Pod and where its containers mount them.
 *
 * Source: pkg/apis/core/validation/validation.go (ValidateVolumes, ValidateVolumeMounts).
 */
export const validateVolumes = (
  volumes: ReadonlyArray<Loose<Volume>> | undefined,
  path: string
): FieldErrors => {
  if (volumes === undefined) return noErrors
  const names = new Set<string>()
  return volumes.flatMap((volume, index) => validateVolume(volume, { path: `${path}[${index}]`, names }))
}

const validateVolume = (
  volume: Loose<Volume>,
  { path, names }: { readonly path: string; readonly names: Set<string> }
): FieldErrors => {
  const { name = "", ...sources } = volume
  const errors = [...validateSources(sources, path)]
  if (name === "") errors.push(required(`${path}.name`))
  else for (const problem of labelProblems(name)) errors.push(invalid(`${path}.name`, name, problem))
  if (names.has(name)) errors.push(duplicate(`${path}.name`, name))
  names.add(name)
  return errors
}

const validateSources = (sources: Loose<Omit<Volume, "name">>, path: string): FieldErrors => {
  const [first, ...others] = Object.keys(sources)
  if (first === undefined) return [required(path, "must specify a volume type")]
  const errors: Array<FieldError> = others.map((source) =>
    forbidden(`${path}.${source}`, "may not specify more than 1 volume type")
  )
  const needed: ReadonlyArray<readonly [field: string, value: string | undefined]> = [
    ["secret.secretName", sources.secret === undefined ? "-" : sources.secret.secretName],
    ["configMap.name", sources.configMap === undefined ? "-" : sources.configMap.name],
    ["hostPath.path", sources.hostPath === undefined ? "-" : sources.hostPath.path],
    ["persistentVolumeClaim.claimName", claimNameOf(sources)]
  ]
  for (const [field, value] of needed) if ((value ?? "") === "") errors.push(required(`${path}.${field}`))
  return errors
}

const claimNameOf = ({ persistentVolumeClaim: claim }: Loose<Omit<Volume, "name">>): string | undefined =>
  claim === undefined ? "-" : claim.claimName

/** What a Pod has for its containers to mount. */
export const volumeNamesOf = (volumes: ReadonlyArray<Loose<Volume>> | undefined): ReadonlySet<string> =>
  new Set((volumes ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])))

export const validateVolumeMounts = (
  mounts: ReadonlyArray<Loose<VolumeMount>> | undefined,
  { path, volumes }: { readonly path: string; readonly volumes: ReadonlySet<string> }
): FieldErrors => {
  if (mounts === undefined) return noErrors
  const errors: Array<FieldError> = []
  const paths = new Set<string>()
  for (const [index, { name = "", mountPath = "", subPath = "", subPathExpr = "" }] of mounts.entries()) {
    const field = `${path}[${index}]`
    if (name === "") errors.push(required(`${field}.name`))
    if (!volumes.has(name)) errors.push(notFound(`${field}.name`, name))
    if (mountPath === "") errors.push(required(`${field}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalid(`${field}.mountPath`, mountPath, "must be unique"))
    paths.add(mountPath)
    // The path of these errors lacks the index, as it does in Kubernetes.
    if (subPath !== "") errors.push(...validateDescendingPath(subPath, `${path}.subPath`))
    if (subPathExpr === "") continue
    if (subPath !== "") {
      errors.push(
        invalid(`${field}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive")
      )
    }
    errors.push(...validateDescendingPath(subPathExpr, `${path}.subPathExpr`))
  }
  return errors
}

const validateDescendingPath = (target: string, path: string): FieldErrors => [
  ...(target.startsWith("/") ? [invalid(path, target, "must be a relative path")] : noErrors),
  ...(target.split("/").includes("..") ? [invalid(path, target, "must not contain '..'")] : noErrors)
]
