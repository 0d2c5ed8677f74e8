import { endWaits, whenMismatchesAreRead } from "./pendingWaits.ts"
import { warnOfMismatches } from "./runningTest.ts"
import type { OpenCluster } from "../cluster/openCluster.ts"

export interface ClusterUnderTest extends OpenCluster {
  readonly isReal: boolean
  readonly canMoveTime: boolean
  readonly hasBeenServed: boolean
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

/** First ends the calls that wait for the cluster, so that they report what they waited for. */
export const closeAfterWaits =
  (cluster: () => ClusterUnderTest, close: () => Promise<void>) => async (): Promise<void> => {
    warnOfMismatches(endWaits(cluster()))
    const reading = whenMismatchesAreRead(cluster())
    if (reading !== undefined) await reading
    await close()
  }
