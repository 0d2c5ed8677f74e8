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

/** Takes back what was begun. */
type End = () => void

/**
 * What one party sees of a cluster: the cluster itself, until something comes in between. As long as nothing does, a
 * read of it is a read of the store, and a change is handed on.
 */
export interface LaggingView {
  /** Each of its methods, also one that was taken out before, answers with what is seen when it is asked. */
  readonly view: View
  /** Takes its place among those who are told of changes, before anybody listens here. */
  readonly attend: () => void
  /** Every change is heard of so much later; of several delays the longest counts. */
  readonly delay: (millis: number) => End
  /** Nothing is heard of what happens, until the present is listed anew: one change an object, however many it had. */
  readonly drop: () => End
  /** Every change is told twice. */
  readonly repeat: () => End
  /** Reads answer with what is so now, whatever happens, and is told of. */
  readonly freeze: () => End
  /** What answers a read that asks for what is so now: the present, unless that is held back. */
  readonly latest: () => View
  /** Whoever asks for what is so now is answered with what is seen here, as everybody else. */
  readonly holdBack: () => End
  /** Changes that are on their way. */
  readonly underway: () => number
  /** Who waits until what has been written is seen here. */
  readonly awaited: () => number
  /** What is seen, where that is not the present; what was begun, and is not over, is not part of it. */
  readonly save: () => SightState | undefined
  /** For a view that nothing has come in between of yet; whoever began something there begins it here. */
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
   * Whether those who were told of changes while they could not see them are told again, once they can. A watch of a
   * client is told nothing twice.
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

  /** What is past is known to the present alone, and to nobody sooner than it is seen. */
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
