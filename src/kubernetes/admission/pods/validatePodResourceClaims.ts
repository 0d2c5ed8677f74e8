import type * as Core from "kubernetes-types/core/v1.js"
import {
  duplicateValue,
  invalidField,
  noErrors,
  requiredValue,
  valueNotFound,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { labelProblems, subdomainProblems } from "../../validation/nameRules.ts"
import { validateNameBy, validateOptionalName } from "../../validation/validateNames.ts"

/** Source: pkg/apis/core/validation/validation.go (validatePodResourceClaims). */
export interface PodResourceClaim {
  readonly name?: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

/** `kubernetes-types` lacks `resourceClaims`. */
export const podResourceClaimsOf = (spec: object): ReadonlyArray<PodResourceClaim> =>
  (spec as { readonly resourceClaims?: ReadonlyArray<PodResourceClaim> }).resourceClaims ?? []

export const validatePodResourceClaims = (spec: object, path: string): FieldErrors => {
  const claims = podResourceClaimsOf(spec)
  return claims.flatMap((claim, index) => {
    const claimPath = `${path}.resourceClaims[${index}]`
    const isTaken = claims.slice(0, index).some(({ name }) => name === claim.name)
    return [
      ...validateClaimName(claim.name, { path: `${claimPath}.name`, isTaken }),
      ...validateSource(claim, claimPath)
    ]
  })
}

const validateClaimName = (
  name = "",
  { path, isTaken }: { readonly path: string; readonly isTaken: boolean }
): FieldErrors => {
  if (name === "") return [requiredValue(path)]
  return isTaken ? [duplicateValue(path, name)] : validateNameBy(labelProblems, name, path)
}

const validateSource = (claim: PodResourceClaim, path: string): FieldErrors => {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = claim
  if (name === undefined && template === undefined) {
    const rule = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
    return [invalidField(path, claim, rule)]
  }
  const both = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
  return [
    ...(name === undefined || template === undefined ? noErrors : [invalidField(path, claim, both)]),
    ...(name === undefined ? noErrors : validateNameBy(subdomainProblems, name, `${path}.resourceClaimName`)),
    ...(template === undefined
      ? noErrors
      : validateNameBy(subdomainProblems, template, `${path}.resourceClaimTemplateName`))
  ]
}

export const podResourceClaimNames = (spec: object): ReadonlySet<string> =>
  new Set(podResourceClaimsOf(spec).flatMap(({ name = "" }) => (name === "" ? [] : [name])))

interface UsedClaim {
  readonly name?: string
  readonly request?: string
}

export const validateUsedClaims = (
  resources: Core.ResourceRequirements | undefined,
  { path, claimNames }: { readonly path: string; readonly claimNames: ReadonlySet<string> }
): FieldErrors => {
  const { claims: usedClaims } = (resources ?? {}) as { readonly claims?: ReadonlyArray<UsedClaim> }
  if (usedClaims === undefined) return noErrors
  const namesText = claimNames.size === 0 ? " which is empty" : `: ${[...claimNames].sort().join(", ")}`
  const usedKeys = new Set<string>()
  return usedClaims.flatMap(({ name = "", request = "" }, index) => {
    const claimPath = `${path}[${index}]`
    if (name === "") return [requiredValue(claimPath)]
    const key = request === "" ? name : `${name}/${request}`
    const isTaken = usedKeys.has(key)
    usedKeys.add(key)
    const detail = `must be one of the names in pod.spec.resourceClaims${namesText}`
    return [
      ...validateOptionalName(labelProblems, request, `${claimPath}.request`),
      ...(isTaken ? [duplicateValue(claimPath, key)] : noErrors),
      ...(claimNames.has(name) ? noErrors : [{ ...valueNotFound(claimPath, name), detail }])
    ]
  })
}
