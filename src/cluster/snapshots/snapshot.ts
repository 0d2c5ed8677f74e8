import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { isFields } from "../../kubernetes/meta/fields.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { SteeringStrategy } from "../../../machines/steering/steeringStrategy.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { FeatureGates } from "../../kubernetes/meta/featureGates.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { PodLife } from "../../kubernetes/pods/podLife.ts"
import type { Kernel, IdleKernel } from "../../runtime/time/kernel.ts"
import type { SavedParts, ClusterSnapshotParts } from "../../runtime/snapshotParts.ts"
import type { StoreState } from "../../store/memoryStore.ts"

/**
 * A whole cluster at one instant, from which any number of clusters go on independently; without further input, all
 * have the same future. Not included: open watches, servers, inspectors, the clock's pace, and which
 * garbage collector goes first at one instant after a fault has restarted one.
 */
export interface Snapshot {
  readonly nowMillis: number
  readonly settings: SnapshotSettings
  /** The number of the last timer that was set, and the state of the generator that shuffles tasks. */
  readonly kernel: Pick<IdleKernel, "sequence" | "shuffleState">
  readonly store: StoreState
  /** What controllers and other components remember beside the objects. */
  readonly memories: SavedParts
}

export const isSnapshot = (value: unknown): value is Snapshot =>
  isFields(value) && ["settings", "kernel", "store", "memories"].every((part) => isFields(value[part]))

export interface SnapshotSettings {
  readonly seed: number
  readonly shuffleSeed?: number
  readonly nodes: { readonly lostAfterSeconds?: number }
  readonly behaviour: Behaviour
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly livesOf?: (pod: Pod, drawn: PodLife) => PodLife
  readonly strategies?: ReadonlyArray<Strategy>
  readonly steering?: ReadonlyArray<SteeringStrategy>
  readonly featureGates: FeatureGates
  readonly controllers?: ReadonlyArray<string>
  /** Given only if routine Events are left out. */
  readonly routineEvents?: boolean
  readonly podsMax: number
  /** Options that a file cannot hold and that must be given again. */
  readonly needs?: SnapshotNeeds
}

export interface SnapshotNeeds {
  /** The types of the strategies. */
  readonly strategies: ReadonlyArray<string>
  /** The names of the steering charts, if there are any. */
  readonly steering?: ReadonlyArray<string>
  readonly livesOf: boolean
}

/** The cluster is in the middle of something that a snapshot cannot hold. */
export class CannotSnapshot extends TaggedError("CannotSnapshot")<{ readonly why: string }> {
  override get message(): string {
    return `no snapshot can be taken now: ${this.why}`
  }
}

const refuseSnapshot = (why: string): Effect.Effect<never, CannotSnapshot> =>
  Effect.fail(new CannotSnapshot({ why }))

/**
 * How many fibers wait because of faults: for a delayed write, or as controllers that do not see their own write yet.
 */
export interface FibersDelayedByFaults {
  readonly writes: number
  readonly waitingControllers: number
}

/** Fails unless nothing is left to do at the present instant. */
export const takeSnapshot = (cluster: {
  readonly kernel: Kernel
  readonly snapshotParts: ClusterSnapshotParts
  readonly settings: SnapshotSettings
  readonly saveStore: () => StoreState
  readonly countDelayedFibers: () => FibersDelayedByFaults
}): Effect.Effect<Snapshot, CannotSnapshot> =>
  Effect.suspend(() => {
    const kernelState = cluster.kernel.idleState()
    if (kernelState === undefined) return refuseSnapshot("it was asked for in the middle of a step")
    const reason = delayReason(cluster.countDelayedFibers())
    if (reason !== undefined) return refuseSnapshot(reason)
    if (kernelState.sleepingCount > 0)
      return refuseSnapshot("an effect that your program runs on the cluster sleeps: let it end first")
    const { savedParts, timerCount } = cluster.snapshotParts.save()
    if (kernelState.timerCount !== timerCount)
      return refuseSnapshot("a timer is set that no controller would restore")
    const { nowMillis, sequence, shuffleState } = kernelState
    return Effect.succeed({
      nowMillis,
      settings: cluster.settings,
      kernel: { sequence, ...(shuffleState === undefined ? {} : { shuffleState }) },
      store: cluster.saveStore(),
      memories: savedParts
    })
  })

/** Why a fault prevents a snapshot: only the waiting fiber knows how its delayed write or read goes on. */
const delayReason = ({ writes, waitingControllers }: FibersDelayedByFaults): string | undefined => {
  if (writes > 0) return "a fault delays a write: let the write arrive first"
  if (waitingControllers > 0) {
    return "a controller waits until it sees its own write, which a fault hides: let it see the write first"
  }
  return undefined
}
