import * as Effect from "effect/Effect"
import { makeReplica } from "./replica.ts"
import { missedBetween, presentIn } from "./relist.ts"
import { resources } from "../domain/kinds.ts"
import { keyOf } from "../domain/objects.ts"
import type { Key } from "../domain/objects.ts"
import type { Alarm, Later, Place } from "./later.ts"
import type { Change, ClusterView } from "./objectStore.ts"
import type { Replica, ReplicaState } from "./replica.ts"

/** Takes back what was begun. */
type End = () => void

/**
 * What one party sees of a cluster: the cluster itself, until something comes in between. As long as nothing does, a
 * read of it is a read of the store, and a change is handed on.
 */
export interface LaggingView {
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
export interface SightState {
  readonly heard?: ReplicaState
  readonly frozen?: ReplicaState
  readonly underway: ReadonlyArray<Underway>
  /** When the next of it arrives. */
  readonly next?: Place
}

interface Underway {
  readonly change: Change
  readonly dueMillis: number
}

/** Who does not see what it has done goes on after this time all the same: pkg/controller/controller_utils.go. */
const expectationsTimeoutMillis = 5 * 60_000

type View = ClusterView["Service"]
type Listener = (change: Change) => void

export const makeLaggingView = (options: {
  readonly present: View
  readonly later: Later
  /**
   * Whether those who were told of changes while they could not see them are told again, once they can. A watch of a
   * client is told nothing twice.
   */
  readonly tellsAgain: boolean
}): LaggingView => {
  const { present, later } = options
  const listeners = new Set<Listener>()
  const quotaListeners = new Set<(key: Key) => void>()
  const delays: Array<number> = []
  let drops = 0
  let repeats = 0
  let freezes = 0
  let heldBack = 0
  /** What has been heard, where that is not the present. */
  let heard: Replica | undefined
  /** What reads answer with while they are stale. */
  let frozen: Replica | undefined
  let reading = present
  const underway: Array<Underway> = []
  let nextArrival: Alarm | undefined
  const waiting = new Set<{ readonly version: number; readonly resume: () => void }>()

  const tell = (change: Change): void => {
    for (let round = 0; round <= repeats; round += 1) for (const listener of listeners) listener(change)
  }
  const tellQuota = (key: Key): void => {
    for (const listener of quotaListeners) listener(key)
  }
  const makeCopy = (): Replica => makeReplica({ nowMillis: later.nowMillis, historyLength: 1 })
  const copyOf = (view: View): Replica => {
    const replica = makeCopy()
    replica.fill(presentIn(view))
    return replica
  }
  const wakeWaiting = (): void => {
    for (const wait of waiting) if (wait.version <= reading.version()) wait.resume()
  }

  const hear = (change: Change): void => {
    heard?.apply(change)
    tell(change)
    wakeWaiting()
  }
  /** Hears what is on its way, up to what arrives by a moment. */
  const hearUntil = (millis: number): void => {
    const stillUnderway = underway.findIndex(({ dueMillis }) => dueMillis > millis)
    const arrived = underway.splice(0, stillUnderway < 0 ? underway.length : stillUnderway)
    nextArrival?.cancel()
    nextArrival = undefined
    for (const { change } of arrived) hear(change)
    planNext()
  }
  const planNext = (): void => {
    const [next] = underway
    if (next === undefined || nextArrival !== undefined) return
    nextArrival = later.after(next.dueMillis - later.nowMillis(), () => hearUntil(next.dueMillis))
  }
  /** The only one who listens, as long as nothing comes in between: it is called at once. */
  let direct: Listener | undefined
  const aim = (): void => {
    const [only] = listeners
    direct = heard === undefined && repeats === 0 && listeners.size === 1 ? only : undefined
  }
  const onChange = (change: Change): void => {
    if (direct !== undefined) return direct(change)
    if (heard === undefined) return tell(change)
    if (drops > 0) return
    // Whatever delay there is now, nothing overtakes what is on its way.
    const dueMillis = Math.max(later.nowMillis() + Math.max(...delays), underway.at(-1)?.dueMillis ?? 0)
    underway.push({ change, dueMillis })
    planNext()
  }

  const point = (): void => {
    reading = frozen?.view ?? heard?.view ?? present
    aim()
    const { get, all, dependents, controlled, orphans, pods, nodePods, kinds, version } = reading
    Object.assign(view, { get, all, dependents, controlled, orphans, pods, nodePods, kinds, version })
    const isPresent = reading === present
    view.caughtUp = isPresent ? present.caughtUp : caughtUp
    view.since = isPresent ? present.since : (from) => upTo(reading.version(), present.since(from))
    view.heard = heard === undefined ? present.heard : heardUpTo(heard.view.version)
    wakeWaiting()
  }
  const fallBehind = (): void => {
    unsubscribe ??= present.subscribe(onChange)
    if (heard === undefined) hearBy(copyOf(present))
  }
  const hearBy = (replica: Replica): void => {
    heard = replica
    heard.quotas.subscribe(tellQuota)
    point()
  }
  /** Where nothing holds news up any more, what was held up comes at once; what was missed, as it has come to be. */
  const catchUp = (): void => {
    if (drops > 0 || heard === undefined) return
    hearUntil(Infinity)
    for (const change of missedBetween(heard.view, present)) hear(change)
    if (delays.length > 0) return
    heard = undefined
    point()
  }

  const upTo = (version: number, changes: ReturnType<View["since"]>): ReturnType<View["since"]> =>
    changes?.filter(({ resourceVersion }) => resourceVersion <= version)
  const heardUpTo = (version: () => number): View["heard"] => ({
    version,
    since: (from) => upTo(version(), present.since(from))
  })

  const caughtUp = (resourceVersion: string): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const version = Number(resourceVersion)
      if (version <= reading.version()) return resume(Effect.void)
      const stop = (): void => {
        waiting.delete(wait)
        cancel()
      }
      const goOn = (): void => {
        stop()
        resume(Effect.void)
      }
      const wait = { version, resume: goOn }
      const { cancel } = later.after(expectationsTimeoutMillis, goOn)
      waiting.add(wait)
      return Effect.sync(stop)
    })

  let unsubscribe: (() => void) | undefined
  let unsubscribeQuotas: (() => void) | undefined
  const view: { -readonly [Name in keyof View]: View[Name] } = {
    ...present,
    quotas: {
      status: (key) => reading.quotas.status(key),
      nextReleaseMillis: (namespace) => reading.quotas.nextReleaseMillis(namespace),
      subscribe: (listener) => {
        unsubscribeQuotas ??= present.quotas.subscribe((key) => {
          if (heard === undefined) tellQuota(key)
        })
        quotaListeners.add(listener)
        return () => {
          if (!quotaListeners.delete(listener) || quotaListeners.size > 0) return
          unsubscribeQuotas?.()
          unsubscribeQuotas = undefined
        }
      }
    },
    subscribe: (listener) => {
      unsubscribe ??= present.subscribe(onChange)
      listeners.add(listener)
      aim()
      return () => {
        listeners.delete(listener)
        aim()
      }
    }
  }
  const attend = (): void => {
    unsubscribe ??= present.subscribe(onChange)
  }
  return {
    view,
    attend,
    delay: (millis) => {
      fallBehind()
      delays.push(millis)
      return () => {
        delays.splice(delays.indexOf(millis), 1)
        if (delays.length === 0) catchUp()
      }
    },
    drop: () => {
      fallBehind()
      drops += 1
      return () => {
        drops -= 1
        catchUp()
      }
    },
    repeat: () => {
      repeats += 1
      aim()
      return () => {
        repeats -= 1
        aim()
      }
    },
    freeze: () => {
      freezes += 1
      frozen ??= copyOf(reading)
      point()
      return () => {
        freezes -= 1
        if (freezes > 0) return
        const former = frozen?.view ?? present
        frozen = undefined
        point()
        if (!options.tellsAgain) return
        for (const change of missedBetween(former, reading)) tell(change)
        for (const quota of reading.all(resources.resourceQuotas)) tellQuota(keyOf(quota))
      }
    },
    latest: () => (heldBack > 0 ? view : present),
    holdBack: () => {
      heldBack += 1
      return () => {
        heldBack -= 1
      }
    },
    underway: () => underway.length,
    awaited: () => waiting.size,
    save: () => {
      if (heard === undefined && frozen === undefined) return undefined
      return {
        ...(heard === undefined ? {} : { heard: stateOf(heard) }),
        ...(frozen === undefined ? {} : { frozen: stateOf(frozen) }),
        underway: [...underway],
        ...(nextArrival === undefined ? {} : { next: nextArrival.place })
      }
    },
    restore: (state) => {
      const copied = (former: ReplicaState): Replica => {
        const replica = makeCopy()
        replica.restore(former)
        return replica
      }
      if (state.frozen !== undefined) frozen = copied(state.frozen)
      if (state.heard !== undefined) {
        attend()
        hearBy(copied(state.heard))
      } else point()
      underway.push(...state.underway)
      const [next] = underway
      if (next === undefined || state.next === undefined) return
      nextArrival = later.resume(state.next, () => hearUntil(next.dueMillis))
    }
  }
}

/** What came before is asked of the present: see `since`. */
const stateOf = (replica: Replica): ReplicaState => ({
  ...replica.save(),
  history: { changes: [], oldest: replica.view.version() }
})
