import type { GroupResource } from "../domain/kinds.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"

/** All changes of a cluster, handed to whoever watches that resource: one look per change, not one per watcher. */
export interface ChangeFeed {
  /** Calls back on each change of a resource from now on. Returns how to stop. */
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
