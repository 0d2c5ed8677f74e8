import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { keyOf } from "../domain/objects.ts"
import { inform } from "./informer.ts"
import { sleepRank } from "./kernel.ts"
import { makeKeyTimers } from "./keyTimers.ts"
import { makeMailbox } from "./mailbox.ts"
import { noMemory } from "./memory.ts"
import { performedUnder } from "./onlooker.ts"
import { dawdle, Pace } from "./pace.ts"
import { retryDelayMillis } from "./workers.ts"
import type { AnyStateMachine } from "xstate"
import type { Scope } from "effect/Scope"
import type { Command, Refusal } from "../domain/commands.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Key, KubeObject } from "../domain/objects.ts"
import type { Change, ClusterView, ObjectOf } from "../store/objectStore.ts"
import type { StoreError } from "../store/errors.ts"
import type { Actors, ObjectActor } from "./actors.ts"
import type { ActorState } from "./actorState.ts"
import type { Memory } from "./memory.ts"
import type { Kernel } from "./kernel.ts"

/**
 * What a kind brings: which changes wake its actors, how they look, which chart they run, how commands are
 * performed.
 */
export interface Controller<R extends GroupResource> {
  readonly resource: R
  /** Lower ranks go first: Pods before ReplicaSets before Deployments. */
  readonly rank: number
  readonly machine: AnyStateMachine
  /** Whom a change concerns. */
  readonly wakes: (change: Change, wake: Wake) => void
  /** Reads the world for one object. */
  readonly look: (object: ObjectOf<R>, extent: Extent) => unknown
  /** Performs in order, up to the first refusal. */
  readonly perform: (
    object: ObjectOf<R>,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<void, CommandRefused>
  /** Whether the chart is told when these commands were performed; for charts that go on in steps. */
  readonly tellsPerformed?: (commands: ReadonlyArray<Command>) => boolean
  /**
   * Whether a change that an actor's own commands made tells it nothing that it did not know when it gave them. Asked
   * only while they are being performed: where the change comes back late it is looked at like any other.
   */
  readonly isEcho?: (change: Change) => boolean
  /**
   * How often a refused key is tried again before it waits for the next change; for ever where it is left
   * out.
   */
  readonly retriesMax?: number
  /** Told as it begins how to ask for a look, for whoever changes what no object tells of. */
  readonly awaken?: ((wake: Wake) => void) | undefined
  /** Cleans up after an object that is gone. */
  readonly forget?: (uid: string) => void
}

/** How much an actor is asked to look at: everything, or only whether what it counts has changed. */
export type Extent = "everything" | "counts"

/** Asks an actor to look; ahead of its turn with `rank`, at counts alone with `extent`. */
export type Wake = (key: Key, options?: { readonly rank?: number; readonly extent?: Extent }) => void

/** A command that was refused, by the store or by whoever should have performed it. */
export interface CommandRefused {
  readonly command: Command["type"]
  readonly error: StoreError | { readonly _tag: string; readonly message: string; readonly cause?: unknown }
}

export const refuse =
  (command: Command["type"]) =>
  (error: StoreError): CommandRefused => ({ command, error })

export interface ReconcilerServices {
  readonly kernel: Kernel
  readonly view: ClusterView["Service"]
  readonly actors: Actors
  /** Told of every actor that failed, with the cause, after it was discarded. */
  readonly onDefect: (object: KubeObject, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly memory?: Memory | undefined
}

/** The actors of one kind, and which keys were refused how often. */
interface ReconcilerState {
  readonly actors: ReadonlyArray<{
    readonly key: Key
    readonly uid: string
    readonly state: ActorState | undefined
  }>
  readonly failures: ReadonlyArray<readonly [Key, number]>
}

/** Keys of one kind that are worked on side by side; more than one only where writes wait for a network. */
const workersCount = 5

/**
 * Runs the actors of one kind: a mailbox drained by supervised workers. A failure while an actor looks, decides or has
 * its commands performed discards that actor alone; it is made anew with back-off, and the others do not notice.
 *
 * R1  One object's actor is never worked on twice at a time.
 * R2  Commands are performed in the order they were emitted; after a refusal the rest of them is dropped.
 * R3  A refused key is looked at again after a back-off that only success resets; who has given up waits for a change.
 */
export const reconcile = <R extends GroupResource>(
  controller: Controller<R>,
  services: ReconcilerServices
): Effect.Effect<void, never, Scope> =>
  Effect.gen(function* () {
    const { kernel, view, actors, memory = noMemory } = services
    const mailbox = yield* makeMailbox({ kernel, rank: controller.rank, memory })
    const pace = yield* Pace
    /** Refused keys that are looked at again, after everything else that is due at that instant. */
    const retries = yield* makeKeyTimers({
      kernel,
      rank: sleepRank,
      mailbox: { offer: (key) => wake(key) },
      memory
    })
    /**
     * Keys of which something has changed since they were last looked at; the others only have commands to
     * perform.
     */
    const stale = new Map<Key, Extent>()
    const failures = new Map<Key, number>()
    const uids = new Map<Key, string>()

    const wake: Wake = (key, { rank, extent = "everything" } = {}) => {
      if (stale.get(key) !== "everything") stale.set(key, extent)
      mailbox.offer(key, rank === undefined ? undefined : { rank })
    }

    const discard = (key: Key): void => {
      const uid = uids.get(key)
      if (uid === undefined) return
      actors.stop(uid)
      uids.delete(key)
      controller.forget?.(uid)
    }

    const actorOf = (key: Key, object: KubeObject): ObjectActor => {
      const { uid } = object.metadata
      const present = uids.get(key) === uid ? actors.get(uid) : undefined
      if (present !== undefined) return present
      discard(key)
      stale.set(key, "everything")
      uids.set(key, uid)
      const { machine, rank } = controller
      return actors.make({ object, machine, rank, onSpeak: () => mailbox.offer(key) })
    }

    memory.carry<ReconcilerState>("actors", {
      save: () => ({
        actors: Array.from(uids, ([key, uid]) => ({ key, uid, state: actors.stateOf(uid, memory.placeOf) })),
        failures: [...failures]
      }),
      restore: (state) => {
        const { machine, rank } = controller
        for (const { key, uid, state: actor } of state.actors) {
          uids.set(key, uid)
          if (actor === undefined) continue
          actors.resume({ uid, key, machine, rank, onSpeak: () => mailbox.offer(key) }, actor)
        }
        for (const [key, count] of state.failures) failures.set(key, count)
      }
    })

    /** Keys whose commands are being performed. */
    const performing = new Set<Key>()

    /** Undefined where nothing is to be done that could be refused. */
    const perform = (
      key: Key,
      commands: ReadonlyArray<Command>
    ): Effect.Effect<void, CommandRefused> | undefined => {
      const object = view.get(controller.resource, key)
      const worldly = commands.filter(({ type }) => type !== "lookAgain")
      if (worldly.length < commands.length) wake(key)
      if (object === undefined || worldly.length === 0) return undefined
      performing.add(key)
      const performed = controller.perform(object, worldly)
      const { onlooker } = actors
      return onlooker === undefined ? performed : performedUnder(onlooker, object.metadata.uid, performed)
    }

    /** Performs what the actor says until it has nothing more to say. */
    const performAll = Effect.fnUntraced(function* (
      key: Key,
      actor: ObjectActor,
      said: ReadonlyArray<Command>
    ): Effect.fn.Return<void, CommandRefused> {
      for (let commands = said; commands.length > 0; commands = actor.takeCommands()) {
        const performed = perform(key, commands)
        if (performed !== undefined) yield* performed
        performing.delete(key)
        if (controller.tellsPerformed?.(commands) === true) actor.send({ type: "performed" })
      }
    })

    /** Shows the actor the world as it is now, if any of it has changed since it last looked. */
    const observe = (key: Key, actor: ObjectActor): ReadonlyArray<Command> | undefined => {
      const object = view.get(controller.resource, key)
      const extent = stale.get(key)
      if (object === undefined || extent === undefined) return undefined
      stale.delete(key)
      const seen = controller.look(object, extent)
      actor.send({ type: "observed", seen } as { readonly type: string })
      return actor.takeCommands()
    }

    const turn = Effect.fnUntraced(function* (key: Key): Effect.fn.Return<void, CommandRefused> {
      const object = view.get(controller.resource, key)
      if (object === undefined) {
        discard(key)
        stale.delete(key)
        failures.delete(key)
        return
      }
      const actor = actorOf(key, object)
      const said = actor.takeCommands()
      if (said.length > 0) yield* performAll(key, actor, said)
      const commands = observe(key, actor)
      if (commands === undefined) return
      if (commands.length > 0) yield* performAll(key, actor, commands)
      failures.delete(key)
    })

    const again = (key: Key): Effect.Effect<void> => {
      const count = failures.get(key) ?? 0
      if (controller.retriesMax !== undefined && count >= controller.retriesMax) {
        return Effect.sync(() => failures.delete(key))
      }
      failures.set(key, count + 1)
      return Effect.sync(() => retries.after(key, retryDelayMillis(count)))
    }

    const refused = (key: Key, { command, error }: CommandRefused): Effect.Effect<void> => {
      const uid = uids.get(key)
      const actor = uid === undefined ? undefined : actors.get(uid)
      if (actor === undefined) return again(key)
      // Whatever was said after the refused command was said in the belief that it would succeed.
      actor.takeCommands()
      const refusal: Refusal = { command, reason: reasonOf(error), message: error.message }
      actor.send({ type: "refused", refusal } as { readonly type: string })
      const performed = Effect.ignore(perform(key, actor.takeCommands()) ?? Effect.void)
      return Effect.andThen(
        Effect.ensuring(
          performed,
          Effect.sync(() => performing.delete(key))
        ),
        again(key)
      )
    }

    const failed = (key: Key, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
      const object = view.get(controller.resource, key)
      discard(key)
      return object === undefined ? Effect.void : Effect.andThen(services.onDefect(object, cause), again(key))
    }

    const recover = (key: Key, cause: Cause.Cause<CommandRefused>): Effect.Effect<void> => {
      const refusal = Cause.findErrorOption(cause)
      return Option.isSome(refusal) ? refused(key, refusal.value) : failed(key, cause)
    }

    const work = Effect.fnUntraced(function* () {
      for (;;) {
        const key = yield* mailbox.take
        if (pace.millis > 0) yield* dawdle(pace)
        const exit = yield* Effect.exit(turn(key))
        performing.delete(key)
        // What goes wrong while a refusal is dealt with is a defect like any other.
        if (Exit.isFailure(exit)) {
          yield* Effect.catchCause(
            Effect.suspend(() => recover(key, exit.cause)),
            (cause) => failed(key, cause)
          )
        }
        mailbox.done(key)
      }
    })

    // Runs when the workers have ended: nobody performs what these say any more.
    yield* Effect.addFinalizer(() => Effect.sync(() => Array.from(uids.keys()).forEach(discard)))
    for (let worker = 0; worker < workersCount; worker += 1) {
      yield* Effect.forkScoped(work())
    }
    yield* inform({ view, memory }, (change) => {
      const isOwn = change.resource === controller.resource && performing.has(keyOf(change.object))
      if (isOwn && controller.isEcho?.(change) === true) return
      const { onlooker } = actors
      if (onlooker === undefined) return controller.wakes(change, wake)
      controller.wakes(change, (key, options) => {
        onlooker.wakes(controller.machine.id, key, change)
        wake(key, options)
      })
    })
    controller.awaken?.(wake)
    if (!memory.isNew) return
    for (const object of view.all(controller.resource)) {
      wake(keyOf(object))
    }
  })

const reasonOf = ({ _tag, cause }: CommandRefused["error"]): string =>
  _tag === "Forbidden" && typeof cause === "string" ? cause : _tag
