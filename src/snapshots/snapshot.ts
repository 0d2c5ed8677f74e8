import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { FeatureGates } from "../domain/featureGates.ts"
import type { Pod } from "../domain/objects.ts"
import type { PodLife } from "../domain/podLife.ts"
import type { Kernel, KernelRest } from "../runtime/kernel.ts"
import type { Memories, WorldMemory } from "../runtime/memory.ts"
import type { StoreState } from "../store/memoryStore.ts"

/**
 * A whole cluster at one instant: its objects, its clock, every timer that runs, the seed and how far chance has got,
 * and what is wrong with it: faults that last, and what they have held back.
 * It is taken in a millisecond or so, since what cannot change is not copied. As many clusters as you like may go on
 * from it, and none of them touches another.
 *
 * Where nobody does anything else to them they all have one future, to the byte: objects, events, resource versions,
 * names, uids and times. What is attached to a cluster from outside is not part of it: open watches, a server, an
 * inspector, the pace of the clock. Nor is one thing inside: where a fault has restarted one of the two garbage
 * collectors, which of them goes first at one instant is as it was before that.
 */
export interface Snapshot {
  readonly nowMillis: number
  /** The options that the cluster was made with and that still matter. */
  readonly settings: SnapshotSettings
  readonly kernel: Pick<KernelRest, "sequence" | "chance">
  readonly store: StoreState
  readonly memories: Memories
}

export interface SnapshotSettings {
  readonly seed: number
  readonly shuffleSeed?: number
  readonly nodes: { readonly lostAfterSeconds?: number }
  readonly behaviour: Behaviour
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly livesOf?: (pod: Pod, drawn: PodLife) => PodLife
  readonly strategies?: ReadonlyArray<Strategy>
  readonly featureGates: FeatureGates
  readonly podsMax: number
  /** What a file could not hold, and whoever goes on from it must give again. */
  readonly needs?: SnapshotNeeds
}

export interface SnapshotNeeds {
  /** The types of strategies. */
  readonly strategies: ReadonlyArray<string>
  readonly livesOf: boolean
}

/** The cluster is in the middle of something that no other cluster could go on with. */
export class CannotSnapshot extends TaggedError("CannotSnapshot")<{ readonly why: string }> {
  override get message(): string {
    return `no snapshot can be taken now: ${this.why}`
  }
}

const cannot = (why: string): Effect.Effect<never, CannotSnapshot> => Effect.fail(new CannotSnapshot({ why }))

/** How much is on its way, or in somebody's hands, because of faults. */
export interface HeldUp {
  /** Writes that are slow, or are asked for again after a 429. */
  readonly writes: number
  /** Controllers that wait until they see what they have written. */
  readonly awaited: number
}

/** Takes down a world of which nothing is left to do at the present instant. */
export const takeSnapshot = (world: {
  readonly kernel: Kernel
  readonly memory: WorldMemory
  readonly settings: SnapshotSettings
  readonly saveStore: () => StoreState
  readonly heldUp: () => HeldUp
}): Effect.Effect<Snapshot, CannotSnapshot> =>
  Effect.suspend(() => {
    const rest = world.kernel.rest()
    if (rest === undefined) return cannot("it was asked for in the middle of a step")
    const halfWay = whatIsHalfWay(world.heldUp())
    if (halfWay !== undefined) return cannot(halfWay)
    if (rest.sleeping > 0) return cannot("an effect of a program's own sleeps: let it come to its end")
    const { memories, timers } = world.memory.save()
    if (rest.timers !== timers) return cannot("something that nobody has named is still on its way")
    const { nowMillis, sequence, chance } = rest
    return Effect.succeed({
      nowMillis,
      settings: world.settings,
      kernel: { sequence, ...(chance === undefined ? {} : { chance }) },
      store: world.saveStore(),
      memories
    })
  })

/** What a fault has stopped in the middle of a step is known to the fiber alone that goes on with it. */
const whatIsHalfWay = ({ writes, awaited }: HeldUp): string | undefined => {
  if (writes > 0) return "a write is half way that a fault holds up: let it arrive"
  if (awaited > 0) {
    return "a controller waits to see what it has written, which a fault keeps from it: let it be seen"
  }
  return undefined
}
