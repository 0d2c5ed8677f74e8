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
  readonly afterMillis: number
  readonly stopMillis: number
  readonly because: "exited" | "livenessFailed" | "startupFailed"
}

/** Undefined for a run that lasts. */
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
  if (liveness !== undefined && answersLivenessFrom(plan) > unansweredProbeFailsMillis(liveness)) {
    const afterMillis = unansweredProbeFailsMillis(liveness)
    candidates.push({ because: "livenessFailed", afterMillis, ...killAfterProbe(liveness, plan) })
  }
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

/** Without an `exit` in its behaviour, an init container completes at once. */
const initEnd: RunEnd = { because: "exited", afterMillis: 0, stopMillis: 0, code: 0, reason: "Completed" }

const killAfterProbe = ({ graceMillis }: ProbeTiming, plan: ContainerPlan) => {
  const { withinMillis, isKilled } = containerStop({ ...plan, graceMillis: graceMillis ?? plan.graceMillis })
  // A process that answers no probe does not exit by itself: SIGTERM or SIGKILL ends it.
  return { stopMillis: withinMillis, code: isKilled ? 137 : 143, reason: "Error" }
}

export interface ContainerStop {
  readonly withinMillis: number
  readonly isKilled: boolean
}

/** The kubelet's minimum between SIGTERM and SIGKILL. */
const leastGraceMillis = 2000

/** The grace period includes the preStop hook. */
export const containerStop = (timing: StopTiming, waitMillis = 0): ContainerStop => {
  const { exitMillis, graceMillis } = timing
  const sigtermMillis = sigtermAfterMillis(timing, waitMillis)
  const remainingMillis = Math.max(leastGraceMillis, graceMillis - sigtermMillis)
  return {
    withinMillis: sigtermMillis + Math.min(exitMillis, remainingMillis),
    isKilled: exitMillis > remainingMillis
  }
}

export const sigtermAfterMillis = (
  { hookMillis, graceMillis }: Omit<StopTiming, "exitMillis">,
  waitMillis: number
): number => Math.min(graceMillis, Math.max(hookMillis, waitMillis))

/** The other probes begin when the startup probe has succeeded. */
export const startedAfterMillis = ({ life, startup }: ContainerPlan): number =>
  startup === undefined ? 0 : probeSucceedsMillis(startup, life.readyMillis)

/**
 * The readiness probe first runs when the startup probe succeeds, unless its initial delay is longer. Source:
 * prober_manager.go (UpdatePodStatus), prober/worker.go (run).
 */
export const readinessTiming = (plan: ContainerPlan): ProbeTiming | undefined => {
  const { readiness, startup } = plan
  if (readiness === undefined || startup === undefined) return readiness
  const initialDelayMillis = Math.max(readiness.initialDelayMillis, startedAfterMillis(plan))
  return { ...readiness, initialDelayMillis }
}

/** Unlike Kubernetes, a container without a readiness probe becomes ready when its application answers. */
export const readyAfterMillis = (plan: ContainerPlan): number => {
  const answersMillis = Math.max(plan.life.readyMillis, startedAfterMillis(plan))
  const readiness = readinessTiming(plan)
  return readiness === undefined ? answersMillis : probeSucceedsMillis(readiness, answersMillis)
}

export const millisUntilProbePasses = (
  timing: ProbeTiming | undefined,
  atMillis: number,
  ranMillis: number
): number => {
  if (ranMillis <= atMillis || timing === undefined) return Math.max(0, atMillis - ranMillis)
  return probeSucceedsMillis(timing, ranMillis) - ranMillis
}

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
