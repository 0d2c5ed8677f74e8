import { endWaits, whenMismatchesAreRead } from "./pendingWaits.ts"
import { warnOfMismatches } from "./runningTest.ts"
import type { OpenCluster } from "../cluster/openCluster.ts"

export interface ClusterUnderTest extends OpenCluster {
  /** Whether it is a real cluster, which a kubeconfig names, instead of a simulated one. */
  readonly isReal: boolean
  /** Whether the clock stands still between calls, so that waiting calls move it. */
  readonly canMoveTime: boolean
  /** Whether clients may be attached, because it has been served once. */
  readonly hasBeenServed: boolean
  /** The namespace that stands for `default`: in a real cluster a new one. */
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
