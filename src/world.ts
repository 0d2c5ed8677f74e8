import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { bootstrap } from "./bootstrap.ts"
import { runControlPlane } from "./controlPlane.ts"
import { makeFaults } from "./faults/begin.ts"
import { makeMemory } from "./runtime/memory.ts"
import { makeTimeline } from "./runtime/timeline.ts"
import { runOn } from "./runtime/waiting.ts"
import { takeSnapshot } from "./snapshots/snapshot.ts"
import { makeMemoryStore } from "./store/memoryStore.ts"
import type { CheckedOptions, ClusterOptions } from "./clusterOptions.ts"
import type { Records } from "./records.ts"
import type { Observers } from "./runtime/observers.ts"
import type { CannotSnapshot, HeldUp, Snapshot, SnapshotSettings } from "./snapshots/snapshot.ts"

const virtualStartMillis = Date.UTC(2026, 0, 1)

/** The parts of a cluster before its control plane starts: timeline, store, and state from a snapshot. */
export type World = ReturnType<typeof makeWorld>

export const makeWorld = (options: ClusterOptions, checked: CheckedOptions) => {
  const { from, shuffleSeed } = options
  const { clock, seed, strategies, featureGates, podsMax } = checked
  const startMillis =
    from?.nowMillis ?? options.startMillis ?? (clock === "virtual" ? virtualStartMillis : Date.now())
  const shuffle = shuffleSeed === undefined ? {} : { shuffleSeed }
  const timeline = makeTimeline({ clock, startMillis, sequence: from?.kernel.sequence, ...shuffle })
  const { nowMillis } = timeline.kernel
  const types = strategies.map(({ type }) => type).sort()
  const storage = makeMemoryStore({
    nowMillis,
    seed,
    strategies: types,
    featureGates,
    podsMax,
    from: from?.store
  })
  const settings: SnapshotSettings = { ...settingsOf(checked), ...shuffle, ...functionsOf(options) }
  return { options, checked, timeline, storage, memory: makeMemory(from?.memories), settings }
}

const settingsOf = (checked: CheckedOptions): SnapshotSettings => {
  const { seed, nodes, behaviour, behaviours, featureGates, podsMax } = checked
  const { lostAfterSeconds } = nodes
  return {
    seed,
    nodes: lostAfterSeconds === undefined ? {} : { lostAfterSeconds },
    behaviour,
    behaviours,
    featureGates,
    podsMax
  }
}

const functionsOf = ({
  strategies,
  livesOf
}: ClusterOptions): Pick<SnapshotSettings, "strategies" | "livesOf"> => ({
  ...(strategies === undefined ? {} : { strategies }),
  ...(livesOf === undefined ? {} : { livesOf })
})

const startComponents = Effect.fnUntraced(function* (parts: World, records: Records, observers: Observers) {
  const { options, checked, timeline, storage, memory } = parts
  const { store, view } = storage
  const { seed, nodes, behaviour, behaviours, strategies, featureGates } = checked
  const { kernel, jump } = timeline
  if (options.from === undefined) yield* Effect.orDie(bootstrap(store, nodes))
  records.begin()
  const controlPlane = yield* runControlPlane({
    timeline,
    store,
    view,
    seed,
    behaviours,
    behaviour,
    livesOf: options.livesOf,
    strategies,
    featureGates,
    lostAfterSeconds: nodes.lostAfterSeconds,
    memory,
    onlooker: records.onlooker(),
    ...(options.inspect === undefined
      ? {}
      : { inspect: observers.add("the inspect callback")(options.inspect) })
  })
  const faults = makeFaults(
    { ...controlPlane, store: controlPlane.fates, view, kernel, seed, jump },
    memory.of("faults")
  )
  return { ...controlPlane, faults }
})

export const startLife = Effect.fnUntraced(function* (parts: World, records: Records, observers: Observers) {
  const { timeline } = parts
  const scope = yield* Scope.make()
  const components = yield* runOn(
    timeline,
    Effect.provideService(startComponents(parts, records, observers), Scope.Scope, scope)
  )
  return { ...components, end: runOn(timeline, Scope.close(scope, Exit.void)) }
})

export const snapshotOf = (
  { timeline, storage, memory, settings }: World,
  heldUp: () => HeldUp
): Effect.Effect<Snapshot, CannotSnapshot> =>
  Effect.suspend(() => {
    timeline.catchUp()
    return takeSnapshot({ kernel: timeline.kernel, memory, settings, saveStore: storage.save, heldUp })
  })
