import { createActor } from "xstate"
import type { AnyActorRef, AnyStateMachine, InspectionEvent, Snapshot } from "xstate"
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

export interface ActorsOptions {
  readonly kernel: Kernel
  /** Sees everything that every actor does; costs nothing when there is none. */
  readonly inspect?: (event: InspectionEvent) => void
}

export const makeActors = ({ kernel, inspect }: ActorsOptions): Actors => {
  const actors = new Map<string, ObjectActor>()
  const clocks = new Map<number, XStateClock>()
  let moving = 0

  const clockOf = (rank: number): XStateClock => {
    const clock = clocks.get(rank) ?? makeClock(kernel, rank)
    clocks.set(rank, clock)
    return clock
  }

  const make: Actors["make"] = ({ object, machine, rank, onSpeak }) => {
    const { uid } = object.metadata
    const ref = createActor(machine, {
      id: actorId(object),
      clock: clockOf(rank),
      ...(inspect === undefined ? {} : { inspect })
    })
    let commands: Array<Command> = []
    let asked = false
    let isMoving = false
    let failure: { readonly error: unknown } | undefined

    const countMoving = (now: boolean): void => {
      if (now === isMoving) return
      isMoving = now
      moving += now ? 1 : -1
    }
    const settle = (): void => {
      if (failure === undefined) return
      const { error } = failure
      throw error
    }
    // Listen before start: entering the first state may already emit.
    ref.on("*", (command) => {
      commands.push(command as Command)
      if (!asked) onSpeak()
    })
    ref.subscribe({
      next: (snapshot: Snapshot<unknown> & { readonly tags?: Set<string> }) =>
        countMoving(snapshot.tags?.has("moving") === true),
      error: (error) => {
        failure = { error }
        // A timer's failure has no sender to throw to: the next turn finds it.
        if (!asked) onSpeak()
      }
    })
    ref.start()

    const actor: ObjectActor = {
      uid,
      ref,
      send: (event) => {
        asked = true
        try {
          ref.send(event)
        } finally {
          asked = false
        }
        settle()
      },
      takeCommands: () => {
        settle()
        const taken = commands
        commands = []
        return taken
      },
      stop: () => {
        countMoving(false)
        // A chart that has thrown no longer stops its children, and their timers would go on.
        const { children } = ref.getSnapshot() as {
          readonly children?: Readonly<Record<string, AnyActorRef>>
        }
        for (const child of Object.values(children ?? {})) stopQuietly(child)
        ref.stop()
        if (actors.get(uid) === actor) actors.delete(uid)
      }
    }
    actors.set(uid, actor)
    return actor
  }

  return {
    make,
    get: (uid) => actors.get(uid),
    all: () => actors.values(),
    moving: () => moving,
    stopAll: () => {
      // Stopping takes an actor out of the map, which iteration allows.
      for (const actor of actors.values()) actor.stop()
    }
  }
}

/** What an actor is called: `pod/default/web-1`. */
export const actorId = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
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
