import { isSameValue } from "./sameness.ts"
import type * as Core from "kubernetes-types/core/v1.js"

/**
 * When probes notice what an application does. A probe runs at `initialDelay`, and every period after it, counted
 * from the start of the container; a result turns after its threshold of like answers in a row.
 *
 * Unlike Kubernetes, no answer is a failure at once: `timeoutSeconds` is not waited for.
 *
 * Source: pkg/kubelet/prober/worker.go, prober_manager.go.
 */
export interface ProbeTiming {
  readonly initialDelayMillis: number
  readonly periodMillis: number
  readonly successThreshold: number
  readonly failureThreshold: number
  /** What a container is given that the probe has failed; as its Pod says where it is left out. */
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
 * Whether a liveness probe is answered no sooner than the application answers: it asks for what the readiness probe
 * asks for, or nobody else asks for anything. Nothing is known of one that asks for something of its own.
 */
export const asksForReadiness = ({ livenessProbe, readinessProbe }: Core.Container): boolean =>
  livenessProbe !== undefined &&
  (readinessProbe === undefined ||
    handlers.every((handler) => isSameValue(livenessProbe[handler], readinessProbe[handler])))

/** The first run of a probe at or after a moment since the start. */
const firstRunFrom = (timing: ProbeTiming, sinceMillis: number): number => {
  const periods = Math.max(0, Math.ceil((sinceMillis - timing.initialDelayMillis) / timing.periodMillis))
  return timing.initialDelayMillis + periods * timing.periodMillis
}

/** When the probe has succeeded often enough, for an application that answers from `answersMillis` on. */
export const succeedsAt = (timing: ProbeTiming, answersMillis: number): number =>
  firstRunFrom(timing, answersMillis) + (timing.successThreshold - 1) * timing.periodMillis

/** When the probe has failed often enough, for an application that is silent from `silentMillis` on. */
export const failsAt = (timing: ProbeTiming, silentMillis: number): number =>
  firstRunFrom(timing, silentMillis) + (timing.failureThreshold - 1) * timing.periodMillis

/**
 * When a probe that is never answered has failed often enough at the latest. Startup and readiness probes are asked
 * when a container starts; the runs of a liveness probe are in step with its Pod and not with the container.
 *
 * Source: pkg/kubelet/prober/worker.go (run), prober_manager.go (UpdatePodStatus, isContainerStarted).
 */
export const failsUnansweredBy = (timing: ProbeTiming): number => failsAt(timing, 0) + timing.periodMillis

/** A probe that ends a container which does not answer, and when. */
export interface EndingProbe {
  readonly field: "livenessProbe" | "startupProbe"
  readonly timing: ProbeTiming
  /** When it may have failed often enough, where it was never answered, and when it surely has. */
  readonly endsMillis: number
  readonly endsByMillis: number
}

/**
 * Which probe ends a container whose application does not answer yet: its startup probe, or else a liveness probe that
 * is answered no sooner.
 */
export const endingProbe = (container: Core.Container): EndingProbe | undefined => {
  const field = container.startupProbe === undefined ? "livenessProbe" : "startupProbe"
  const timing = probeTiming(container[field])
  if (timing === undefined) return undefined
  if (field === "livenessProbe" && !asksForReadiness(container)) return undefined
  const endsMillis = failsAt(timing, 0)
  const endsByMillis = field === "livenessProbe" ? failsUnansweredBy(timing) : endsMillis
  return { field, timing, endsMillis, endsByMillis }
}
