import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Key } from "../../kubernetes/meta/objects.ts"
import { noSnapshotParts } from "../snapshotParts.ts"
import { makeTaskQueue } from "../time/taskQueue.ts"
import { openQueueMeter } from "./queueMeters.ts"
import { runKeyWorker } from "./keyWorker.ts"
import { delayPerKey, ControllerPace } from "./controllerPace.ts"
import type { Kernel } from "../time/kernel.ts"
import type { SnapshotParts } from "../snapshotParts.ts"
import type { Timer, TimerPlace } from "../time/timerHeap.ts"
import type { HandleKey, KeySource } from "./keyWorker.ts"

/**
 * M1: a key waits at most once, however often it is offered. M2: a key that is offered while it is handled is
 * handed out once more afterwards. M3: at one instant, the key with the lowest turn order is handed out
 * first, over all mailboxes.
 */
export interface Mailbox {
  readonly offer: (key: Key, turn?: { readonly turnOrder?: number }) => void
  readonly offerAfter: (key: Key, millis: number) => void
  readonly noteFailure: () => void
  /** `yieldsAfterEachKey`: other fibers run after each key. */
  readonly work: (
    handle: HandleKey,
    options?: { readonly yieldsAfterEachKey: boolean }
  ) => Effect.Effect<never>
}

export const snapshotPartOfDelayedKey = (
  key: Key,
  atMillis: number,
  turnOrder: number
): readonly [string, unknown] => [
  "delayed",
  [{ key, place: { atMillis, turnOrder, sequence: 0 } }] satisfies DelayedState
]

type DelayedState = ReadonlyArray<{ readonly key: Key; readonly place: TimerPlace }>

export const makeMailbox = (options: {
  readonly kernel: Kernel
  readonly turnOrder: number
  readonly snapshotParts?: SnapshotParts | undefined
}): Effect.Effect<Mailbox, never, Scope> =>
  Effect.gen(function* () {
    const { kernel, snapshotParts = noSnapshotParts } = options
    const delayInQueue = delayPerKey({ kernel, pace: yield* ControllerPace, snapshotParts })
    const readyKeys = makeTaskQueue<Key>()
    const waitingWorkers: Array<() => void> = []
    const offeredTurnOrders = new Map<Key, number>()
    const handedOutKeys = new Set<Key>()
    const delayedKeys = new Set<DelayedKey>()

    const meter = openQueueMeter(kernel, snapshotParts.owner, () => {
      let offeredWhileHandled = 0
      for (const key of offeredTurnOrders.keys()) if (handedOutKeys.has(key)) offeredWhileHandled += 1
      return offeredTurnOrders.size - offeredWhileHandled + readyKeys.size()
    })

    let isResuming = false
    const resumeWorkers = (): void => {
      isResuming = false
      while (readyKeys.size() > 0) {
        const resume = waitingWorkers.pop()
        if (resume === undefined) return
        resume()
      }
    }
    const resumeLater = (): void => {
      if (isResuming || waitingWorkers.length === 0) return
      isResuming = true
      kernel.scheduleTask(resumeWorkers)
    }
    const handOut = (key: Key): void => {
      if (handedOutKeys.has(key) || !offeredTurnOrders.delete(key)) return
      handedOutKeys.add(key)
      kernel.noteTurn(snapshotParts.owner, key)
      readyKeys.push(key)
      resumeLater()
    }
    let isClosed = false
    const offer = (key: Key, turnOrder: number): void => {
      if (isClosed) return
      const present = offeredTurnOrders.get(key)
      if (present !== undefined && present <= turnOrder) return
      if (present === undefined) meter.added += 1
      offeredTurnOrders.set(key, turnOrder)
      if (!handedOutKeys.has(key)) kernel.post(turnOrder, () => handOut(key))
    }
    snapshotParts.registerPart<HandedOutState>("handedOut", {
      save: () =>
        handedOutKeys.size === 0
          ? undefined
          : { handedOut: [...handedOutKeys], offeredAgain: [...offeredTurnOrders] },
      restore: (state) => {
        for (const key of state.handedOut) {
          handedOutKeys.add(key)
          readyKeys.push(key)
        }
        for (const [key, turnOrder] of state.offeredAgain) offeredTurnOrders.set(key, turnOrder)
      }
    })
    const addDelayed = (key: Key, set: (run: () => void) => Timer): void => {
      meter.delayed += 1
      const entry: DelayedKey = {
        key,
        timer: set(() => {
          delayedKeys.delete(entry)
          offer(key, options.turnOrder)
        })
      }
      delayedKeys.add(entry)
    }
    snapshotParts.registerPart<DelayedState>("delayed", {
      save: () =>
        Array.from(delayedKeys, ({ key, timer }) => ({ key, place: snapshotParts.saveTimerPlace(timer) })),
      restore: (state) => {
        for (const { key, place } of state) addDelayed(key, (run) => kernel.resume(place, run))
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (const { timer } of delayedKeys) kernel.cancel(timer)
        delayedKeys.clear()
      })
    )
    const done = (key: Key): void => {
      handedOutKeys.delete(key)
      const turnOrder = offeredTurnOrders.get(key)
      if (turnOrder !== undefined) kernel.post(turnOrder, () => handOut(key))
    }
    const keys: KeySource = {
      take: () => readyKeys.take(),
      done,
      waitForKey: (resume) => void waitingWorkers.push(resume),
      stopWaiting: (resume) => {
        const index = waitingWorkers.indexOf(resume)
        if (index >= 0) waitingWorkers.splice(index, 1)
      },
      pause: undefined
    }
    return {
      offer: (key, turn) => offer(key, turn?.turnOrder ?? options.turnOrder),
      offerAfter: (key, millis) => addDelayed(key, (run) => kernel.after(millis, options.turnOrder, run)),
      noteFailure: () => {
        meter.failed += 1
      },
      work: (handle, { yieldsAfterEachKey } = { yieldsAfterEachKey: false }) =>
        runKeyWorker(yieldsAfterEachKey ? { ...keys, pause: kernel.scheduleTask } : keys, (key) => {
          meter.handled += 1
          const delay = delayInQueue(key)
          return delay === undefined ? handle(key) : Effect.flatMap(delay, () => handle(key) ?? Effect.void)
        })
    }
  })

interface DelayedKey {
  readonly key: Key
  readonly timer: Timer
}

/** The keys that a slow controller has taken and not handled yet. */
interface HandedOutState {
  readonly handedOut: ReadonlyArray<Key>
  readonly offeredAgain: ReadonlyArray<readonly [key: Key, turnOrder: number]>
}
