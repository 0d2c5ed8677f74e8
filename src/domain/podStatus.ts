import { conditionOf, neverProbed } from "./conditions.ts"
import { backOffMillis } from "./containers.ts"
import { timestampOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerFacts } from "./containers.ts"
import type { ContainerStatus, Pod, PodCondition, PodStatus } from "./objects.ts"

/**
 * The status a kubelet reports for a Pod, from what its containers do.
 *
 * Source: pkg/kubelet/kubelet_pods.go (getPhase, generateAPIPodStatus), pkg/kubelet/status/generate.go.
 */
export const podStatus = (options: {
  readonly pod: Pod
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly addresses: { readonly podIP: string; readonly hostIP: string }
  readonly nowMillis: number
}): PodStatus => {
  const { pod, containers, addresses, nowMillis } = options
  const { status } = pod
  const phase = phaseOf(containers, pod.spec.restartPolicy ?? "Always", status)
  return {
    ...status,
    phase,
    conditions: conditionsOf(pod, containers, phase, nowMillis),
    hostIP: status.hostIP ?? addresses.hostIP,
    hostIPs: status.hostIPs ?? [{ ip: addresses.hostIP }],
    podIP: status.podIP ?? addresses.podIP,
    podIPs: status.podIPs ?? [{ ip: addresses.podIP }],
    startTime: status.startTime ?? timestampOf(nowMillis),
    containerStatuses: containers.map((facts) => containerStatus(pod, facts, nowMillis))
  }
}

/** A Pod between restarts is Running; only one that will not restart can succeed or fail. */
const phaseOf = (
  containers: ReadonlyArray<ContainerFacts>,
  restartPolicy: string,
  status: PodStatus
): string => {
  const finished = containers.every(
    ({ doing, lastExit }) =>
      doing === "terminated" &&
      (restartPolicy === "Never" || (restartPolicy === "OnFailure" && lastExit?.code === 0))
  )
  if (finished && containers.length > 0) {
    return containers.every(({ lastExit }) => lastExit?.code === 0) ? "Succeeded" : "Failed"
  }
  const hasBegun = containers.every(({ doing, lastExit }) => doing === "running" || lastExit !== undefined)
  return hasBegun || status.phase === "Running" ? "Running" : "Pending"
}

const conditionsOf = (
  pod: Pod,
  containers: ReadonlyArray<ContainerFacts>,
  phase: string,
  nowMillis: number
): ReadonlyArray<PodCondition> => {
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name)
  const waiting =
    phase === "Succeeded"
      ? { reason: "PodCompleted" }
      : {
          reason: "ContainersNotReady",
          message: `containers with unready status: [${unready.join(" ")}]`
        }
  const readiness = unready.length === 0 && phase === "Running" ? undefined : waiting
  return [
    podCondition(pod, "PodReadyToStartContainers", undefined, nowMillis),
    podCondition(pod, "Initialized", undefined, nowMillis),
    podCondition(pod, "Ready", readiness, nowMillis),
    podCondition(pod, "ContainersReady", readiness, nowMillis),
    podCondition(pod, "PodScheduled", undefined, nowMillis)
  ]
}

/**
 * True unless a reason is given; the time moves only when that changes, and an unchanged condition is
 * shared.
 */
const podCondition = (
  pod: Pod,
  type: string,
  because: { readonly reason: string; readonly message?: string } | undefined,
  nowMillis: number
): PodCondition => {
  const status = because === undefined ? "True" : "False"
  const present = conditionOf(pod.status.conditions, type)
  const unchanged =
    present?.status === status && present.reason === because?.reason && present.message === because?.message
  if (present !== undefined && unchanged) return present
  const lastTransitionTime =
    present?.status === status
      ? (present.lastTransitionTime ?? timestampOf(nowMillis))
      : timestampOf(nowMillis)
  return { type, status, lastProbeTime: neverProbed, lastTransitionTime, ...because }
}

const containerStatus = (pod: Pod, facts: ContainerFacts, nowMillis: number): ContainerStatus => {
  const present = pod.status.containerStatuses?.find(({ name }) => name === facts.name)
  const image = pod.spec.containers.find(({ name }) => name === facts.name)?.image ?? ""
  const hasRun = facts.doing === "running" || facts.lastExit !== undefined
  const state = stateOf(pod, facts, present, nowMillis)
  const lastState = lastStateOf(facts, present, nowMillis)
  const containerID = `containerd://${pod.metadata.uid.replaceAll("-", "")}${facts.restartCount}`
  return {
    name: facts.name,
    image,
    imageID: hasRun ? image : "",
    ...(hasRun ? { containerID } : {}),
    ready: facts.ready,
    started: facts.started,
    restartCount: facts.restartCount,
    state,
    lastState
  }
}

const stateOf = (
  pod: Pod,
  facts: ContainerFacts,
  present: ContainerStatus | undefined,
  nowMillis: number
): Core.ContainerState => {
  const image = pod.spec.containers.find(({ name }) => name === facts.name)?.image ?? ""
  switch (facts.doing) {
    case "creating":
      return { waiting: { reason: "ContainerCreating" } }
    case "pullFailed":
      return { waiting: { reason: "ErrImagePull", message: `failed to pull image ${JSON.stringify(image)}` } }
    case "pullBackOff":
      return {
        waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image ${JSON.stringify(image)}` }
      }
    case "crashBackOff":
      return { waiting: { reason: "CrashLoopBackOff", message: crashMessage(pod, facts) } }
    case "running": {
      const same = present?.restartCount === facts.restartCount ? present.state?.running : undefined
      return { running: same ?? { startedAt: timestampOf(nowMillis) } }
    }
    case "terminated": {
      const ended = present?.state?.terminated
      if (ended !== undefined) return { terminated: ended }
      const startedAt = present?.state?.running?.startedAt
      return {
        terminated: {
          exitCode: facts.lastExit?.code ?? 0,
          reason: facts.lastExit?.reason ?? "Completed",
          ...(startedAt === undefined ? {} : { startedAt }),
          finishedAt: timestampOf(nowMillis)
        }
      }
    }
  }
}

const crashMessage = (pod: Pod, { name, restartCount }: ContainerFacts): string => {
  const { name: podName, namespace = "", uid } = pod.metadata
  const wait = goDuration(backOffMillis(restartCount))
  return `back-off ${wait} restarting failed container=${name} pod=${podName}_${namespace}(${uid})`
}

/** Seconds as Go prints them: `10s`, `2m40s`, `5m0s`. */
const goDuration = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

/** The run before the present one; where its end was never reported, what is known of it. */
const lastStateOf = (
  facts: ContainerFacts,
  present: ContainerStatus | undefined,
  nowMillis: number
): Core.ContainerState => {
  if (facts.doing === "terminated") return present?.lastState ?? noState
  const ended = present?.state?.terminated
  if (ended !== undefined) return { terminated: ended }
  const run = present?.state?.running
  const isReplaced = run !== undefined && present !== undefined && present.restartCount < facts.restartCount
  if (!isReplaced || facts.lastExit === undefined) return present?.lastState ?? noState
  const { startedAt } = run
  return {
    terminated: {
      exitCode: facts.lastExit.code,
      reason: facts.lastExit.reason,
      ...(startedAt === undefined ? {} : { startedAt }),
      finishedAt: timestampOf(nowMillis)
    }
  }
}

const noState: Core.ContainerState = Object.freeze({})
