import { createActor } from "xstate"
import { revived, schedule, stateOf } from "./actorState.ts"
import type { AnyActorRef, AnyStateMachine, InspectionEvent } from "xstate"
import type { Command } from "../domain/commands.ts"
import { keyOf } from "../domain/objects.ts"
import type { Key, KubeObject } from "../domain/objects.ts"
import type { Kernel } from "./kernel.ts"
import type { ActorState } from "./actorState.ts"
import type { Onlooker } from "./onlooker.ts"
import type { Timer, TimerPlace } from "./timerHeap.ts"

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
  readonly make: (options: Making & { readonly object: KubeObject }) => ObjectActor
  /** An actor as another one was; it is made when it is first asked for, or when a timer of it is due. */
  readonly resume: (options: Making & { readonly uid: string; readonly key: Key }, state: ActorState) => void
  readonly get: (uid: string) => ObjectActor | undefined
  readonly stop: (uid: string) => void
  /** How an actor is at this instant; undefined where there is none. Nobody changes it afterwards. */
  readonly stateOf: (uid: string, placeOf: (timer: Timer) => TimerPlace) => ActorState | undefined
  readonly all: () => Iterable<ObjectActor>
  /** How many actors are on their way somewhere by themselves: time will move them. */
  readonly moving: () => number
  /** Who is told what they do; nobody, until somebody is let in. */
  readonly onlooker: Onlooker | undefined
  /** Lets somebody look on, from now on; those that live already are for others to introduce. */
  readonly lookOn: (onlooker: Onlooker) => void
  readonly stopAll: () => void
}

interface Making {
  readonly machine: AnyStateMachine
  readonly rank: number
  /** Called when the actor emits on its own, because a timer was due. */
  readonly onSpeak: () => void
}

interface ActorsOptions {
  readonly kernel: Kernel
  /** Sees everything that every actor does; costs nothing when there is none. */
  readonly inspect?: (event: InspectionEvent) => void
}

export const makeActors = ({ kernel, inspect }: ActorsOptions): Actors => {
  const world: World = { kernel, living: new Map(), moving: 0, onlooker: undefined }
  /** As they were when the world was taken up again; nobody has woken them yet. */
  const asleep = new Map<string, Sleeper>()

  const wake = (uid: string): LivingActor | undefined => {
    const sleeper = asleep.get(uid)
    if (sleeper === undefined) return undefined
    asleep.delete(uid)
    if (sleeper.state.moving) world.moving -= 1
    const { machine, rank, onSpeak } = sleeper.making
    // A chart is called as its kind is.
    const name = inspect === undefined ? {} : { inspect, id: `${machine.id}/${sleeper.key}` }
    const options = { ...name, snapshot: revived(sleeper.state) }
    const actor = new LivingActor({ uid, machine, rank, onSpeak, world, options })
    world.living.set(uid, actor)
    world.onlooker?.meets({ uid, key: sleeper.key, ref: actor.ref })
    actor.goOn(sleeper.state, sleeper.timers)
    return actor
  }
  const get = (uid: string): LivingActor | undefined => world.living.get(uid) ?? wake(uid)

  return {
    make: ({ object, machine, rank, onSpeak }) => {
      const { uid } = object.metadata
      // A name is for whoever watches; ten thousand that nobody reads are worth leaving out.
      const options = inspect === undefined ? {} : { inspect, id: actorId(object) }
      const actor = new LivingActor({ uid, machine, rank, onSpeak, world, options })
      world.living.set(uid, actor)
      world.onlooker?.meets({ uid, key: keyOf(object), ref: actor.ref })
      return actor
    },
    resume: ({ uid, key, ...making }, state) => {
      const timers = state.timers.map(({ place }, index) => {
        const timer: Timer = kernel.resume(place, () => {
          wake(uid)
          // By now it is the actor's own.
          sleeper.timers[index]?.run()
        })
        return timer
      })
      const sleeper: Sleeper = { making, key, state, timers }
      if (state.moving) world.moving += 1
      asleep.set(uid, sleeper)
    },
    get,
    stop: (uid) => {
      const sleeper = asleep.get(uid)
      if (sleeper === undefined) return world.living.get(uid)?.stop()
      asleep.delete(uid)
      if (sleeper.state.moving) world.moving -= 1
      for (const timer of sleeper.timers) kernel.cancel(timer)
    },
    stateOf: (uid, placeOf) => world.living.get(uid)?.state(placeOf) ?? stateAsleep(asleep.get(uid), placeOf),
    all: () => {
      // Waking takes an actor out of the map, which iteration allows.
      for (const uid of asleep.keys()) wake(uid)
      return world.living.values()
    },
    moving: () => world.moving,
    get onlooker() {
      return world.onlooker
    },
    lookOn: (onlooker) => {
      world.onlooker = onlooker
    },
    stopAll: () => {
      // Stopping takes an actor out of the map, which iteration allows.
      for (const actor of world.living.values()) actor.stop()
      asleep.clear()
    }
  }
}

interface Sleeper {
  readonly making: Making
  readonly key: Key
  readonly state: ActorState
  /** One for each timer of its state. */
  readonly timers: ReadonlyArray<Timer>
}

const stateAsleep = (
  sleeper: Sleeper | undefined,
  placeOf: (timer: Timer) => TimerPlace
): ActorState | undefined => {
  for (const timer of sleeper?.timers ?? []) placeOf(timer)
  return sleeper?.state
}

/** What all actors of a cluster have in common. */
interface World {
  readonly kernel: Kernel
  readonly living: Map<string, LivingActor>
  moving: number
  onlooker: Onlooker | undefined
}

const noCommands: ReadonlyArray<Command> = Object.freeze([])

/**
 * One of these lives with every object, so what it holds is counted in bytes: a class and not a closure a method. It is
 * its actor's clock as well, and so knows which timers are whose.
 */
class LivingActor implements ObjectActor {
  readonly uid: string
  readonly ref: AnyActorRef
  readonly #rank: number
  readonly #onSpeak: () => void
  readonly #world: World
  #commands: Array<Command> | undefined
  #asked = false
  #moving = false
  #failure: { readonly error: unknown } | undefined
  /** Those that run, in the order in which they were set: as XState keeps what it has scheduled. */
  #timers: Array<Timer> | undefined
  /** A timer that runs already, for what is scheduled next. */
  #resumed: Timer | undefined
  /** How it was when somebody last asked, as long as it still is so: of a thousand Pods most have not moved since. */
  #told: ActorState | undefined

  constructor(options: {
    readonly uid: string
    readonly machine: AnyStateMachine
    readonly rank: number
    readonly onSpeak: () => void
    readonly world: World
    readonly options: object
  }) {
    this.uid = options.uid
    this.#rank = options.rank
    this.#onSpeak = options.onSpeak
    this.#world = options.world
    const ref = createActor(options.machine, { ...options.options, clock: this })
    this.ref = ref
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
    this.#told = undefined
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
    const { living, onlooker } = this.#world
    onlooker?.parts(this.uid)
    if (living.get(this.uid) === this) living.delete(this.uid)
  }

  /** XState's clock, on the kernel's heap; the rank says whose timers go first at one instant. */
  setTimeout(run: (...args: Array<unknown>) => void, millis: number): Timer {
    const due = (): void => {
      this.#forget(timer)
      run()
    }
    const timer: Timer = this.#resumed ?? this.#world.kernel.after(millis, this.#rank, due)
    timer.run = due
    this.#told = undefined
    if (this.#timers === undefined) this.#timers = [timer]
    else this.#timers.push(timer)
    return timer
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer === undefined) return
    this.#forget(timer)
    this.#world.kernel.cancel(timer)
  }

  #forget(timer: Timer): void {
    const place = this.#timers?.indexOf(timer) ?? -1
    this.#told = undefined
    if (place < 0) return
    if (this.#timers?.length === 1) this.#timers = undefined
    else this.#timers?.splice(place, 1)
  }

  /** How it is at this instant. */
  state(placeOf: (timer: Timer) => TimerPlace): ActorState {
    if (this.#told !== undefined) {
      this.#timers?.forEach(placeOf)
      return this.#told
    }
    this.#told = stateOf(this.ref, {
      timers: this.#timers,
      placeOf,
      moving: this.#moving,
      commands: this.#commands
    })
    return this.#told
  }

  /**
   * Has said what another one had, and takes timers that run already for its own, and for what was scheduled with them.
   */
  goOn({ commands, timers: scheduled }: ActorState, timers: ReadonlyArray<Timer>): void {
    if (commands !== undefined) this.#commands = [...commands]
    for (const [index, it] of scheduled.entries()) {
      this.#resumed = timers[index]
      schedule(this.ref, it)
    }
    this.#resumed = undefined
  }

  /** XState tells of every step. */
  next(snapshot: { readonly tags?: ReadonlySet<string> }): void {
    this.#told = undefined
    this.#countMoving(snapshot.tags?.has("moving") === true)
  }

  /** XState tells of a chart that threw. A timer's failure has no sender to throw to: the next turn finds it. */
  error(error: unknown): void {
    this.#failure = { error }
    if (!this.#asked) this.#onSpeak()
  }

  #heard(command: Command): void {
    this.#told = undefined
    if (this.#commands === undefined) this.#commands = [command]
    else this.#commands.push(command)
    if (!this.#asked) this.#onSpeak()
  }

  #countMoving(now: boolean): void {
    if (now === this.#moving) return
    this.#moving = now
    this.#world.moving += now ? 1 : -1
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
