import { makeApiFetch } from "../../server/fetch/apiFetch.ts"
import { apiOperations } from "./apiOperations.ts"
import type { RequestLogAndInterceptors } from "../../server/requestHandler.ts"
import type { ApiFetch } from "../../server/fetch/apiFetch.ts"
import type { ApiCluster } from "./apiOperations.ts"

/** `servedTokens`: tokens that a TokenReview accepts. */
export const openClusterFetch = (
  cluster: ApiCluster,
  traffic: RequestLogAndInterceptors,
  servedTokens: ReadonlyArray<string>
): ApiFetch =>
  makeApiFetch({
    ...apiOperations(cluster, traffic),
    isValidToken: (token) => servedTokens.includes(token)
  })
