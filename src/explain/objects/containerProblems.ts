import { crashBackOffMillis, parseCrashCount } from "../../kubernetes/pods/containers/backOff.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { timesText } from "../../kubernetes/meta/text/countText.ts"
import { durationText, eventCount, pullRetriesText } from "./retriesText.ts"
import { isSidecarNamed } from "../../kubernetes/pods/podStatusText.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodProblem } from "./stateExplanation.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

interface PodEvents {
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nowMillis: number
}

export const containerProblem = (pod: Pod, podEvents: PodEvents): PodProblem | undefined => {
  const initStatuses = pod.status.initContainerStatuses ?? []
  const appStatuses = pod.status.containerStatuses ?? []
  if (initStatuses.length === 0 && appStatuses.length === 0)
    return startingProblem(pod, "no container of it has begun", podEvents)
  for (const status of initStatuses) {
    if (
      status.state?.terminated?.exitCode === 0 ||
      (isSidecarNamed(pod, status.name) && status.started === true)
    ) {
      continue
    }
    return notRunningProblem(pod, status, podEvents) ?? initContainerProblem(status)
  }
  for (const status of appStatuses) {
    if (status.ready) continue
    const problem = notRunningProblem(pod, status, podEvents) ?? probeProblem(pod, status, podEvents)
    if (problem !== undefined) return problem
  }
  return undefined
}

export const containerNames = ({ spec }: Pod): ReadonlyArray<string> =>
  [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(({ name }) => name)

/** `state` is the sentence's predicate if there is no `problem`. */
export const containerState = (
  pod: Pod,
  name: string,
  podEvents: PodEvents
): {
  readonly status: ContainerStatus | undefined
  readonly problem: PodProblem | undefined
  readonly state: string
  readonly isWell: boolean
} => {
  const isInit = pod.spec.initContainers?.some((it) => it.name === name) === true
  const statuses = (isInit ? pod.status.initContainerStatuses : pod.status.containerStatuses) ?? []
  const status = statuses.find((it) => it.name === name)
  if (status === undefined) {
    return { status, problem: undefined, state: "has not begun", isWell: false }
  }
  const { terminated, running } = status.state ?? {}
  if (terminated?.exitCode === 0) {
    return { status, problem: undefined, state: "has ended well (exit code 0)", isWell: true }
  }
  if (running === undefined)
    return { status, problem: notRunningProblem(pod, status, podEvents), state: "waits", isWell: false }
  if (status.ready || (isInit && !isSidecarNamed(pod, status.name))) {
    const restarts = restartsText(status)
    const state = `${isInit && !status.ready ? "runs" : "runs and is ready"}${restarts}`
    return { status, problem: undefined, state, isWell: status.ready }
  }
  const problem = probeProblem(pod, status, podEvents)
  return { status, problem, state: "runs and is not ready", isWell: false }
}

const initContainerProblem = ({ name }: ContainerStatus): PodProblem => ({
  groupKey: `init ${name}`,
  endsByItself: true,
  predicate: (plural) => `${plural ? "wait" : "waits"} for init container ${JSON.stringify(name)} to end`
})

const notRunningProblem = (
  pod: Pod,
  status: ContainerStatus,
  podEvents: PodEvents
): PodProblem | undefined => {
  const { reason, message } = status.state?.waiting ?? {}
  if (reason === undefined) return exitProblem(status)
  if (reason === "ContainerCreating" || reason === "PodInitializing")
    return startingProblem(pod, reason, podEvents)
  if (pullReasons.has(reason)) return pullProblem(status, reason, podEvents)
  if (reason === "CrashLoopBackOff") return crashProblem(status, podEvents)
  const why = message === undefined ? "" : `: ${message}`
  return {
    groupKey: `${reason} ${status.name} ${why}`,
    containerPredicate: `cannot start${why} (${reason})`,
    predicate: () => `cannot start container ${JSON.stringify(status.name)}${why} (${reason})`
  }
}

const pullReasons: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull"
])

const startingProblem = (pod: Pod, why: string, { nowMillis }: PodEvents): PodProblem => {
  const ageMillis = nowMillis - timestampMillis(pod.status.startTime ?? pod.metadata.creationTimestamp)
  return {
    groupKey: `starting ${why}`,
    endsByItself: true,
    predicate: (plural) => `${plural ? "are" : "is"} being started (${why})`,
    detail: ageMillis >= 1000 ? `, for ${formatDuration(Math.floor(ageMillis / 1000) * 1000)}` : ""
  }
}

const pullProblem = (
  status: ContainerStatus,
  reason: string,
  { events, nowMillis }: PodEvents
): PodProblem => {
  const { image } = status
  const prefix = `Failed to pull image ${JSON.stringify(image)}: `
  const failures = events.filter((event) => event.reason === "Failed" && event.message.startsWith(prefix))
  const latest = latestOf(failures)
  const waitingMessage = status.state?.waiting?.message ?? ""
  // Since release 1.31 the kubelet appends the registry's message to the waiting message.
  const [, registryMessage = waitingMessage] = /ErrImagePull: ([^]*)$/u.exec(waitingMessage) ?? []
  const why =
    latest?.message.slice(prefix.length) ?? registryMessage.replace(/^Back-off pulling image .*$/u, "")
  return {
    groupKey: `pull ${image} ${why}`,
    predicate: () => `cannot pull ${image}${why === "" ? "" : `: ${why}`}`,
    detail: ` (${reason}${pullRetriesText(failures, nowMillis)})`,
    occurrences: eventCount(failures)
  }
}

const crashProblem = (status: ContainerStatus, { nowMillis }: PodEvents): PodProblem => {
  const { exitCode, reason = "Error", finishedAt } = status.lastState?.terminated ?? {}
  const crashCount = parseCrashCount(status.state?.waiting?.message ?? "", status.restartCount)
  const remainingMillis =
    finishedAt === undefined
      ? Number.NaN
      : timestampMillis(finishedAt) + crashBackOffMillis(crashCount) - nowMillis
  const lastExitText = exitCode === undefined ? "" : `, the last time with exit code ${exitCode} (${reason})`
  const name = JSON.stringify(status.name)
  return {
    groupKey: `crash ${status.name} ${exitCode} ${reason}`,
    containerPredicate: `ends again and again${lastExitText}`,
    occurrences: status.restartCount,
    predicate: (plural) => `${plural ? "see" : "sees"} container ${name} end again and again${lastExitText}`,
    detail:
      `: it has been started again ${timesText(status.restartCount)}` +
      (remainingMillis > 0
        ? `, and is once more in ${durationText(remainingMillis)} (CrashLoopBackOff)`
        : " (CrashLoopBackOff)")
  }
}

const exitProblem = (status: ContainerStatus): PodProblem | undefined => {
  const terminated = status.state?.terminated
  if (terminated === undefined) return undefined
  const { exitCode, reason = exitCode === 0 ? "Completed" : "Error" } = terminated
  return {
    groupKey: `ended ${status.name} ${exitCode} ${reason}`,
    containerPredicate: `has ended with exit code ${exitCode} (${reason})`,
    predicate: (plural) =>
      `${plural ? "have" : "has"} container ${JSON.stringify(status.name)} ended with exit code ${exitCode} (${reason})`
  }
}

const probeProblem = (pod: Pod, status: ContainerStatus, { events }: PodEvents): PodProblem | undefined => {
  const container = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].find(
    ({ name }) => name === status.name
  )
  const isStarting = container?.startupProbe !== undefined && status.started !== true
  if (!isStarting && container?.readinessProbe === undefined) return undefined
  const probe = isStarting ? "startup" : "readiness"
  const unhealthyEvents = events.filter(
    ({ reason, message }) => reason === "Unhealthy" && message.toLowerCase().startsWith(`${probe} probe`)
  )
  const latest = latestOf(unhealthyEvents)
  const failureCount = eventCount(unhealthyEvents)
  const [, why = ""] = /^\w+ probe \w+: ([^]*)$/u.exec(latest?.message ?? "") ?? []
  const name = JSON.stringify(status.name)
  const resultText =
    latest === undefined ? "has not passed yet" : `fails${why === "" ? "" : ` (${why.trim()})`}`
  return {
    groupKey: `probe ${probe} ${status.name} ${resultText}`,
    containerPredicate: `runs and is not ready: its ${probe} probe ${resultText}`,
    occurrences: failureCount,
    predicate: (plural) =>
      `${plural ? "run" : "runs"} and ${plural ? "are" : "is"} not ready: ` +
      `the ${probe} probe of container ${name} ${resultText}`,
    // The kubelet's event recorder drops repeated events, so the count is a minimum.
    detail: `${failureCount < 2 ? "" : `, at least ${timesText(failureCount)} so far`}${restartsText(status)}`
  }
}

const restartsText = ({ restartCount, lastState }: ContainerStatus): string => {
  if (restartCount === 0) return ""
  const { exitCode, reason = "Error" } = lastState?.terminated ?? {}
  const lastExitText = exitCode === undefined ? "" : `, the last time after exit code ${exitCode} (${reason})`
  return `; it has been started again ${timesText(restartCount)}${lastExitText}`
}

const latestOf = (events: ReadonlyArray<NormalizedEvent>): NormalizedEvent | undefined =>
  events.reduce<NormalizedEvent | undefined>(
    (latest, event) =>
      latest === undefined || timestampMillis(event.lastTimestamp) >= timestampMillis(latest.lastTimestamp)
        ? event
        : latest,
    undefined
  )
