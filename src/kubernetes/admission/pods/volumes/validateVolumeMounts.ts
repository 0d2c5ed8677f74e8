import type { Container, VolumeMount } from "kubernetes-types/core/v1.js"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  valueNotFound,
  type FieldError,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import type { ShallowPartial } from "../../../validation/partialTypes.ts"

type Mounts = ReadonlyArray<ShallowPartial<VolumeMount>>

/** Source: pkg/apis/core/validation/validation.go (ValidateVolumeMounts). */
export const validateVolumeMounts = (
  { volumeMounts, securityContext }: ShallowPartial<Container>,
  { path, volumeNames }: { readonly path: string; readonly volumeNames: ReadonlySet<string> }
): FieldErrors => {
  if (volumeMounts === undefined) return noErrors
  const errors: Array<FieldError> = []
  const paths = new Set<string>()
  for (const [index, mount] of (volumeMounts as Mounts).entries()) {
    const field = `${path}[${index}]`
    const { name = "", mountPath = "", subPath = "", subPathExpr = "", mountPropagation } = mount
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
    const isPrivileged = securityContext?.privileged === true
    errors.push(...validatePropagation(mountPropagation, `${path}.mountPropagation`, isPrivileged))
  }
  return errors
}

const propagations: ReadonlyArray<string> = ["Bidirectional", "HostToContainer", "None"]

const validatePropagation = (
  propagation: string | undefined,
  path: string,
  isPrivileged: boolean
): FieldErrors => {
  if (propagation === undefined) return noErrors
  if (!propagations.includes(propagation)) return [unsupportedValue(path, propagation, propagations)]
  return propagation === "Bidirectional" && !isPrivileged
    ? [forbiddenField(path, "Bidirectional mount propagation is available only to privileged containers")]
    : noErrors
}

export const validateRelativePath = (target: string, path: string): FieldErrors => [
  ...(target.startsWith("/") ? [invalidField(path, target, "must be a relative path")] : noErrors),
  ...(target.split("/").includes("..") ? [invalidField(path, target, "must not contain '..'")] : noErrors)
]
