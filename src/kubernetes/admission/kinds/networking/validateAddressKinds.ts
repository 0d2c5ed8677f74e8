import type * as Networking from "kubernetes-types/networking/v1alpha1.js"
import type { Draft } from "../../../meta/objects.ts"
import { canonicalCidrProblem, parseCidr } from "../../../validation/addresses.ts"
import {
  immutableField,
  invalidField,
  noErrors,
  requiredValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { validateUnchanged } from "../../../validation/immutableFields.ts"
import { pathSegmentProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateOptionalName, validateRequiredName } from "../../../validation/validateNames.ts"

interface AddressRangeDraft extends Draft {
  readonly spec?: DeepPartial<Networking.ServiceCIDRSpec>
}

const cidrsPath = "spec.cidrs"

/**
 * Source: pkg/apis/networking/validation/validation.go (ValidateServiceCIDR, ValidateIPAddress).
 */
export const validateServiceCidr = ({ spec = {} }: AddressRangeDraft): FieldErrors => {
  const { cidrs = [] } = spec
  if (cidrs.length === 0) return [requiredValue(cidrsPath, "at least one CIDR required")]
  // Messages show Kubernetes' internal struct.
  if (cidrs.length > 2) return [invalidField(cidrsPath, { CIDRs: cidrs }, "may only hold up to 2 values")]
  const [first, second] = cidrs.map((text) => parseCidr(text)?.address.bitLength)
  const families = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
  return [
    ...cidrs.flatMap((text, index) => {
      const problem = canonicalCidrProblem(text)
      return problem === undefined ? [] : [invalidField(`${cidrsPath}[${index}]`, text, problem)]
    }),
    ...(first !== undefined && first === second ? [invalidField(cidrsPath, cidrs, families)] : noErrors)
  ]
}

/** An update may only add a CIDR of the other IP family. */
export const validateServiceCidrUpdate = (
  range: AddressRangeDraft,
  { spec: old = {} }: AddressRangeDraft
): FieldErrors => {
  const [cidrs, stored] = [range.spec?.cidrs ?? [], old.cidrs ?? []]
  const isExtended = stored.length === 1 && cidrs.length === 2
  if (stored.length !== cidrs.length && !isExtended) return [immutableField(cidrsPath, cidrs)]
  return [
    ...stored.flatMap((text, index) =>
      cidrs[index] === text ? [] : [immutableField(`${cidrsPath}[${index}]`, cidrs[index])]
    ),
    ...(isExtended ? validateServiceCidr(range) : noErrors)
  ]
}

interface AddressDraft extends Draft {
  readonly spec?: DeepPartial<Networking.IPAddressSpec>
}

export const validateIpAddress = ({ spec = {} }: AddressDraft): FieldErrors => {
  const { parentRef } = spec
  const parent = "spec.parentRef"
  if (parentRef === undefined) return [requiredValue(parent)]
  return [
    ...validateOptionalName(subdomainProblems, parentRef.group, `${parent}.group`),
    ...validateRequiredName(pathSegmentProblems, parentRef.resource, { path: `${parent}.resource` }),
    ...validateRequiredName(pathSegmentProblems, parentRef.name, { path: `${parent}.name` }),
    ...validateOptionalName(pathSegmentProblems, parentRef.namespace, `${parent}.namespace`)
  ]
}

export const validateIpAddressUpdate = (address: AddressDraft, old: AddressDraft): FieldErrors =>
  validateUnchanged(address.spec?.parentRef, old.spec?.parentRef, "spec.parentRef")
