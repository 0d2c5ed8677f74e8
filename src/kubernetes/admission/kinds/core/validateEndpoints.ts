import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  isOrdinaryIpv4,
  validateIp,
  validateIpOfFamily,
  validateReachableIp
} from "../../../validation/addresses.ts"
import {
  duplicateValue,
  noErrors,
  requiredValue,
  tooManyItems,
  unsupportedValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { validateUnchanged } from "../../../validation/immutableFields.ts"
import { memoizeCheck } from "../../../validation/memoizeCheck.ts"
import {
  labelProblems,
  qualifiedNameProblems,
  rememberValid,
  subdomainProblems
} from "../../../validation/nameRules.ts"
import type { DeeplyUnvalidated } from "../../../validation/structuralSharing.ts"
import {
  validateHostDomain,
  validateNameBy,
  validateOptionalName,
  validateRequiredName
} from "../../../validation/validateNames.ts"
import { validatePortNumber } from "../../pods/validatePorts.ts"

/**
 * Endpoints and EndpointSlices. An endpoint that is written again unchanged is not checked again: a slice is written
 * when one of its Pods changes.
 *
 * Source: pkg/apis/core/validation/validation.go (validateEndpointSubsets), pkg/apis/discovery/validation/validation.go
 * (ValidateEndpointSlice, ValidateEndpointSliceUpdate).
 */
interface EndpointsDraft extends Draft {
  readonly subsets?: ReadonlyArray<DeeplyUnvalidated<Core.EndpointSubset>> | null
}

export const validateEndpoints = ({ subsets }: EndpointsDraft): FieldErrors =>
  (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = `subsets[${index}]`
    return [
      ...(addresses.length === 0 && notReadyAddresses.length === 0
        ? [requiredValue(path, "must specify `addresses` or `notReadyAddresses`")]
        : noErrors),
      ...addresses.flatMap((address, at) => validateAddress(address, `${path}.addresses[${at}]`)),
      ...notReadyAddresses.flatMap((address, at) =>
        validateAddress(address, `${path}.notReadyAddresses[${at}]`)
      ),
      ...ports.flatMap((port, at) => validatePort(port, `${path}.ports[${at}]`, ports.length > 1))
    ]
  })

const nodeProblems = rememberValid(subdomainProblems)

const validateAddress = memoizeCheck(
  ({ ip = "", hostname, nodeName }: DeeplyUnvalidated<Core.EndpointAddress>, path) => [
    ...(isOrdinaryIpv4(ip) ? noErrors : validateIp(ip, `${path}.ip`)),
    ...validateOptionalName(labelProblems, hostname, `${path}.hostname`),
    ...(nodeName === undefined ? noErrors : validateNameBy(nodeProblems, nodeName, `${path}.nodeName`)),
    ...(isOrdinaryIpv4(ip) ? noErrors : validateReachableIp(ip, `${path}.ip`))
  ]
)

const protocols = ["SCTP", "TCP", "UDP"]

const validateProtocol = (protocol = "TCP", path: string): FieldErrors =>
  protocols.includes(protocol) ? noErrors : [unsupportedValue(path, protocol, protocols)]

const validatePort = (
  { name, port = 0, protocol, appProtocol }: DeeplyUnvalidated<Core.EndpointPort>,
  path: string,
  isNameRequired: boolean
): FieldErrors => [
  ...(isNameRequired
    ? validateRequiredName(labelProblems, name, { path: `${path}.name` })
    : validateOptionalName(labelProblems, name, `${path}.name`)),
  ...validatePortNumber(port, `${path}.port`),
  ...validateProtocol(protocol, `${path}.protocol`),
  ...(appProtocol === undefined
    ? noErrors
    : validateNameBy(qualifiedNameProblems, appProtocol, `${path}.appProtocol`))
]

interface SliceDraft extends Draft {
  readonly addressType?: string
  readonly endpoints?: ReadonlyArray<Endpoint> | null
  readonly ports?: ReadonlyArray<DeeplyUnvalidated<Discovery.EndpointPort>> | null
}

type Endpoint = DeeplyUnvalidated<Discovery.Endpoint>

const addressTypes = ["FQDN", "IPv4", "IPv6"]
const endpointsMax = 1000
const portsMax = 100
const addressesMax = 100

export const validateEndpointSlice = (slice: SliceDraft): FieldErrors => {
  const { addressType = "" } = slice
  const [endpoints, ports] = [slice.endpoints ?? [], slice.ports ?? []]
  const check = endpointChecks[addressType]
  const names = ports.map(({ name = "" }) => name)
  return [
    ...(addressType === ""
      ? [requiredValue("addressType")]
      : check === undefined
        ? [unsupportedValue("addressType", addressType, addressTypes)]
        : noErrors),
    ...(endpoints.length > endpointsMax
      ? [tooManyItems("endpoints", { actual: endpoints.length, max: endpointsMax })]
      : endpoints.flatMap((endpoint, index) => (check ?? checkUntyped)(endpoint, `endpoints[${index}]`))),
    ...(ports.length > portsMax
      ? [tooManyItems("ports", { actual: ports.length, max: portsMax })]
      : ports.flatMap(({ protocol, appProtocol }, index) => [
          ...validateOptionalName(labelProblems, names[index], `ports[${index}].name`),
          ...(names.indexOf(names[index] ?? "") < index
            ? [duplicateValue(`ports[${index}].name`, names[index])]
            : noErrors),
          ...validateProtocol(protocol, `ports[${index}].protocol`),
          ...(appProtocol === undefined
            ? noErrors
            : validateNameBy(qualifiedNameProblems, appProtocol, `ports[${index}].appProtocol`))
        ]))
  ]
}

export const validateEndpointSliceUpdate = (slice: SliceDraft, old: SliceDraft): FieldErrors => [
  ...validateEndpointSlice(slice),
  ...validateUnchanged(slice.addressType, old.addressType, "addressType")
]

type CheckAddress = (address: string, path: string) => FieldErrors

const checkEndpoint = (checkAddress: CheckAddress) =>
  memoizeCheck(({ addresses = [], nodeName, hostname }: Endpoint, path) => [
    ...(addresses.length === 0
      ? [requiredValue(`${path}.addresses`, "must contain at least 1 address")]
      : addresses.length > addressesMax
        ? [tooManyItems(`${path}.addresses`, { actual: addresses.length, max: addressesMax })]
        : noErrors),
    ...addresses.flatMap((address, index) => checkAddress(address, `${path}.addresses[${index}]`)),
    ...(nodeName === undefined ? noErrors : validateNameBy(nodeProblems, nodeName, `${path}.nodeName`)),
    ...(hostname === undefined ? noErrors : validateNameBy(labelProblems, hostname, `${path}.hostname`))
  ])

const checkOfFamily = (family: "IPv4" | "IPv6") =>
  checkEndpoint((address, path) =>
    family === "IPv4" && isOrdinaryIpv4(address)
      ? noErrors
      : [...validateIpOfFamily(address, path, family), ...validateReachableIp(address, path)]
  )

const endpointChecks: Readonly<Record<string, (endpoint: Endpoint, path: string) => FieldErrors>> = {
  IPv4: checkOfFamily("IPv4"),
  IPv6: checkOfFamily("IPv6"),
  FQDN: checkEndpoint(validateHostDomain)
}

const checkUntyped = checkEndpoint(() => noErrors)
