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

/** Source: pkg/apis/core/validation/validation.go (ValidateVolumes, ValidateVolumeMounts). */
export const validateVolumes = (
  volumes: ReadonlyArray<Loose<Volume>>,
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

type Sources = Loose<Omit<Volume, "name">>

const validateVolume = (options: {
  readonly name: string
  readonly sources: Sources
  readonly path: string
  readonly names: ReadonlySet<string>
}): FieldErrors => {
  const { name, sources, path, names } = options
  const errors = [...validateSources(sources, path)]
  if (name === "") errors.push(required(`${path}.name`))
  else for (const problem of labelProblems(name)) errors.push(invalid(`${path}.name`, name, problem))
  if (names.has(name)) errors.push(duplicate(`${path}.name`, name))
  return errors
}

/**
 * Only the first source is validated; further ones are forbidden. Defaults have turned a missing source into
 * emptyDir.
 */
const validateSources = (sources: Sources, path: string): FieldErrors => {
  const [first = "", ...others] = Object.keys(sources)
  const sourceRule = sourceRules(sources)[first]
  return [
    ...(sourceRule === undefined || sourceRule.value
      ? noErrors
      : [required(`${path}.${first}.${sourceRule.field}`)]),
    ...others.map((source) => forbidden(`${path}.${source}`, "may not specify more than 1 volume type"))
  ]
}

interface SourceRule {
  readonly field: string
  readonly value: string | undefined
}

const sourceRules = (sources: Sources): Readonly<Record<string, SourceRule>> => {
  const { secret, configMap, hostPath, persistentVolumeClaim: claim } = sources
  return {
    secret: { field: "secretName", value: secret?.secretName },
    configMap: { field: "name", value: configMap?.name },
    hostPath: { field: "path", value: hostPath?.path },
    persistentVolumeClaim: { field: "claimName", value: claim?.claimName }
  }
}

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
    // These paths lack the index, as in Kubernetes.
    errors.push(...validateDescendingPath(subPath, `${path}.subPath`))
    if (subPath !== "" && subPathExpr !== "") {
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
