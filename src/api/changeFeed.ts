import type { GroupResource } from "../domain/kinds.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"

/** Dispatches the changes of a cluster by resource, so that watchers of other resources cost nothing. */
export interface ChangeFeed {
  /** Calls back on each further change of the resource. Returns an unsubscribe function. */
  readonly follow: (resource: GroupResource, onChange: (change: Change) => void) => () => void
  readonly followers: () => number
  readonly close: () => void
}

export const makeChangeFeed = (view: ClusterView["Service"]): ChangeFeed => {
  const followers = new Map<GroupResource, Set<(change: Change) => void>>()
  let count = 0
  const unsubscribe = view.subscribe((change) => {
    const interested = followers.get(change.resource)
    if (interested === undefined) return
    for (const onChange of interested) onChange(change)
  })
  return {
    follow: (resource, onChange) => {
      const interested = followers.get(resource) ?? new Set()
      followers.set(resource, interested)
      interested.add(onChange)
      count += 1
      return () => {
        if (!interested.delete(onChange)) return
        count -= 1
        if (interested.size === 0) followers.delete(resource)
      }
    },
    followers: () => count,
    close: () => {
      unsubscribe()
      followers.clear()
    }
  }
}
