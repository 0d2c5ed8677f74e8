import { containerLife } from "../../domain/containers.ts"
import { slowestOf } from "./longestTimes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Pod } from "../../domain/objects.ts"
import type { ContainerLife, PodLife } from "../../domain/podLife.ts"
import type { LongestTimes } from "./longestTimes.ts"

/**
 * Pods as Kubernetes counts them: a container that nobody probes is ready the moment it runs, whether its application
 * answers or not. A rollout goes on over it, and requests go to it that are lost.
 *
 * Source: pkg/kubelet/prober/prober_manager.go (UpdatePodStatus).
 */
export interface Unprobed {
  /** How a Pod lives, as far as its kubelet can see. */
  readonly livesOf: (pod: Pod, drawn: PodLife) => PodLife
  /** How long a Pod that is ready does not answer yet. */
  readonly answersAfterMillis: (pod: Pod) => number
}

export const makeUnprobed = (times: LongestTimes): Unprobed => {
  const answers = new Map<string, number>()
  return {
    livesOf: (pod, drawn) => {
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
      const millis = Math.max(0, readyMillis - seen)
      answers.set(pod.metadata.uid, millis)
      times.note(pod, { answeringMillis: millis })
      const containers: Record<string, ContainerLife> = { ...drawn.containers }
      for (const container of blind) {
        const life = lifeOf(container)
        containers[container.name] = { ...life, readyMillis: 0, answersMillis: life.readyMillis }
      }
      return { ...drawn, containers }
    },
    answersAfterMillis: ({ metadata }) => answers.get(metadata.uid) ?? 0
  }
}

/** A startup probe is not asked for once it has succeeded, but nothing is ready before. */
export const isUnprobed = ({ readinessProbe, startupProbe }: Core.Container): boolean =>
  (readinessProbe ?? startupProbe) === undefined

const longestOf = (lives: ReadonlyArray<ContainerLife>): number =>
  lives.reduce((longest, { readyMillis }) => Math.max(longest, readyMillis), 0)
