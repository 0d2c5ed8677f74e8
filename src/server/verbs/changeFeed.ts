import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"

/** Dispatches changes by resource, so that watchers of other resources cost nothing. */
export interface ChangeFeed {
  readonly subscribe: (resource: GroupResource, onChange: (change: Change) => void) => () => void
  readonly subscriberCount: () => number
  readonly close: () => void
}

export const makeChangeFeed = (view: ClusterView["Service"]): ChangeFeed => {
  const callbacksByResource = new Map<GroupResource, Set<(change: Change) => void>>()
  let subscriptions = 0
  const unsubscribe = view.subscribe((change) => {
    const callbacks = callbacksByResource.get(change.resource)
    if (callbacks === undefined) return
    for (const onChange of callbacks) onChange(change)
  })
  return {
    subscribe: (resource, onChange) => {
      const callbacks = callbacksByResource.get(resource) ?? new Set()
      callbacksByResource.set(resource, callbacks)
      callbacks.add(onChange)
      subscriptions += 1
      return () => {
        if (!callbacks.delete(onChange)) return
        subscriptions -= 1
        if (callbacks.size === 0) callbacksByResource.delete(resource)
      }
    },
    subscriberCount: () => subscriptions,
    close: () => {
      unsubscribe()
      callbacksByResource.clear()
    }
  }
}
