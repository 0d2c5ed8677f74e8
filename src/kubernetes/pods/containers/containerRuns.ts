import { containerSpecOf } from "./containers.ts"
import {
  hungProbeFailsMillis,
  probeFailsMillis,
  livenessFailsAtLatestMillis,
  probeSucceedsMillis
} from "./probes.ts"
import type { ContainerEnd, ContainerFacts, ContainerPlan, StopTiming } from "./containers.ts"
import type { PodSpec } from "../../meta/objects.ts"
import type { ContainerLife, RunFault } from "../podLife.ts"
import type { ProbeTiming } from "./probes.ts"

/**
 * All times count from the start of the container's run.
 * Source: pkg/kubelet (prober/worker.go, prober/prober_manager.go, kuberuntime/kuberuntime_container.go).
 */
export interface RunEnd extends ContainerEnd {
  /** When the application exits, or a probe has failed often enough. */
  readonly afterMillis: number
  /** From `afterMillis` until the container has stopped; 0 if the application exits by itself. */
  readonly stopMillis: number
  readonly because: "exited" | "livenessFailed" | "startupFailed"
}

const runStartMillis = 0

/** What ends a run first; undefined for a run that lasts. `restartCount` is that of the run. */
export const runEnd = (plan: ContainerPlan, restartCount: number): RunEnd | undefined => {
  const { role, life, liveness, startup } = plan
  const faultMillis = silencedByFaultMillis(plan, restartCount) ?? Infinity
  const neverPassesStartup = faultMillis < startedAfterMillis(plan)
  const candidates: Array<RunEnd> = []
  if (life.exit !== undefined && restartCount < life.exit.times) {
    const { afterMillis, code, reason } = life.exit
    candidates.push({ because: "exited", afterMillis, stopMillis: 0, code, reason })
  } else if (role === "init") candidates.push(initCompletion)
  if (startup !== undefined) {
    const afterMillis = neverPassesStartup
      ? hungProbeFailsMillis(startup, faultMillis, { isAnswered: false })
      : probeFailsMillis(startup, runStartMillis)
    if (neverPassesStartup || startedAfterMillis(plan) > afterMillis)
      candidates.push({ because: "startupFailed", afterMillis, ...killAfterFailedProbe(startup, plan) })
  }
  // The application begins to answer its liveness probe too late.
  if (liveness !== undefined && livenessAnswersMillis(plan) > livenessFailsAtLatestMillis(liveness)) {
    const afterMillis = livenessFailsAtLatestMillis(liveness)
    candidates.push({ because: "livenessFailed", afterMillis, ...killAfterFailedProbe(liveness, plan) })
  }
  // The application answers at first, and later stops answering.
  const hangMillis = Math.min(life.hangMillis ?? Infinity, faultMillis)
  if (liveness !== undefined && hangMillis !== Infinity && !neverPassesStartup) {
    const afterMillis = hungProbeFailsMillis(liveness, Math.max(hangMillis, startedAfterMillis(plan)))
    candidates.push({ because: "livenessFailed", afterMillis, ...killAfterFailedProbe(liveness, plan) })
  }
  return candidates.reduce<RunEnd | undefined>(
    (first, end) => (first === undefined || end.afterMillis < first.afterMillis ? end : first),
    undefined
  )
}

/** 0 with a startup probe, because the liveness probe begins only after it. */
const livenessAnswersMillis = ({ life, startup, livenessFollowsReadiness }: ContainerPlan): number =>
  life.livesMillis ??
  (livenessFollowsReadiness && startup === undefined ? (life.answersMillis ?? life.readyMillis) : 0)

/** When an injected fault makes this run stop answering its probes. */
export const silencedByFaultMillis = ({ life }: ContainerPlan, restartCount: number): number | undefined =>
  life.runFault?.run === restartCount ? life.runFault.silentMillis : undefined

interface PresentRun {
  readonly facts: ContainerFacts
  readonly spec: PodSpec
  readonly life: ContainerLife
}

export const isSilencedByFault = ({ facts, life: { runFault } }: PresentRun): boolean =>
  runFault?.silentMillis !== undefined && facts.doing === "running" && runFault.run === facts.restartCount

export const areProbesYetToFail = (run: PresentRun): boolean => {
  if (!isSilencedByFault(run)) return false
  const { facts, spec } = run
  const { readinessProbe, livenessProbe, startupProbe } = containerSpecOf(spec, facts) ?? {}
  if (livenessProbe !== undefined) return true
  return facts.started ? facts.ready && readinessProbe !== undefined : startupProbe !== undefined
}

export const injectedCrash = ({ life }: ContainerPlan, restartCount: number): RunFault["crash"] =>
  life.runFault?.run === restartCount ? life.runFault.crash : undefined

/** When the readiness probe of a run silenced by a fault has failed; 0 without a readiness probe. */
export const readinessFailsMillis = (plan: ContainerPlan, restartCount: number): number => {
  const readiness = readinessTiming(plan)
  return readiness === undefined
    ? 0
    : hungProbeFailsMillis(readiness, silencedByFaultMillis(plan, restartCount) ?? 0)
}

/** An init container without an `exit` in its behaviour completes at once. */
const initCompletion: RunEnd = {
  because: "exited",
  afterMillis: 0,
  stopMillis: 0,
  code: 0,
  reason: "Completed"
}

const killAfterFailedProbe = ({ graceMillis }: ProbeTiming, plan: ContainerPlan) => {
  const { withinMillis, isKilled } = containerStop({ ...plan, graceMillis: graceMillis ?? plan.graceMillis })
  // A process that does not answer does not exit by itself: the signal ends it, SIGTERM or else SIGKILL.
  return { stopMillis: withinMillis, code: isKilled ? 137 : 143, reason: "Error" }
}

export interface ContainerStop {
  /** From the beginning of the grace period until the container has stopped. */
  readonly withinMillis: number
  /** Whether SIGKILL ends the container, since the application does not exit in time. */
  readonly isKilled: boolean
}

/** The kubelet leaves at least this long between SIGTERM and SIGKILL. */
const leastGraceMillis = 2000

/**
 * The grace period includes the preStop hook. `waitMillis`: how long a sidecar waits for the containers that stop
 * before it.
 */
export const containerStop = (timing: StopTiming, waitMillis = 0): ContainerStop => {
  const { exitMillis, graceMillis } = timing
  const sigtermMillis = sigtermAfterMillis(timing, waitMillis)
  const remainingMillis = Math.max(leastGraceMillis, graceMillis - sigtermMillis)
  return {
    withinMillis: sigtermMillis + Math.min(exitMillis, remainingMillis),
    isKilled: exitMillis > remainingMillis
  }
}

/** From the beginning of the grace period until SIGTERM. */
export const sigtermAfterMillis = (
  { preStopHookMillis, graceMillis }: Omit<StopTiming, "exitMillis">,
  waitMillis: number
): number => Math.min(graceMillis, Math.max(preStopHookMillis, waitMillis))

/** When the startup probe has succeeded, so that the other probes begin. */
export const startedAfterMillis = ({ life, startup }: ContainerPlan): number =>
  startup === undefined ? 0 : probeSucceedsMillis(startup, life.readyMillis)

/**
 * The readiness probe runs the moment the startup probe has succeeded, unless its initial delay is longer, and every
 * period after that.
 */
export const readinessTiming = (plan: ContainerPlan): ProbeTiming | undefined => {
  const { readiness, startup } = plan
  if (readiness === undefined || startup === undefined) return readiness
  const initialDelayMillis = Math.max(readiness.initialDelayMillis, startedAfterMillis(plan))
  return { ...readiness, initialDelayMillis }
}

/**
 * When the container is ready, counted from its start.
 *
 * Unlike in Kubernetes, a container without a readiness probe becomes ready only when its behaviour says that the
 * application answers. With `ready: 0s`, it is ready the moment it runs.
 */
export const readyAfterMillis = (plan: ContainerPlan): number => {
  const answersMillis = Math.max(plan.life.readyMillis, startedAfterMillis(plan))
  const readiness = readinessTiming(plan)
  return readiness === undefined ? answersMillis : probeSucceedsMillis(readiness, answersMillis)
}

/**
 * For a container that has run for `ranMillis` and whose probe should pass at `passesMillis`. If that time is over, the
 * next runs of the probe count.
 */
export const millisUntilProbePasses = (
  timing: ProbeTiming | undefined,
  passesMillis: number,
  ranMillis: number
): number => {
  if (ranMillis <= passesMillis || timing === undefined) return Math.max(0, passesMillis - ranMillis)
  return probeSucceedsMillis(timing, ranMillis) - ranMillis
}

/** How long a container with flapping readiness stays ready. The probe's initial delay is over by then. */
export const flapReadyMillis = ({ life, readiness }: ContainerPlan): number => {
  const answeringMillis = life.flap?.readyMillis ?? 0
  return readiness === undefined
    ? answeringMillis
    : probeFailsMillis({ ...readiness, initialDelayMillis: 0 }, answeringMillis)
}
export const flapUnreadyMillis = ({ life, readiness }: ContainerPlan): number => {
  const silentMillis = life.flap?.unreadyMillis ?? 0
  return readiness === undefined
    ? silentMillis
    : probeSucceedsMillis({ ...readiness, initialDelayMillis: 0 }, silentMillis)
}
