import { containerLife } from "../../kubernetes/pods/containers/containers.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { slowestAnswers } from "./podTimes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../kubernetes/pods/podLife.ts"
import type { PodTimesRecorder } from "./podTimes.ts"

interface LifeOptions {
  /** Whether containers that exit do so by an assumed chance, and not because a behaviour says so. */
  readonly isCrashAssumed: boolean
}

/**
 * Without a readiness probe, a container is ready when it runs. Records how long it does not answer yet.
 * Source: pkg/kubelet/prober/prober_manager.go (UpdatePodStatus).
 */
export const makeUnprobedLives =
  (times: PodTimesRecorder, { isCrashAssumed }: LifeOptions) =>
  (pod: Pod, drawn: PodLife): PodLife => {
    if (drawn.mover === "you") return drawn
    const life = controllerOf(pod)?.kind === "Job" ? withSuccess(pod, drawn, isCrashAssumed) : drawn
    const lifeOf = ({ name }: Core.Container): ContainerLife => containerLife(life, name, "app")
    times.record(pod, {
      stoppingMillis: life.terminateMillis,
      answersByImage: slowestAnswers(
        pod.spec.containers.map((it) => [it.image ?? "", lifeOf(it).readyMillis])
      )
    })
    const unprobed = pod.spec.containers.filter(isUnprobed)
    if (unprobed.length === 0) return life
    const readyMillis = longestReadyMillis(unprobed.map(lifeOf))
    const probedMillis = longestReadyMillis(pod.spec.containers.filter((it) => !isUnprobed(it)).map(lifeOf))
    times.record(pod, { answeringMillis: Math.max(0, readyMillis - probedMillis) })
    const containers: Record<string, ContainerLife> = { ...life.containers }
    for (const container of unprobed) {
      const current = lifeOf(container)
      containers[container.name] = {
        ...current,
        readyMillis: 0,
        answersMillis: current.readyMillis
      }
    }
    return { ...life, containers }
  }

/** Unless a behaviour says more, a Job's containers run for as long as others take to become ready, and succeed. */
const withSuccess = (pod: Pod, life: PodLife, isCrashAssumed: boolean): PodLife => {
  const containers: Record<string, ContainerLife> = { ...life.containers }
  for (const { name } of pod.spec.containers) {
    const current = containerLife(life, name, "app")
    const { exit, readyMillis } = current
    const isKept = exit !== undefined && (!isCrashAssumed || exit.afterMillis <= readyMillis)
    if (!isKept) containers[name] = { ...current, exit: { ...success, afterMillis: readyMillis } }
  }
  return { ...life, containers }
}

const success = { code: 0, reason: "Completed", times: Infinity }

/** A startup probe keeps a container unready until it succeeds. */
export const isUnprobed = ({ readinessProbe, startupProbe }: Core.Container): boolean =>
  (readinessProbe ?? startupProbe) === undefined

const longestReadyMillis = (lives: ReadonlyArray<ContainerLife>): number =>
  lives.reduce((longest, { readyMillis }) => Math.max(longest, readyMillis), 0)
