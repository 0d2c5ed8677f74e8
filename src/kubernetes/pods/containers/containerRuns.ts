import { containerSpecOf } from "./containers.ts"
import { probeFailsMillis, unansweredProbeFailsMillis, probeSucceedsMillis } from "./probes.ts"
import type { ContainerEnd, ContainerFacts, ContainerPlan, StopTiming } from "./containers.ts"
import type { PodSpec } from "../../meta/objects.ts"
import type { ContainerLife, RunFault } from "../podLife.ts"
import type { ProbeTiming } from "./probes.ts"

/**
 * Timing of one run of a container: when its probes pass, and when and how it ends. All times count from the start
 * of the run.
 * Source: pkg/kubelet/prober/worker.go, pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer).
 */
export interface RunEnd extends ContainerEnd {
  /** When the application exits, or a probe has failed often enough. */
  readonly afterMillis: number
  /** From `afterMillis` until the container has stopped; 0 if the application exits by itself. */
  readonly stopMillis: number
  readonly because: "exited" | "livenessFailed" | "startupFailed"
}

/** What ends a run first; undefined for a run that lasts. `restartCount` is that of the run. */
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
 * When the application begins to answer its liveness probe: at `life.livesMillis` if that is given. Else at once, or
 * with `livesByReadiness` when it answers its readiness probe; a startup probe holds the liveness probe back until
 * then.
 */
const answersLivenessFrom = ({ life, startup, livesByReadiness }: ContainerPlan): number =>
  life.livesMillis ??
  (livesByReadiness && startup === undefined ? (life.answersMillis ?? life.readyMillis) : 0)

/** When an injected fault makes this run stop answering its probes, in milliseconds since its start. */
export const hangsFromMillis = ({ life }: ContainerPlan, restartCount: number): number | undefined =>
  life.mishap?.run === restartCount ? life.mishap.silentMillis : undefined

interface PresentRun {
  readonly facts: ContainerFacts
  readonly spec: PodSpec
  readonly life: ContainerLife
}

/** Whether an injected fault keeps the present run from answering. */
export const isHangingRun = ({ facts, life: { mishap } }: PresentRun): boolean =>
  mishap?.silentMillis !== undefined && facts.doing === "running" && mishap.run === facts.restartCount

/** Whether an injected fault keeps the present run from answering, and one of its probes has yet to fail. */
export const areProbesYetToFail = (run: PresentRun): boolean => {
  if (!isHangingRun(run)) return false
  const { facts, spec } = run
  const { readinessProbe, livenessProbe, startupProbe } = containerSpecOf(spec, facts) ?? {}
  if (livenessProbe !== undefined) return true
  return facts.started ? facts.ready && readinessProbe !== undefined : startupProbe !== undefined
}

/** The crash that an injected fault causes in this run. */
export const crashOfRun = ({ life }: ContainerPlan, restartCount: number): RunFault["crash"] =>
  life.mishap?.run === restartCount ? life.mishap.crash : undefined

/** When the readiness probe has failed for a run that an injected fault silenced; 0 without a readiness probe. */
export const readinessFailsMillis = (plan: ContainerPlan, restartCount: number): number => {
  const readiness = readinessTiming(plan)
  return readiness === undefined ? 0 : probeFailsMillis(readiness, hangsFromMillis(plan, restartCount) ?? 0)
}

/** An init container without an `exit` in its behaviour completes at once. */
const initEnd: RunEnd = { because: "exited", afterMillis: 0, stopMillis: 0, code: 0, reason: "Completed" }

const killAfterProbe = ({ graceMillis }: ProbeTiming, plan: ContainerPlan) => {
  const { withinMillis, isKilled } = containerStop({ ...plan, graceMillis: graceMillis ?? plan.graceMillis })
  // A process that does not answer does not exit by itself: the signal ends it, SIGTERM or else SIGKILL.
  return { stopMillis: withinMillis, code: isKilled ? 137 : 143, reason: "Error" }
}

export interface ContainerStop {
  /** From the beginning of the grace period until the container has stopped. */
  readonly withinMillis: number
  /** By SIGKILL, since the application did not exit in time. */
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
  { hookMillis, graceMillis }: Omit<StopTiming, "exitMillis">,
  waitMillis: number
): number => Math.min(graceMillis, Math.max(hookMillis, waitMillis))

/** When the startup probe has succeeded, so that the other probes begin. */
export const startedAfterMillis = ({ life, startup }: ContainerPlan): number =>
  startup === undefined ? 0 : probeSucceedsMillis(startup, life.readyMillis)

/**
 * The readiness probe runs the moment the startup probe has succeeded, unless its initial delay is longer, and every
 * period after that.
 * Source: pkg/kubelet/prober/prober_manager.go (UpdatePodStatus), worker.go (run).
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
 * Unlike Kubernetes, a container without a readiness probe is not ready the moment it runs but when its behaviour
 * says that the application answers; a behaviour that wants upstream's answer says `ready: 0s`.
 */
export const readyAfterMillis = (plan: ContainerPlan): number => {
  const answersMillis = Math.max(plan.life.readyMillis, startedAfterMillis(plan))
  const readiness = readinessTiming(plan)
  return readiness === undefined ? answersMillis : probeSucceedsMillis(readiness, answersMillis)
}

/**
 * How long it takes until a probe passes, for a container that has run for `ranMillis`. The probe passes at `atMillis`,
 * or if that time is over, by its next runs.
 */
export const millisUntilProbePasses = (
  timing: ProbeTiming | undefined,
  atMillis: number,
  ranMillis: number
): number => {
  if (ranMillis <= atMillis || timing === undefined) return Math.max(0, atMillis - ranMillis)
  return probeSucceedsMillis(timing, ranMillis) - ranMillis
}

/** How long a container with flapping readiness stays ready, and then unready. The initial delay is over by then. */
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
