import { conditionOf } from "./conditions.ts"
import { escapeControls } from "./escapeControls.ts"
import { millisOf } from "./timestamps.ts"
import { statusOf } from "./storedContainers.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerStatus, Pod } from "./objects.ts"
import type { WholeEvent } from "./wholeEvent.ts"

/**
 * What a simulated container "said": the story of one of its runs, told from the status of its Pod and the events
 * about it. Nothing is kept for it, so what is no longer known of a run is not told.
 */
export interface LogLine {
  readonly atMillis: number
  readonly text: string
}

/** One run of a container: the present one, or the one before it. */
export interface LogRequest {
  readonly pod: Pod
  readonly container: string
  readonly previous: boolean
}

/** The run whose words are asked for; `ended` is how it ended, undefined while it goes on. */
interface LoggedRun {
  /** How many runs came before it. */
  readonly restarts: number
  readonly startedAt: string | undefined
  readonly ended: Core.ContainerStateTerminated | undefined
}

type LogSource = { readonly run: LoggedRun } | { readonly refusal: string }

/**
 * Which run is asked for, or why there is none.
 *
 * Source: pkg/kubelet/kubelet_pods.go (validateContainerLogStatus).
 */
export const logSource = ({ pod, container, previous }: LogRequest): LogSource => {
  const status = statusIn(pod, container)
  const subject = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`
  if (status === undefined) return { refusal: `${subject} is not available` }
  const { state = {}, lastState, restartCount } = status
  const last = lastState?.terminated
  const before = last?.containerID === undefined ? undefined : lastRun(last, restartCount)
  if (previous) {
    return before === undefined ? { refusal: `previous terminated ${subject} not found` } : { run: before }
  }
  const { running, terminated, waiting } = state
  if (running !== undefined) {
    return { run: { restarts: restartCount, startedAt: running.startedAt, ended: undefined } }
  }
  if (terminated?.containerID !== undefined) {
    return { run: { restarts: restartCount, startedAt: terminated.startedAt, ended: terminated } }
  }
  if (terminated !== undefined || last !== undefined) {
    return before === undefined ? { refusal: `${subject} is terminated` } : { run: before }
  }
  if (waiting === undefined) return { refusal: `${subject} is waiting to start - no logs yet` }
  const reason = waiting.reason ?? ""
  return { refusal: `${subject} is waiting to start: ${waitingTexts[reason] ?? reason}` }
}

/** A run that is the last one still counts itself; one that waits to be started anew is the last as well. */
const lastRun = (ended: Core.ContainerStateTerminated, restartCount: number): LoggedRun => ({
  restarts: Math.max(0, restartCount - 1),
  startedAt: ended.startedAt,
  ended
})

const waitingTexts: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image"
}

const statusIn = ({ status }: Pod, container: string): ContainerStatus | undefined =>
  statusOf(status.containerStatuses, container) ?? statusOf(status.initContainerStatuses, container)

/** What a run said, in the order in which it said it. `events` are those about its Pod. */
export const logLines = (
  options: LogRequest & { readonly events: ReadonlyArray<WholeEvent> }
): ReadonlyArray<LogLine> => {
  const { pod, container, events } = options
  const source = logSource(options)
  if ("refusal" in source) return []
  const { run } = source
  const beganMillis = millisOf(run.startedAt ?? run.ended?.finishedAt ?? pod.metadata.creationTimestamp)
  const endedMillis = run.ended?.finishedAt === undefined ? Infinity : millisOf(run.ended.finishedAt)
  const lines = [
    { atMillis: beganMillis, text: startText(pod, container, run.restarts) },
    ...readyLines(pod, container, run),
    ...events.flatMap((event) => eventLines(event, container)),
    partingLine(pod)
  ]
  const during = lines.filter(({ atMillis }) => atMillis >= beganMillis && atMillis <= endedMillis)
  const told = during.sort((a, b) => a.atMillis - b.atMillis)
  return run.ended === undefined ? told : [...told, { atMillis: endedMillis, text: endText(run.ended) }]
}

const startText = (pod: Pod, container: string, restarts: number): string => {
  const inits = pod.spec.initContainers ?? []
  const image = [...pod.spec.containers, ...inits].find(({ name }) => name === container)?.image ?? ""
  const times = restarts === 0 ? "" : ` (run ${restarts + 1})`
  return `${container}: ${image} starts in ${pod.metadata.name}${times}`
}

/** Nothing says of a single container since when it is ready: the Pod says it of all. */
const readyLines = (pod: Pod, container: string, { ended }: LoggedRun): ReadonlyArray<LogLine> => {
  const condition = conditionOf(pod.status.conditions, "ContainersReady")
  const isServing = ended === undefined && statusOf(pod.status.containerStatuses, container)?.ready === true
  if (!isServing || condition?.status !== "True") return []
  return [{ atMillis: millisOf(condition.lastTransitionTime ?? ""), text: `${container}: ready` }]
}

/** What probes found; an event that repeats itself is known by its first time and its last. */
const eventLines = (event: WholeEvent, container: string): ReadonlyArray<LogLine> => {
  const { involvedObject, reason, message, firstTimestamp, lastTimestamp, count } = event
  const isAbout = /\{(.*)\}$/.exec(involvedObject.fieldPath ?? "")?.[1] === container
  if (!isAbout || reason !== "Unhealthy" || message === "") return []
  const first = { atMillis: millisOf(firstTimestamp), text: `${container}: ${lowered(message)}` }
  if (lastTimestamp === firstTimestamp || count <= 1) return [first]
  return [first, { atMillis: millisOf(lastTimestamp), text: `${first.text} (${count} times)` }]
}

const lowered = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`

/** Of a Pod that nobody has told to go it has no time, and so is never said. */
const partingLine = ({ metadata }: Pod): LogLine => {
  const { deletionTimestamp = "", deletionGracePeriodSeconds = 0 } = metadata
  const atMillis = millisOf(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return { atMillis, text: `asked to stop, ${deletionGracePeriodSeconds}s left` }
}

const endText = ({ exitCode, reason }: Core.ContainerStateTerminated): string => {
  if (reason === "OOMKilled") return `out of memory: killed, exit code ${exitCode}`
  return exitCode === 0 ? "done: exit code 0" : `ended: exit code ${exitCode}`
}

/** What of a log is wanted. */
export interface LogBounds {
  readonly tailLines: number | undefined
  readonly sinceMillis: number | undefined
  readonly limitBytes: number | undefined
  readonly timestamps: boolean
}

/** The last lines are counted before the old ones are left out. */
export const wantedLines = (
  lines: ReadonlyArray<LogLine>,
  { tailLines = Infinity, sinceMillis = -Infinity }: LogBounds
): ReadonlyArray<LogLine> => {
  const last = lines.slice(Math.max(0, lines.length - tailLines))
  return last.filter(({ atMillis }) => atMillis >= sinceMillis)
}

/** A line as it is sent. */
export const lineText = ({ atMillis, text }: LogLine, { timestamps }: LogBounds): string =>
  `${timestamps ? `${nanosText(atMillis)} ` : ""}${escapeControls(text)}\n`

const nanosText = (millis: number): string => `${new Date(millis).toISOString().slice(0, -1)}000000Z`
