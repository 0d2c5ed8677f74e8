import type * as Networking from "kubernetes-types/networking/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import { containsIp, parseCidr, validateCidr } from "../../../validation/addresses.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateLabelSelector } from "../../../validation/validateLabels.ts"
import { validatePortNumber, validatePortReference } from "../../pods/validatePorts.ts"

interface PolicyDraft extends Draft {
  readonly spec?: PolicySpec
}

type PolicySpec = DeepPartial<Networking.NetworkPolicySpec>
type Peer = DeepPartial<Networking.NetworkPolicyPeer>
type Port = DeepPartial<Networking.NetworkPolicyPort>

const noCidrs: ReadonlySet<string> = new Set()

/** Source: pkg/apis/networking/validation/validation.go (ValidateNetworkPolicySpec). */
export const validateNetworkPolicy = ({ spec = {} }: PolicyDraft): FieldErrors => validateSpec(spec, noCidrs)

/** CIDRs that the stored policy has are not validated again. */
export const validateNetworkPolicyUpdate = (
  { spec = {} }: PolicyDraft,
  { spec: old = {} }: PolicyDraft
): FieldErrors => validateSpec(spec, new Set(cidrsOf(old)))

const cidrsOf = ({ ingress = [], egress = [] }: PolicySpec): ReadonlyArray<string> =>
  [...ingress.flatMap(({ from = [] }) => from), ...egress.flatMap(({ to = [] }) => to)].flatMap(
    ({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock.cidr ?? "", ...(ipBlock.except ?? [])])
  )

const policyTypes = ["Ingress", "Egress"]

const validateSpec = (spec: PolicySpec, storedCidrs: ReadonlySet<string>): FieldErrors => {
  const { podSelector = {}, ingress = [], egress = [], policyTypes: types = [] } = spec
  return [
    ...validateLabelSelector(podSelector, "spec.podSelector"),
    ...ingress.flatMap(({ ports = [], from = [] }, index) => [
      ...ports.flatMap((port, position) => validatePort(port, `spec.ingress[${index}].ports[${position}]`)),
      ...from.flatMap((peer, position) =>
        validatePeer(peer, `spec.ingress[${index}].from[${position}]`, storedCidrs)
      )
    ]),
    ...egress.flatMap(({ ports = [], to = [] }, index) => [
      ...ports.flatMap((port, position) => validatePort(port, `spec.egress[${index}].ports[${position}]`)),
      ...to.flatMap((peer, position) =>
        validatePeer(peer, `spec.egress[${index}].to[${position}]`, storedCidrs)
      )
    ]),
    ...(types.length > policyTypes.length
      ? [invalidField("spec.policyTypes", types, "may not specify more than two policyTypes")]
      : types.flatMap((type, index) =>
          policyTypes.includes(type)
            ? []
            : [unsupportedValue(`spec.policyTypes[${index}]`, type, policyTypes)]
        ))
  ]
}

const protocols = ["TCP", "UDP", "SCTP"]

const validatePort = ({ protocol, port, endPort }: Port, path: string): FieldErrors => {
  const invalidEnd = (value: unknown, why: string) => invalidField(`${path}.endPort`, value, why)
  return [
    ...validateOptionalOneOf(protocol, protocols, `${path}.protocol`),
    ...(typeof port === "number" ? validatePortNumber(port, `${path}.port`) : noErrors),
    ...(endPort === undefined
      ? noErrors
      : typeof port === "number"
        ? [
            // Upstream shows the port here, not the end.
            ...(endPort < port ? [invalidEnd(port, "must be greater than or equal to `port`")] : noErrors),
            ...validatePortNumber(endPort, `${path}.endPort`)
          ]
        : [
            invalidEnd(
              endPort,
              `may not be specified when \`port\` is ${port === undefined ? "not specified" : "non-numeric"}`
            )
          ]),
    ...(typeof port === "string" ? validatePortReference(port, `${path}.port`) : noErrors)
  ]
}

const validatePeer = (
  { podSelector, namespaceSelector, ipBlock }: Peer,
  path: string,
  storedCidrs: ReadonlySet<string>
): FieldErrors => {
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined
  return [
    ...(podSelector === undefined ? noErrors : validateLabelSelector(podSelector, `${path}.podSelector`)),
    ...(namespaceSelector === undefined
      ? noErrors
      : validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`)),
    ...(ipBlock === undefined ? noErrors : validateBlock(ipBlock, `${path}.ipBlock`, storedCidrs)),
    ...(ipBlock === undefined && !hasSelector ? [requiredValue(path, "must specify a peer")] : noErrors),
    ...(ipBlock !== undefined && hasSelector
      ? [forbiddenField(path, "may not specify both ipBlock and another peer")]
      : noErrors)
  ]
}

const validateBlock = (
  { cidr = "", except = [] }: DeepPartial<Networking.IPBlock>,
  path: string,
  storedCidrs: ReadonlySet<string>
): FieldErrors => {
  if (cidr === "") return [requiredValue(`${path}.cidr`)]
  const block = parseCidr(cidr)
  return [
    ...validateNewCidr(cidr, `${path}.cidr`, storedCidrs),
    ...(block === undefined
      ? noErrors
      : except.flatMap((text, index) => {
          const field = `${path}.except[${index}]`
          const part = parseCidr(text)
          const isOutside =
            part !== undefined &&
            (!containsIp(block, part.address) || block.prefixLength >= part.prefixLength)
          return [
            ...validateNewCidr(text, field, storedCidrs),
            ...(isOutside ? [invalidField(field, text, "must be a strict subset of `cidr`")] : noErrors)
          ]
        }))
  ]
}

const validateNewCidr = (text: string, path: string, storedCidrs: ReadonlySet<string>): FieldErrors =>
  storedCidrs.has(text) ? noErrors : validateCidr(text, path)
