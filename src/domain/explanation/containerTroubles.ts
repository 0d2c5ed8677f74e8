import { crashBackOffMillis, crashesOfMessage } from "../backOff.ts"
import { formatDuration } from "../durations.ts"
import { timesText } from "../counted.ts"
import { inWords, triesOf, triesText } from "./waits.ts"
import { isSidecar } from "../podWords.ts"
import { millisOf } from "../timestamps.ts"
import type { ContainerStatus, Pod } from "../objects.ts"
import type { PodTrouble } from "./podTroubles.ts"
import type { WholeEvent } from "../wholeEvent.ts"

/** What is known beside the Pod itself: the events about it, and the time. */
interface Known {
  readonly events: ReadonlyArray<WholeEvent>
  readonly nowMillis: number
}

/** What keeps a Pod on a node from being ready: the first container that has something to say. */
export const containerTrouble = (pod: Pod, known: Known): PodTrouble | undefined => {
  const init = pod.status.initContainerStatuses ?? []
  const apps = pod.status.containerStatuses ?? []
  if (init.length === 0 && apps.length === 0) return starting(pod, "no container of it has begun", known)
  for (const status of init) {
    if (
      status.state?.terminated?.exitCode === 0 ||
      (isSidecar(pod, status.name) && status.started === true)
    ) {
      continue
    }
    return waiting(pod, status, known) ?? beforeApps(status)
  }
  for (const status of apps) {
    if (status.ready) continue
    const trouble = waiting(pod, status, known) ?? running(pod, status, known)
    if (trouble !== undefined) return trouble
  }
  return undefined
}

/** All containers of a Pod, in the order in which they begin. */
export const containerNames = ({ spec }: Pod): ReadonlyArray<string> =>
  [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(({ name }) => name)

/** How one container of a Pod is: `state` is said after its name where it is in no trouble. */
export const containerOf = (
  pod: Pod,
  name: string,
  known: Known
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
  const { terminated, running: runs } = status.state ?? {}
  if (terminated?.exitCode === 0) {
    return { status, trouble: undefined, state: "has ended well (exit code 0)", isWell: true }
  }
  if (runs === undefined)
    return { status, trouble: waiting(pod, status, known), state: "waits", isWell: false }
  if (status.ready || (isInit && !isSidecar(pod, status.name))) {
    const again = restartsText(status)
    const state = `${isInit && !status.ready ? "runs" : "runs and is ready"}${again}`
    return { status, trouble: undefined, state, isWell: status.ready }
  }
  const trouble = running(pod, status, known)
  return { status, trouble, state: "runs and is not ready", isWell: false }
}

const beforeApps = ({ name }: ContainerStatus): PodTrouble => ({
  kind: `init ${name}`,
  say: (plural) => `${plural ? "wait" : "waits"} for init container ${JSON.stringify(name)} to end`
})

/** A container that does not run: it is being begun, or it cannot be. */
const waiting = (pod: Pod, status: ContainerStatus, known: Known): PodTrouble | undefined => {
  const { reason, message } = status.state?.waiting ?? {}
  if (reason === undefined) return ended(status)
  if (reason === "ContainerCreating" || reason === "PodInitializing") return starting(pod, reason, known)
  if (pullReasons.has(reason)) return unpulled(status, reason, known)
  if (reason === "CrashLoopBackOff") return crashing(status, known)
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

const starting = (pod: Pod, why: string, { nowMillis }: Known): PodTrouble => {
  const since = nowMillis - millisOf(pod.status.startTime ?? pod.metadata.creationTimestamp)
  return {
    kind: `starting ${why}`,
    say: (plural) => `${plural ? "are" : "is"} being started (${why})`,
    more: since >= 1000 ? `, for ${formatDuration(Math.floor(since / 1000) * 1000)}` : ""
  }
}

const unpulled = (status: ContainerStatus, reason: string, { events, nowMillis }: Known): PodTrouble => {
  const { image } = status
  const prefix = `Failed to pull image ${JSON.stringify(image)}: `
  const failures = events.filter((event) => event.reason === "Failed" && event.message.startsWith(prefix))
  const latest = latestOf(failures)
  const said = status.state?.waiting?.message ?? ""
  // A kubelet puts the registry's own words after this, from 1.31 on.
  const [, told = said] = /ErrImagePull: ([^]*)$/u.exec(said) ?? []
  const why = latest?.message.slice(prefix.length) ?? told.replace(/^Back-off pulling image .*$/u, "")
  return {
    kind: `pull ${image} ${why}`,
    say: () => `cannot pull ${image}${why === "" ? "" : `: ${why}`}`,
    more: ` (${reason}${triesText(failures, nowMillis)})`,
    times: triesOf(failures)
  }
}

const crashing = (status: ContainerStatus, { nowMillis }: Known): PodTrouble => {
  const { exitCode, reason = "Error", finishedAt } = status.lastState?.terminated ?? {}
  const crashes = crashesOfMessage(status.state?.waiting?.message ?? "", status.restartCount)
  const left =
    finishedAt === undefined ? Number.NaN : millisOf(finishedAt) + crashBackOffMillis(crashes) - nowMillis
  const how = exitCode === undefined ? "" : `, the last time with exit code ${exitCode} (${reason})`
  const name = JSON.stringify(status.name)
  return {
    kind: `crash ${status.name} ${exitCode} ${reason}`,
    own: `ends again and again${how}`,
    times: status.restartCount,
    say: (plural) => `${plural ? "see" : "sees"} container ${name} end again and again${how}`,
    more:
      `: it has been started again ${timesText(status.restartCount)}` +
      (left > 0 ? `, and is once more in ${inWords(left)} (CrashLoopBackOff)` : " (CrashLoopBackOff)")
  }
}

const ended = (status: ContainerStatus): PodTrouble | undefined => {
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

/** A container that runs and is not ready: a probe has to pass. */
const running = (pod: Pod, status: ContainerStatus, { events }: Known): PodTrouble | undefined => {
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
    // Of many events only some are written.
    more: `${times < 2 ? "" : `, at least ${timesText(times)} so far`}${restartsText(status)}`
  }
}

/** What runs may have ended before. */
const restartsText = ({ restartCount, lastState }: ContainerStatus): string => {
  if (restartCount === 0) return ""
  const { exitCode, reason = "Error" } = lastState?.terminated ?? {}
  const how = exitCode === undefined ? "" : `, the last time after exit code ${exitCode} (${reason})`
  return `; it has been started again ${timesText(restartCount)}${how}`
}

const latestOf = (events: ReadonlyArray<WholeEvent>): WholeEvent | undefined =>
  events.reduce<WholeEvent | undefined>(
    (latest, event) =>
      latest === undefined || millisOf(event.lastTimestamp) >= millisOf(latest.lastTimestamp)
        ? event
        : latest,
    undefined
  )
