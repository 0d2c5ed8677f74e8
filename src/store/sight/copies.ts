import { presentIn } from "../relist.ts"
import { makeReplica } from "../replica.ts"
import type { ClusterView } from "../objectStore.ts"
import type { Replica, ReplicaState } from "../replica.ts"

/** Copies of a view, for views that do not show the present. */
export interface Copies {
  readonly of: (view: ClusterView["Service"]) => Replica
  readonly restored: (state: ReplicaState) => Replica
}

export const makeCopies = (nowMillis: () => number): Copies => {
  const empty = (): Replica => makeReplica({ nowMillis, historyLength: 1 })
  return {
    of: (view) => {
      const replica = empty()
      replica.fill(presentIn(view))
      return replica
    },
    restored: (state) => {
      const replica = empty()
      replica.restore(state)
      return replica
    }
  }
}

/** Without the history, which is read from the store. */
export const stateOf = (copy: Replica): ReplicaState => ({
  ...copy.save(),
  history: { changes: [], oldest: copy.view.version() }
})
