import { makeAudience } from "./sight/audience.ts"
import { makeCopies } from "./sight/copies.ts"
import { makeFreezing } from "./sight/freezing.ts"
import { makeHearing } from "./sight/hearing.ts"
import { makeReads } from "./sight/reads.ts"
import { makeWaiting } from "./sight/waiting.ts"
import type { Later } from "./later.ts"
import type { ClusterView } from "./objectStore.ts"
import type { ReplicaState } from "./replica.ts"
import type { UnderwayState } from "./sight/underway.ts"

type View = ClusterView["Service"]

/** Ends a fault. */
type End = () => void

/**
 * What one client or controller sees of the cluster. Without faults, reads go to the store and changes are forwarded.
 */
export interface LaggingView {
  /** Methods read the current state also when they were taken out earlier. */
  readonly view: View
  /** Subscribes after the existing subscribers of the store, before this view has any. */
  readonly attend: () => void
  /** Delivers changes late; of several delays the longest counts. */
  readonly delay: (millis: number) => End
  /** Delivers no changes until it ends, and then one change for every object that differs. */
  readonly drop: () => End
  /** Delivers every change twice. */
  readonly repeat: () => End
  /** Reads return the present state until it ends, although changes are delivered. */
  readonly freeze: () => End
  /** Answers reads of the latest version: from the store, unless `holdBack` is on. */
  readonly latest: () => View
  /** Answers reads of the latest version from this view. */
  readonly holdBack: () => End
  /** Changes not yet delivered. */
  readonly underway: () => number
  /** Fibers that wait until this view holds what they have written. */
  readonly awaited: () => number
  /** Undefined where this view shows the present. Does not include the faults themselves. */
  readonly save: () => SightState | undefined
  /** For a new view. The restored faults register themselves again. */
  readonly restore: (state: SightState) => void
}

/** What is seen that is not the present, and what is on its way. */
export interface SightState extends UnderwayState {
  readonly heard?: ReplicaState
  readonly frozen?: ReplicaState
}

export const makeLaggingView = (options: {
  readonly present: View
  readonly later: Later
  /**
   * Whether a thaw delivers the changes of the frozen time again, as for the informer of a controller. The watch of a
   * client gets no change twice.
   */
  readonly tellsAgain: boolean
}): LaggingView => {
  const { present, later, tellsAgain } = options
  const copies = makeCopies(later.nowMillis)
  const audience = makeAudience()
  const seen = makeReads(present)
  const waiting = makeWaiting({ later, version: seen.reads.version })
  const now = (): View => freezing.frozen() ?? hearing.heard()
  const turn = (): void => {
    seen.turnTo(now())
    waiting.look()
  }
  const hearing = makeHearing({ present, later, copies, audience, onHeard: turn })
  const freezing = makeFreezing({
    heard: hearing.heard,
    copies,
    onTurn: turn,
    audience: tellsAgain ? audience : undefined
  })

  /** The history of the store, up to the version that this view holds. */
  const sinceIn = (view: View, from: number): ReturnType<View["since"]> =>
    present.since(from)?.filter(({ resourceVersion }) => resourceVersion <= view.version())
  const view: View = {
    ...seen.reads,
    quotas: {
      ...seen.reads.quotas,
      subscribe: (listener) => {
        hearing.attendQuotas()
        return audience.subscribeQuotas(listener)
      }
    },
    subscribe: (listener) => {
      hearing.attend()
      return audience.subscribe(listener)
    },
    since: (from) => (now() === present ? present.since(from) : sinceIn(now(), from)),
    heard: {
      version: () => hearing.heard().version(),
      since: (from) => {
        const heard = hearing.heard()
        return heard === present ? present.since(from) : sinceIn(heard, from)
      }
    },
    caughtUp: (version) => (now() === present ? present.caughtUp(version) : waiting.caughtUp(version))
  }

  let heldBack = 0
  return {
    view,
    attend: hearing.attend,
    delay: hearing.delay,
    drop: hearing.drop,
    repeat: audience.repeat,
    freeze: freezing.freeze,
    latest: () => (heldBack > 0 ? view : present),
    holdBack: () => {
      heldBack += 1
      return () => {
        heldBack -= 1
      }
    },
    underway: hearing.underway,
    awaited: waiting.size,
    save: () => {
      const [heard, frozen] = [hearing.save(), freezing.save()]
      if (heard === undefined && frozen === undefined) return undefined
      return { underway: [], ...heard, ...(frozen === undefined ? {} : { frozen }) }
    },
    restore: ({ frozen, heard, ...underway }) => {
      if (frozen !== undefined) freezing.restore(frozen)
      if (heard !== undefined) hearing.restore({ heard, ...underway })
      else turn()
    }
  }
}
