import { containerOf } from "./containers.ts"
import { failsAt, failsUnansweredBy, succeedsAt } from "./probes.ts"
import type { ContainerEnd, ContainerFacts, ContainerPlan, StopTiming } from "./containers.ts"
import type { PodSpec } from "./objects.ts"
import type { ContainerLife, RunMishap } from "./podLife.ts"
import type { ProbeTiming } from "./probes.ts"

/**
 * How one run of a container goes: when its probes pass, and how and when it ends. Times count from its start.
 *
 * Source: pkg/kubelet/prober/worker.go, pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer).
 */
export interface RunEnd extends ContainerEnd {
  /** When the application exits, or a probe gives its verdict. */
  readonly afterMillis: number
  /** From the verdict until the container has stopped; 0 for one that exits by itself. */
  readonly stopMillis: number
  readonly because: "exited" | "livenessFailed" | "startupFailed"
}

/** Undefined for a run that lasts. */
export const runEnd = (plan: ContainerPlan, restartCount: number): RunEnd | undefined => {
  const { role, life, liveness, startup } = plan
  const silent = silentFrom(plan, restartCount) ?? Infinity
  const neverStarts = silent < startedAfter(plan)
  const ends: Array<RunEnd> = []
  if (life.exit !== undefined && restartCount < life.exit.times) {
    const { afterMillis, code, reason } = life.exit
    ends.push({ because: "exited", afterMillis, stopMillis: 0, code, reason })
  } else if (role === "init") ends.push(initEnd)
  if (startup !== undefined) {
    const afterMillis = failsAt(startup, 0)
    if (neverStarts || startedAfter(plan) > afterMillis)
      ends.push({ because: "startupFailed", afterMillis, ...killedBy(startup, plan) })
  }
  if (liveness !== undefined && answersLivenessFrom(plan) > failsUnansweredBy(liveness)) {
    const afterMillis = failsUnansweredBy(liveness)
    ends.push({ because: "livenessFailed", afterMillis, ...killedBy(liveness, plan) })
  }
  const hangMillis = Math.min(life.hangMillis ?? Infinity, silent)
  if (liveness !== undefined && hangMillis !== Infinity && !neverStarts) {
    const afterMillis = failsAt(liveness, Math.max(hangMillis, startedAfter(plan)))
    ends.push({ because: "livenessFailed", afterMillis, ...killedBy(liveness, plan) })
  }
  return ends.reduce<RunEnd | undefined>(
    (first, end) => (first === undefined || end.afterMillis < first.afterMillis ? end : first),
    undefined
  )
}

/** From when on the application answers its liveness probe, which a startup probe holds back until it does. */
const answersLivenessFrom = ({ life, startup, livesByReadiness }: ContainerPlan): number =>
  livesByReadiness && startup === undefined ? (life.answersMillis ?? life.readyMillis) : 0

/** When a run stops answering that has come to hang: its probes fail from then on. */
export const silentFrom = ({ life }: ContainerPlan, restartCount: number): number | undefined =>
  life.mishap?.run === restartCount ? life.mishap.silentMillis : undefined

interface PresentRun {
  readonly facts: ContainerFacts
  readonly spec: PodSpec
  readonly life: ContainerLife
}

/** Whether something has come over a run so that it answers nothing any more. */
export const isSilentRun = ({ facts, life: { mishap } }: PresentRun): boolean =>
  mishap?.silentMillis !== undefined && facts.doing === "running" && mishap.run === facts.restartCount

/** Whether a run answers nothing, and a probe of it that is going to fail has not yet. */
export const isUnheardRun = (run: PresentRun): boolean => {
  if (!isSilentRun(run)) return false
  const { facts, spec } = run
  const { readinessProbe, livenessProbe, startupProbe } = containerOf(spec, facts) ?? {}
  if (livenessProbe !== undefined) return true
  return facts.started ? facts.ready && readinessProbe !== undefined : startupProbe !== undefined
}

/** How a run has ended that was cut short. */
export const crashOf = ({ life }: ContainerPlan, restartCount: number): RunMishap["crash"] =>
  life.mishap?.run === restartCount ? life.mishap.crash : undefined

/** When its readiness probe, if it has one, has noticed that a run has stopped answering. */
export const unheardAfter = (plan: ContainerPlan, restartCount: number): number =>
  plan.readiness === undefined ? 0 : failsAt(plan.readiness, silentFrom(plan, restartCount) ?? 0)

/** What an init container does whose behaviour says nothing of an end: its work, at once. */
const initEnd: RunEnd = { because: "exited", afterMillis: 0, stopMillis: 0, code: 0, reason: "Completed" }

const killedBy = ({ graceMillis }: ProbeTiming, plan: ContainerPlan) => {
  const { withinMillis, isKilled } = stopOf({ ...plan, graceMillis: graceMillis ?? plan.graceMillis })
  // Nobody answers, so nobody ends well: the signal itself ends the process, SIGTERM or else SIGKILL.
  return { stopMillis: withinMillis, code: isKilled ? 137 : 143, reason: "Error" }
}

/** How a container stops that is asked to: when, and whether it had to be killed. */
export interface ContainerStop {
  readonly withinMillis: number
  readonly isKilled: boolean
}

/** However little grace is left, a container has this long between being asked and being killed. */
const leastGraceMillis = 2000

/**
 * The grace begins with the preStop hook. `waitMillis` is how long the container waits, after its hook, for others
 * that stop before it.
 */
export const stopOf = (timing: StopTiming, waitMillis = 0): ContainerStop => {
  const { answerMillis, graceMillis } = timing
  const askedMillis = askedAfter(timing, waitMillis)
  const leftMillis = Math.max(leastGraceMillis, graceMillis - askedMillis)
  return {
    withinMillis: askedMillis + Math.min(answerMillis, leftMillis),
    isKilled: answerMillis > leftMillis
  }
}

/** When it is asked to, by SIGTERM. */
export const askedAfter = (
  { hookMillis, graceMillis }: Omit<StopTiming, "answerMillis">,
  waitMillis: number
): number => Math.min(graceMillis, Math.max(hookMillis, waitMillis))

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

/**
 * How long until a probe passes that is due to at `atMillis`, of a container that has run for a while. It may have
 * been kept from passing: then the next run of the probe is its next chance.
 */
export const passesIn = (timing: ProbeTiming | undefined, atMillis: number, ranMillis: number): number => {
  if (ranMillis <= atMillis || timing === undefined) return Math.max(0, atMillis - ranMillis)
  return succeedsAt(timing, ranMillis) - ranMillis
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
