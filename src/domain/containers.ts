import { failsAt, probeTiming, succeedsAt } from "./probes.ts"
import { millisOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerStatus } from "./objects.ts"
import type { ContainerLife } from "./podLife.ts"
import type { ProbeTiming } from "./probes.ts"

/**
 * One container of a Pod: what it does, and when that will change.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go, client-go/util/flowcontrol/backoff.go.
 */
export interface ContainerFacts {
  readonly name: string
  readonly doing: "creating" | "pullFailed" | "pullBackOff" | "crashBackOff" | "running" | "terminated"
  readonly ready: boolean
  /** Its startup probe has succeeded, or it has none and runs. */
  readonly started: boolean
  readonly restartCount: number
  readonly lastExit: ContainerEnd | undefined
}

export interface ContainerEnd {
  readonly code: number
  readonly reason: string
}

/** What happened to a container, for those who are told of it. */
export type ContainerHappening =
  | "pulling"
  | "pulled"
  | "pullFailed"
  | "pullBackOff"
  | "started"
  | "startupPassed"
  | "ready"
  | "unready"
  | "livenessFailed"
  | "startupFailed"
  | "exited"
  | "crashBackOff"
  | "stopping"
  | "stopped"

/** A container as its actor is given it. */
export interface ContainerPlan {
  readonly name: string
  readonly life: ContainerLife
  readonly restartPolicy: string
  readonly readiness: ProbeTiming | undefined
  readonly liveness: ProbeTiming | undefined
  readonly startup: ProbeTiming | undefined
}

export const containerPlan = (
  container: Core.Container,
  life: ContainerLife,
  restartPolicy: string
): ContainerPlan => ({
  name: container.name,
  life,
  restartPolicy,
  readiness: probeTiming(container.readinessProbe),
  liveness: probeTiming(container.livenessProbe),
  startup: probeTiming(container.startupProbe)
})

/** How and when a run ends; undefined for one that lasts. Times count from the start of the run. */
export interface RunEnd extends ContainerEnd {
  readonly afterMillis: number
  readonly because: "exited" | "livenessFailed" | "startupFailed"
}

const killed: ContainerEnd = { code: 137, reason: "Error" }

export const runEnd = (plan: ContainerPlan, restartCount: number): RunEnd | undefined => {
  const { life, liveness, startup } = plan
  const ends: Array<RunEnd> = []
  if (life.exit !== undefined && restartCount < life.exit.times) {
    const { afterMillis, code, reason } = life.exit
    ends.push({ because: "exited", afterMillis, code, reason })
  }
  if (startup !== undefined) {
    const afterMillis = failsAt(startup, 0)
    if (startedAfter(plan) > afterMillis) ends.push({ because: "startupFailed", afterMillis, ...killed })
  }
  if (liveness !== undefined && life.hangMillis !== undefined) {
    const silent = Math.max(life.hangMillis, startedAfter(plan))
    ends.push({ because: "livenessFailed", afterMillis: failsAt(liveness, silent), ...killed })
  }
  return ends.reduce<RunEnd | undefined>(
    (first, end) => (first === undefined || end.afterMillis < first.afterMillis ? end : first),
    undefined
  )
}

/** When the startup probe lets the others begin. */
export const startedAfter = ({ life, startup }: ContainerPlan): number =>
  startup === undefined ? 0 : succeedsAt(startup, life.readyMillis)

/**
 * When the container is ready, counted from its start.
 *
 * Unlike Kubernetes, a container without a readiness probe is not ready the moment it runs but when its behaviour
 * says that the application answers; a behaviour that wants upstream's answer says `ready: 0s`.
 */
export const readyAfter = (plan: ContainerPlan): number => {
  const answers = Math.max(plan.life.readyMillis, startedAfter(plan))
  return plan.readiness === undefined ? answers : succeedsAt(plan.readiness, answers)
}

/** How long a ready container with flapping readiness stays ready, and then unready. */
export const readyFor = ({ life, readiness }: ContainerPlan): number => {
  const answers = life.flap?.readyMillis ?? 0
  return readiness === undefined ? answers : failsAt({ ...readiness, initialDelayMillis: 0 }, answers)
}
export const unreadyFor = ({ life, readiness }: ContainerPlan): number => {
  const silent = life.flap?.unreadyMillis ?? 0
  return readiness === undefined ? silent : succeedsAt({ ...readiness, initialDelayMillis: 0 }, silent)
}

const backOffFirstMillis = 10_000
const backOffMaxMillis = 300_000
/** A run this long forgives the failures before it. */
export const forgivenAfterMillis = 2 * backOffMaxMillis

/** The wait before the n-th attempt in a row, n counting from 1: 10 s, doubling, at most 300 s. */
export const backOffMillis = (failures: number): number =>
  Math.min(backOffMaxMillis, backOffFirstMillis * 2 ** Math.max(0, failures - 1))

/** What a stored status says of a container, so that an actor made anew goes on where the old one was. */
export const factsOf = (name: string, status: ContainerStatus | undefined): ContainerFacts => ({
  name,
  doing: doingOf(status),
  ready: status?.ready ?? false,
  started: status?.started ?? false,
  restartCount: status?.restartCount ?? 0,
  lastExit: exitOf(status)
})

const doingOf = (status: ContainerStatus | undefined): ContainerFacts["doing"] => {
  if (status?.state?.running !== undefined) return "running"
  if (status?.state?.terminated !== undefined) return "terminated"
  switch (status?.state?.waiting?.reason) {
    case "ErrImagePull":
      return "pullFailed"
    case "ImagePullBackOff":
      return "pullBackOff"
    case "CrashLoopBackOff":
      return "crashBackOff"
    default:
      return "creating"
  }
}

const exitOf = (status: ContainerStatus | undefined): ContainerEnd | undefined => {
  const ended = status?.state?.terminated ?? status?.lastState?.terminated
  return ended === undefined ? undefined : { code: ended.exitCode, reason: ended.reason ?? "Error" }
}

/** How long a container has been at what it does, as far as the stored status tells. */
export const elapsedMillis = (status: ContainerStatus | undefined, nowMillis: number): number => {
  const since =
    status?.state?.running?.startedAt ??
    status?.state?.terminated?.finishedAt ??
    status?.lastState?.terminated?.finishedAt
  return since === undefined ? 0 : Math.max(0, nowMillis - millisOf(since))
}
