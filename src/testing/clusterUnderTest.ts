import type { OpenCluster } from "../cluster/openCluster.ts"

/** The cluster of a test: in the process, or a real one with the same interface. */
export interface ClusterUnderTest extends OpenCluster {
  readonly isReal: boolean
  /** Whether its clock is virtual and moved by the test. */
  readonly canMoveTime: boolean
  readonly hasBeenServed: boolean
  /** The namespace of objects without one. */
  readonly namespace: string
}

export const toClusterUnderTest = (cluster: OpenCluster): ClusterUnderTest => {
  let hasBeenServed = false
  return {
    ...cluster,
    isReal: false,
    namespace: "default",
    get canMoveTime() {
      return cluster.clock.state().speed === 0
    },
    get hasBeenServed() {
      return hasBeenServed
    },
    serve: (options) => {
      hasBeenServed = true
      return cluster.serve(options)
    }
  }
}
