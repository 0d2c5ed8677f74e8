import { crashBackOffMillis, crashesOfMessage } from "../backOff.ts"
import { formatDuration } from "../durations.ts"
import { timesText } from "../counted.ts"
import { inWords, triesOf, triesText } from "./waits.ts"
import { isSidecar } from "../podWords.ts"
import { millisOf } from "../timestamps.ts"
import type { ContainerStatus, Pod } from "../objects.ts"
import type { PodTrouble } from "./explained.ts"
import type { WholeEvent } from "../wholeEvent.ts"

interface PodEvents {
  readonly events: ReadonlyArray<WholeEvent>
  readonly nowMillis: number
}

/** Why a Pod on a node is not ready: the problem of its first unready container. */
export const containerTrouble = (pod: Pod, podEvents: PodEvents): PodTrouble | undefined => {
  const init = pod.status.initContainerStatuses ?? []
  const apps = pod.status.containerStatuses ?? []
  if (init.length === 0 && apps.length === 0)
    return startingProblem(pod, "no container of it has begun", podEvents)
  for (const status of init) {
    if (
      status.state?.terminated?.exitCode === 0 ||
      (isSidecar(pod, status.name) && status.started === true)
    ) {
      continue
    }
    return notRunningProblem(pod, status, podEvents) ?? waitingForInit(status)
  }
  for (const status of apps) {
    if (status.ready) continue
    const trouble = notRunningProblem(pod, status, podEvents) ?? probeProblem(pod, status, podEvents)
    if (trouble !== undefined) return trouble
  }
  return undefined
}

export const containerNames = ({ spec }: Pod): ReadonlyArray<string> =>
  [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(({ name }) => name)

/** The state of one container. `state` is a predicate for sentences without a `trouble`. */
export const containerOf = (
  pod: Pod,
  name: string,
  podEvents: PodEvents
): {
  readonly status: ContainerStatus | undefined
  readonly trouble: PodTrouble | undefined
  readonly state: string
  readonly isWell: boolean
} => {
  const isInit = pod.spec.initContainers?.some((it) => it.name === name) === true
  const statuses = (isInit ? pod.status.initContainerStatuses : pod.status.containerStatuses) ?? []
  const status = statuses.find((it) => it.name === name)
  if (status === undefined) {
    return { status, trouble: undefined, state: "has not begun", isWell: false }
  }
  const { terminated, running: runningState } = status.state ?? {}
  if (terminated?.exitCode === 0) {
    return { status, trouble: undefined, state: "has ended well (exit code 0)", isWell: true }
  }
  if (runningState === undefined)
    return { status, trouble: notRunningProblem(pod, status, podEvents), state: "waits", isWell: false }
  if (status.ready || (isInit && !isSidecar(pod, status.name))) {
    const restarts = restartsText(status)
    const state = `${isInit && !status.ready ? "runs" : "runs and is ready"}${restarts}`
    return { status, trouble: undefined, state, isWell: status.ready }
  }
  const trouble = probeProblem(pod, status, podEvents)
  return { status, trouble, state: "runs and is not ready", isWell: false }
}

const waitingForInit = ({ name }: ContainerStatus): PodTrouble => ({
  kind: `init ${name}`,
  say: (plural) => `${plural ? "wait" : "waits"} for init container ${JSON.stringify(name)} to end`
})

const notRunningProblem = (
  pod: Pod,
  status: ContainerStatus,
  podEvents: PodEvents
): PodTrouble | undefined => {
  const { reason, message } = status.state?.waiting ?? {}
  if (reason === undefined) return exitProblem(status)
  if (reason === "ContainerCreating" || reason === "PodInitializing")
    return startingProblem(pod, reason, podEvents)
  if (pullReasons.has(reason)) return pullProblem(status, reason, podEvents)
  if (reason === "CrashLoopBackOff") return crashProblem(status, podEvents)
  const why = message === undefined ? "" : `: ${message}`
  return {
    kind: `${reason} ${status.name} ${why}`,
    own: `cannot start${why} (${reason})`,
    say: () => `cannot start container ${JSON.stringify(status.name)}${why} (${reason})`
  }
}

const pullReasons: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull"
])

const startingProblem = (pod: Pod, why: string, { nowMillis }: PodEvents): PodTrouble => {
  const ageMillis = nowMillis - millisOf(pod.status.startTime ?? pod.metadata.creationTimestamp)
  return {
    kind: `starting ${why}`,
    say: (plural) => `${plural ? "are" : "is"} being started (${why})`,
    more: ageMillis >= 1000 ? `, for ${formatDuration(Math.floor(ageMillis / 1000) * 1000)}` : ""
  }
}

const pullProblem = (
  status: ContainerStatus,
  reason: string,
  { events, nowMillis }: PodEvents
): PodTrouble => {
  const { image } = status
  const prefix = `Failed to pull image ${JSON.stringify(image)}: `
  const failures = events.filter((event) => event.reason === "Failed" && event.message.startsWith(prefix))
  const latest = latestOf(failures)
  const waitingMessage = status.state?.waiting?.message ?? ""
  // Since 1.31 the kubelet appends the registry's message.
  const [, registryMessage = waitingMessage] = /ErrImagePull: ([^]*)$/u.exec(waitingMessage) ?? []
  const why =
    latest?.message.slice(prefix.length) ?? registryMessage.replace(/^Back-off pulling image .*$/u, "")
  return {
    kind: `pull ${image} ${why}`,
    say: () => `cannot pull ${image}${why === "" ? "" : `: ${why}`}`,
    more: ` (${reason}${triesText(failures, nowMillis)})`,
    times: triesOf(failures)
  }
}

const crashProblem = (status: ContainerStatus, { nowMillis }: PodEvents): PodTrouble => {
  const { exitCode, reason = "Error", finishedAt } = status.lastState?.terminated ?? {}
  const crashes = crashesOfMessage(status.state?.waiting?.message ?? "", status.restartCount)
  const remainingMillis =
    finishedAt === undefined ? Number.NaN : millisOf(finishedAt) + crashBackOffMillis(crashes) - nowMillis
  const lastExitText = exitCode === undefined ? "" : `, the last time with exit code ${exitCode} (${reason})`
  const name = JSON.stringify(status.name)
  return {
    kind: `crash ${status.name} ${exitCode} ${reason}`,
    own: `ends again and again${lastExitText}`,
    times: status.restartCount,
    say: (plural) => `${plural ? "see" : "sees"} container ${name} end again and again${lastExitText}`,
    more:
      `: it has been started again ${timesText(status.restartCount)}` +
      (remainingMillis > 0
        ? `, and is once more in ${inWords(remainingMillis)} (CrashLoopBackOff)`
        : " (CrashLoopBackOff)")
  }
}

const exitProblem = (status: ContainerStatus): PodTrouble | undefined => {
  const terminated = status.state?.terminated
  if (terminated === undefined) return undefined
  const { exitCode, reason = exitCode === 0 ? "Completed" : "Error" } = terminated
  return {
    kind: `ended ${status.name} ${exitCode} ${reason}`,
    own: `has ended with exit code ${exitCode} (${reason})`,
    say: (plural) =>
      `${plural ? "have" : "has"} container ${JSON.stringify(status.name)} ended with exit code ${exitCode} (${reason})`
  }
}

const probeProblem = (pod: Pod, status: ContainerStatus, { events }: PodEvents): PodTrouble | undefined => {
  const container = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].find(
    ({ name }) => name === status.name
  )
  const isStarting = container?.startupProbe !== undefined && status.started !== true
  if (!isStarting && container?.readinessProbe === undefined) return undefined
  const probe = isStarting ? "startup" : "readiness"
  const unhealthy = events.filter(
    ({ reason, message }) => reason === "Unhealthy" && message.toLowerCase().startsWith(`${probe} probe`)
  )
  const latest = latestOf(unhealthy)
  const times = triesOf(unhealthy)
  const [, why = ""] = /^\w+ probe \w+: ([^]*)$/u.exec(latest?.message ?? "") ?? []
  const name = JSON.stringify(status.name)
  const fails = latest === undefined ? "has not passed yet" : `fails${why === "" ? "" : ` (${why.trim()})`}`
  return {
    kind: `probe ${probe} ${status.name} ${fails}`,
    own: `runs and is not ready: its ${probe} probe ${fails}`,
    times,
    say: (plural) =>
      `${plural ? "run" : "runs"} and ${plural ? "are" : "is"} not ready: ` +
      `the ${probe} probe of container ${name} ${fails}`,
    // The kubelet's event recorder drops repeated events.
    more: `${times < 2 ? "" : `, at least ${timesText(times)} so far`}${restartsText(status)}`
  }
}

const restartsText = ({ restartCount, lastState }: ContainerStatus): string => {
  if (restartCount === 0) return ""
  const { exitCode, reason = "Error" } = lastState?.terminated ?? {}
  const lastExitText = exitCode === undefined ? "" : `, the last time after exit code ${exitCode} (${reason})`
  return `; it has been started again ${timesText(restartCount)}${lastExitText}`
}

const latestOf = (events: ReadonlyArray<WholeEvent>): WholeEvent | undefined =>
  events.reduce<WholeEvent | undefined>(
    (latest, event) =>
      latest === undefined || millisOf(event.lastTimestamp) >= millisOf(latest.lastTimestamp)
        ? event
        : latest,
    undefined
  )
