import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"

type View = ClusterView["Service"]

export interface ViewSubscribers {
  readonly subscribe: View["subscribe"]
  readonly subscribeQuotas: View["quotas"]["subscribe"]
  readonly deliver: (change: Change) => void
  readonly deliverQuota: (key: Key) => void
  /** Delivers every change once more until it ends. */
  readonly repeat: () => () => void
}

export const makeSubscribers = (): ViewSubscribers => {
  const listeners = new Set<(change: Change) => void>()
  const quotaListeners = new Set<(key: Key) => void>()
  let repeats = 0
  /** A fast path for a single subscriber. */
  let singleListener: ((change: Change) => void) | undefined
  const updateSingleListener = (): void => {
    const [first] = listeners
    singleListener = repeats === 0 && listeners.size === 1 ? first : undefined
  }
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      updateSingleListener()
      return () => {
        listeners.delete(listener)
        updateSingleListener()
      }
    },
    subscribeQuotas: (listener) => {
      quotaListeners.add(listener)
      return () => quotaListeners.delete(listener)
    },
    deliver: (change) => {
      if (singleListener !== undefined) return singleListener(change)
      for (let round = 0; round <= repeats; round += 1) for (const listener of listeners) listener(change)
    },
    deliverQuota: (key) => {
      for (const listener of quotaListeners) listener(key)
    },
    repeat: () => {
      repeats += 1
      updateSingleListener()
      return () => {
        repeats -= 1
        updateSingleListener()
      }
    }
  }
}
