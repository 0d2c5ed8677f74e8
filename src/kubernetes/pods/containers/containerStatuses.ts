import { crashBackOffMessage } from "./backOff.ts"
import { containerSpecOf, neverRanEnd, restartAllContainersEnd, hasNotRunSinceRemoval } from "./containers.ts"
import { imageProblem } from "./images.ts"
import { pullErrorPrefix, containerStatusOf, statusesOfRole } from "./storedContainers.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import { goQuote } from "../../meta/text/goQuote.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerFacts } from "./containers.ts"
import type { ContainerStatus, Pod } from "../../meta/objects.ts"

/** Source: kubelet_pods.go (convertToAPIContainerStatuses), prober_manager.go. */
export const containerStatuses = (
  pod: Pod,
  containers: ReadonlyArray<ContainerFacts>,
  nowMillis: number
): Array<ContainerStatus> =>
  containers.map((facts, index) => containerStatus({ pod, facts, index, nowMillis }))

interface ReportedContainer {
  readonly pod: Pod
  readonly facts: ContainerFacts
  readonly storedStatus: ContainerStatus | undefined
  readonly image: string
  readonly index: number
  readonly nowMillis: number
}

const containerStatus = (options: {
  readonly pod: Pod
  readonly facts: ContainerFacts
  readonly index: number
  readonly nowMillis: number
}): ContainerStatus => {
  const { pod, facts, index, nowMillis } = options
  const { name, role, doing, restartCount, started } = facts
  const stored = statusesOfRole(pod.status, role)
  const image = containerSpecOf(pod.spec, facts)?.image ?? ""
  const hasRun =
    doing === "running" || (facts.lastExit !== undefined && facts.lastExit.reason !== neverRanEnd.reason)
  const reported = { pod, facts, storedStatus: containerStatusOf(stored, name), image, index, nowMillis }
  const ready = facts.ready || (role === "init" && doing === "terminated" && facts.lastExit?.code === 0)
  const state = stateOf(reported)
  const lastState = lastStateOf(reported)
  // Hot path: literals without conditional parts.
  const status = hasRun
    ? {
        name,
        image,
        imageID: image,
        containerID: containerIdOf(reported),
        ready,
        started,
        restartCount,
        state,
        lastState
      }
    : { name, image, imageID: "", ready, started, restartCount, state, lastState }
  if (role !== "ephemeral") return status
  const { started: _started, ...ephemeralStatus } = status
  return ephemeralStatus
}

const containerIdOf = ({ pod, facts, index }: ReportedContainer): string => {
  const { role, restartCount } = facts
  // The letter tells the role, since `index` counts the containers of each role.
  const suffix = `${role === "app" ? "a" : role === "ephemeral" ? "c" : "b"}${index}${restartCount}`
  // `join` makes one text; V8 would keep all parts of a template.
  return ["containerd://", pod.metadata.uid.replaceAll("-", ""), suffix].join("")
}

const stateOf = (reported: ReportedContainer): Core.ContainerState => {
  const { pod, facts, storedStatus, image, nowMillis } = reported
  switch (facts.doing) {
    case "queued":
    case "creating":
      if (pod.spec.initContainers !== undefined) return initializing
      return facts.doing === "queued" && hasNotRunSinceRemoval(facts) ? allRestarting : creating
    case "imageRefused":
      return waitingFor(imageProblem(image))
    case "pullFailed":
      return waitingFor({ reason: "ErrImagePull", message: facts.pullError ?? "" })
    case "pullBackOff": {
      const errorText = facts.pullError === undefined ? "" : `${pullErrorPrefix}${facts.pullError}`
      const message = `Back-off pulling image ${goQuote(image)}${errorText}`
      return waitingFor({ reason: "ImagePullBackOff", message })
    }
    case "crashBackOff": {
      const message = crashBackOffMessage(facts.name, facts.crashes, pod.metadata)
      return waitingFor({ reason: "CrashLoopBackOff", message })
    }
    case "running": {
      const storedRun = isSameRun(reported) ? storedStatus?.state?.running : undefined
      return { running: storedRun ?? { startedAt: timestampOf(nowMillis) } }
    }
    case "terminated":
      return {
        terminated:
          isSameRun(reported) || facts.lastExit?.reason === neverRanEnd.reason
            ? terminationOfReportedRun(reported)
            : terminationOf(reported, { containerID: containerIdOf(reported) })
      }
  }
}

const creating: Core.ContainerState = Object.freeze({
  waiting: Object.freeze({ reason: "ContainerCreating" })
})
const initializing: Core.ContainerState = Object.freeze({
  waiting: Object.freeze({ reason: "PodInitializing" })
})

const removalMessage = "The container is removed because RestartAllContainers in place"
const allRestarting: Core.ContainerState = Object.freeze({
  waiting: Object.freeze({ reason: restartAllContainersEnd.reason, message: removalMessage })
})
const removed: Core.ContainerState = Object.freeze({
  terminated: Object.freeze({
    exitCode: restartAllContainersEnd.code,
    reason: restartAllContainersEnd.reason,
    message: removalMessage
  })
})

const waitingFor = ({ reason, message }: { readonly reason: string; readonly message: string }) => ({
  waiting: { reason, message }
})

const isSameRun = ({ facts, storedStatus }: ReportedContainer): boolean =>
  storedStatus?.restartCount === facts.restartCount

const terminationOfReportedRun = (reported: ReportedContainer): Core.ContainerStateTerminated => {
  const { facts, storedStatus } = reported
  const { lastExit } = facts
  const { state = noState, lastState } = storedStatus ?? {}
  if (state.terminated !== undefined) return state.terminated
  if (lastExit?.reason === neverRanEnd.reason) {
    const message = "The container could not be located when the pod was terminated"
    return { exitCode: lastExit.code, reason: lastExit.reason, message }
  }
  // A container whose restart was cancelled ended with its last run.
  const lastEnd =
    state.running === undefined && !hasRunSinceRemoval(reported) ? lastState?.terminated : undefined
  return lastEnd ?? terminationOf(reported, startOfRun(reported))
}

const hasRunSinceRemoval = ({ facts, storedStatus }: ReportedContainer): boolean =>
  storedStatus?.lastState?.terminated?.reason === restartAllContainersEnd.reason &&
  facts.lastExit?.reason !== restartAllContainersEnd.reason

interface RunStart {
  readonly startedAt?: string | undefined
  readonly containerID: string | undefined
}

/** A run that took no time was never reported as running. */
const startOfRun = (reported: ReportedContainer): RunStart => {
  const { storedStatus } = reported
  const { state = noState, containerID } = storedStatus ?? {}
  const { running } = state
  return running === undefined
    ? { containerID: containerIdOf(reported) }
    : { startedAt: running.startedAt, containerID }
}

const terminationOf = (
  { facts, nowMillis }: ReportedContainer,
  { startedAt, containerID }: RunStart
): Core.ContainerStateTerminated => {
  const { code, reason } = facts.lastExit ?? { code: 0, reason: "Completed" }
  const finishedAt = timestampOf(nowMillis)
  return {
    exitCode: code,
    reason,
    startedAt: startedAt ?? finishedAt,
    finishedAt,
    ...(containerID === undefined ? {} : { containerID })
  }
}

/** A termination that was never reported is rebuilt from the run that the stored state shows. */
const lastStateOf = (reported: ReportedContainer): Core.ContainerState => {
  const { facts, storedStatus } = reported
  const { state = noState, lastState = noState } = storedStatus ?? {}
  if (facts.doing !== "terminated" && facts.lastExit?.reason === restartAllContainersEnd.reason)
    return removed
  if (facts.doing === "terminated" && isSameRun(reported)) {
    return state.waiting === undefined || hasRunSinceRemoval(reported) ? lastState : noState
  }
  if (state.terminated !== undefined) return { terminated: state.terminated }
  if (facts.doing === "terminated" || facts.lastExit === undefined) return lastState
  if (facts.doing === "running" && isSameRun(reported)) return lastState
  const isTerminationReported = state.running === undefined && lastState.terminated !== undefined
  return isTerminationReported ? lastState : { terminated: terminationOf(reported, startOfRun(reported)) }
}

const noState: Core.ContainerState = Object.freeze({})
