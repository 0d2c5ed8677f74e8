import * as Effect from "effect/Effect"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { isStoreError } from "../../store/storeErrors.ts"
import { openGatesOfNewPods, openApprovalGates } from "../../steer/openApprovalGates.ts"
import { listenForSignals } from "../terminal/signals.ts"
import { openRemoteCluster } from "../../client/remoteCluster.ts"
import { printLines } from "../terminal/terminal.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { RemoteRefused, Unreachable, UnusableKubeconfig } from "../../client/clientErrors.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

interface ReleaseAllOptions {
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly namespaces: ReadonlyArray<string> | undefined
  readonly watch: boolean
}

/**
 * With `watch`, also opens the gates of new Pods until a signal. Exits 2 if the cluster refuses a write; opened gates
 * stay open.
 */
export const releaseAll = Effect.fnUntraced(function* ({
  kubeconfig,
  context,
  namespaces,
  watch
}: ReleaseAllOptions): Effect.fn.Return<ExitCode> {
  const stopController = new AbortController()
  if (watch) {
    const shutdown = yield* listenForSignals
    yield* Effect.forkDetach(
      Effect.andThen(
        shutdown.requested,
        Effect.sync(() => stopController.abort())
      )
    )
  }
  const release = async (): Promise<ExitCode> => {
    const cluster = await openRemoteCluster({ kubeconfig, context })
    const onReleased = ({ metadata }: Pod): void =>
      printLines([`pod/${metadata.name} of ${metadata.namespace ?? ""} released`])
    const options = { cluster, namespaces, nowMillis: Date.now, onReleased }
    try {
      if (watch) await openGatesOfNewPods(options, stopController.signal)
      else printLines([`${countText(await openApprovalGates(options), "Pod")} released`])
      return 0
    } finally {
      cluster.close()
    }
  }
  return yield* Effect.promise(() => release().catch(toRefusal))
})

const toRefusal = (error: unknown): ExitCode => {
  const isExpected =
    isStoreError(error) || [UnusableKubeconfig, Unreachable, RemoteRefused].some((it) => error instanceof it)
  if (!isExpected || !(error instanceof Error)) throw error
  return refuseCommand(`error: ${error.message}`)
}
