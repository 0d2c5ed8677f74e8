import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Stream } from "effect/Stream"
import { bootstrap } from "./bootstrap.ts"
import { checkOptions } from "./clusterOptions.ts"
import { keyIn } from "./domain/objects.ts"
import { resources } from "./domain/kinds.ts"
import { rolloutStatus } from "./domain/rolloutStatus.ts"
import { runControlPlane } from "./controlPlane.ts"
import { freezeThoroughly } from "./domain/freeze.ts"
import { bindByName, createCopy, deleteAsAsked, setKubelet } from "./fromOutside.ts"
import { faultsFor } from "./faults/faultsFor.ts"
import { makeFaults } from "./faults/begin.ts"
import { writerNow } from "./faults/writing.ts"
import { makeMemory } from "./runtime/memory.ts"
import { makeMemoryStore } from "./store/memoryStore.ts"
import { BadRequest, NotFound } from "./store/errors.ts"
import { clockOf, ClockNotVirtual } from "./runtime/clusterClock.ts"
import { ClusterClosed, makeTimeline } from "./runtime/timeline.ts"
import type { ClusterClock } from "./runtime/clusterClock.ts"
import { takeSnapshot } from "./snapshots/snapshot.ts"
import { runOn, waitUntil } from "./runtime/waiting.ts"
import { makeRecords } from "./records.ts"
import type { WhyRecorder } from "./inspect/why/recorder.ts"
import type { Recorder } from "./recording/recorder.ts"
import type { ClusterOptions, InvalidOptions, UnknownBehaviour } from "./clusterOptions.ts"
import type { CannotSnapshot, Snapshot, SnapshotSettings } from "./snapshots/snapshot.ts"
import type { Faults } from "./faults/begin.ts"
import type { Writer } from "./faults/writing.ts"
import type { Link } from "./store/link.ts"
import type { WatchLine } from "./store/watchLine.ts"
import type { PodBinding } from "./fromOutside.ts"
import type { GroupResource } from "./domain/kinds.ts"
import type { Deployment, Draft, EventObject, KubeObject, Manifest } from "./domain/objects.ts"
import type { Expired, StoreError } from "./store/errors.ts"
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

/** What a rollout came to. */
export interface RolloutOutcome {
  readonly outcome: "complete" | "failed" | "deleted" | "unfinished"
  /** What `kubectl rollout status` would say. */
  readonly message: string
  /** The Deployment as it was then; undefined when it is gone. */
  readonly deployment: Deployment | undefined
}

/** What stands between a cluster and those who come to it by a network. */
export interface Outside {
  readonly store: ObjectStore["Service"]
  /** What watches tell, and what a read shows that is content with any version there has been. */
  readonly view: ClusterView["Service"]
  /** What a read shows that asks for what is so now. */
  readonly latest: () => ClusterView["Service"]
  readonly watches: WatchLine
  /** Carries out one request, which its faults let through or refuse as a whole. */
  readonly asOne: Link["gate"]["asOne"]
  /** As `step` of the cluster; what has to wait is answered later, when so much of the cluster's time has passed. */
  readonly step: <A, E>(effect: Effect.Effect<A, E>) => Exit.Exit<A, E> | Promise<Exit.Exit<A, E>>
}

/** The most of virtual time that anything is waited for when nobody says otherwise: a day. */
const limitDefaultMillis = 86_400_000
const virtualStartMillis = Date.UTC(2026, 0, 1)

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
    ) => Effect.Effect<ObjectOf<R>, NotFound>
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
    readonly watch: (options?: WatchOptions) => Stream<Change, Expired>
    /** Calls back on every change, at once, in order, and says who has made it. Returns how to stop. */
    readonly onChange: (listener: (change: Change, by: Writer) => void) => () => void
    /** The events of one object, or of all, in the order they were first recorded. */
    readonly events: (about?: { readonly uid: string }) => Effect.Effect<ReadonlyArray<EventObject>>
    readonly nowMillis: () => number
    /**
     * Runs an effect on the cluster's own timeline as one step: controllers see nothing before it has ended.
     */
    readonly run: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
    /**
     * Runs what waits for nothing as one step at the present instant, and answers before the controllers have
     * acted on it: for a server whose clients do not wait for them either. They act when the turn of the event loop
     * is over, once for all that came in it.
     */
    readonly step: <A, E>(effect: Effect.Effect<A, E>) => Exit.Exit<A, E>
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
    /** Lets time pass until something holds, asked only when nothing is left to do at an instant. */
    readonly until: (holds: () => boolean, limitMillis?: number) => Effect.Effect<boolean>
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
): Effect.fn.Return<Cluster["Service"], UnknownBehaviour | InvalidOptions, Scope.Scope> {
  const { from } = given
  const options: ClusterOptions = { ...from?.settings, ...given }
  const { clock, seed, nodes, behaviour, behaviours, strategies, podsMax } = yield* checkOptions(given)
  const startMillis =
    from?.nowMillis ?? options.startMillis ?? (clock === "virtual" ? virtualStartMillis : Date.now())
  const shuffle = options.shuffleSeed === undefined ? {} : { shuffleSeed: options.shuffleSeed }
  const timeline = makeTimeline({ clock, startMillis, sequence: from?.kernel.sequence, ...shuffle })
  const { kernel } = timeline
  const types = strategies.map(({ type }) => type).sort()
  const { nowMillis } = kernel
  const held = makeMemoryStore({ nowMillis, seed, strategies: types, podsMax, from: from?.store })
  const { store, view } = held
  const memory = makeMemory(from?.memories)

  /** Runs an effect on the cluster's own timeline, whatever runtime it is asked from. */
  const onTimeline = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => runOn(timeline, effect)

  const { why: wantsWhy = false, record = false } = options
  const records = makeRecords({
    timeline,
    view,
    seed,
    strategies,
    wantsWhy,
    record,
    whileOpen: (effect) => whileOpen(effect)
  })
  yield* records.prepare

  const life = yield* startLife(
    onTimeline,
    Effect.gen(function* () {
      if (from === undefined) yield* Effect.orDie(bootstrap(store, nodes))
      records.begin()
      const inspect = options.inspect === undefined ? {} : { inspect: unharmed(options.inspect) }
      const plane = yield* runControlPlane({
        timeline,
        store,
        view,
        seed,
        behaviours,
        behaviour,
        livesOf: options.livesOf,
        strategies,
        lostAfterSeconds: nodes.lostAfterSeconds,
        memory,
        onlooker: records.onlooker(),
        ...inspect
      })
      const { jump } = timeline
      const faults = makeFaults(
        { ...plane, store: plane.fates, view, kernel, seed, jump },
        memory.of("faults")
      )
      return { ...plane, faults }
    })
  )
  const { clients, faults } = life.value
  records.meet({ lookOn: life.value.lookOn, faults })
  const isAtRest = (): boolean => life.value.moving() + faults.moving() === 0
  let isClosed = false
  yield* Effect.addFinalizer(() => {
    isClosed = true
    return Effect.andThen(
      life.end,
      Effect.sync(() => {
        held.close()
        timeline.close()
      })
    )
  })
  timeline.catchUp()
  if (from?.kernel.chance !== undefined) kernel.restoreChance(from.kernel.chance)

  const whileOpen = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => (isClosed ? Effect.die(new ClusterClosed()) : effect))
  const here = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => whileOpen(onTimeline(effect))
  const snapshot = whileOpen(
    Effect.suspend(() => {
      timeline.catchUp()
      const { lostAfterSeconds } = nodes
      const settings: SnapshotSettings = {
        seed,
        nodes: lostAfterSeconds === undefined ? {} : { lostAfterSeconds },
        behaviour,
        behaviours,
        podsMax,
        ...shuffle,
        ...(options.strategies === undefined ? {} : { strategies: options.strategies }),
        ...(options.livesOf === undefined ? {} : { livesOf: options.livesOf })
      }
      const { heldUp } = life.value
      return takeSnapshot({ kernel, memory, settings, saveStore: held.save, heldUp })
    })
  )
  const until = (holds: () => boolean, limitMillis = limitDefaultMillis): Effect.Effect<boolean> => {
    const wait = Effect.suspend(() => {
      // Where time goes by itself, the last thing may have happened a while ago.
      timeline.catchUp()
      return waitUntil({ timeline, holds, limitMillis: kernel.nowMillis() + limitMillis })
    })
    return Effect.tap(whileOpen(wait), () => Effect.sync(records.timeMoved))
  }

  return Cluster.of({
    create: (draft) => here(Effect.suspend(() => createCopy({ store, view }, draft))),
    get: (resource, name, namespace) => here(store.get({ resource, key: keyIn(namespace, name) })),
    list: (resource, wanted) =>
      view.kinds.ofResource(resource) === undefined
        ? Effect.fail(
            new BadRequest({ why: `the server doesn't have a resource type ${JSON.stringify(resource)}` })
          )
        : here(store.list(resource, wanted)),
    modify: (ref, change, only) =>
      here(store.modify(ref, (object) => freezeThoroughly(change(object)), only)),
    delete: (ref, request) => here(Effect.suspend(() => deleteAsAsked({ store, view }, ref, request))),
    bind: (binding) => here(Effect.suspend(() => bindByName({ store, view }, binding))),
    watch: (wanted = {}) => store.watch(wanted),
    onChange: (listener) => view.subscribe(unharmed((change) => listener(change, writerNow()))),
    events: (about) =>
      Effect.sync(() =>
        [...view.all(resources.events)].filter(
          ({ involvedObject }) => about === undefined || involvedObject.uid === about.uid
        )
      ),
    nowMillis: () => {
      timeline.arrive()
      return kernel.nowMillis()
    },
    run: here,
    step: (effect) => {
      if (isClosed) return Exit.die(new ClusterClosed())
      timeline.arrive()
      return Effect.runSyncExit(effect)
    },
    advance: (millis) =>
      Effect.suspend(() =>
        timeline.speed() === 0
          ? Effect.asVoid(until(() => false, millis))
          : Effect.fail(new ClockNotVirtual())
      ),
    clock: clockOf({ timeline, until, whileOpen, speedChanged: records.speedChanged }),
    settle: (limitMillis) => until(isAtRest, limitMillis),
    isAtRest,
    until,
    rollout: Effect.fnUntraced(function* (name, { namespace = "default", limitMillis } = {}) {
      const key = `${namespace}/${name}`
      const present = (): Deployment | undefined => view.get(resources.deployments, key)
      const isOver = (): boolean => {
        const deployment = present()
        return deployment === undefined || rolloutStatus(deployment).state !== "waiting"
      }
      if (present() === undefined) return yield* new NotFound({ resource: resources.deployments, name })
      yield* until(isOver, limitMillis)
      return outcomeOf(present())
    }),
    setKubelet: (node, state) => here(setKubelet(store, node, state)),
    snapshot,
    why: records.why,
    recording: records.recording,
    note: records.note,
    publishCertificate: (certificate) => here(Effect.sync(() => life.value.publishCertificate(certificate))),
    faults: faultsFor(faults, here),
    store,
    view,
    outside: {
      store: clients.store,
      view: clients.view,
      latest: clients.sight.latest,
      asOne: clients.gate.asOne,
      watches: clients.watches,
      step: (effect) => {
        if (isClosed) return Exit.die(new ClusterClosed())
        timeline.arrive()
        if (!clients.gate.isSlow()) return Effect.runSyncExit(effect)
        const fiber = kernel.run(effect)
        return fiber.pollUnsafe() ?? new Promise((resolve) => fiber.addObserver(resolve))
      }
    }
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
): Effect.Effect<Cluster["Service"], CannotSnapshot | UnknownBehaviour | InvalidOptions, Scope.Scope> =>
  Effect.flatMap(cluster.snapshot, (from) => makeCluster({ ...options, from }))

/**
 * Starts what lives as long as the cluster, on its timeline; `end` closes its scope there and waits for it.
 */
const startLife = <A>(
  here: <B, E>(effect: Effect.Effect<B, E>) => Effect.Effect<B, E>,
  life: Effect.Effect<A, never, Scope.Scope>
): Effect.Effect<{ readonly value: A; readonly end: Effect.Effect<void> }> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const value = yield* here(Effect.provideService(life, Scope.Scope, scope))
    return { value, end: here(Scope.close(scope, Exit.void)) }
  })

/**
 * A callback of somebody else's that cannot harm the cluster: what it throws is thrown again where nobody's work is
 * cut short by it.
 */
const unharmed =
  <A>(callback: (value: A) => void) =>
  (value: A): void => {
    try {
      callback(value)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }

const outcomeOf = (deployment: Deployment | undefined): RolloutOutcome => {
  if (deployment === undefined) return { outcome: "deleted", message: "object has been deleted", deployment }
  const { state, message } = rolloutStatus(deployment)
  return { outcome: state === "waiting" ? "unfinished" : state, message, deployment }
}
