import { countText } from "../../kubernetes/meta/text/countText.ts"
import { stopsOldFirst } from "../../../machines/strategies/strategies.ts"
import { isUnprobed, answerMillisWithoutProbe } from "../seeds/unprobedAnswers.ts"
import {
  isPreStopUntimed,
  longRunningContainers,
  preStopMillis
} from "../../kubernetes/pods/containers/containers.ts"
import { formatSeconds, podSpecChange, hasPlacementDeadlock } from "./proposal.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Adviser } from "./proposal.ts"
import type { Deployment, PodSpec } from "../../kubernetes/meta/objects.ts"

/** Containers of Services with `publishNotReadyAddresses` need no probe, which would change nothing. */
export const missingProbeAdvice: Adviser = (
  deployment,
  { requests },
  { longestTimes, servingPorts, servingOnlyWhenReady }
) => {
  const { readyToAnswerMillis } = longestTimes
  const losesRequests = (requests?.because.starting ?? 0) > 0
  if (readyToAnswerMillis === 0 || (readyToAnswerMillis <= answerMillisWithoutProbe && !losesRequests))
    return undefined
  const unprobed = (deployment.spec.template.spec?.containers ?? []).filter(
    (container) =>
      isUnprobed(container) && (servingPorts.size === 0 || servingOnlyWhenReady.has(container.name))
  )
  if (unprobed.length === 0) return undefined
  const names = unprobed.map(({ name }) => JSON.stringify(name)).join(", ")
  const priceText = requests === undefined ? "before it answers" : "and requests are lost until then"
  const remark =
    `container ${names} has no readinessProbe and takes up to ${formatSeconds(readyToAnswerMillis)} to answer: ` +
    `Kubernetes counts it as available the moment it runs, ${priceText}`
  const probed = unprobed.flatMap(({ name }) => {
    const port = servingPorts.get(name)
    return port === undefined ? [] : [{ name, readinessProbe: { tcpSocket: { port }, periodSeconds } }]
  })
  const [firstProbed] = probed
  if (firstProbed === undefined || requests === undefined) return { text: remark }
  return {
    text:
      `${remark}. Say readinessProbe.tcpSocket.port: ${firstProbed.readinessProbe.tcpSocket.port} with periodSeconds: ` +
      `${periodSeconds}, or better, httpGet of a path that it answers when it is ready`,
    change: podSpecChange(deployment, { containers: probed }),
    remark
  }
}

const periodSeconds = 5

/**
 * A Pod gets requests until the change of its endpoints has reached all clients.
 * Source: pkg/proxy/topology.go, pkg/kubelet/kuberuntime/kuberuntime_container.go (executePreStopHook).
 */
export const preStopAdvice: Adviser = (
  deployment,
  figures,
  { longestTimes: { stoppingMillis }, traffic: { propagationMillis }, strategies, servingPorts }
) => {
  const lost = figures.requests?.because.stopping ?? 0
  // A rollout in a placement deadlock stops no Pod yet, and so loses no requests.
  if (lost === 0 && !hasPlacementDeadlock(figures)) return undefined
  // Containers that stop at once after SIGTERM hold sidecars up the least.
  const tooShortDelays = stopDelays(deployment.spec, { stoppingMillis: 0 })
    .filter(({ container, millis }) => servingPorts.has(container.name) && millis < propagationMillis)
    .sort((a, b) => a.millis - b.millis || Number(a.isDurationUnknown) - Number(b.isDurationUnknown))
  const [shortest] = tooShortDelays
  if (shortest === undefined) return undefined
  const { millis, text } = shortest
  const sendingText = `clients go on sending to ${text === undefined ? "them" : "it"} for ${formatSeconds(propagationMillis)}`
  const lossText =
    lost === 0 ? "those requests are lost" : `up to ${countText(lost, "request is", "requests are")} lost`
  // Recreate loses requests whatever the hooks do, unless it becomes a RollingUpdate.
  const isRecreate = stopsOldFirst(deployment, strategies)
  if (millis === 0 && shortest.isDurationUnknown) {
    if (isRecreate) return undefined
    return {
      text:
        `how long preStop holds ${text ?? "Pods"} up is not known here, and it was played as 0s: ` +
        `${sendingText}, and ${lossText} where it is over before that`
    }
  }
  const delayText =
    millis === 0
      ? `nothing holds ${text ?? "Pods"} up`
      : `${text === undefined ? "preStop holds Pods" : `${text} is held`} up for ${formatSeconds(millis)}`
  const seconds = Math.ceil(propagationMillis / 1000)
  const graceSeconds = longerGraceSeconds(deployment, seconds * 1000 + stoppingMillis)
  const graceText = graceSeconds === undefined ? "" : `, and terminationGracePeriodSeconds: ${graceSeconds}`
  const remark =
    `${delayText} ${text === undefined ? "that are told to stop" : "when its Pod is told to stop"}, ` +
    `and ${sendingText}: ${lossText}`
  return {
    ...(isRecreate ? {} : { remark }),
    text: `${remark}. Say lifecycle.preStop.sleep.seconds: ${seconds} or more${graceText}`,
    change: {
      ...podSpecChange(deployment, {
        ...containersWithSleep(
          tooShortDelays.filter(({ isDurationUnknown }) => !isDurationUnknown),
          seconds
        ),
        ...(graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: graceSeconds })
      }),
      changesTermination: true
    }
  }
}

const containersWithSleep = (delays: ReadonlyArray<StopDelay>, seconds: number) => {
  const withSleep = (isIncluded: (delay: StopDelay) => boolean) =>
    delays.filter(isIncluded).map(({ container: { name, lifecycle } }) => {
      // A hook has one handler.
      const isCommand = lifecycle?.preStop?.exec !== undefined
      return { name, lifecycle: { preStop: { ...(isCommand ? { exec: null } : {}), sleep: { seconds } } } }
    })
  const containers = withSleep(({ isSidecar }) => !isSidecar)
  const sidecars = withSleep(({ isSidecar }) => isSidecar)
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(sidecars.length === 0 ? {} : { initContainers: sidecars })
  }
}

const graceSecondsOf = ({ spec }: Deployment): number =>
  spec.template.spec?.terminationGracePeriodSeconds ?? 30

const longerGraceSeconds = (deployment: Deployment, neededMillis: number): number | undefined =>
  neededMillis <= graceSecondsOf(deployment) * 1000 ? undefined : Math.ceil(neededMillis / 1000)

/** This is only a remark, since no figure shows what SIGKILL ends. */
export const gracePeriodRemark: Adviser = (
  deployment,
  _figures,
  { longestTimes: { stoppingMillis }, servingPorts }
) => {
  const graceSeconds = graceSecondsOf(deployment)
  // Cutting off a sidecar harms only if a Service sends requests to it.
  const [longestDelay] = stopDelays(deployment.spec, { stoppingMillis })
    .filter(({ container, isSidecar }) => !isSidecar || servingPorts.has(container.name))
    .sort((a, b) => b.millis - a.millis)
  if (longestDelay === undefined) return undefined
  const { millis, text } = longestDelay
  const neededMillis = millis + stoppingMillis
  if (neededMillis <= graceSeconds * 1000) return undefined
  const durationText =
    millis === 0
      ? `Pods take up to ${formatSeconds(stoppingMillis)} to stop`
      : `${text === undefined ? "preStop takes" : `${text} is held up for`} ${formatSeconds(millis)}, ` +
        `and stopping up to ${formatSeconds(stoppingMillis)} more`
  return {
    text:
      `${durationText}: terminationGracePeriodSeconds: ${graceSeconds} is over before that, and what they are doing is ` +
      `cut off. They need ${Math.ceil(neededMillis / 1000)}`
  }
}

interface StopDelay {
  readonly container: Core.Container
  /** `container "app"`; undefined for a Pod's only container. */
  readonly text: string | undefined
  readonly isSidecar: boolean
  readonly millis: number
  readonly isDurationUnknown: boolean
}

/** A sidecar waits for all other containers, up to `stoppingMillis` from their SIGTERM on. */
const stopDelays = (
  { template }: Deployment["spec"],
  { stoppingMillis }: { readonly stoppingMillis: number }
): ReadonlyArray<StopDelay> => {
  const spec: PodSpec = template.spec ?? { containers: [] }
  const containers = longRunningContainers(spec)
  const isSidecar = (container: Core.Container): boolean => !spec.containers.includes(container)
  const othersMillis = Math.max(0, ...spec.containers.map(preStopMillis)) + stoppingMillis
  return containers.map((container) => ({
    container,
    text: containers.length === 1 ? undefined : `container ${JSON.stringify(container.name)}`,
    isSidecar: isSidecar(container),
    millis: Math.max(preStopMillis(container), isSidecar(container) ? othersMillis : 0),
    isDurationUnknown: isPreStopUntimed(container)
  }))
}
