import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  isEndpointIpv4,
  validateIp,
  validateIpOfFamily,
  validateEndpointIp
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
import {
  labelProblems,
  qualifiedNameProblems,
  memoizeValidNames,
  subdomainProblems
} from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import {
  validateHostDomain,
  validateNameBy,
  validateOptionalName,
  validateRequiredName
} from "../../../validation/validateNames.ts"
import { validatePortNumber } from "../../pods/validatePorts.ts"

interface EndpointsDraft extends Draft {
  readonly subsets?: ReadonlyArray<DeepPartial<Core.EndpointSubset>> | null
}

/**
 * IPv4 has a fast path, because endpoints are written often. Source:
 * pkg/apis/core/validation/validation.go (validateEndpointSubsets),
 * pkg/apis/discovery/validation/validation.go.
 */
export const validateEndpoints = ({ subsets }: EndpointsDraft): FieldErrors =>
  (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = `subsets[${index}]`
    return [
      ...(addresses.length === 0 && notReadyAddresses.length === 0
        ? [requiredValue(path, "must specify `addresses` or `notReadyAddresses`")]
        : noErrors),
      ...addresses.flatMap((address, position) => validateAddress(address, `${path}.addresses[${position}]`)),
      ...notReadyAddresses.flatMap((address, position) =>
        validateAddress(address, `${path}.notReadyAddresses[${position}]`)
      ),
      ...ports.flatMap((port, position) => validatePort(port, `${path}.ports[${position}]`, ports.length > 1))
    ]
  })

const memoizedNodesMax = 1000
const nodeNameProblems = memoizeValidNames(subdomainProblems, memoizedNodesMax)

/** Most Pods' endpoints are an IPv4 address without a host name, which this check alone proves valid. */
const isPlainIpv4Endpoint = (
  ip: string,
  hostname: string | undefined,
  nodeName: string | undefined
): boolean =>
  hostname === undefined &&
  isEndpointIpv4(ip) &&
  (nodeName === undefined || nodeNameProblems(nodeName).length === 0)

const validateAddress = (
  { ip = "", hostname, nodeName }: DeepPartial<Core.EndpointAddress>,
  path: string
): FieldErrors =>
  isPlainIpv4Endpoint(ip, hostname, nodeName)
    ? noErrors
    : [
        ...validateIp(ip, `${path}.ip`),
        ...validateOptionalName(labelProblems, hostname, `${path}.hostname`),
        ...(nodeName === undefined
          ? noErrors
          : validateNameBy(nodeNameProblems, nodeName, `${path}.nodeName`)),
        ...validateEndpointIp(ip, `${path}.ip`)
      ]

const protocols = ["SCTP", "TCP", "UDP"]

const validateProtocol = (protocol = "TCP", path: string): FieldErrors =>
  protocols.includes(protocol) ? noErrors : [unsupportedValue(path, protocol, protocols)]

const validatePort = (
  { name, port = 0, protocol, appProtocol }: DeepPartial<Core.EndpointPort>,
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
  readonly ports?: ReadonlyArray<DeepPartial<Discovery.EndpointPort>> | null
}

type Endpoint = DeepPartial<Discovery.Endpoint>

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
      : endpoints.flatMap((endpoint, index) =>
          (check ?? checkEndpointOfUnknownType)(endpoint, `endpoints[${index}]`)
        )),
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

const checkEndpoint =
  (checkAddress: CheckAddress) =>
  ({ addresses = [], nodeName, hostname }: Endpoint, path: string): FieldErrors => [
    ...(addresses.length === 0
      ? [requiredValue(`${path}.addresses`, "must contain at least 1 address")]
      : addresses.length > addressesMax
        ? [tooManyItems(`${path}.addresses`, { actual: addresses.length, max: addressesMax })]
        : noErrors),
    ...addresses.flatMap((address, index) => checkAddress(address, `${path}.addresses[${index}]`)),
    ...(nodeName === undefined ? noErrors : validateNameBy(nodeNameProblems, nodeName, `${path}.nodeName`)),
    ...(hostname === undefined ? noErrors : validateNameBy(labelProblems, hostname, `${path}.hostname`))
  ]

const checkOfFamily = (family: "IPv4" | "IPv6") =>
  checkEndpoint((address, path) => [
    ...validateIpOfFamily(address, path, family),
    ...validateEndpointIp(address, path)
  ])

const checkIpv4 = checkOfFamily("IPv4")

const endpointChecks: Readonly<Record<string, (endpoint: Endpoint, path: string) => FieldErrors>> = {
  IPv4: (endpoint, path) => {
    const { addresses: [first = "", second] = [], hostname, nodeName } = endpoint
    return second === undefined && isPlainIpv4Endpoint(first, hostname, nodeName)
      ? noErrors
      : checkIpv4(endpoint, path)
  },
  IPv6: checkOfFamily("IPv6"),
  FQDN: checkEndpoint(validateHostDomain)
}

const checkEndpointOfUnknownType = checkEndpoint(() => noErrors)
