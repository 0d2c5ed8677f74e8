import { containerOverrides, behaviourFor } from "../behaviours/matchBehaviours.ts"
import { withContainerOverrides } from "../behaviours/containerOverrides.ts"
import { withDefaultExits } from "../behaviours/defaultExits.ts"
import { drawLife } from "../behaviours/drawLife.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { PodLife } from "../kubernetes/pods/podLife.ts"
import type { SnapshotParts } from "../runtime/snapshotParts.ts"
import type { ClusterView } from "../store/objectStore.ts"

/** In a fork with another seed, older Pods keep their lives. */
export const makePodLifecycles = (options: {
  readonly seed: number
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly behaviour: Behaviour
  readonly livesOf?: ClusterOptions["livesOf"] | undefined
  readonly view: ClusterView["Service"]
  readonly snapshotParts: SnapshotParts
}): ((pod: Pod) => PodLife) => {
  const { seed, behaviours, behaviour, livesOf, view, snapshotParts } = options
  /** Seeds by the uid of Pods that were created under another seed. */
  const earlierSeeds = new Map<string, number>()
  // `elders` is the name of this part in the format of snapshots.
  snapshotParts.registerPart<EarlierSeedsState>("elders", {
    save: () => ({ seed, elders: [...earlierSeeds] }),
    restore: (state) => {
      if (state.elders.length === 0 && state.seed === seed) return
      const savedSeeds = new Map(state.elders)
      for (const { metadata } of view.all(resources.pods)) {
        const savedSeed = savedSeeds.get(metadata.uid) ?? state.seed
        if (savedSeed !== seed) earlierSeeds.set(metadata.uid, savedSeed)
      }
    }
  })
  return (pod) => {
    const { uid } = pod.metadata
    const podBehaviour = behaviourFor(pod, behaviours, behaviour)
    const podSeed = earlierSeeds.get(uid) ?? seed
    const draw = (drawnBehaviour: Behaviour): PodLife =>
      drawLife(
        drawnBehaviour,
        podSeed,
        drawnBehaviour === podBehaviour ? uid : `${uid}/${drawnBehaviour.name}`
      )
    const drawnLife = withContainerOverrides(
      draw(podBehaviour),
      containerOverrides(pod, behaviours, { podBehaviour, fallback: behaviour }),
      draw
    )
    const life = withDefaultExits(pod, drawnLife)
    return livesOf?.(pod, life) ?? life
  }
}

interface EarlierSeedsState {
  readonly seed: number
  readonly elders: ReadonlyArray<readonly [uid: string, seed: number]>
}
