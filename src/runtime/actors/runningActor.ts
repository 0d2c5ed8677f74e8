import { createActor } from "xstate"
import { rescheduleEvent, actorStateOf } from "./actorState.ts"
import type { AnyActorLogic, AnyActorRef, AnyEventObject, EventObject } from "xstate"
import type { SchedulingClock } from "../../compiler/schedulingClock.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Kernel } from "../time/kernel.ts"
import type { Timer, TimerPlace } from "../time/timerHeap.ts"
import type { MacrostepReports } from "./macrostepReports.ts"
import type { SharedActorSystem } from "./sharedActorSystem.ts"
import type { ActorObserver } from "./actorObserver.ts"
import type { ActorState, ActorTimer } from "./actorState.ts"

export interface SharedActorState {
  readonly kernel: Kernel
  readonly running: Map<string, RunningActor>
  movingCount: number
  observer: ActorObserver | undefined
  readonly macrostepReports: MacrostepReports
}

const noCommands: ReadonlyArray<Command> = Object.freeze([])

/** A class, to save memory: each object has one. */
export class RunningActor implements SchedulingClock {
  readonly uid: string
  readonly ref: AnyActorRef
  readonly #key: Key
  readonly #turnOrder: number
  readonly #repeatedDelay: string | undefined
  readonly #onCommands: (key: Key) => void
  readonly #shared: SharedActorState
  readonly #sharedSystem: SharedActorSystem | undefined
  #commands: Array<Command> | undefined
  #isInSend = false
  #isMoving = false
  #failure: { readonly error: unknown } | undefined
  #timers: Array<ActorTimer> | undefined
  #resumedTimer: Timer | undefined
  /** The last state is kept, since most Pods do not change between two snapshots. */
  #lastState: ActorState | undefined

  constructor(options: {
    readonly uid: string
    readonly key: Key
    readonly logic: AnyActorLogic
    readonly isInterpreted: boolean
    readonly turnOrder: number
    readonly repeatedDelay: string | undefined
    readonly onCommands: (key: Key) => void
    readonly shared: SharedActorState
    readonly sharedSystem: SharedActorSystem | undefined
    readonly actorOptions: object
  }) {
    this.uid = options.uid
    this.#key = options.key
    this.#turnOrder = options.turnOrder
    this.#repeatedDelay = options.repeatedDelay
    this.#onCommands = options.onCommands
    this.#shared = options.shared
    this.#sharedSystem = options.sharedSystem
    const parentOption = options.sharedSystem === undefined ? {} : { parent: options.sharedSystem.parent }
    const ref = createActor(options.logic, { ...options.actorOptions, ...parentOption, clock: this })
    this.ref = ref
    // Subscribes before the start, since entering the initial state may emit. Compiled charts call `emitted`
    // instead, as XState copies the listeners for every event.
    if (options.isInterpreted) ref.on("*", (command) => this.#receiveCommand(command as Command))
    ref.subscribe(this)
    ref.start()
  }

  send(event: { readonly type: string }): void {
    this.#isInSend = true
    try {
      this.ref.send(event)
    } finally {
      this.#isInSend = false
    }
    this.#throwFailure()
  }

  takeCommands(): ReadonlyArray<Command> {
    this.#throwFailure()
    this.#lastState = undefined
    const commands = this.#commands ?? noCommands
    this.#commands = undefined
    return commands
  }

  stop(): void {
    this.#setMoving(false)
    if (this.#sharedSystem === undefined) {
      const root = this.ref as AnyActorRef & { readonly stop: () => unknown }
      root.stop()
    } else this.#sharedSystem.stop(this.ref)
    // A chart that has thrown no longer stops its children, whose timers remain.
    for (const { timer } of this.#timers ?? []) this.#shared.kernel.cancel(timer)
    this.#timers = undefined
    const { running, observer } = this.#shared
    observer?.actorStopped(this.uid)
    if (running.get(this.uid) === this) running.delete(this.uid)
  }

  schedule(
    source: AnyActorRef,
    target: AnyActorRef,
    event: EventObject,
    delay: number,
    id: string | undefined
  ): void {
    const send = (): void => {
      if (target === this.ref) target.send(event)
      else this.#shared.macrostepReports.sendToChild(target, event)
    }
    const actorTimer = this.#setTimer(delay, send, this.#isRepeated(event))
    actorTimer.delayed = { source, target, event, delay, id: id ?? `timer ${actorTimer.timer.sequence}` }
  }

  cancel(source: AnyActorRef, id: string): void {
    const timer = this.#timers?.findLast(({ delayed }) => delayed?.source === source && delayed.id === id)
    this.clearTimeout(timer)
  }

  cancelAll(source: AnyActorRef): void {
    for (const timer of this.#timers?.filter(({ delayed }) => delayed?.source === source) ?? [])
      this.clearTimeout(timer)
  }

  emitted(source: AnyActorRef, command: AnyEventObject): void {
    if (source === this.ref) this.#receiveCommand(command as Command)
  }

  setTimeout(run: (...args: Array<unknown>) => void, millis: number): ActorTimer {
    return this.#setTimer(millis, run)
  }

  clearTimeout(timer: ActorTimer | undefined): void {
    if (timer === undefined) return
    this.#forgetTimer(timer)
    this.#shared.kernel.cancel(timer.timer)
  }

  #isRepeated({ type }: EventObject): boolean {
    return this.#repeatedDelay !== undefined && type.startsWith(`xstate.after.${this.#repeatedDelay}.`)
  }

  #setTimer(millis: number, run: () => void, isRepeated = false): ActorTimer {
    const runTimer = (): void => {
      this.#forgetTimer(actorTimer)
      run()
    }
    const { kernel } = this.#shared
    const timer: Timer =
      this.#resumedTimer ?? kernel[isRepeated ? "repeat" : "after"](millis, this.#turnOrder, runTimer)
    timer.run = runTimer
    const actorTimer: ActorTimer = { timer, delayed: undefined }
    this.#lastState = undefined
    if (this.#timers === undefined) this.#timers = [actorTimer]
    else this.#timers.push(actorTimer)
    return actorTimer
  }

  #forgetTimer(timer: ActorTimer): void {
    const index = this.#timers?.indexOf(timer) ?? -1
    this.#lastState = undefined
    if (index < 0) return
    if (this.#timers?.length === 1) this.#timers = undefined
    else this.#timers?.splice(index, 1)
  }

  save(saveTimerPlace: (timer: Timer) => TimerPlace): ActorState {
    // The kernel moves repeated timers without a change of the actor.
    const hasRepeatedTimer = this.#timers?.some(({ timer }) => timer.periodMillis !== undefined)
    if (this.#lastState !== undefined && hasRepeatedTimer !== true) {
      // The snapshot counts the saved places, to notice a missing one.
      this.#timers?.forEach(({ timer }) => saveTimerPlace(timer))
      return this.#lastState
    }
    this.#lastState = actorStateOf(this.ref, {
      timers: this.#timers,
      saveTimerPlace,
      isMoving: this.#isMoving,
      commands: this.#commands
    })
    return this.#lastState
  }

  restoreCommandsAndTimers({ commands, timers: scheduled }: ActorState, timers: ReadonlyArray<Timer>): void {
    if (commands !== undefined) this.#commands = [...commands]
    for (const [index, scheduledEvent] of scheduled.entries()) {
      this.#resumedTimer = timers[index]
      rescheduleEvent(this.ref, scheduledEvent, this)
    }
    this.#resumedTimer = undefined
  }

  /** XState calls this with each new snapshot. */
  next(snapshot: { readonly tags?: ReadonlySet<string> }): void {
    this.#lastState = undefined
    this.#setMoving(snapshot.tags?.has("moving") === true)
  }

  /** The chart has thrown. After a timer, `send` or `takeCommands` throws the error later. */
  error(error: unknown): void {
    this.#failure = { error }
    if (!this.#isInSend) this.#onCommands(this.#key)
  }

  #receiveCommand(command: Command): void {
    this.#lastState = undefined
    if (this.#commands === undefined) this.#commands = [command]
    else this.#commands.push(command)
    if (!this.#isInSend) this.#onCommands(this.#key)
  }

  #setMoving(isMoving: boolean): void {
    if (isMoving === this.#isMoving) return
    this.#isMoving = isMoving
    this.#shared.movingCount += isMoving ? 1 : -1
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}
