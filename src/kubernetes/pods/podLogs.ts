import { conditionOf } from "../meta/conditions.ts"
import { escapeControls } from "../meta/text/escapeControls.ts"
import { goIsoText, timestampMillis } from "../meta/amounts/timestamps.ts"
import { containerStatusOf } from "./containers/storedContainers.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerStatus, Pod } from "../meta/objects.ts"
import type { NormalizedEvent } from "../meta/normalizeEvent.ts"

/** Logs are derived from the Pod's status and Events; none are stored. */
export interface LogLine {
  readonly atMillis: number
  readonly text: string
}

export interface LogRequest {
  readonly pod: Pod
  readonly container: string
  readonly previous: boolean
}

interface LoggedRun {
  readonly restarts: number
  readonly startedAt: string | undefined
  readonly ended: Core.ContainerStateTerminated | undefined
}

type LogSource = { readonly run: LoggedRun } | { readonly refusal: string }

/** Source: kubelet_pods.go (validateContainerLogStatus). */
export const findLoggedRun = ({ pod, container, previous }: LogRequest): LogSource => {
  const status = statusIn(pod, container)
  const containerText = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`
  if (status === undefined) return { refusal: `${containerText} is not available` }
  const { state = {}, lastState, restartCount } = status
  const lastEnd = lastState?.terminated
  const { running, terminated, waiting } = state
  // `restartCount` of a waiting container still counts the run that ended.
  const lastRestarts = running === undefined && terminated === undefined ? restartCount : restartCount - 1
  const previousRun = lastEnd?.containerID === undefined ? undefined : endedRun(lastEnd, lastRestarts)
  if (previous) {
    return previousRun === undefined
      ? { refusal: `previous terminated ${containerText} not found` }
      : { run: previousRun }
  }
  if (running !== undefined) {
    return { run: { restarts: restartCount, startedAt: running.startedAt, ended: undefined } }
  }
  if (terminated?.containerID !== undefined) return { run: endedRun(terminated, restartCount) }
  if (terminated !== undefined || lastEnd !== undefined) {
    return previousRun === undefined ? { refusal: `${containerText} is terminated` } : { run: previousRun }
  }
  if (waiting === undefined) return { refusal: `${containerText} is waiting to start - no logs yet` }
  const reason = waiting.reason ?? ""
  return { refusal: `${containerText} is waiting to start: ${waitingTexts[reason] ?? reason}` }
}

const endedRun = (ended: Core.ContainerStateTerminated, restarts: number): LoggedRun => ({
  restarts: Math.max(0, restarts),
  startedAt: ended.startedAt,
  ended
})

const waitingTexts: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image"
}

const statusIn = ({ status }: Pod, container: string): ContainerStatus | undefined =>
  containerStatusOf(status.containerStatuses, container) ??
  containerStatusOf(status.initContainerStatuses, container) ??
  containerStatusOf(status.ephemeralContainerStatuses, container)

export const logLines = (
  options: LogRequest & { readonly events: ReadonlyArray<NormalizedEvent> }
): ReadonlyArray<LogLine> => {
  const { pod, container, events } = options
  const source = findLoggedRun(options)
  if ("refusal" in source) return []
  const { run } = source
  const beganMillis = timestampMillis(
    run.startedAt ?? run.ended?.finishedAt ?? pod.metadata.creationTimestamp
  )
  const endedMillis = run.ended?.finishedAt === undefined ? Infinity : timestampMillis(run.ended.finishedAt)
  const lines = [
    { atMillis: beganMillis, text: startText(pod, container, run.restarts) },
    ...readyLines(pod, container, run),
    ...events.flatMap((event) => eventLines(event, container)),
    terminationLine(pod)
  ]
  const linesOfRun = lines.filter(({ atMillis }) => atMillis >= beganMillis && atMillis <= endedMillis)
  const sortedLines = linesOfRun.sort((a, b) => a.atMillis - b.atMillis)
  return run.ended === undefined
    ? sortedLines
    : [...sortedLines, { atMillis: endedMillis, text: endText(run.ended) }]
}

const startText = (pod: Pod, container: string, restarts: number): string => {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec
  const allContainers = [...containers, ...initContainers, ...ephemeralContainers]
  const image = allContainers.find(({ name }) => name === container)?.image ?? ""
  const runNumber = restarts === 0 ? "" : ` (run ${restarts + 1})`
  return `${container}: ${image} starts in ${pod.metadata.name}${runNumber}`
}

/** Only the time at which the last container became ready is stored. */
const readyLines = (pod: Pod, container: string, { ended }: LoggedRun): ReadonlyArray<LogLine> => {
  const condition = conditionOf(pod.status.conditions, "ContainersReady")
  const isReady =
    ended === undefined && containerStatusOf(pod.status.containerStatuses, container)?.ready === true
  if (!isReady || condition?.status !== "True") return []
  return [{ atMillis: timestampMillis(condition.lastTransitionTime ?? ""), text: `${container}: ready` }]
}

/** A repeated Event gives only its first and its last time. */
const eventLines = (event: NormalizedEvent, container: string): ReadonlyArray<LogLine> => {
  const { involvedObject, reason, message, firstTimestamp, lastTimestamp, count } = event
  const isAboutContainer = /\{(.*)\}$/.exec(involvedObject.fieldPath ?? "")?.[1] === container
  if (!isAboutContainer || reason !== "Unhealthy" || message === "") return []
  const first = { atMillis: timestampMillis(firstTimestamp), text: `${container}: ${lowerFirst(message)}` }
  if (lastTimestamp === firstTimestamp || count <= 1) return [first]
  return [first, { atMillis: timestampMillis(lastTimestamp), text: `${first.text} (${count} times)` }]
}

const lowerFirst = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`

/** A Pod that is not terminating gives NaN, so the line is filtered out. */
const terminationLine = ({ metadata }: Pod): LogLine => {
  const { deletionTimestamp = "", deletionGracePeriodSeconds = 0 } = metadata
  const atMillis = timestampMillis(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return { atMillis, text: `asked to stop, ${deletionGracePeriodSeconds}s left` }
}

const endText = ({ exitCode, reason }: Core.ContainerStateTerminated): string => {
  if (reason === "OOMKilled") return `out of memory: killed, exit code ${exitCode}`
  return exitCode === 0 ? "done: exit code 0" : `ended: exit code ${exitCode}`
}

export interface LogOptions {
  readonly tailLines: number | undefined
  readonly sinceMillis: number | undefined
  /** The server applies this limit to the encoded lines. */
  readonly limitBytes: number | undefined
  readonly timestamps: boolean
}

/** `tailLines` applies before `sinceMillis`. */
export const selectLogLines = (
  lines: ReadonlyArray<LogLine>,
  { tailLines = Infinity, sinceMillis = -Infinity }: LogOptions
): ReadonlyArray<LogLine> => {
  const lastLines = lines.slice(Math.max(0, lines.length - tailLines))
  return lastLines.filter(({ atMillis }) => atMillis >= sinceMillis)
}

export const logLineText = ({ atMillis, text }: LogLine, { timestamps }: LogOptions): string =>
  `${timestamps ? `${nanosecondTime(atMillis)} ` : ""}${escapeControls(text)}\n`

const nanosecondTime = (millis: number): string => `${goIsoText(millis).slice(0, -1)}000000Z`
