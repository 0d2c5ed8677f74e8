// Node's own timers, also in tests with fake global timers.
import { clearImmediate, setImmediate } from "node:timers"

/** Without it, a program that repeats a call which waits for nothing would stop timers and sockets. */
export const letEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface ClientRequests {
  readonly seen: () => number
  /** Requests that are not answered yet. */
  readonly underWay: () => number
  /** Unanswered requests that wait for the cluster's time to pass. */
  readonly sleeping: () => number
}

/**
 * Runs due callbacks of the user's programs, each in its own turn of the event loop. A clock that stands
 * still is moved only when no program acts: all requests are answered, and no call was made for some turns.
 */
export interface UserCode {
  /** Runs the callback when the programs of earlier ones no longer act. */
  readonly run: (callback: () => void) => void
  /** A program begins to act, as after a sleep. */
  readonly beginActing: () => void
  readonly noteCall: () => void
  /** A call loads a module until the returned function is called. */
  readonly beginLoading: () => () => void
  /** Counts these requests as the programs' own. */
  readonly followRequests: (requests: ClientRequests) => void
  readonly hasDue: () => boolean
  /** Whether a callback is due, or a program still acts. */
  readonly isBusy: () => boolean
  readonly onIdle: (callback: () => void) => void
  /** Drops all callbacks, and those to come. */
  readonly close: () => void
}

/**
 * A client in this process needs up to five turns from an answer to its next request, with a new TLS
 * connection.
 */
const quietTurnsMin = 20
/**
 * Ends the wait for a program that polls without a pause, or for a request that is not answered (after some
 * 50 ms).
 */
const actingTurnsMax = 10_000
/** Ends the wait for a program that calls the cluster in this process without a pause. */
const actingCallsMax = 20_000

/** A clock that runs waits for no program. */
export const makeUserCode = (timeStandsStill: () => boolean): UserCode => {
  const dueCallbacks: Array<() => void> = []
  let requests: ClientRequests | undefined
  let callCount = 0
  let loadingCalls = 0
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
    // The function that `beginLoading` returns plans the next turn.
    if (isActing && loadingCalls > 0 && timeStandsStill()) return
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
    noteCall: () => {
      callCount += 1
    },
    beginLoading: () => {
      loadingCalls += 1
      return () => {
        loadingCalls -= 1
        quietTurns = 0
        if (!isClosed) planTurn()
      }
    },
    followRequests: (followed) => {
      requests = followed
    },
    hasDue: () => dueCallbacks.length > 0,
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
