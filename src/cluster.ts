import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkOptions } from "./clusterOptions.ts"
import { faultsFor } from "./faults/faultsFor.ts"
import { objectsFor } from "./fromOutside.ts"
import { makeRecords } from "./records.ts"
import { rolloutsIn } from "./rollouts.ts"
import { clockOf } from "./runtime/clusterClock.ts"
import { makeEntrance } from "./runtime/entrance.ts"
import { makeObservers } from "./runtime/observers.ts"
import { library } from "./domain/managedFields/managers.ts"
import { writtenBy } from "./store/writtenBy.ts"
import { makeWorld, snapshotOf, startLife } from "./world.ts"
import type { Exit } from "effect/Exit"
import type { Scope } from "effect/Scope"
import type { Stream } from "effect/Stream"
import type { ClusterOptions, UnknownBehaviour } from "./clusterOptions.ts"
import type { InvalidOptions } from "./invalidOptions.ts"
import type { GroupResource } from "./domain/kinds.ts"
import type { Draft, EventObject, KubeObject, Manifest } from "./domain/objects.ts"
import type { Faults } from "./faults/begin.ts"
import type { Writer } from "./faults/writing.ts"
import type { PodBinding } from "./fromOutside.ts"
import type { WhyRecorder } from "./inspect/why/recorder.ts"
import type { Recorder } from "./recording/recorder.ts"
import type { RolloutOutcome } from "./rollouts.ts"
import type { ClockNotVirtual, ClusterClock } from "./runtime/clusterClock.ts"
import type { Entrance } from "./runtime/entrance.ts"
import type { Kernel } from "./runtime/kernel.ts"
import type { Observers } from "./runtime/observers.ts"
import type { CannotSnapshot, Snapshot } from "./snapshots/snapshot.ts"
import type { BadRequest, Expired, NotFound, StoreError } from "./store/errors.ts"
import type { Link } from "./store/link.ts"
import type {
  Change,
  ClusterView,
  DeleteOptions,
  ListOptions,
  ObjectList,
  ObjectOf,
  ObjectStore,
  Ref,
  WatchOptions
} from "./store/objectStore.ts"
import type { WatchLine } from "./store/watchLine.ts"

/** What stands between a cluster and those who come to it by a network. */
export interface Outside {
  readonly store: ObjectStore["Service"]
  /** What watches tell, and what a read shows that is content with any version there has been. */
  readonly view: ClusterView["Service"]
  /** What a read shows that asks for what is so now. */
  readonly latest: () => ClusterView["Service"]
  readonly watches: WatchLine
  /** For what serves the cluster's changes to clients. */
  readonly observers: Observers
  /** Carries out one request, which its faults let through or refuse as a whole. */
  readonly asOne: Link["gate"]["asOne"]
  /** As `step` of the cluster; what has to wait is answered later, when so much of the cluster's time has passed. */
  readonly step: <A, E>(effect: Effect.Effect<A, E>) => Exit<A, E> | Promise<Exit<A, E>>
}

/**
 * A living cluster: the store, the controllers, the simulated nodes and Pods, on a clock of its own. Two clusters of
 * one process never touch.
 */
export class Cluster extends Context.Service<
  Cluster,
  {
    /** Creates an object. */
    readonly create: (draft: Manifest) => Effect.Effect<KubeObject, StoreError>
    readonly get: <R extends GroupResource>(
      resource: R,
      name: string,
      namespace?: string
    ) => Effect.Effect<ObjectOf<R>, NotFound | BadRequest>
    readonly list: <R extends GroupResource>(
      resource: R,
      options?: ListOptions
    ) => Effect.Effect<ObjectList<ObjectOf<R>>, BadRequest>
    /** Reads, changes and writes one object as one step. */
    readonly modify: (
      ref: Ref,
      change: (object: KubeObject) => Draft,
      options?: { readonly status?: boolean }
    ) => Effect.Effect<KubeObject, StoreError>
    readonly delete: (ref: Ref, options?: DeleteOptions) => Effect.Effect<KubeObject, StoreError>
    /** Puts a Pod on a node, where nobody else does: Pods whose behaviour is `manual`. */
    readonly bind: (binding: PodBinding) => Effect.Effect<KubeObject, StoreError>
    readonly watch: (options?: WatchOptions) => Stream<Change, Expired | BadRequest>
    /** Calls back on every change, at once, in order, and says who has made it. Returns how to stop. */
    readonly onChange: (listener: (change: Change, by: Writer) => unknown) => () => void
    /** The events of one object, or of all, in the order they were first recorded. */
    readonly events: (about?: { readonly uid: string }) => Effect.Effect<ReadonlyArray<EventObject>>
    readonly nowMillis: () => number
    /**
     * Runs an effect on the cluster's own timeline as one step: controllers see nothing before it has ended.
     */
    readonly run: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
    /** Throws `ClusterClosed` where it is closed: for whoever is answered at once. */
    readonly checkOpen: () => void
    /** Waits for what must be loaded before somebody who has come can act; time that stands still does so meanwhile. */
    readonly loading: <A>(load: () => Promise<A>) => Effect.Effect<A>
    /**
     * Runs what waits for nothing as one step at the present instant, and answers before the controllers have
     * acted on it: for a server whose clients do not wait for them either. They act when the turn of the event loop
     * is over, once for all that came in it.
     */
    readonly step: <A, E>(effect: Effect.Effect<A, E>) => Exit<A, E>
    readonly clock: ClusterClock
    /** Lets time pass that stands still, and everything in it happen. */
    readonly advance: (millis: number) => Effect.Effect<void, ClockNotVirtual>
    /**
     * Lets time pass until everything has got where it can; false when the limit came first. What is only tried
     * again and again has, be it a Pod in CrashLoopBackOff or a creation that was refused; and so has a Pod that nobody
     * knows will crash.
     */
    readonly settle: (limitMillis?: number) => Effect.Effect<boolean>
    /** Whether nothing moves by itself any more. */
    readonly isAtRest: () => boolean
    /**
     * Lets time pass until something holds, asked only when nothing is left to do at an instant; where time stands
     * still unless it is moved, it is told before when nothing will happen.
     */
    readonly until: (holds: (nextMillis: number) => boolean, limitMillis?: number) => Effect.Effect<boolean>
    /** Waits until a rollout is complete or has failed its deadline. */
    readonly rollout: (
      name: string,
      options?: { readonly namespace?: string; readonly limitMillis?: number }
    ) => Effect.Effect<RolloutOutcome, NotFound>
    /** Silences a node's kubelet, or brings it back. */
    readonly setKubelet: (node: string, state: "running" | "stopped") => Effect.Effect<void, StoreError>
    /** Tells every namespace by which certificate (PEM) the API server is known: in `kube-root-ca.crt`. */
    readonly publishCertificate: (certificate: string) => Effect.Effect<void>
    /** The whole cluster at this instant, for others to go on from: see `ClusterOptions.from`. */
    readonly snapshot: Effect.Effect<Snapshot, CannotSnapshot>
    /** The last steps of every actor, with the reason for each: from when it was first asked for. */
    readonly why: Effect.Effect<WhyRecorder>
    /** Everything that a page shows of it, at any moment: from when it was first asked for. */
    readonly recording: Effect.Effect<Recorder>
    /** Says something of this moment in the recording, where there is one. */
    readonly note: Recorder["note"]
    /** What goes wrong in it. */
    readonly faults: Faults
    readonly store: ObjectStore["Service"]
    readonly view: ClusterView["Service"]
    /** The cluster as clients from outside meet it: their faults come in between. */
    readonly outside: Outside
  }
>()("charthouse/Cluster") {
  static readonly layer = (
    options: ClusterOptions = {}
  ): Layer.Layer<Cluster, UnknownBehaviour | InvalidOptions> => Layer.effect(Cluster, makeCluster(options))
}

export const makeCluster = Effect.fnUntraced(function* (
  given: ClusterOptions = {}
): Effect.fn.Return<Cluster["Service"], UnknownBehaviour | InvalidOptions, Scope> {
  const { from } = given
  const options: ClusterOptions = { ...from?.settings, ...given }
  const checked = yield* checkOptions(given)
  const world = makeWorld(options, checked)
  const { timeline, held } = world
  const { kernel } = timeline
  const { view } = held
  const observers = makeObservers({ keepsFailures: options.observerErrors !== "report" })
  const store = writtenBy(held.store, library)
  const { seed, strategies } = checked

  const entrance = makeEntrance({ timeline, timeMoved: () => records.timeMoved(), observers })
  const { here, enter, until, whileOpen, checkOpen, loading } = entrance
  const { why: wantsWhy = false, record = false } = options
  const records = makeRecords({ timeline, view, seed, strategies, wantsWhy, record, entrance, observers })
  yield* records.prepare

  const life = yield* startLife(world, records, observers)
  const { clients, faults, lookOn, publishCertificate, heldUp } = life
  records.meet({ lookOn, faults })
  yield* Effect.addFinalizer(() => {
    entrance.close()
    const end = Effect.andThen(
      life.end,
      Effect.sync(() => {
        held.close()
        timeline.close()
      })
    )
    return Effect.andThen(end, entrance.rejectFailure)
  })
  timeline.catchUp()
  if (from?.kernel.chance !== undefined) kernel.restoreChance(from.kernel.chance)

  const isAtRest = (): boolean => life.moving() + faults.moving() === 0
  return Cluster.of({
    ...objectsFor({ store, view }, entrance, observers),
    nowMillis: () => {
      timeline.arrive()
      return kernel.nowMillis()
    },
    run: here,
    checkOpen,
    loading,
    step: (effect) => enter(() => Effect.runSyncExit(effect)),
    ...clockOf({ timeline, entrance, speedChanged: records.speedChanged }),
    settle: (limitMillis) => until(isAtRest, limitMillis),
    isAtRest,
    until,
    rollout: rolloutsIn(view, until),
    snapshot: whileOpen(snapshotOf(world, heldUp)),
    why: records.why,
    recording: records.recording,
    note: records.note,
    publishCertificate: (certificate) => here(Effect.sync(() => publishCertificate(certificate))),
    faults: faultsFor(faults, entrance),
    store,
    view,
    outside: outsideOf(clients, kernel, enter, observers)
  })
})

/** A cluster as it is met through a link. */
const outsideOf = (
  { store, view, sight, gate, watches }: Link,
  kernel: Kernel,
  enter: Entrance["enter"],
  observers: Observers
): Outside => ({
  store,
  view,
  observers,
  latest: sight.latest,
  asOne: gate.asOne,
  watches,
  step: <A, E>(effect: Effect.Effect<A, E>) =>
    enter((): Exit<A, E> | Promise<Exit<A, E>> => {
      if (!gate.isSlow()) return Effect.runSyncExit(effect)
      const fiber = kernel.run(effect)
      return fiber.pollUnsafe() ?? new Promise((resolve) => fiber.addObserver(resolve))
    })
})

/** What may be another matter in a cluster that goes on from a snapshot. */
export type ForkOptions = Omit<ClusterOptions, "from" | "nodes" | "startMillis" | "shuffleSeed">

/**
 * Another cluster that goes on from this instant, on a virtual clock unless told otherwise: what happens in it does not
 * happen in the first. Left alone, both have the same future, to the byte.
 */
export const forkCluster = (
  cluster: Cluster["Service"],
  options: ForkOptions = {}
): Effect.Effect<Cluster["Service"], CannotSnapshot | UnknownBehaviour | InvalidOptions, Scope> =>
  Effect.flatMap(cluster.snapshot, (from) => makeCluster({ ...options, from }))
