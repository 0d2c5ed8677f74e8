import { containerLife } from "../../kubernetes/pods/containers/containers.ts"
import { slowestAnswers } from "./podTimes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife } from "../../kubernetes/pods/podLife.ts"
import type { PodTimesRecorder } from "./podTimes.ts"

/**
 * Without a readiness probe, a container is ready when it runs. Records how long it does not answer yet.
 * Source: pkg/kubelet/prober/prober_manager.go (UpdatePodStatus).
 */
export const makeUnprobedLives =
  (times: PodTimesRecorder) =>
  (pod: Pod, life: PodLife): PodLife => {
    if (life.mover === "you") return life
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

/** A startup probe keeps a container unready until it succeeds. */
export const isUnprobed = ({ readinessProbe, startupProbe }: Core.Container): boolean =>
  (readinessProbe ?? startupProbe) === undefined

const longestReadyMillis = (lives: ReadonlyArray<ContainerLife>): number =>
  lives.reduce((longest, { readyMillis }) => Math.max(longest, readyMillis), 0)
