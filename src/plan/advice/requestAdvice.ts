import { stopsOldFirst } from "../../../machines/strategies/strategies.ts"
import { isUnprobed } from "../seeds/unprobedLives.ts"
import {
  isPreStopUntimed,
  longRunningContainers,
  preStopMillis
} from "../../kubernetes/pods/containers/containers.ts"
import { formatSeconds } from "./adviser.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Adviser } from "./adviser.ts"
import type { Deployment, PodSpec } from "../../kubernetes/meta/objects.ts"

/** A faster container needs a probe only if requests are lost. */
const answeringMinMillis = 1000

/**
 * Without any Service, every container may have clients. `awaitingReadiness` excludes Services with
 * `publishNotReadyAddresses`, where a probe changes nothing.
 */
export const missingProbeAdvice: Adviser = (
  { spec },
  { requests },
  { longest, servingContainers, awaitingReadiness }
) => {
  const { answeringMillis } = longest
  const losesRequests = (requests?.because.starting ?? 0) > 0
  if (answeringMillis === 0 || (answeringMillis < answeringMinMillis && !losesRequests)) return undefined
  const unprobed = (spec.template.spec?.containers ?? []).filter(
    (it) => isUnprobed(it) && (servingContainers.size === 0 || awaitingReadiness.has(it.name))
  )
  if (unprobed.length === 0) return undefined
  const names = unprobed.map(({ name }) => JSON.stringify(name)).join(", ")
  return (
    `container ${names} has no readinessProbe and takes up to ${formatSeconds(answeringMillis)} to answer: ` +
    "Kubernetes counts it as available the moment it runs, and requests are lost until then"
  )
}

/**
 * A Pod gets requests until the change of its endpoints has reached all clients.
 * Source: pkg/proxy/topology.go, pkg/kubelet/kuberuntime/kuberuntime_container.go (executePreStopHook).
 */
export const preStopAdvice: Adviser = (
  deployment,
  { requests },
  { traffic: { propagationMillis }, strategies, servingContainers }
) => {
  const lost = requests?.because.stopping ?? 0
  // Recreate loses requests whatever the hooks do.
  if (lost === 0 || stopsOldFirst(deployment, strategies)) return undefined
  // Containers may stop at once after SIGTERM: sidecars are then held up the least.
  const [shortest] = stopDelays(deployment.spec, 0)
    .filter(({ name }) => servingContainers.has(name))
    .sort((a, b) => a.millis - b.millis || Number(a.isUntimed) - Number(b.isUntimed))
  if (shortest === undefined || shortest.millis >= propagationMillis) return undefined
  const { millis, text } = shortest
  const sendingText = `clients go on sending to ${text === undefined ? "them" : "it"} for ${formatSeconds(propagationMillis)}`
  const lossText = `${lost} ${lost === 1 ? "request is" : "requests are"} lost`
  if (millis === 0 && shortest.isUntimed) {
    return (
      `how long preStop holds ${text ?? "Pods"} up is not known here, and it was played as 0s: ` +
      `${sendingText}, and up to ${lossText} where it is over before that`
    )
  }
  const delayText =
    millis === 0
      ? `nothing holds ${text ?? "Pods"} up`
      : `${text === undefined ? "preStop holds Pods" : `${text} is held`} up for ${formatSeconds(millis)}`
  return (
    `${delayText} ${text === undefined ? "that are told to stop" : "when its Pod is told to stop"}, ` +
    `and ${sendingText}: up to ${lossText}. ` +
    `Say lifecycle.preStop.sleep.seconds: ${Math.ceil(propagationMillis / 1000)} or more`
  )
}

/** The grace period includes the preStop hook and ends with SIGKILL. */
export const gracePeriodAdvice: Adviser = (
  { spec },
  _figures,
  { longest: { stoppingMillis }, servingContainers }
) => {
  const { terminationGracePeriodSeconds: graceSeconds = 30 } = spec.template.spec ?? {}
  // Cutting off a sidecar harms only if a Service sends requests to it.
  const [longestDelay] = stopDelays(spec, stoppingMillis)
    .filter(({ name, isSidecar }) => !isSidecar || servingContainers.has(name))
    .sort((a, b) => b.millis - a.millis)
  if (longestDelay === undefined) return undefined
  const { millis, text } = longestDelay
  const neededMillis = millis + stoppingMillis
  if (neededMillis <= graceSeconds * 1000) return undefined
  const wantedSeconds = Math.ceil(neededMillis / 1000)
  const durationText =
    millis === 0
      ? `Pods take up to ${formatSeconds(stoppingMillis)} to stop`
      : `${text === undefined ? "preStop takes" : `${text} is held up for`} ${formatSeconds(millis)}, ` +
        `and stopping up to ${formatSeconds(stoppingMillis)} more`
  return (
    `${durationText}: terminationGracePeriodSeconds: ${graceSeconds} is over before that, and what they are doing is ` +
    `cut off. Say ${wantedSeconds} or more`
  )
}

/** How long a container goes on between its Pod's deletion and SIGTERM. */
interface StopDelay {
  readonly name: string
  /** `container "app"`; undefined for a Pod's only container. */
  readonly text: string | undefined
  readonly isSidecar: boolean
  readonly millis: number
  /** Whether the duration of its preStop hook is unknown. */
  readonly isUntimed: boolean
}

/** A sidecar waits for all other containers, up to `stoppingMillis` from their SIGTERM on. */
const stopDelays = ({ template }: Deployment["spec"], stoppingMillis: number): ReadonlyArray<StopDelay> => {
  const spec: PodSpec = template.spec ?? { containers: [] }
  const containers = longRunningContainers(spec)
  const isSidecar = (it: Core.Container): boolean => !spec.containers.includes(it)
  const othersMillis = Math.max(0, ...spec.containers.map(preStopMillis)) + stoppingMillis
  return containers.map((it) => ({
    name: it.name,
    text: containers.length === 1 ? undefined : `container ${JSON.stringify(it.name)}`,
    isSidecar: isSidecar(it),
    millis: Math.max(preStopMillis(it), isSidecar(it) ? othersMillis : 0),
    isUntimed: isPreStopUntimed(it)
  }))
}
