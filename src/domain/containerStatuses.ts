import { crashMessage } from "./backOff.ts"
import { containerOf, neverRun } from "./containers.ts"
import { imageProblem } from "./images.ts"
import { pullErrorMark, statusOf } from "./storedContainers.ts"
import { timestampOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerFacts } from "./containers.ts"
import type { ContainerStatus, Pod } from "./objects.ts"

/**
 * What a kubelet says of each container of a Pod.
 *
 * Source: pkg/kubelet/kubelet_pods.go (convertToAPIContainerStatuses), pkg/kubelet/prober/prober_manager.go.
 */
export const containerStatuses = (
  pod: Pod,
  containers: ReadonlyArray<ContainerFacts>,
  nowMillis: number
): Array<ContainerStatus> =>
  containers.map((facts, index) => containerStatus({ pod, facts, index, nowMillis }))

interface Told {
  readonly pod: Pod
  readonly facts: ContainerFacts
  /** What was said of it before. */
  readonly present: ContainerStatus | undefined
  readonly image: string
  /** Of the container that runs now, or ran last. */
  readonly id: string
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
  const stored = role === "app" ? pod.status.containerStatuses : pod.status.initContainerStatuses
  const image = containerOf(pod.spec, facts)?.image ?? ""
  const hasRun =
    doing === "running" || (facts.lastExit !== undefined && facts.lastExit.reason !== neverRun.reason)
  const place = `${role === "app" ? "a" : "b"}${index}${restartCount}`
  const id = `containerd://${pod.metadata.uid.replaceAll("-", "")}${place}`
  const told = { pod, facts, present: statusOf(stored, name), image, id, nowMillis }
  return {
    name,
    image,
    imageID: hasRun ? image : "",
    ...(hasRun ? { containerID: id } : {}),
    ready: facts.ready || (role === "init" && doing === "terminated" && facts.lastExit?.code === 0),
    started,
    restartCount,
    state: stateOf(told),
    lastState: lastStateOf(told)
  }
}

const stateOf = (told: Told): Core.ContainerState => {
  const { pod, facts, present, image, nowMillis } = told
  switch (facts.doing) {
    case "queued":
    case "creating":
      return pod.spec.initContainers === undefined ? creating : initializing
    case "imageRefused":
      return waitingFor(imageProblem(image))
    case "pullFailed":
      return waitingFor({ reason: "ErrImagePull", message: facts.pullError ?? "" })
    case "pullBackOff": {
      const why = facts.pullError === undefined ? "" : `${pullErrorMark}${facts.pullError}`
      const message = `Back-off pulling image ${JSON.stringify(image)}${why}`
      return waitingFor({ reason: "ImagePullBackOff", message })
    }
    case "crashBackOff": {
      const message = crashMessage(facts.name, facts.crashes, pod.metadata)
      return waitingFor({ reason: "CrashLoopBackOff", message })
    }
    case "running": {
      const same = present?.restartCount === facts.restartCount ? present.state?.running : undefined
      return { running: same ?? { startedAt: timestampOf(nowMillis) } }
    }
    case "terminated":
      return { terminated: isSameRun(told) ? endOfToldRun(told) : endOf(told, { containerID: told.id }) }
  }
}

const creating: Core.ContainerState = Object.freeze({
  waiting: Object.freeze({ reason: "ContainerCreating" })
})
const initializing: Core.ContainerState = Object.freeze({
  waiting: Object.freeze({ reason: "PodInitializing" })
})

const waitingFor = ({ reason, message }: { readonly reason: string; readonly message: string }) => ({
  waiting: { reason, message }
})

/** Whether it is the run that was told of last, and not one that has begun since. */
const isSameRun = ({ facts, present }: Told): boolean => present?.restartCount === facts.restartCount

const endOfToldRun = (told: Told): Core.ContainerStateTerminated => {
  const { facts, present } = told
  const { lastExit } = facts
  const { state = noState, lastState } = present ?? {}
  if (state.terminated !== undefined) return state.terminated
  if (lastExit?.reason === neverRun.reason) {
    const message = "The container could not be located when the pod was terminated"
    return { exitCode: lastExit.code, reason: lastExit.reason, message }
  }
  // One that waited to be started again, and will not be: its last run is its end.
  const before = state.running === undefined ? lastState?.terminated : undefined
  return before ?? endOf(told, beginningOf(told))
}

/** What is known of a run before its end. */
interface Beginning {
  readonly startedAt?: string | undefined
  readonly containerID: string | undefined
}

/** Of the run that was told of last; nothing was told of one that took no time. */
const beginningOf = ({ present, id }: Told): Beginning => {
  const { state = noState, containerID } = present ?? {}
  const { running } = state
  return running === undefined ? { containerID: id } : { startedAt: running.startedAt, containerID }
}

const endOf = (
  { facts, nowMillis }: Told,
  { startedAt, containerID }: Beginning
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

/** The run before the present one; where its end was never reported, what is known of it. */
const lastStateOf = (told: Told): Core.ContainerState => {
  const { facts, present } = told
  const { state = noState, lastState = noState } = present ?? {}
  if (facts.doing === "terminated" && isSameRun(told)) {
    // The end that was told as the last run's is told as its own by now.
    return state.waiting === undefined ? lastState : noState
  }
  if (state.terminated !== undefined) return { terminated: state.terminated }
  if (facts.doing === "terminated" || facts.lastExit === undefined) return lastState
  if (facts.doing === "running" && isSameRun(told)) return lastState
  const isTold = state.running === undefined && lastState.terminated !== undefined
  return isTold ? lastState : { terminated: endOf(told, beginningOf(told)) }
}

const noState: Core.ContainerState = Object.freeze({})
