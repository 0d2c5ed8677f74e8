import { containerSpecOf } from "./containers.ts"
import { probeFailsMillis, unansweredProbeFailsMillis, probeSucceedsMillis } from "./probes.ts"
import type { ContainerEnd, ContainerFacts, ContainerPlan, StopTiming } from "./containers.ts"
import type { PodSpec } from "../../meta/objects.ts"
import type { ContainerLife, RunFault } from "../podLife.ts"
import type { ProbeTiming } from "./probes.ts"

/**
 * All times count from the start of the run. Source: prober/worker.go, kuberuntime_container.go
 * (killContainer).
 */
export interface RunEnd extends ContainerEnd {
  /** When the application exits, or a probe has failed often enough. */
  readonly afterMillis: number
  /** From `afterMillis` until the container has stopped; 0 if the application exits by itself. */
  readonly stopMillis: number
  readonly because: "exited" | "livenessFailed" | "startupFailed"
}

/** The first cause that ends the run; undefined for a run that lasts. */
export const runEnd = (plan: ContainerPlan, restartCount: number): RunEnd | undefined => {
  const { role, life, liveness, startup } = plan
  const silentMillis = hangsFromMillis(plan, restartCount) ?? Infinity
  const neverStarts = silentMillis < startedAfterMillis(plan)
  const candidates: Array<RunEnd> = []
  if (life.exit !== undefined && restartCount < life.exit.times) {
    const { afterMillis, code, reason } = life.exit
    candidates.push({ because: "exited", afterMillis, stopMillis: 0, code, reason })
  } else if (role === "init") candidates.push(initEnd)
  if (startup !== undefined) {
    const afterMillis = probeFailsMillis(startup, 0)
    if (neverStarts || startedAfterMillis(plan) > afterMillis)
      candidates.push({ because: "startupFailed", afterMillis, ...killAfterProbe(startup, plan) })
  }
  // The application begins to answer its liveness probe too late.
  if (liveness !== undefined && answersLivenessFrom(plan) > unansweredProbeFailsMillis(liveness)) {
    const afterMillis = unansweredProbeFailsMillis(liveness)
    candidates.push({ because: "livenessFailed", afterMillis, ...killAfterProbe(liveness, plan) })
  }
  // The application answers at first, and stops later.
  const hangMillis = Math.min(life.hangMillis ?? Infinity, silentMillis)
  if (liveness !== undefined && hangMillis !== Infinity && !neverStarts) {
    const afterMillis = probeFailsMillis(liveness, Math.max(hangMillis, startedAfterMillis(plan)))
    candidates.push({ because: "livenessFailed", afterMillis, ...killAfterProbe(liveness, plan) })
  }
  return candidates.reduce<RunEnd | undefined>(
    (first, end) => (first === undefined || end.afterMillis < first.afterMillis ? end : first),
    undefined
  )
}

/**
 * With `livesByReadiness`, the application answers both probes at the same time; a startup probe delays the
 * liveness probe until then.
 */
const answersLivenessFrom = ({ life, startup, livesByReadiness }: ContainerPlan): number =>
  life.livesMillis ??
  (livesByReadiness && startup === undefined ? (life.answersMillis ?? life.readyMillis) : 0)

/** In milliseconds since the start of the run. */
export const hangsFromMillis = ({ life }: ContainerPlan, restartCount: number): number | undefined =>
  life.mishap?.run === restartCount ? life.mishap.silentMillis : undefined

interface PresentRun {
  readonly facts: ContainerFacts
  readonly spec: PodSpec
  readonly life: ContainerLife
}

export const isHangingRun = ({ facts, life: { mishap } }: PresentRun): boolean =>
  mishap?.silentMillis !== undefined && facts.doing === "running" && mishap.run === facts.restartCount

/** Whether a probe of a run that an injected fault silenced has yet to fail. */
export const areProbesYetToFail = (run: PresentRun): boolean => {
  if (!isHangingRun(run)) return false
  const { facts, spec } = run
  const { readinessProbe, livenessProbe, startupProbe } = containerSpecOf(spec, facts) ?? {}
  if (livenessProbe !== undefined) return true
  return facts.started ? facts.ready && readinessProbe !== undefined : startupProbe !== undefined
}

export const crashOfRun = ({ life }: ContainerPlan, restartCount: number): RunFault["crash"] =>
  life.mishap?.run === restartCount ? life.mishap.crash : undefined

/** 0 without a readiness probe. */
export const readinessFailsMillis = (plan: ContainerPlan, restartCount: number): number => {
  const readiness = readinessTiming(plan)
  return readiness === undefined ? 0 : probeFailsMillis(readiness, hangsFromMillis(plan, restartCount) ?? 0)
}

/** An init container without an `exit` in its behaviour completes at once. */
const initEnd: RunEnd = { because: "exited", afterMillis: 0, stopMillis: 0, code: 0, reason: "Completed" }

const killAfterProbe = ({ graceMillis }: ProbeTiming, plan: ContainerPlan) => {
  const { withinMillis, isKilled } = containerStop({ ...plan, graceMillis: graceMillis ?? plan.graceMillis })
  // A process that answers no probe does not exit by itself: SIGTERM or SIGKILL ends it.
  return { stopMillis: withinMillis, code: isKilled ? 137 : 143, reason: "Error" }
}

export interface ContainerStop {
  /** From the beginning of the grace period until the container has stopped. */
  readonly withinMillis: number
  readonly isKilled: boolean
}

/** The kubelet's minimum between SIGTERM and SIGKILL. */
const leastGraceMillis = 2000

/**
 * The grace period includes the preStop hook. `waitMillis`: how long a sidecar waits for the other
 * containers.
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

/** From the beginning of the grace period. */
export const sigtermAfterMillis = (
  { hookMillis, graceMillis }: Omit<StopTiming, "exitMillis">,
  waitMillis: number
): number => Math.min(graceMillis, Math.max(hookMillis, waitMillis))

/** The other probes begin when the startup probe has succeeded. */
export const startedAfterMillis = ({ life, startup }: ContainerPlan): number =>
  startup === undefined ? 0 : probeSucceedsMillis(startup, life.readyMillis)

/**
 * The readiness probe first runs when the startup probe succeeds, unless its initial delay is longer. Source:
 * prober_manager.go (UpdatePodStatus), worker.go (run).
 */
export const readinessTiming = (plan: ContainerPlan): ProbeTiming | undefined => {
  const { readiness, startup } = plan
  if (readiness === undefined || startup === undefined) return readiness
  const initialDelayMillis = Math.max(readiness.initialDelayMillis, startedAfterMillis(plan))
  return { ...readiness, initialDelayMillis }
}

/**
 * Unlike Kubernetes, a container without a readiness probe is ready only when its behaviour says that the
 * application answers.
 */
export const readyAfterMillis = (plan: ContainerPlan): number => {
  const answersMillis = Math.max(plan.life.readyMillis, startedAfterMillis(plan))
  const readiness = readinessTiming(plan)
  return readiness === undefined ? answersMillis : probeSucceedsMillis(readiness, answersMillis)
}

/**
 * For a container that has run for `ranMillis`: the probe passes at `atMillis`, or later by its next runs.
 */
export const millisUntilProbePasses = (
  timing: ProbeTiming | undefined,
  atMillis: number,
  ranMillis: number
): number => {
  if (ranMillis <= atMillis || timing === undefined) return Math.max(0, atMillis - ranMillis)
  return probeSucceedsMillis(timing, ranMillis) - ranMillis
}

/** The initial delay is over by then. */
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
