import { endingProbe } from "../../domain/probes.ts"
import { seconds } from "./seconds.ts"
import type * as Core from "kubernetes-types/core/v1.js"

/**
 * What to change where a probe ends a container before it has ever answered, again and again: one that asks for the
 * same as the readiness probe but waits for less, or a startup probe that gives up too soon.
 *
 * Source: pkg/kubelet/prober/worker.go (doProbe).
 */
export const impatientProbe = (
  containers: ReadonlyArray<Core.Container>,
  answers: ReadonlyMap<string, number>
): string | undefined => {
  for (const container of containers) {
    const advice = adviceOn(container, answers.get(container.image ?? "") ?? 0)
    if (advice !== undefined) return advice
  }
  return undefined
}

const adviceOn = (container: Core.Container, answersMillis: number): string | undefined => {
  const ending = endingProbe(container)
  if (ending === undefined) return undefined
  const { field, timing, endsMillis, endsByMillis } = ending
  if (endsMillis >= answersMillis) return undefined
  const { initialDelayMillis, periodMillis, failureThreshold } = timing
  const enough = Math.ceil((answersMillis * patience) / periodMillis) + 1
  const change =
    field === "livenessProbe"
      ? `Say a startupProbe that asks for the same, with periodSeconds: ${periodMillis / 1000} and failureThreshold: ${enough}`
      : `Say failureThreshold: ${enough}`
  const ends =
    endsByMillis < answersMillis ? "ends it before that, again and again" : "may end it before that"
  return (
    `${field} of container ${JSON.stringify(container.name)} has failed ${failureThreshold} times ${seconds(endsMillis)} after the start ` +
    `(initialDelaySeconds: ${initialDelayMillis / 1000}, and ${failureThreshold - 1} times periodSeconds: ${periodMillis / 1000}), ` +
    `and it takes up to ${seconds(answersMillis)} to answer: a kubelet ${ends}. ` +
    `${change}: half as much again`
  )
}

const patience = 1.5
