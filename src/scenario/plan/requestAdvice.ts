import { isUnprobed } from "./unprobed.ts"
import { isPreStopUntimed, lastingContainers, preStopMillis } from "../../domain/containers.ts"
import { seconds } from "./seconds.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Adviser } from "./adviser.ts"
import type { Deployment, PodSpec } from "../../domain/objects.ts"

/** What a second does not show, nobody minds. */
const answeringMillisMin = 1000

/**
 * Of what nobody sends requests to, any may be what somebody waits for; what is sent them ready or not would get them
 * no later with a probe.
 */
export const probeless: Adviser = ({ spec }, { requests }, { longest, servers, awaited }) => {
  const { answeringMillis } = longest
  const isLossy = (requests?.because.starting ?? 0) > 0
  if (answeringMillis === 0 || (answeringMillis < answeringMillisMin && !isLossy)) return undefined
  const without = (spec.template.spec?.containers ?? []).filter(
    (it) => isUnprobed(it) && (servers.size === 0 || awaited.has(it.name))
  )
  if (without.length === 0) return undefined
  const names = without.map(({ name }) => JSON.stringify(name)).join(", ")
  return (
    `container ${names} has no readinessProbe and takes up to ${seconds(answeringMillis)} to answer: ` +
    "Kubernetes counts it as available the moment it runs, and requests are lost until then"
  )
}

/**
 * Whoever stops at once is sent requests until everybody has heard of it.
 *
 * Source: pkg/proxy/topology.go, pkg/kubelet/kuberuntime/kuberuntime_container.go (executePreStopHook).
 */
export const draining: Adviser = ({ spec }, { requests }, { traffic: { propagationMillis }, servers }) => {
  const lost = requests?.because.stopping ?? 0
  // What stops before anything else is there loses them one way or the other.
  if (lost === 0 || spec.strategy.type === "Recreate") return undefined
  const [first] = heldUp(spec, 0)
    .filter(({ name }) => servers.has(name))
    .sort((a, b) => a.millis - b.millis || Number(a.isUntimed) - Number(b.isUntimed))
  if (first === undefined || first.millis >= propagationMillis) return undefined
  const { millis, of } = first
  const until = `clients go on sending to ${of === undefined ? "them" : "it"} for ${seconds(propagationMillis)}`
  const are = `${lost} ${lost === 1 ? "request is" : "requests are"} lost`
  if (millis === 0 && first.isUntimed) {
    return (
      `how long preStop holds ${of ?? "Pods"} up is not known here, and it was played as 0s: ` +
      `${until}, and up to ${are} where it is over before that`
    )
  }
  const is =
    millis === 0
      ? `nothing holds ${of ?? "Pods"} up`
      : `${of === undefined ? "preStop holds Pods" : `${of} is held`} up for ${seconds(millis)}`
  return (
    `${is} ${of === undefined ? "that are told to stop" : "when its Pod is told to stop"}, ` +
    `and ${until}: up to ${are}. ` +
    `Say lifecycle.preStop.sleep.seconds: ${Math.ceil(propagationMillis / 1000)} or more`
  )
}

/** The grace begins with the hook; what it does not leave for, ends by SIGKILL. */
export const grace: Adviser = ({ spec }, _seen, { longest: { stoppingMillis }, servers }) => {
  const { terminationGracePeriodSeconds: graceSeconds = 30 } = spec.template.spec ?? {}
  const [last] = heldUp(spec, stoppingMillis)
    .filter(({ name, isSidecar }) => !isSidecar || servers.has(name))
    .sort((a, b) => b.millis - a.millis)
  if (last === undefined) return undefined
  const { millis, of } = last
  const neededMillis = millis + stoppingMillis
  if (neededMillis <= graceSeconds * 1000) return undefined
  const wanted = Math.ceil(neededMillis / 1000)
  const taken =
    millis === 0
      ? `Pods take up to ${seconds(stoppingMillis)} to stop`
      : `${of === undefined ? "preStop takes" : `${of} is held up for`} ${seconds(millis)}, ` +
        `and stopping up to ${seconds(stoppingMillis)} more`
  return (
    `${taken}: terminationGracePeriodSeconds: ${graceSeconds} is over before that, and what they are at is ` +
    `cut off. Say ${wanted} or more`
  )
}

/** For how long a container is not told to stop whose Pod is. */
interface HeldUp {
  readonly name: string
  /** Undefined for the only one of its Pod: what is so of it is so of the Pod. */
  readonly of: string | undefined
  readonly isSidecar: boolean
  readonly millis: number
  /** It may be longer: its hook does what nobody knows the time of. */
  readonly isUntimed: boolean
}

/** Each by its own preStop hook; a sidecar until the others have stopped as well, which take so long from theirs on. */
const heldUp = ({ template }: Deployment["spec"], stoppingMillis: number): ReadonlyArray<HeldUp> => {
  const spec: PodSpec = template.spec ?? { containers: [] }
  const all = lastingContainers(spec)
  const isSidecar = (it: Core.Container): boolean => !spec.containers.includes(it)
  const othersMillis = Math.max(0, ...spec.containers.map(preStopMillis)) + stoppingMillis
  return all.map((it) => ({
    name: it.name,
    of: all.length === 1 ? undefined : `container ${JSON.stringify(it.name)}`,
    isSidecar: isSidecar(it),
    millis: Math.max(preStopMillis(it), isSidecar(it) ? othersMillis : 0),
    isUntimed: isPreStopUntimed(it)
  }))
}
