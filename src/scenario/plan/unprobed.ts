import { containerLife } from "../../domain/containers.ts"
import { slowestOf } from "./longestTimes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Pod } from "../../domain/objects.ts"
import type { ContainerLife, PodLife } from "../../domain/podLife.ts"
import type { LongestTimes } from "./longestTimes.ts"

/**
 * Pods as Kubernetes counts them: a container that nobody probes is ready the moment it runs, whether its application
 * answers or not. A rollout goes on over it, and requests go to it that are lost. Says how a Pod lives, as far as its
 * kubelet can see, and notes how long that takes.
 *
 * Source: pkg/kubelet/prober/prober_manager.go (UpdatePodStatus).
 */
export const unprobedLives =
  (times: LongestTimes) =>
  (pod: Pod, drawn: PodLife): PodLife => {
    if (drawn.mover === "you") return drawn
    const lifeOf = ({ name }: Core.Container): ContainerLife => containerLife(drawn, name, "app")
    times.note(pod, {
      stoppingMillis: drawn.terminateMillis,
      answers: slowestOf(pod.spec.containers.map((it) => [it.image ?? "", lifeOf(it).readyMillis]))
    })
    const blind = pod.spec.containers.filter(isUnprobed)
    if (blind.length === 0) return drawn
    const readyMillis = longestOf(blind.map(lifeOf))
    // The others hold the Pod up for as long as they take.
    const seen = longestOf(pod.spec.containers.filter((it) => !isUnprobed(it)).map(lifeOf))
    times.note(pod, { answeringMillis: Math.max(0, readyMillis - seen) })
    const containers: Record<string, ContainerLife> = { ...drawn.containers }
    for (const container of blind) {
      const life = lifeOf(container)
      containers[container.name] = { ...life, readyMillis: 0, answersMillis: life.readyMillis }
    }
    return { ...drawn, containers }
  }

/** A startup probe is not asked for once it has succeeded, but nothing is ready before. */
export const isUnprobed = ({ readinessProbe, startupProbe }: Core.Container): boolean =>
  (readinessProbe ?? startupProbe) === undefined

const longestOf = (lives: ReadonlyArray<ContainerLife>): number =>
  lives.reduce((longest, { readyMillis }) => Math.max(longest, readyMillis), 0)
