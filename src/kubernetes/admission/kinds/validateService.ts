import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft } from "../../meta/objects.ts"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  unsupportedValue,
  validateRequiredOneOf,
  requiredValue,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import { validateLabels } from "../../validation/validateLabels.ts"
import { validateCidr, validateEndpointIp, validateIp } from "../../validation/addresses.ts"
import { labelProblems, qualifiedNameProblems, subdomainProblems } from "../../validation/nameRules.ts"
import { validateNameBy } from "../../validation/validateNames.ts"
import { validatePortReference } from "../pods/validatePorts.ts"
import { changeEach, changeField, fillDefaults } from "../../validation/structuralSharing.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

export interface ServiceDraft extends Draft {
  readonly spec?: Core.ServiceSpec
}

type Spec = Core.ServiceSpec

const headlessAddress = "None"
export const usesNodePorts = ({ type }: ShallowPartial<Spec>): boolean =>
  type === "NodePort" || type === "LoadBalancer"

export const defaultService = (service: ServiceDraft): ServiceDraft =>
  changeField(fillDefaults(service, { spec: {} }), "spec", (spec) => {
    const withType = fillDefaults(spec, { type: "ClusterIP", sessionAffinity: "None" })
    const withPorts = changeField(withType, "ports", (ports) => changeEach(ports, defaultPort))
    const withAffinity = withAffinityTimeout(withPorts)
    const withInternalPolicy =
      withAffinity.type === "ExternalName" ? withAffinity : fillDefaults(withAffinity, internalPolicyDefault)
    const withExternalPolicy = usesNodePorts(withInternalPolicy)
      ? fillDefaults(withInternalPolicy, { externalTrafficPolicy: "Cluster" })
      : withInternalPolicy
    return withExternalPolicy.type === "LoadBalancer"
      ? fillDefaults(withExternalPolicy, { allocateLoadBalancerNodePorts: true })
      : withExternalPolicy
  })

const affinitySecondsDefault = 10_800

const withAffinityTimeout = (spec: Spec): Spec => {
  if (spec.sessionAffinity === "None") {
    const { sessionAffinityConfig, ...others } = spec
    return sessionAffinityConfig === undefined ? spec : others
  }
  return spec.sessionAffinity !== "ClientIP" ||
    typeof spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === "number"
    ? spec
    : { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: affinitySecondsDefault } } }
}

const internalPolicyDefault: Partial<Spec> = { internalTrafficPolicy: "Cluster" }

const defaultPort = (port: Core.ServicePort): Core.ServicePort => {
  const filled = fillDefaults(port, { protocol: "TCP" })
  const hasTargetPort = filled.targetPort !== undefined && filled.targetPort !== "" && filled.targetPort !== 0
  return hasTargetPort ? filled : { ...filled, targetPort: filled.port }
}

/**
 * A headless Service without a selector gets both families by default. `clusterIP` and
 * `clusterIPs` default to each other.
 */
export const withIpFamilies = (spec: Spec): Spec => {
  if (spec.type === "ExternalName") return spec
  const { clusterIP, clusterIPs } = spec
  const isHeadlessWithoutSelector =
    (clusterIP ?? clusterIPs?.[0]) === headlessAddress && Object.keys(spec.selector ?? {}).length === 0
  const withPolicy = fillDefaults(
    spec,
    isHeadlessWithoutSelector ? { ipFamilyPolicy: "RequireDualStack" } : { ipFamilyPolicy: "SingleStack" }
  )
  const isDualStack = isHeadlessWithoutSelector && withPolicy.ipFamilyPolicy !== "SingleStack"
  const hasFamilies = (withPolicy.ipFamilies ?? []).length > 0
  const withFamilyList = hasFamilies
    ? withPolicy
    : { ...withPolicy, ipFamilies: isDualStack ? ["IPv4", "IPv6"] : ["IPv4"] }
  const hasOnlyClusterIp = clusterIP !== undefined && clusterIP !== "" && (clusterIPs ?? []).length === 0
  if (hasOnlyClusterIp) return { ...withFamilyList, clusterIPs: [clusterIP] }
  const [first] = clusterIPs ?? []
  return (clusterIP ?? "") === "" && first !== undefined
    ? { ...withFamilyList, clusterIP: first }
    : withFamilyList
}

const types: ReadonlyArray<string> = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]
const affinities: ReadonlyArray<string> = ["ClientIP", "None"]
const protocols: ReadonlyArray<string> = ["SCTP", "TCP", "UDP"]
const trafficPolicies: ReadonlyArray<string> = ["Cluster", "Local"]

/**
 * Source: pkg/apis/core/validation/validation.go (ValidateService),
 * pkg/registry/core/service/storage/alloc.go.
 */
export const validateService = ({ spec = {} }: ServiceDraft): FieldErrors => [
  ...validateByType(spec),
  ...validateLabels(spec.selector, "spec.selector"),
  ...validateRequiredOneOf(spec.sessionAffinity, affinities, "spec.sessionAffinity"),
  ...validateAffinityTimeout(spec),
  ...validateClusterAddress(spec),
  ...validateExternalAddresses(spec),
  ...validateRequiredOneOf(spec.type, types, "spec.type"),
  ...validatePorts(spec),
  ...validateSourceRanges(spec),
  ...validateTraffic(spec)
]

export const validateServiceUpdate = (service: ServiceDraft, old: ServiceDraft): FieldErrors => {
  const [before, after] = [old.spec ?? {}, service.spec ?? {}]
  const hasAddress = before.type !== "ExternalName" && after.type !== "ExternalName"
  const [[addressBefore], [addressAfter]] = [before.clusterIPs ?? [], after.clusterIPs ?? []]
  const hasNewAddress = hasAddress && addressBefore !== undefined && addressBefore !== addressAfter
  return [
    ...(hasNewAddress
      ? [invalidField("spec.clusterIPs[0]", after.clusterIPs, "may not change once set")]
      : noErrors),
    ...validateService(service)
  ]
}

const validateByType = (spec: Spec): FieldErrors => {
  const { type, ports = [], clusterIP = "" } = spec
  const errors: Array<FieldError> = []
  if (ports.length === 0 && clusterIP !== headlessAddress && type !== "ExternalName")
    errors.push(requiredValue("spec.ports"))
  if (usesNodePorts(spec) && clusterIP === headlessAddress) {
    const why = `may not be set to 'None' for ${type} services`
    errors.push(invalidField("spec.clusterIPs[0]", clusterIP, why))
  }
  if (type === "ExternalName") {
    const external = (spec.externalName ?? "").replace(/\.$/, "")
    if (clusterIP !== "")
      errors.push(forbiddenField("spec.clusterIPs", "may not be set for ExternalName services"))
    if (external === "") errors.push(requiredValue("spec.externalName"))
    else
      for (const problem of subdomainProblems(external))
        errors.push(invalidField("spec.externalName", external, problem))
  }
  return errors
}

const validateClusterAddress = ({ clusterIP = "", clusterIPs = [], type }: Spec): FieldErrors => {
  if (type === "ExternalName") return noErrors
  const errors: Array<FieldError> = []
  if (clusterIPs.length > 0 && clusterIP !== clusterIPs[0]) {
    errors.push(invalidField("spec.clusterIPs", clusterIPs, "first value must match `clusterIP`"))
  }
  if (clusterIPs.length > 2) {
    errors.push(invalidField("spec.clusterIPs", clusterIPs, "may only hold up to 2 values"))
  }
  for (const [index, address] of clusterIPs.entries()) {
    const path = `spec.clusterIPs[${index}]`
    if (address === headlessAddress) {
      if (index > 0) errors.push(invalidField(path, address, "must be empty when `clusterIPs[0]` is `None`"))
    } else if (!isAddress(address)) errors.push(invalidField(path, address, notAnAddress))
  }
  return errors
}

const notAnAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"

/** A rough match of IPv6 is enough: the cluster assigns only IPv4. */
const isAddress = (text: string): boolean =>
  /^(\d{1,3})(\.\d{1,3}){3}$/.test(text)
    ? text.split(".").every((part) => Number(part) <= 255)
    : /^[0-9a-fA-F:]*:[0-9a-fA-F:.]*$/.test(text)

const affinitySecondsMax = 86_400

const validateAffinityTimeout = ({ sessionAffinity, sessionAffinityConfig }: Spec): FieldErrors => {
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds
  return sessionAffinity !== "ClientIP" ||
    seconds === undefined ||
    (seconds > 0 && seconds <= affinitySecondsMax)
    ? noErrors
    : [
        invalidField(
          "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
          seconds,
          `must be greater than 0 and less than ${affinitySecondsMax}`
        )
      ]
}

const validateExternalAddresses = ({ externalIPs = [] }: Spec): FieldErrors =>
  externalIPs.flatMap((address, index) => {
    const path = `spec.externalIPs[${index}]`
    const errors = validateIp(address ?? "", path)
    return errors.length > 0 ? errors : validateEndpointIp(address, path)
  })

/** The path has a capital letter, as in Kubernetes. Spaces around a range are allowed. */
const validateSourceRanges = ({ type, loadBalancerSourceRanges = [] }: Spec): FieldErrors => {
  const path = "spec.LoadBalancerSourceRanges"
  if (loadBalancerSourceRanges.length === 0) return noErrors
  return [
    ...(type === "LoadBalancer"
      ? noErrors
      : [forbiddenField(path, "may only be used when `type` is 'LoadBalancer'")]),
    ...loadBalancerSourceRanges.flatMap((range, index) =>
      validateCidr((range ?? "").trim(), `${path}[${index}]`)
    )
  ]
}

const validatePorts = (spec: Spec): FieldErrors => {
  const { ports = [] } = spec
  const errors: Array<FieldError> = []
  const names = new Set<string>()
  const usedPorts = new Set<string>()
  const usedNodePorts = new Set<string>()
  for (const [index, port] of ports.entries()) {
    const path = `spec.ports[${index}]`
    errors.push(...validatePort(port, { path, names, needsName: ports.length > 1 }))
    const { protocol = "", nodePort = 0 } = port
    if (nodePort !== 0 && !usesNodePorts(spec)) {
      errors.push(forbiddenField(`${path}.nodePort`, `may not be used when \`type\` is '${spec.type}'`))
    }
    if (nodePort !== 0 && usedNodePorts.has(`${protocol}/${nodePort}`)) {
      errors.push(duplicateValue(`${path}.nodePort`, printablePort({ protocol, nodePort })))
    }
    usedNodePorts.add(`${protocol}/${nodePort}`)
    if (usedPorts.has(`${protocol}/${port.port}`)) {
      errors.push(duplicateValue(path, printablePort({ protocol, port: port.port })))
    }
    usedPorts.add(`${protocol}/${port.port}`)
  }
  return errors
}

/** Messages show Kubernetes' internal struct. */
const printablePort = (port: {
  readonly protocol: string
  readonly port?: number
  readonly nodePort?: number
}) => ({
  Name: "",
  Protocol: port.protocol,
  AppProtocol: null,
  Port: port.port ?? 0,
  TargetPort: 0,
  NodePort: port.nodePort ?? 0
})

const validatePort = (
  { name = "", port = 0, protocol = "", appProtocol, targetPort }: ShallowPartial<Core.ServicePort>,
  {
    path,
    names,
    needsName
  }: { readonly path: string; readonly names: Set<string>; readonly needsName: boolean }
): FieldErrors => {
  const errors: Array<FieldError> = []
  if (name === "") {
    if (needsName) errors.push(requiredValue(`${path}.name`))
  } else {
    for (const problem of labelProblems(name)) errors.push(invalidField(`${path}.name`, name, problem))
    if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name))
    names.add(name)
  }
  errors.push(
    ...validatePortReference(port, `${path}.port`),
    ...validateRequiredOneOf(protocol, protocols, `${path}.protocol`)
  )
  return [
    ...errors,
    ...validatePortReference(targetPort, `${path}.targetPort`),
    ...(appProtocol === undefined
      ? noErrors
      : validateNameBy(qualifiedNameProblems, appProtocol, `${path}.appProtocol`))
  ]
}

const validateTraffic = (spec: Spec): FieldErrors => {
  const { externalTrafficPolicy = "", internalTrafficPolicy } = spec
  const errors: Array<FieldError> = []
  if (externalTrafficPolicy !== "") {
    const path = "spec.externalTrafficPolicy"
    if (!usesNodePorts(spec) && (spec.externalIPs ?? []).length === 0) {
      errors.push(
        invalidField(path, externalTrafficPolicy, "may only be set for externally-accessible services")
      )
    } else if (!trafficPolicies.includes(externalTrafficPolicy)) {
      errors.push(unsupportedValue(path, externalTrafficPolicy, trafficPolicies))
    }
  }
  if (internalTrafficPolicy !== undefined && !trafficPolicies.includes(internalTrafficPolicy)) {
    errors.push(unsupportedValue("spec.internalTrafficPolicy", internalTrafficPolicy, trafficPolicies))
  }
  return errors
}
