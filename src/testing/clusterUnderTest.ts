import { endWaits, whenMismatchesAreRead } from "./pendingWaits.ts"
import { warnOfMismatches } from "./runningTest.ts"
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
  const close = closeAfterWaits(() => underTest, cluster.close)
  const underTest: ClusterUnderTest = {
    ...cluster,
    close,
    [Symbol.asyncDispose]: close,
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
  return underTest
}

/** Closes a cluster once the calls that wait for it have said what they waited for. */
export const closeAfterWaits =
  (cluster: () => ClusterUnderTest, close: () => Promise<void>) => async (): Promise<void> => {
    warnOfMismatches(endWaits(cluster()))
    const reading = whenMismatchesAreRead(cluster())
    if (reading !== undefined) await reading
    await close()
  }
