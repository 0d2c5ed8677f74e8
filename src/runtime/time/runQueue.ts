import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus, xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus"
import { makeTaskQueue } from "./taskQueue.ts"
import type { TaskQueue } from "./taskQueue.ts"

/** What is left to run at the present instant, beside due timers: tasks of fibers that can continue, and turns. */
interface RunQueue {
  readonly pushTask: (task: () => void) => void
  readonly pushTurn: (turnOrder: number, turn: () => void) => void
  readonly hasTasks: () => boolean
  readonly takeTask: () => (() => void) | undefined
  /** Takes a turn of the lowest turn order, if that is below `turnOrderLimit`. */
  readonly takeTurn: (turnOrderLimit: number | undefined) => (() => void) | undefined
  readonly isEmpty: () => boolean
  readonly isShuffled: () => boolean
  /** The state of the random numbers that shuffle; undefined without a seed. */
  readonly shuffleState: () => ReadonlyArray<number> | undefined
  readonly restoreShuffle: (state: ReadonlyArray<number>) => void
  readonly clear: () => void
}

/** Without a seed, tasks, and turns of one turn order, run in order of arrival. */
export const makeRunQueue = (shuffleSeed: number | undefined): RunQueue => {
  const tasks = makeTaskQueue<() => void>()
  const turnQueues: Array<{ readonly turnOrder: number; readonly queue: TaskQueue<() => void> }> = []
  const queueByTurnOrder = new Map<number, TaskQueue<() => void>>()
  let random = shuffleSeed === undefined ? undefined : xoroshiro128plus(shuffleSeed)
  const takeFrom = (queue: TaskQueue<() => void>): (() => void) | undefined =>
    queue.take(random === undefined ? 0 : uniformInt(random, 0, queue.size() - 1))

  const turnQueueOf = (turnOrder: number): TaskQueue<() => void> => {
    const present = queueByTurnOrder.get(turnOrder)
    if (present !== undefined) return present
    const queue = makeTaskQueue<() => void>()
    queueByTurnOrder.set(turnOrder, queue)
    turnQueues.push({ turnOrder, queue })
    turnQueues.sort((a, b) => a.turnOrder - b.turnOrder)
    return queue
  }

  return {
    pushTask: tasks.push,
    pushTurn: (turnOrder, turn) => {
      turnQueueOf(turnOrder).push(turn)
    },
    hasTasks: () => tasks.size() > 0,
    takeTask: () => takeFrom(tasks),
    takeTurn: (turnOrderLimit) => {
      for (const { turnOrder, queue } of turnQueues) {
        if (turnOrderLimit !== undefined && turnOrderLimit <= turnOrder) return undefined
        if (queue.size() > 0) return takeFrom(queue)
      }
      return undefined
    },
    isEmpty: () => tasks.size() === 0 && turnQueues.every(({ queue }) => queue.size() === 0),
    isShuffled: () => random !== undefined,
    shuffleState: () => random?.getState(),
    restoreShuffle: (state) => {
      random = xoroshiro128plusFromState(state)
    },
    clear: () => {
      tasks.clear()
      for (const { queue } of turnQueues) queue.clear()
    }
  }
}
