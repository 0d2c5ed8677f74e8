import { isSameValue } from "../../meta/semanticEquality.ts"
import type * as Core from "kubernetes-types/core/v1.js"

/**
 * Timing of probes. A probe runs `initialDelayMillis` after the start of the container and every period after that; its
 * result changes after a threshold of equal answers in a row. All times here count from the start of the container.
 *
 * Unlike Kubernetes, a missing answer fails at once, without waiting for `timeoutSeconds`. Unlike Kubernetes, startup
 * probes run when the container starts, and exactly after an initial delay. The kubelet's run in step with the Pod.
 * Source: pkg/kubelet/prober/worker.go, prober_manager.go.
 */
export interface ProbeTiming {
  readonly initialDelayMillis: number
  readonly periodMillis: number
  readonly successThreshold: number
  readonly failureThreshold: number
  /** Grace period after this probe has failed; the Pod's if omitted. */
  readonly graceMillis?: number
}

export const probeTiming = (probe: Core.Probe | undefined): ProbeTiming | undefined =>
  probe === undefined
    ? undefined
    : {
        initialDelayMillis: (probe.initialDelaySeconds ?? 0) * 1000,
        periodMillis: (probe.periodSeconds ?? 10) * 1000,
        successThreshold: probe.successThreshold ?? 1,
        failureThreshold: probe.failureThreshold ?? 3,
        ...(probe.terminationGracePeriodSeconds === undefined
          ? {}
          : { graceMillis: probe.terminationGracePeriodSeconds * 1000 })
      }

const handlers = ["exec", "grpc", "httpGet", "tcpSocket"] as const

/**
 * Whether a liveness probe passes no sooner than the application answers: it makes the same request as the
 * readiness probe, or there is no readiness probe. Other requests are not simulated.
 */
export const livenessFollowsReadiness = ({ livenessProbe, readinessProbe }: Core.Container): boolean =>
  livenessProbe !== undefined &&
  (readinessProbe === undefined ||
    handlers.every((handler) => isSameValue(livenessProbe[handler], readinessProbe[handler])))

/** When the first run of the probe at or after this time takes place. */
const firstRunFrom = (timing: ProbeTiming, sinceMillis: number): number => {
  const periods = Math.max(0, Math.ceil((sinceMillis - timing.initialDelayMillis) / timing.periodMillis))
  return timing.initialDelayMillis + periods * timing.periodMillis
}

/** When the probe has succeeded for an application that answers from `answersMillis` on. */
export const probeSucceedsMillis = (timing: ProbeTiming, answersMillis: number): number =>
  firstRunFrom(timing, answersMillis) + (timing.successThreshold - 1) * timing.periodMillis

/** When the probe has failed for an application that is silent from `silentMillis` on. */
export const probeFailsMillis = (timing: ProbeTiming, silentMillis: number): number =>
  firstRunFrom(timing, silentMillis) + (timing.failureThreshold - 1) * timing.periodMillis

/**
 * When a probe that is never answered has failed at the latest. Startup and readiness probes run when the container
 * starts; runs of a liveness probe are in step with its Pod, not with the container.
 * Source: pkg/kubelet/prober/worker.go (run), prober_manager.go (UpdatePodStatus, isContainerStarted).
 */
export const unansweredProbeFailsMillis = (timing: ProbeTiming): number =>
  probeFailsMillis(timing, 0) + timing.periodMillis

export interface EndingProbe {
  readonly field: "livenessProbe" | "startupProbe"
  readonly timing: ProbeTiming
  /** The earliest and the latest time at which it has failed, if never answered. */
  readonly earliestEndMillis: number
  readonly latestEndMillis: number
}

/**
 * The probe that kills a container whose application does not answer yet: its startup probe, else its liveness probe if
 * that follows readiness. `includesOtherRequests`: also a liveness probe that makes another request than the readiness
 * probe.
 */
export const endingProbe = (
  container: Core.Container,
  { includesOtherRequests = false }: { readonly includesOtherRequests?: boolean } = {}
): EndingProbe | undefined => {
  const field = container.startupProbe === undefined ? "livenessProbe" : "startupProbe"
  const timing = probeTiming(container[field])
  if (timing === undefined) return undefined
  if (field === "livenessProbe" && !includesOtherRequests && !livenessFollowsReadiness(container))
    return undefined
  const earliestEndMillis = probeFailsMillis(timing, 0)
  const latestEndMillis = field === "livenessProbe" ? unansweredProbeFailsMillis(timing) : earliestEndMillis
  return { field, timing, earliestEndMillis, latestEndMillis }
}
