import * as Effect from "effect/Effect"
import { resolveFeatureGates } from "../../src/kubernetes/meta/featureGates.ts"
import { Conflict, Forbidden } from "../../src/store/storeErrors.ts"
import { steady } from "../../src/behaviours/builtInBehaviours.ts"
import { bootstrapStore } from "../../src/cluster/bootstrap.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { builtInStrategies } from "../../machines/strategies/strategies.ts"
import { runControlPlane } from "../../src/cluster/controlPlane.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { makeTimeline } from "../../src/runtime/time/timeline.ts"
import type { InspectionEvent } from "xstate"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { StoreError } from "../../src/store/storeErrors.ts"
import type { ClusterView, ObjectStore } from "../../src/store/objectStore.ts"
import type { Timeline } from "../../src/runtime/time/timeline.ts"

export interface FaultyControlPlane {
  readonly timeline: Timeline
  /** The store itself, whose writes never fail. */
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => void
}

/** The error for the n-th write of the controllers, counted from 1. */
export type WriteFault = (write: number) => StoreError | undefined

export const conflict = (): StoreError =>
  new Conflict({ resource: "anything", resourceName: "any", why: "planted" })
export const forbidden = (): StoreError =>
  new Forbidden({ resource: "anything", resourceName: "any", why: "planted" })

export const withFaultyControlPlane = (
  options: {
    readonly fault: WriteFault
    readonly seed?: number
    readonly behaviours?: ReadonlyArray<Behaviour>
    /** Wraps the failing store for the controllers. */
    readonly disguised?: (store: ObjectStore["Service"]) => ObjectStore["Service"]
    readonly inspect?: (event: InspectionEvent) => void
  },
  story: (world: FaultyControlPlane) => void
): void => {
  const { seed = 1, behaviours = [], fault, disguised = (it) => it } = options
  const timeline = makeTimeline({ clock: "virtual", startMillis: 0 })
  const { kernel } = timeline
  const { store, view } = makeMemoryStore({ nowMillis: kernel.nowMillis, seed })
  let writes = 0
  const failing = <A>(write: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
    Effect.suspend(() => {
      writes += 1
      const error = fault(writes)
      return error === undefined ? write : Effect.fail(error)
    })
  const faulty: ObjectStore["Service"] = {
    ...store,
    create: (draft) => failing(store.create(draft)),
    update: (object) => failing(store.update(object)),
    updateStatus: (object) => failing(store.updateStatus(object)),
    modify: (ref, change, only) => failing(store.modify(ref, change, only)),
    delete: (ref, request) => failing(store.delete(ref, request)),
    bind: (binding) => failing(store.bind(binding))
  }
  const run: FaultyControlPlane["run"] = (effect) => {
    kernel.run(Effect.orDie(effect))
    kernel.drain()
  }
  run(bootstrapStore(store, { count: 3 }))
  run(
    Effect.scoped(
      Effect.andThen(
        runControlPlane({
          timeline,
          store: disguised(faulty),
          view,
          featureGates: resolveFeatureGates(),
          ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
          seed,
          behaviours,
          behaviour: steady,
          strategies: builtInStrategies,
          steering: builtInSteering
        }),
        Effect.never
      )
    )
  )
  try {
    story({ timeline, store, view, run })
  } finally {
    timeline.close()
  }
}
