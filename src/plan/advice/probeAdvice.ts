import { endingProbe } from "../../kubernetes/pods/containers/probes.ts"
import { formatSeconds } from "./adviser.ts"
import type { EndingProbe } from "../../kubernetes/pods/containers/probes.ts"
import type * as Core from "kubernetes-types/core/v1.js"

/**
 * For a liveness probe, or a startup probe, that ends a container before its application has ever answered.
 * Source: pkg/kubelet/prober/worker.go (doProbe).
 */
export const probeAdvice = (
  containers: ReadonlyArray<Core.Container>,
  /** The longest times in milliseconds from running until an answer. */
  answersByImage: ReadonlyMap<string, number>,
  options: { readonly includesOwnRequests?: boolean } = {}
): string | undefined => {
  for (const container of containers) {
    const probe = endingProbe(container, options)
    const advice = containerAdvice(container, probe, answersByImage.get(container.image ?? "") ?? 0)
    if (advice !== undefined) return advice
  }
  return undefined
}

const containerAdvice = (
  container: Core.Container,
  probe: EndingProbe | undefined,
  answersMillis: number
): string | undefined => {
  if (probe === undefined) return undefined
  // When the kubelet ends a container that never answers, after its start.
  const { field, timing, earliestEndMillis, latestEndMillis } = probe
  if (earliestEndMillis >= answersMillis) return undefined
  const { initialDelayMillis, periodMillis, failureThreshold } = timing
  const wantedThreshold = Math.ceil((answersMillis * marginFactor) / periodMillis) + 1
  const change =
    field === "livenessProbe"
      ? `Say a startupProbe that asks for the same, with periodSeconds: ${periodMillis / 1000} and failureThreshold: ${wantedThreshold}`
      : `Say failureThreshold: ${wantedThreshold}`
  const endsText =
    latestEndMillis < answersMillis ? "ends it before that, again and again" : "may end it before that"
  return (
    `${field} of container ${JSON.stringify(container.name)} has failed ${failureThreshold} times ${formatSeconds(earliestEndMillis)} after the start ` +
    `(initialDelaySeconds: ${initialDelayMillis / 1000}, and ${failureThreshold - 1} times periodSeconds: ${periodMillis / 1000}), ` +
    `and it takes up to ${formatSeconds(answersMillis)} to answer: a kubelet ${endsText}. ` +
    `${change} (1.5 times the slowest answer)`
  )
}

/** The advised probe waits so many times as long as the slowest container takes. */
const marginFactor = 1.5
