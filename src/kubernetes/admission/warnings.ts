import type * as Core from "kubernetes-types/core/v1.js"
import { fieldsOrEmpty, type Fields } from "../meta/fields.ts"
import type { Kind } from "../meta/kinds.ts"
import { podToCheck, podSecurityWarning } from "./podSecurity/podSecurityPolicy.ts"
import type { Draft, Labels } from "../meta/objects.ts"
import { labelProblems, subdomainProblems } from "../validation/nameRules.ts"
import { goQuote } from "../meta/text/goQuote.ts"
import type { ShallowPartial } from "../validation/partialTypes.ts"

/** Source: WarningsOnCreate and WarningsOnUpdate in pkg/registry, pkg/api/pod/warnings.go. */
interface PodSpecLocation {
  readonly path: string
  /** What the name is used for, where it must be a DNS label. */
  readonly nameUse?: string
  /** Whether updates that raise the generation warn. */
  readonly warnsOnUpdate: boolean
}

const nameUsedForPods = { nameUse: "in Pod names and hostnames" }
const templateOfSpec = { path: "spec.template.spec", warnsOnUpdate: true }

const podSpecLocations: Readonly<Record<string, PodSpecLocation>> = {
  "apps/Deployment": { ...templateOfSpec, ...nameUsedForPods },
  "apps/ReplicaSet": { ...templateOfSpec, ...nameUsedForPods },
  "apps/DaemonSet": templateOfSpec,
  "apps/StatefulSet": templateOfSpec,
  "batch/Job": { ...templateOfSpec, ...nameUsedForPods },
  "batch/CronJob": { path: "spec.jobTemplate.spec.template.spec", warnsOnUpdate: true, ...nameUsedForPods },
  "/ReplicationController": { ...templateOfSpec, ...nameUsedForPods },
  "/PodTemplate": { path: "template.spec", warnsOnUpdate: true },
  "/Pod": { path: "spec", warnsOnUpdate: false, nameUse: "in the Pod's hostname" }
}

const podSpecLocationOf = ({ group, kind, custom }: Kind): PodSpecLocation | undefined =>
  custom === undefined ? podSpecLocations[`${group}/${kind}`] : undefined

const fieldsAt = (object: object, path: ReadonlyArray<string>): Fields =>
  path.reduce<Fields>((fields, field) => fieldsOrEmpty(fields[field]), { ...object })

const podSpecAt = (object: object, path: string): ShallowPartial<Core.PodSpec> =>
  fieldsAt(object, path.split("."))

export const podSecurityWarnings = (
  kind: Kind,
  object: Draft,
  labelsOfNamespace: () => Labels | undefined
): ReadonlyArray<string> => {
  const location = podSpecLocationOf(kind)
  if (location === undefined) return []
  const template = fieldsAt(object, location.path.split(".").slice(0, -1))
  const warning = podSecurityWarning(labelsOfNamespace(), podToCheck(template))
  return warning === undefined ? [] : [warning]
}

export const createWarnings = (kind: Kind, object: Draft): ReadonlyArray<string> => {
  const location = podSpecLocationOf(kind)
  if (location === undefined) return warningsOfOtherKinds(kind, object)
  const { path, nameUse } = location
  return [
    ...(nameUse === undefined ? [] : nameWarnings(object, nameUse)),
    ...podWarnings(podSpecAt(object, path), path)
  ]
}

/** Templates warn again when the generation changes; Pods warn only on create. */
export const updateWarnings = (kind: Kind, before: Draft, after: Draft): ReadonlyArray<string> => {
  const location = podSpecLocationOf(kind)
  if (location === undefined) return warningsOfOtherKinds(kind, after)
  const { path, warnsOnUpdate } = location
  const isChanged = before.metadata.generation !== after.metadata.generation
  return warnsOnUpdate && isChanged ? podWarnings(podSpecAt(after, path), path) : []
}

/** Why a kind has no effect here. Unlike Kubernetes, a write of it returns a warning. */
const kindsWithoutEffect: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: "calls no webhooks: this configuration",
  ValidatingWebhookConfiguration: "calls no webhooks: this configuration",
  MutatingAdmissionPolicy: "does not evaluate CEL: this policy",
  ValidatingAdmissionPolicy: "does not evaluate CEL: this policy",
  MutatingAdmissionPolicyBinding: "evaluates no policies: this binding",
  ValidatingAdmissionPolicyBinding: "evaluates no policies: this binding"
}

const noEffectWarnings = ({ group, kind }: Kind, object: object): ReadonlyArray<string> => {
  const why = group === "admissionregistration.k8s.io" ? kindsWithoutEffect[kind] : undefined
  if (why !== undefined) return [`charthouse ${why} is kept and has no effect`]
  const { spec } = object as { readonly spec?: unknown }
  return group === "apiregistration.k8s.io" && fieldsOrEmpty(spec)["service"] !== undefined
    ? ["charthouse forwards no requests: this APIService is kept, and what it registers is not served"]
    : []
}

/** Unlike Kubernetes, CEL rules are not evaluated: a definition with CEL rules warns. */
const warningsOfOtherKinds = (written: Kind, object: object): ReadonlyArray<string> => {
  const { group, kind } = written
  if (group !== "apiextensions.k8s.io" || kind !== "CustomResourceDefinition")
    return noEffectWarnings(written, object)
  const path = pathToField(celRulesKey, object, "")
  return path === undefined
    ? []
    : [`${path}: charthouse does not evaluate CEL: objects that these rules would refuse are accepted`]
}

const celRulesKey = "x-kubernetes-validations"

const pathToField = (key: string, value: unknown, path: string): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  for (const [name, item] of Object.entries(value)) {
    const location = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`
    const found = name === key ? location : pathToField(key, item, location)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Source: api/core/v1/types.go,
 * apiserver/pkg/endpoints/deprecation.
 */
export const deprecationWarningOf = ({ group, kind }: Kind): string | undefined =>
  group === "" ? deprecations[kind] : undefined

const deprecations: Readonly<Record<string, string>> = {
  ComponentStatus: "v1 ComponentStatus is deprecated in v1.19+",
  Endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
}

const nameWarnings = ({ metadata: { name = "" } }: Draft, use: string): ReadonlyArray<string> => {
  const problems = labelProblems(name)
  if (problems.length === 0 || subdomainProblems(name).length > 0) return []
  const advice = "which can result in surprising behavior; a DNS label is recommended"
  return [`metadata.name: this is used ${use}, ${advice}: [${problems.join(" ")}]`]
}

interface LocatedContainer {
  readonly container: Core.Container
  readonly path: string
}

const podWarnings = (spec: ShallowPartial<Core.PodSpec>, path: string): ReadonlyArray<string> => {
  const containers = (["initContainers", "containers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, path: `${path}.${list}[${index}]` }))
  )
  return [...containers.flatMap(envWarnings), ...portWarnings(containers), ...portNameWarnings(containers)]
}

/** A variable may extend an earlier one: `PATH` as `$(PATH):/opt/bin`. */
const envWarnings = ({ container: { env = [] }, path }: LocatedContainer): ReadonlyArray<string> => {
  const names = new Set<string>()
  return env.flatMap(({ name, value = "" }, index) => {
    const reference = `$(${name})`
    const isHiding = names.has(name) && (value === reference || !value.includes(reference))
    names.add(name)
    const loss = "which may be dropped when using apply"
    return isHiding ? [`${path}.env[${index}]: hides previous definition of "${name}", ${loss}`] : []
  })
}

interface LocatedPort {
  readonly hostPort: number
  readonly hostIP: string
  readonly path: string
}

/** Unlike Kubernetes, a port is compared with at most this many equal ports, so that no request takes hours. */
const comparedPortsMax = 64

const portWarnings = (containers: ReadonlyArray<LocatedContainer>): ReadonlyArray<string> => {
  const portsByNumberAndProtocol = new Map<string, Array<LocatedPort>>()
  const warnings: Array<string> = []
  for (const { container, path: containerPath } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      const { name = "", containerPort, hostPort = 0, hostIP = "", protocol = "TCP" } = port
      const path = `${containerPath}.ports[${index}]`
      if (hostIP !== "" && hostPort === 0) {
        const location = `HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}`
        warnings.push(`${path}: hostIP set without hostPort: {Name:${name} ${location}}`)
      }
      const located = { hostPort, hostIP, path }
      const others = portsByNumberAndProtocol.get(`${containerPort}/${protocol}`) ?? []
      for (const other of others) warnings.push(...clashWarnings(located, other))
      if (others.length < comparedPortsMax)
        portsByNumberAndProtocol.set(`${containerPort}/${protocol}`, [...others, located])
    }
  }
  return warnings
}

const clashWarnings = (port: LocatedPort, other: LocatedPort): ReadonlyArray<string> => {
  const warning = (clash: string) => [`${port.path}: ${clash} port definition with ${other.path}`]
  if (port.hostPort === other.hostPort && port.hostIP === other.hostIP) return warning("duplicate")
  if (port.hostPort === 0 || other.hostPort === 0) return warning("overlapping")
  const isAnyAddress = port.hostIP === "" || other.hostIP === ""
  return port.hostPort === other.hostPort && isAnyAddress ? warning("dangerously ambiguous") : []
}

const portNameWarnings = (containers: ReadonlyArray<LocatedContainer>): ReadonlyArray<string> => {
  const firstPathByName = new Map<string, string>()
  return containers.flatMap(({ container, path: containerPath }) =>
    (container.ports ?? []).flatMap(({ name = "" }, index) => {
      const path = `${containerPath}.ports[${index}]`
      const firstPath = firstPathByName.get(name)
      if (firstPath === undefined) firstPathByName.set(name, path)
      if (name === "" || firstPath === undefined) return []
      const use = `services and probes that select ports by name will use ${firstPath}`
      return [`${path}: duplicate port name ${goQuote(name)} with ${firstPath}, ${use}`]
    })
  )
}
