// Node's own timers, also in tests with fake global timers.
import { clearImmediate, setImmediate } from "node:timers"

/**
 * Without turns of the event loop, a program that repeats a call which waits for nothing would stop timers
 * and sockets.
 */
export const letEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Counts of requests: all, those without an answer, and of these the ones that wait for time to pass. */
export interface ClientRequests {
  readonly seen: () => number
  readonly underWay: () => number
  readonly sleeping: () => number
}

/**
 * A clock that stands still is moved only when no program acts: all requests are answered, and no call was
 * made for some turns.
 */
export interface UserCode {
  readonly run: (callback: () => void) => void
  readonly beginActing: () => void
  readonly countCall: () => void
  /** Of a module, on which a call waits. Returns how to end it. */
  readonly beginImport: () => () => void
  readonly followRequests: (requests: ClientRequests) => void
  readonly hasDueCallback: () => boolean
  readonly isBusy: () => boolean
  readonly onIdle: (callback: () => void) => void
  readonly close: () => void
}

/** A client needs up to five turns from an answer to its next request, with a new TLS connection. */
const quietTurnsMin = 20
/**
 * Limits the wait for a program that polls without a pause, or a request that is not answered (some 50 ms).
 */
const actingTurnsMax = 10_000
/** Limits the wait for a program that calls the cluster without a pause. */
const actingCallsMax = 20_000

/** A clock that runs waits for no program. */
export const makeUserCode = (timeStandsStill: () => boolean): UserCode => {
  const dueCallbacks: Array<() => void> = []
  let requests: ClientRequests | undefined
  let callCount = 0
  let importCount = 0
  let isClosed = false
  let isActing = false
  let actingTurns = 0
  let quietTurns = 0
  let activityBefore = 0
  let activityAtBegin = 0
  let immediate: NodeJS.Immediate | undefined
  let idleCallback: () => void = () => {}

  const activity = (): number => callCount + (requests?.seen() ?? 0)
  const hasUnanswered = (): boolean => requests !== undefined && requests.underWay() > requests.sleeping()
  const planTurn = (): void => {
    immediate ??= setImmediate(takeTurn)
  }
  const beginActing = (): void => {
    if (isClosed) return
    isActing = true
    actingTurns = 0
    quietTurns = 0
    activityBefore = activity()
    activityAtBegin = activityBefore
    planTurn()
  }
  const isStillActing = (): boolean => {
    if (!isActing || !timeStandsStill() || actingTurns >= actingTurnsMax) return false
    const activityNow = activity()
    actingTurns += 1
    if (activityNow - activityAtBegin >= actingCallsMax) return false
    quietTurns = activityNow === activityBefore && !hasUnanswered() ? quietTurns + 1 : 0
    activityBefore = activityNow
    return quietTurns < quietTurnsMin
  }
  const takeTurn = (): void => {
    immediate = undefined
    if (isActing && importCount > 0 && timeStandsStill()) return
    if (isStillActing()) {
      planTurn()
      return
    }
    isActing = false
    const callback = dueCallbacks.shift()
    if (callback === undefined) {
      idleCallback()
      return
    }
    beginActing()
    callback()
  }
  return {
    run: (callback) => {
      if (isClosed) return
      dueCallbacks.push(callback)
      planTurn()
    },
    beginActing,
    countCall: () => {
      callCount += 1
    },
    beginImport: () => {
      importCount += 1
      return () => {
        importCount -= 1
        quietTurns = 0
        if (!isClosed) planTurn()
      }
    },
    followRequests: (followed) => {
      requests = followed
    },
    hasDueCallback: () => dueCallbacks.length > 0,
    isBusy: () => isActing || dueCallbacks.length > 0,
    onIdle: (callback) => {
      idleCallback = callback
    },
    close: () => {
      isClosed = true
      clearImmediate(immediate)
      dueCallbacks.length = 0
      isActing = false
    }
  }
}
