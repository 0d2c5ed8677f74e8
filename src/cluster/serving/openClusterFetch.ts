import { makeApiFetch } from "../../server/fetch/apiFetch.ts"
import { apiOperations } from "./apiOperations.ts"
import type { RequestTraffic } from "../../server/requestHandler.ts"
import type { ApiFetch } from "../../server/fetch/apiFetch.ts"
import type { ApiCluster } from "./apiOperations.ts"

/** `servedTokens`: tokens that a TokenReview accepts. */
export const openClusterFetch = (
  cluster: ApiCluster,
  traffic: RequestTraffic,
  servedTokens: ReadonlyArray<string>
): ApiFetch =>
  makeApiFetch({
    ...apiOperations(cluster, traffic),
    isValidToken: (token) => servedTokens.includes(token)
  })
