import * as Effect from "effect/Effect"
import { makeClusterFetch } from "./clusterFetch.ts"
import type { ClusterCalls } from "../calls/clusterCalls.ts"
import type { ClusterService } from "../clusterService.ts"
import type { RequestLogAndInterceptors } from "../../server/requestHandler.ts"
import type { RunningServer } from "./serveOptions.ts"
import type { Scope } from "effect/Scope"
import type { UserCalls } from "../../runtime/time/userCalls.ts"

interface ServingCalls extends Pick<ClusterCalls<"effect", ClusterService>, "serve" | "fetch"> {
  readonly close: () => void
}

export const makeServingCalls = (
  cluster: () => ClusterService,
  traffic: RequestLogAndInterceptors,
  userCalls: Pick<UserCalls, "checkOpen" | "importForClientRequest" | "importModule">
): ServingCalls => {
  const servedTokens: Array<string> = []
  const keepToken = ({ token }: RunningServer): Effect.Effect<void, never, Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => void servedTokens.push(token)),
      () => Effect.sync(() => void servedTokens.splice(servedTokens.indexOf(token), 1))
    )
  return {
    serve: (options) =>
      Effect.flatMap(
        userCalls.importModule(() => import("./serveCluster.ts")),
        ({ serve }) => Effect.tap(serve(cluster(), options, traffic), keepToken)
      ),
    ...makeClusterFetch({
      userCalls,
      load: async () => {
        const { openClusterFetch } = await import("./openClusterFetch.ts")
        return () => openClusterFetch(cluster(), traffic, servedTokens)
      }
    })
  }
}
