import { presentObjectsIn } from "./relist.ts"
import { makeReplica } from "../../store/replica.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Replica, ReplicaState } from "../../store/replica.ts"

export interface ReplicaCopies {
  readonly copyOf: (view: ClusterView["Service"]) => Replica
  readonly fromState: (state: ReplicaState) => Replica
}

export const makeReplicaCopies = (nowMillis: () => number): ReplicaCopies => {
  const empty = (): Replica => makeReplica({ nowMillis, historyLength: 1 })
  return {
    copyOf: (view) => {
      const replica = empty()
      replica.fill(presentObjectsIn(view))
      return replica
    },
    fromState: (state) => {
      const replica = empty()
      replica.restore(state)
      return replica
    }
  }
}

/** Without the history, which is read from the store. */
export const copyState = (copy: Replica): ReplicaState => ({
  ...copy.save(),
  history: { changes: [], oldest: copy.view.version() }
})
