import { createActor } from "xstate"
import type { AnyActorRef, AnyStateMachine, InspectionEvent } from "xstate"
import type { Command } from "../domain/commands.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { Kernel } from "./kernel.ts"
import type { Timer } from "./timerHeap.ts"

/**
 * The actor of one object: an XState root of its own, and the commands it has emitted that nobody has performed yet.
 */
export interface ObjectActor {
  readonly uid: string
  readonly ref: AnyActorRef
  /** Shows it what is there, or tells it what became of its commands. Throws what the chart threw. */
  readonly send: (event: { readonly type: string }) => void
  /** Takes the commands emitted since the last time. */
  readonly takeCommands: () => ReadonlyArray<Command>
  readonly stop: () => void
}

/**
 * All actors of one cluster by the uid of their object. None is another's child, and none sends to another.
 */
export interface Actors {
  readonly make: (options: {
    readonly object: KubeObject
    readonly machine: AnyStateMachine
    readonly rank: number
    /** Called when the actor emits on its own, because a timer was due. */
    readonly onSpeak: () => void
  }) => ObjectActor
  readonly get: (uid: string) => ObjectActor | undefined
  readonly all: () => Iterable<ObjectActor>
  /** How many actors are on their way somewhere by themselves: time will move them. */
  readonly moving: () => number
  readonly stopAll: () => void
}

interface ActorsOptions {
  readonly kernel: Kernel
  /** Sees everything that every actor does; costs nothing when there is none. */
  readonly inspect?: (event: InspectionEvent) => void
}

export const makeActors = ({ kernel, inspect }: ActorsOptions): Actors => {
  const actors = new Map<string, LivingActor>()
  const clocks = new Map<number, XStateClock>()
  const census: Census = { moving: 0 }

  const clockOf = (rank: number): XStateClock => {
    const clock = clocks.get(rank) ?? makeClock(kernel, rank)
    clocks.set(rank, clock)
    return clock
  }

  return {
    make: ({ object, machine, rank, onSpeak }) => {
      const { uid } = object.metadata
      const ref = createActor(machine, {
        clock: clockOf(rank),
        // A name is for whoever watches; ten thousand that nobody reads are worth leaving out.
        ...(inspect === undefined ? {} : { inspect, id: actorId(object) })
      })
      const actor = new LivingActor(uid, ref, onSpeak, census, actors)
      actors.set(uid, actor)
      return actor
    },
    get: (uid) => actors.get(uid),
    all: () => actors.values(),
    moving: () => census.moving,
    stopAll: () => {
      // Stopping takes an actor out of the map, which iteration allows.
      for (const actor of actors.values()) actor.stop()
    }
  }
}

interface Census {
  moving: number
}

const noCommands: ReadonlyArray<Command> = Object.freeze([])

/** One of these lives with every object, so what it holds is counted in bytes: a class and not a closure a method. */
class LivingActor implements ObjectActor {
  readonly uid: string
  readonly ref: AnyActorRef
  readonly #onSpeak: () => void
  readonly #census: Census
  readonly #actors: Map<string, LivingActor>
  #commands: Array<Command> | undefined
  #asked = false
  #moving = false
  #failure: { readonly error: unknown } | undefined

  constructor(
    uid: string,
    ref: AnyActorRef & { readonly start: () => unknown },
    onSpeak: () => void,
    census: Census,
    actors: Map<string, LivingActor>
  ) {
    this.uid = uid
    this.ref = ref
    this.#onSpeak = onSpeak
    this.#census = census
    this.#actors = actors
    // Listen before start: entering the first state may already emit.
    ref.on("*", (command) => this.#heard(command as Command))
    ref.subscribe(this)
    ref.start()
  }

  send(event: { readonly type: string }): void {
    this.#asked = true
    try {
      this.ref.send(event)
    } finally {
      this.#asked = false
    }
    this.#settle()
  }

  takeCommands(): ReadonlyArray<Command> {
    this.#settle()
    const taken = this.#commands ?? noCommands
    this.#commands = undefined
    return taken
  }

  stop(): void {
    this.#countMoving(false)
    // A chart that has thrown no longer stops its children, and their timers would go on.
    const { children } = this.ref.getSnapshot() as {
      readonly children?: Readonly<Record<string, AnyActorRef>>
    }
    for (const child of Object.values(children ?? {})) stopQuietly(child)
    const root = this.ref as AnyActorRef & { readonly stop: () => unknown }
    root.stop()
    if (this.#actors.get(this.uid) === this) this.#actors.delete(this.uid)
  }

  /** XState tells of every step. */
  next(snapshot: { readonly tags?: ReadonlySet<string> }): void {
    this.#countMoving(snapshot.tags?.has("moving") === true)
  }

  /** XState tells of a chart that threw. A timer's failure has no sender to throw to: the next turn finds it. */
  error(error: unknown): void {
    this.#failure = { error }
    if (!this.#asked) this.#onSpeak()
  }

  #heard(command: Command): void {
    if (this.#commands === undefined) this.#commands = [command]
    else this.#commands.push(command)
    if (!this.#asked) this.#onSpeak()
  }

  #countMoving(now: boolean): void {
    if (now === this.#moving) return
    this.#moving = now
    this.#census.moving += now ? 1 : -1
  }

  #settle(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

/** What an actor is called: `pod/default/web-1`. */
const actorId = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
  [kind.charAt(0).toLowerCase() + kind.slice(1), ...(namespace === undefined ? [] : [namespace]), name].join(
    "/"
  )

const stopQuietly = (child: AnyActorRef): void => {
  // XState types a child as somebody's who alone may stop it; that one is past stopping anything.
  const actor = child as { readonly _stop?: () => void }
  actor._stop?.()
}

interface XStateClock {
  readonly setTimeout: (run: (...args: Array<unknown>) => void, millis: number) => Timer
  readonly clearTimeout: (timer: Timer | undefined) => void
}

/** XState's clock on the kernel's heap; the rank says whose timers go first at one instant. */
const makeClock = (kernel: Kernel, rank: number): XStateClock => ({
  setTimeout: (run, millis) => kernel.after(millis, rank, run),
  clearTimeout: (timer) => {
    if (timer !== undefined) kernel.cancel(timer)
  }
})
