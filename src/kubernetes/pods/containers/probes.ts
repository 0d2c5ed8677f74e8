import { isSemanticallyEqual } from "../../meta/semanticEquality.ts"
import type * as Core from "kubernetes-types/core/v1.js"

/**
 * Times count from the start of the container. An application refuses its probes until it answers; once it hangs,
 * each probe takes `timeoutMillis` to fail. Unlike Kubernetes, a restart begins a new period of the startup probe.
 * Source: prober/worker.go (run), prober_manager.go (UpdatePodStatus).
 */
export interface ProbeTiming {
  readonly initialDelayMillis: number
  readonly periodMillis: number
  readonly timeoutMillis: number
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
        timeoutMillis: (probe.timeoutSeconds ?? 1) * 1000,
        successThreshold: probe.successThreshold ?? 1,
        failureThreshold: probe.failureThreshold ?? 3,
        ...(probe.terminationGracePeriodSeconds === undefined
          ? {}
          : { graceMillis: probe.terminationGracePeriodSeconds * 1000 })
      }

const requestFields = ["exec", "grpc", "httpGet", "tcpSocket"] as const

/** Whether the liveness probe makes the same request as the readiness probe, or is the only one. */
export const livenessFollowsReadiness = ({ livenessProbe, readinessProbe }: Core.Container): boolean =>
  livenessProbe !== undefined &&
  (readinessProbe === undefined ||
    requestFields.every((field) => isSemanticallyEqual(livenessProbe[field], readinessProbe[field])))

const firstProbeFrom = (timing: ProbeTiming, sinceMillis: number): number => {
  const periods = Math.max(0, Math.ceil((sinceMillis - timing.initialDelayMillis) / timing.periodMillis))
  return timing.initialDelayMillis + periods * timing.periodMillis
}

export const probeSucceedsMillis = (timing: ProbeTiming, answersMillis: number): number =>
  firstProbeFrom(timing, answersMillis) + (timing.successThreshold - 1) * timing.periodMillis

/** For an application that fails its probes at once from `sinceMillis` on. */
export const probeFailsMillis = (timing: ProbeTiming, sinceMillis: number): number =>
  firstProbeFrom(timing, sinceMillis) + (timing.failureThreshold - 1) * timing.periodMillis

/**
 * A probe that outlasts its period is followed by the next at once: the prober's ticker keeps one tick.
 * `isAnswered`: whether the application passed its probes before it hung.
 */
export const hungProbeFailsMillis = (
  timing: ProbeTiming,
  hangsMillis: number,
  { isAnswered = true }: { readonly isAnswered?: boolean } = {}
): number => {
  const { initialDelayMillis, periodMillis, timeoutMillis, failureThreshold } = timing
  const hungMillis = firstProbeFrom(timing, hangsMillis)
  const failures = isAnswered ? 0 : (hungMillis - initialDelayMillis) / periodMillis
  if (failures >= failureThreshold) return probeFailsMillis(timing, 0)
  return (
    hungMillis + (failureThreshold - failures - 1) * Math.max(periodMillis, timeoutMillis) + timeoutMillis
  )
}

/**
 * The latest time for an application that never answers: one period after the earliest, since a restart begins no new
 * period of the liveness probe.
 */
export const livenessFailsAtLatestMillis = (timing: ProbeTiming): number =>
  probeFailsMillis(timing, 0) + timing.periodMillis

export interface KillingProbe {
  readonly field: "livenessProbe" | "startupProbe"
  readonly timing: ProbeTiming
  readonly earliestKillMillis: number
  readonly latestKillMillis: number
}

/**
 * The probe that kills a container whose application does not answer yet. `includesOtherRequests`: also a
 * liveness probe that makes another request than the readiness probe.
 */
export const killingProbe = (
  container: Core.Container,
  { includesOtherRequests = false }: { readonly includesOtherRequests?: boolean } = {}
): KillingProbe | undefined => {
  const field = container.startupProbe === undefined ? "livenessProbe" : "startupProbe"
  const timing = probeTiming(container[field])
  if (timing === undefined) return undefined
  if (field === "livenessProbe" && !includesOtherRequests && !livenessFollowsReadiness(container))
    return undefined
  const earliestKillMillis = probeFailsMillis(timing, 0)
  const latestKillMillis =
    field === "livenessProbe" ? livenessFailsAtLatestMillis(timing) : earliestKillMillis
  return { field, timing, earliestKillMillis, latestKillMillis }
}
