import * as Effect from "effect/Effect"
import { ClusterClosed } from "../../runtime/time/timeline.ts"
import type { ClusterCalls } from "../calls/clusterCalls.ts"
import type { ClusterService } from "../clusterService.ts"
import type { UserCalls } from "../../runtime/time/userCalls.ts"
import type { ApiFetch } from "../../server/fetch/apiFetch.ts"

interface ClusterFetch extends Pick<ClusterCalls<"effect", ClusterService>, "fetch"> {
  readonly close: () => void
}

export const makeClusterFetch = (options: {
  /** Imports the API. The returned function opens it, unless the cluster has closed meanwhile. */
  readonly load: () => Promise<() => ApiFetch>
  readonly userCalls: Pick<UserCalls, "checkOpen" | "importForClientRequest">
}): ClusterFetch => {
  const { load, userCalls } = options
  let api: ApiFetch | undefined
  let isClosed = false
  const checkOpen = (): void => {
    if (isClosed) throw new ClusterClosed()
    userCalls.checkOpen()
  }
  const openedApi = Effect.map(userCalls.importForClientRequest(load), (openApi): ApiFetch => {
    checkOpen()
    api ??= openApi()
    return api
  })
  return {
    fetch: (input, init) =>
      Effect.suspend(() => {
        checkOpen()
        const loadedApi = api === undefined ? openedApi : Effect.succeed(api)
        return Effect.flatMap(loadedApi, ({ fetch }) =>
          Effect.promise((interruption) => fetch(input, init, interruption))
        )
      }),
    close: () => {
      isClosed = true
      api?.close()
    }
  }
}
