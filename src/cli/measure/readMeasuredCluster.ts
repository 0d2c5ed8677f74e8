import * as Effect from "effect/Effect"
import { allOrFirstError } from "../../client/allOrFirstError.ts"
import { badInput, BadInput } from "../input/badInput.ts"
import { isForbidden } from "../../client/clientErrors.ts"
import { remoteNowMillis } from "../../explain/remote/readRollout.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { MeasuredCluster } from "../../plan/live/measuredImages.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

export interface ClusterReading {
  readonly cluster: MeasuredCluster
  readonly nowMillis: number
  /** `namespace shop of context "prod"` */
  readonly scopeText: string
  /** Sentences about what could not be read. */
  readonly warnings: ReadonlyArray<string>
}

interface ReadingOptions {
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly namespace: string | undefined
  readonly allNamespaces: boolean
}

export const readMeasuredCluster = (options: ReadingOptions): Effect.Effect<ClusterReading, BadInput> =>
  Effect.tryPromise({
    try: async () => {
      const { openRemoteCluster } = await import("../../client/remoteCluster.ts")
      const { kubeconfig, context, namespace } = options
      const remote = await openRemoteCluster({
        // As in `plan --kubeconfig`, `live` stands for kubectl's own kubeconfig.
        kubeconfig: kubeconfig === "live" ? undefined : kubeconfig,
        context,
        namespace: namespace === "" ? undefined : namespace
      })
      try {
        return await readObjects(remote, options)
      } finally {
        remote.close()
      }
    },
    catch: (cause) => (cause instanceof BadInput ? cause : badInput(systemErrorText(cause)))
  })

const readObjects = async (
  remote: RemoteCluster,
  { allNamespaces }: ReadingOptions
): Promise<ClusterReading> => {
  const scope = allNamespaces ? {} : { namespace: remote.namespace }
  const warnings: Array<string> = []
  const emptyIfForbidden = async <A>(noun: string, list: Promise<{ readonly items: ReadonlyArray<A> }>) => {
    try {
      return (await list).items
    } catch (error) {
      if (!isForbidden(error)) throw error
      warnings.push(`${noun} may not be read: ${systemErrorText(error)}`)
      return []
    }
  }
  const [{ items: pods }, replicaSets, events, nowMillis] = await allOrFirstError([
    remote.list(resources.pods, scope),
    emptyIfForbidden("ReplicaSets", remote.list(resources.replicaSets, scope)),
    emptyIfForbidden("Events", remote.list(resources.events, scope)),
    remoteNowMillis(remote)
  ])
  const contextText = `context ${JSON.stringify(remote.context.name)}`
  return {
    cluster: { pods, replicaSets, events },
    nowMillis,
    scopeText: allNamespaces ? contextText : `namespace ${remote.namespace} of ${contextText}`,
    warnings
  }
}
