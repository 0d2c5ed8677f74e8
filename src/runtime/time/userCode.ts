// Node's own timers, also in tests with fake global timers.
import { clearImmediate, setImmediate } from "node:timers"

/** Lets timers and sockets run. Without it, a program that repeats a call which waits for nothing would stop them. */
export const letEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Counts of the requests of clients. */
export interface ClientRequests {
  /** How many have arrived so far. */
  readonly seen: () => number
  /** How many are not answered yet. */
  readonly underWay: () => number
  /** How many of the unanswered ones wait for the cluster's time to pass. */
  readonly sleeping: () => number
}

/**
 * Runs callbacks of the user's programs that are due, each in a turn of the event loop of its own, and tells whether
 * such a program still acts at the present instant. A clock that stands still is moved only when no program acts.
 *
 * A program acts until it has made no call and no request for some turns and all its requests are answered.
 */
export interface UserCode {
  /** Runs the callback when the programs of earlier ones no longer act. */
  readonly run: (callback: () => void) => void
  /** Notes that a program begins to act, as after a sleep. */
  readonly beginActing: () => void
  readonly noteCall: () => void
  /** Notes that a call loads a module, until the returned function is called. */
  readonly beginLoading: () => () => void
  /** Counts these requests as the programs' own. */
  readonly followRequests: (requests: ClientRequests) => void
  /** Whether a callback is due that has not run yet. */
  readonly hasDue: () => boolean
  /** Whether a callback is due, or a program still acts. */
  readonly isBusy: () => boolean
  /** Sets what is called when no program is busy any more. */
  readonly onIdle: (callback: () => void) => void
  /** Drops all callbacks, and those to come. */
  readonly close: () => void
}

/** A client in this process needs up to five turns from an answer to its next request, with a new TLS connection. */
const quietTurnsMin = 20
/**
 * Ends the wait for a program that polls without a pause, after some 3,000 requests, and for a request that is not
 * answered, after some 50 ms.
 */
const actingTurnsMax = 10_000
/** Ends the wait for a program that calls the cluster in this process without a pause. */
const actingCallsMax = 20_000

/** `timeStandsStill`: a clock that runs waits for no program. */
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
