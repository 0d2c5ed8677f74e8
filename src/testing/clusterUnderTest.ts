import type { OpenCluster } from "../openCluster.ts"

/** The cluster that a test is about: one of ours in the process, or a real one, by the same words. */
export interface ClusterUnderTest extends OpenCluster {
  /** Whether it is a real one, that a kubeconfig leads to. */
  readonly isReal: boolean
  /** Whether its time stands still until the test moves it. */
  readonly canMoveTime: boolean
  /** Whether programs have been let in: it was served, here or by itself. */
  readonly hasBeenServed: boolean
  /** Where everything is that names no namespace. */
  readonly namespace: string
}

/** A cluster of ours as a test sees it. */
export const underTest = (cluster: OpenCluster): ClusterUnderTest => {
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
