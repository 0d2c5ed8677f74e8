import type { Key } from "../../domain/objects.ts"
import type { Change, ClusterView } from "../objectStore.ts"

type View = ClusterView["Service"]

/** The subscribers of one view. */
export interface Audience {
  readonly subscribe: View["subscribe"]
  readonly subscribeQuotas: View["quotas"]["subscribe"]
  readonly tell: (change: Change) => void
  readonly tellQuota: (key: Key) => void
  /** Delivers every change once more until it ends. */
  readonly repeat: () => () => void
}

export const makeAudience = (): Audience => {
  const listeners = new Set<(change: Change) => void>()
  const quotaListeners = new Set<(key: Key) => void>()
  let repeats = 0
  /** A fast path for a single subscriber. */
  let only: ((change: Change) => void) | undefined
  const aim = (): void => {
    const [first] = listeners
    only = repeats === 0 && listeners.size === 1 ? first : undefined
  }
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      aim()
      return () => {
        listeners.delete(listener)
        aim()
      }
    },
    subscribeQuotas: (listener) => {
      quotaListeners.add(listener)
      return () => quotaListeners.delete(listener)
    },
    tell: (change) => {
      if (only !== undefined) return only(change)
      for (let round = 0; round <= repeats; round += 1) for (const listener of listeners) listener(change)
    },
    tellQuota: (key) => {
      for (const listener of quotaListeners) listener(key)
    },
    repeat: () => {
      repeats += 1
      aim()
      return () => {
        repeats -= 1
        aim()
      }
    }
  }
}
