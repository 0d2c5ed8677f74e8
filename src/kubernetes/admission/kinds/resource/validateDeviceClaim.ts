import type { Draft } from "../../../meta/objects.ts"
import {
  duplicateValue,
  invalidField,
  noErrors,
  requiredValue,
  tooManyItems,
  unsupportedValue,
  valueTooLong,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { validateUnchanged } from "../../../validation/immutableFields.ts"
import { cIdentifierProblems, labelProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import { validateNameBy, validateRequiredName } from "../../../validation/validateNames.ts"
import { validateDriverName } from "../storage/validateVolumeSource.ts"

interface ResourceClaimDraft extends Draft {
  readonly spec?: ResourceClaimSpec
}

interface ClaimTemplateDraft extends Draft {
  readonly spec?: { readonly spec?: ResourceClaimSpec }
}

interface DeviceClassDraft extends Draft {
  readonly spec?: { readonly selectors?: ReadonlyArray<DeviceSelector> }
}

interface ResourceClaimSpec {
  readonly devices?: {
    readonly requests?: ReadonlyArray<DeviceRequest>
    readonly constraints?: ReadonlyArray<DeviceConstraint>
    readonly config?: ReadonlyArray<{
      readonly requests?: ReadonlyArray<string>
      readonly opaque?: { readonly driver?: string }
    }>
  }
}

interface DeviceRequest {
  readonly name?: string
  readonly exactly?: DeviceDemand
  readonly firstAvailable?: ReadonlyArray<DeviceDemand & { readonly name?: string }>
}

interface DeviceDemand {
  readonly deviceClassName?: string
  readonly selectors?: ReadonlyArray<DeviceSelector>
  readonly allocationMode?: string
  readonly count?: number
}

interface DeviceSelector {
  readonly cel?: { readonly expression?: string }
}

interface DeviceConstraint {
  readonly requests?: ReadonlyArray<string>
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

const claimListMax = 32
const alternativesMax = 8
const expressionBytesMax = 10 * 1024
const identifierLengthMax = 32

/**
 * Unlike Kubernetes, selector expressions are not compiled, and tolerations and driver parameters
 * are not checked. Source: pkg/apis/resource/validation/validation.go.
 */
export const validateResourceClaim = ({ spec = {} }: ResourceClaimDraft): FieldErrors =>
  validateResourceClaimSpec(spec, "spec")

export const validateClaimTemplate = ({ spec = {} }: ClaimTemplateDraft): FieldErrors =>
  validateResourceClaimSpec(spec.spec ?? {}, "spec.spec")

export const validateDeviceClass = ({ spec = {} }: DeviceClassDraft): FieldErrors =>
  validateSelectors(spec.selectors, "spec.selectors")

export const validateImmutableSpec = (
  next: Draft & { readonly spec?: unknown },
  old: Draft & { readonly spec?: unknown }
): FieldErrors => validateUnchanged(next.spec, old.spec, "spec")

const validateResourceClaimSpec = ({ devices = {} }: ResourceClaimSpec, path: string): FieldErrors => {
  const { requests = [], constraints, config } = devices
  const names = requestNames(requests)
  return [
    ...validateList(
      requests,
      { path: `${path}.devices.requests`, max: claimListMax },
      validateRequest,
      nameOf
    ),
    ...validateList(
      constraints,
      { path: `${path}.devices.constraints`, max: claimListMax },
      (constraint, itemPath) => [
        ...validateReferences(constraint.requests, names, `${itemPath}.requests`),
        ...validateAttribute(constraint, itemPath)
      ]
    ),
    ...validateList(
      config,
      { path: `${path}.devices.config`, max: claimListMax },
      (deviceConfig, itemPath) => [
        ...validateReferences(deviceConfig.requests, names, `${itemPath}.requests`),
        ...(deviceConfig.opaque === undefined
          ? [requiredValue(`${itemPath}.opaque`)]
          : validateDriverName(deviceConfig.opaque.driver, `${itemPath}.opaque.driver`))
      ]
    )
  ]
}

const nameOf = ({ name = "" }: { readonly name?: string }): string => name

/** The items of a list that is too long are not validated. */
const validateList = <A>(
  items: ReadonlyArray<A> = [],
  { path, max }: { readonly path: string; readonly max: number },
  validateItem: (item: A, path: string) => FieldErrors,
  keyOf?: (item: A) => string
): FieldErrors => {
  if (items.length > max) return [tooManyItems(path, { actual: items.length, max })]
  const keys = keyOf === undefined ? [] : items.map(keyOf)
  return [
    ...items.flatMap((item, index) => validateItem(item, `${path}[${index}]`)),
    ...keys.flatMap((key, index) =>
      keys.indexOf(key) < index ? [duplicateValue(`${path}[${index}]`, key)] : []
    )
  ]
}

const validateRequest = (request: DeviceRequest, path: string): FieldErrors => {
  const { exactly, firstAvailable = [] } = request
  const nameErrors = validateNameBy(labelProblems, nameOf(request), `${path}.name`)
  const rule = "exactly one of `exactly` or `firstAvailable` is required"
  if (exactly !== undefined && firstAvailable.length > 0)
    return [...nameErrors, invalidField(path, undefined, `${rule}, but multiple fields are set`)]
  if (exactly !== undefined) return [...nameErrors, ...validateDemand(exactly, `${path}.exactly`)]
  if (firstAvailable.length === 0) return [...nameErrors, requiredValue(path, rule)]
  const list = { path: `${path}.firstAvailable`, max: alternativesMax }
  const validateAlternative = (
    alternative: DeviceDemand & { readonly name?: string },
    itemPath: string
  ): FieldErrors => [
    ...validateNameBy(labelProblems, nameOf(alternative), `${itemPath}.name`),
    ...validateDemand(alternative, itemPath)
  ]
  return [...nameErrors, ...validateList(firstAvailable, list, validateAlternative, nameOf)]
}

const allocationModes: ReadonlyArray<string> = ["All", "ExactCount"]

const validateDemand = (demand: DeviceDemand, path: string): FieldErrors => [
  ...validateRequiredName(subdomainProblems, demand.deviceClassName, { path: `${path}.deviceClassName` }),
  ...validateSelectors(demand.selectors, `${path}.selectors`),
  ...validateCount(demand, path)
]

const validateCount = ({ allocationMode = "", count = 0 }: DeviceDemand, path: string): FieldErrors => {
  if (!allocationModes.includes(allocationMode))
    return [unsupportedValue(`${path}.allocationMode`, allocationMode, allocationModes)]
  if (allocationMode === "ExactCount")
    return count > 0 ? noErrors : [invalidField(`${path}.count`, count, "must be greater than zero")]
  const rule = "must not be specified when allocationMode is 'All'"
  return count === 0 ? noErrors : [invalidField(`${path}.count`, count, rule)]
}

const validateSelectors = (selectors: ReadonlyArray<DeviceSelector> | undefined, path: string): FieldErrors =>
  validateList(selectors, { path, max: claimListMax }, ({ cel }, itemPath) => {
    if (cel === undefined) return [requiredValue(`${itemPath}.cel`)]
    return Buffer.byteLength(cel.expression ?? "") > expressionBytesMax
      ? [valueTooLong(`${itemPath}.cel.expression`, expressionBytesMax)]
      : noErrors
  })

/** The names of requests, and of their alternatives after a slash. */
const requestNames = (requests: ReadonlyArray<DeviceRequest>): ReadonlySet<string> =>
  new Set(
    requests.flatMap((request) => {
      const name = nameOf(request)
      return [name, ...(request.firstAvailable ?? []).map((alternative) => `${name}/${nameOf(alternative)}`)]
    })
  )

const validateReferences = (
  references: ReadonlyArray<string> | undefined,
  names: ReadonlySet<string>,
  path: string
): FieldErrors => {
  const rule =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
  const validateReference = (name: string, itemPath: string): FieldErrors => {
    const segments = name.split("/")
    if (segments.length > 2) return [invalidField(itemPath, name, rule)]
    return [
      ...segments.flatMap((segment) => validateNameBy(labelProblems, segment, itemPath)),
      ...(names.has(name) ? noErrors : [invalidField(itemPath, name, rule)])
    ]
  }
  return validateList(references, { path, max: claimListMax }, validateReference, (name) => name)
}

const validateAttribute = (
  { matchAttribute, distinctAttribute }: DeviceConstraint,
  path: string
): FieldErrors => {
  const name = matchAttribute ?? distinctAttribute
  const field = matchAttribute === undefined ? "distinctAttribute" : "matchAttribute"
  if (name === undefined) {
    const rule =
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    return [requiredValue(path, rule)]
  }
  return validateAttributeName(name, `${path}.${field}`)
}

/** As in Kubernetes, the parts of a name with several slashes are not validated. */
const validateAttributeName = (text: string, path: string): FieldErrors => {
  const [domain = "", name, ...more] = text.split("/")
  if (name === undefined) {
    const rule = "a fully qualified name must be a domain and a name separated by a slash"
    return [...validateIdentifier(text, path), invalidField(path, text, rule)]
  }
  if (more.length > 0) return noErrors
  return [
    ...(domain === ""
      ? [invalidField(path, "", "the domain must not be empty")]
      : validateDriverName(domain, path)),
    ...(name === "" ? [invalidField(path, "", "the name must not be empty")] : validateIdentifier(name, path))
  ]
}

const validateIdentifier = (text: string, path: string): FieldErrors => [
  ...(text.length > identifierLengthMax ? [valueTooLong(path, identifierLengthMax)] : noErrors),
  ...validateNameBy(cIdentifierProblems, text, path)
]
