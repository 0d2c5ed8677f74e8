import type { Volume } from "kubernetes-types/core/v1.js"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { labelProblems } from "../../../validation/nameRules.ts"
import { validateVolumeSource } from "../../kinds/storage/validateVolumeSource.ts"
import {
  requireField,
  validateDownwardFiles,
  validateKeyFiles,
  validateMode,
  validateProjectedVolume
} from "./validateVolumeFiles.ts"
import type { ShallowPartial } from "../../../validation/partialTypes.ts"

/** Source: pkg/apis/core/validation/validation.go (ValidateVolumes). */
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
  const errors = validateSources(sources, path)
  if (name === "") errors.push(requiredValue(`${path}.name`))
  else for (const problem of labelProblems(name)) errors.push(invalidField(`${path}.name`, name, problem))
  if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name))
  return errors
}

/** Further sources are forbidden. Defaults have turned a missing source into emptyDir. */
const validateSources = (sources: Sources, path: string): Array<FieldError> => {
  const [first = "", ...others] = Object.keys(sources)
  return [
    ...validateSource(sources, path, first),
    ...others.map((source) => forbiddenField(`${path}.${source}`, "may not specify more than 1 volume type"))
  ]
}

/** Unlike Kubernetes, sources of the former in-tree drivers are not checked. */
const validateSource = (sources: Sources, path: string, name: string): FieldErrors => {
  const { secret, configMap, downwardAPI, persistentVolumeClaim, projected } = sources
  const sourcePath = `${path}.${name}`
  switch (name) {
    case "secret":
      return [
        ...requireField(secret?.secretName, `${sourcePath}.secretName`),
        ...validateDefaultMode(secret, sourcePath),
        ...validateKeyFiles(secret?.items, `${sourcePath}.items`)
      ]
    case "configMap":
      return [
        ...requireField(configMap?.name, `${sourcePath}.name`),
        ...validateDefaultMode(configMap, sourcePath),
        ...validateKeyFiles(configMap?.items, `${sourcePath}.items`)
      ]
    case "downwardAPI":
      return [
        ...validateDefaultMode(downwardAPI, sourcePath),
        ...validateDownwardFiles(downwardAPI?.items, sourcePath)
      ]
    case "projected":
      return [
        ...validateDefaultMode(projected, sourcePath),
        ...validateProjectedVolume(projected ?? {}, sourcePath)
      ]
    case "persistentVolumeClaim":
      return requireField(persistentVolumeClaim?.claimName, `${sourcePath}.claimName`)
    case "hostPath":
    case "nfs":
      return validateVolumeSource(name, sources, sourcePath)
    default:
      return noErrors
  }
}

const validateDefaultMode = (
  source: { readonly defaultMode?: number | undefined } | undefined,
  path: string
): FieldErrors => validateMode(source?.defaultMode, `${path}.defaultMode`)
