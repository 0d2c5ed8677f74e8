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
  /** A call waits for the import of a module, until the returned function ends it. */
  readonly beginImport: () => () => void
  readonly followRequests: (requests: ClientRequests) => void
  readonly hasDueCallback: () => boolean
  readonly isBusy: () => boolean
  readonly onIdle: (callback: () => void) => void
  readonly close: () => void
}

/** A clock that runs waits for no program. */
export const makeUserCode = (timeStandsStill: () => boolean): UserCode => {
  const activity = makeActivityWatch()
  const dueCallbacks: Array<() => void> = []
  let importCount = 0
  let isActing = false
  let isClosed = false
  let immediate: NodeJS.Immediate | undefined
  let idleCallback: () => void = () => {}

  const planTurn = (): void => {
    immediate ??= setImmediate(takeTurn)
  }
  const beginActing = (): void => {
    if (isClosed) return
    isActing = true
    activity.begin()
    planTurn()
  }
  const takeTurn = (): void => {
    immediate = undefined
    const isAwaited = isActing && timeStandsStill()
    // The end of the import plans the next turn.
    if (isAwaited && importCount > 0) return
    if (isAwaited && activity.isStillActing()) {
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
    countCall: activity.countCall,
    beginImport: () => {
      importCount += 1
      return () => {
        importCount -= 1
        activity.restartQuietTurns()
        if (!isClosed) planTurn()
      }
    },
    followRequests: activity.followRequests,
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

/** A client needs up to five turns from an answer to its next request, with a new TLS connection. */
const quietTurnsMin = 20
/** Some 50 ms: limits the wait for a program that polls without a pause, or for the answer to a request. */
const turnsMax = 10_000
/** Limits the wait for a program that calls the cluster without a pause. */
const callsMax = 20_000

/** Tells once a turn whether a program still acts. */
const makeActivityWatch = () => {
  let requests: ClientRequests | undefined
  let callCount = 0
  let turns = 0
  let quietTurns = 0
  let countAtBegin = 0
  let countInTurnBefore = 0

  const callsAndRequests = (): number => callCount + (requests?.seen() ?? 0)
  const hasUnanswered = (): boolean => requests !== undefined && requests.underWay() > requests.sleeping()
  return {
    begin: (): void => {
      turns = 0
      quietTurns = 0
      countAtBegin = callsAndRequests()
      countInTurnBefore = countAtBegin
    },
    isStillActing: (): boolean => {
      if (turns >= turnsMax) return false
      turns += 1
      const count = callsAndRequests()
      if (count - countAtBegin >= callsMax) return false
      const isQuiet = count === countInTurnBefore && !hasUnanswered()
      quietTurns = isQuiet ? quietTurns + 1 : 0
      countInTurnBefore = count
      return quietTurns < quietTurnsMin
    },
    restartQuietTurns: (): void => {
      quietTurns = 0
    },
    countCall: (): void => {
      callCount += 1
    },
    followRequests: (followed: ClientRequests): void => {
      requests = followed
    }
  }
}
