import type { ContainerExit, ContainerLife, PodLife } from "../kubernetes/pods/podLife.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"

/** Containers succeed after a second if the Pod, and they themselves, have another `restartPolicy` than Always. */
export const defaultExit: ContainerExit = Object.freeze({
  afterMillis: 1000,
  code: 0,
  reason: "Completed",
  times: Number.POSITIVE_INFINITY
})

/**
 * Init containers, and containers that always restart, keep their lives; so do Pods that the user moves by hand
 * (`mover: "you"`).
 */
export const withDefaultExits = (pod: Pod, life: PodLife): PodLife => {
  const { restartPolicy = "Always", initContainers = [] } = pod.spec
  if (restartPolicy === "Always" || life.mover === "you") return life
  const cached = endingLives.get(life)
  const lastingContainers = [
    ...initContainers,
    ...pod.spec.containers.filter((container) => container.restartPolicy === "Always")
  ]
  if (cached !== undefined && lastingContainers.length === 0) return cached
  const lastingNames = new Set(lastingContainers.map(({ name }) => name))
  const endingLife: PodLife = {
    ...life,
    otherContainers: withExit(life.otherContainers),
    containers: Object.assign(
      Object.create(null),
      Object.fromEntries([
        ...lastingContainers.map(({ name }) => [name, life.containers[name] ?? life.otherContainers]),
        ...Object.entries(life.containers)
          .filter(([name]) => !lastingNames.has(name))
          .map(([name, container]) => [name, withExit(container)])
      ])
    )
  }
  if (lastingContainers.length === 0) endingLives.set(life, endingLife)
  return endingLife
}

const endingLives = new WeakMap<PodLife, PodLife>()

const withExit = (container: ContainerLife): ContainerLife =>
  container.exit === undefined ? { ...container, exit: defaultExit } : container
