import { endWaits, whenLastErrorsSettle } from "./pendingWaits.ts"
import { warnOfLastErrors } from "./runningTest.ts"
import type { OpenCluster } from "../cluster/openCluster.ts"

export interface ClusterUnderTest extends OpenCluster {
  readonly isReal: boolean
  /** Whether the clock stands still between calls: waiting calls move it. */
  readonly canMoveTime: boolean
  /** Whether clients may be attached. */
  readonly hasBeenServed: boolean
  /** Stands for `default`; in a real cluster a new namespace. */
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

/** Ends the waiting assertions, and prints the last error of each. */
export const closeAfterWaits =
  (cluster: () => ClusterUnderTest, close: () => Promise<void>) => async (): Promise<void> => {
    warnOfLastErrors(endWaits(cluster()))
    const pendingLastErrors = whenLastErrorsSettle(cluster())
    if (pendingLastErrors !== undefined) await pendingLastErrors
    await close()
  }
