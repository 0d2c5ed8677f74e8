import { apartIn, behaviourFor } from "./behaviours/match.ts"
import { livingApart } from "./behaviours/apart.ts"
import { drawLife } from "./behaviours/draw.ts"
import { resources } from "./domain/kinds.ts"
import type { Behaviour } from "./behaviours/behaviour.ts"
import type { ClusterOptions } from "./clusterOptions.ts"
import type { Pod } from "./domain/objects.ts"
import type { PodLife } from "./domain/podLife.ts"
import type { Memory } from "./runtime/memory.ts"
import type { ClusterView } from "./store/objectStore.ts"

/**
 * How each Pod of a cluster lives: drawn from the seed by its uid. In a cluster that goes on from another one with a
 * seed of its own, the Pods that there were by then live as they would have.
 */
export const makePodLives = (options: {
  readonly seed: number
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly behaviour: Behaviour
  readonly livesOf?: ClusterOptions["livesOf"] | undefined
  readonly view: ClusterView["Service"]
  readonly memory: Memory
}): ((pod: Pod) => PodLife) => {
  const { seed, behaviours, behaviour, livesOf, view, memory } = options
  /** The seeds of Pods that are older than this cluster's own. */
  const elders = new Map<string, number>()
  memory.carry<EldersState>("elders", {
    save: () => ({ seed, elders: [...elders] }),
    restore: (state) => {
      if (state.elders.length === 0 && state.seed === seed) return
      const known = new Map(state.elders)
      for (const { metadata } of view.all(resources.pods)) {
        const own = known.get(metadata.uid) ?? state.seed
        if (own !== seed) elders.set(metadata.uid, own)
      }
    }
  })
  return (pod) => {
    const { uid } = pod.metadata
    const own = behaviourFor(pod, behaviours, behaviour)
    const ofPod = elders.get(uid) ?? seed
    // What two behaviours say in the same place has nothing to do with each other.
    const by = (it: Behaviour): PodLife => drawLife(it, ofPod, it === own ? uid : `${uid}/${it.name}`)
    const drawn = livingApart(by(own), apartIn(pod, behaviours, { own, fallback: behaviour }), by)
    return livesOf?.(pod, drawn) ?? drawn
  }
}

interface EldersState {
  readonly seed: number
  readonly elders: ReadonlyArray<readonly [uid: string, seed: number]>
}
