import type { ContainerExit, ContainerLife, PodLife } from "../kubernetes/pods/podLife.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"

/** Containers succeed after a second if the Pod, and they themselves, have another `restartPolicy` than Always. */
export const defaultExit: ContainerExit = Object.freeze({
  afterMillis: 1000,
  code: 0,
  reason: "Completed",
  times: Number.POSITIVE_INFINITY
})

export const endingLife = (pod: Pod, life: PodLife): PodLife => {
  const { restartPolicy = "Always", initContainers = [] } = pod.spec
  if (restartPolicy === "Always" || life.mover === "you") return life
  const cached = endingLives.get(life)
  // Init containers and sidecars keep their lives, unless the Pod has no other container.
  const lasting = [
    ...initContainers,
    ...pod.spec.containers.filter((container) => container.restartPolicy === "Always")
  ]
  if (cached !== undefined && lasting.length === 0) return cached
  const lastingNames = new Set(lasting.map(({ name }) => name))
  const ending: PodLife = {
    ...life,
    otherContainers: withExit(life.otherContainers),
    containers: Object.assign(
      Object.create(null),
      Object.fromEntries([
        ...lasting.map(({ name }) => [name, life.containers[name] ?? life.otherContainers]),
        ...Object.entries(life.containers)
          .filter(([name]) => !lastingNames.has(name))
          .map(([name, container]) => [name, withExit(container)])
      ])
    )
  }
  if (lasting.length === 0) endingLives.set(life, ending)
  return ending
}

const endingLives = new WeakMap<PodLife, PodLife>()

const withExit = (container: ContainerLife): ContainerLife =>
  container.exit === undefined ? { ...container, exit: defaultExit } : container
