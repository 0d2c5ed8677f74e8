import { adminUser } from "../../kubernetes/meta/userInfo.ts"
import { ClusterClosed } from "../../runtime/time/timeline.ts"
import { letEventLoopTurn } from "../../runtime/time/userCode.ts"
import { impersonatedUser } from "../access/impersonatedUser.ts"
import { makeRequestHandler } from "../requestHandler.ts"
import { streamsMaxDefault } from "../responses/responseStreams.ts"
import { makeFetchedResponse } from "./fetchedResponse.ts"
import { readFetchedBody, toIncomingRequest, toRequest } from "./fetchedRequest.ts"
import type { ApiOperations } from "../requestHandler.ts"
import type { ApiServices } from "../requests/apiCall.ts"
import type { FetchInput } from "./fetchedRequest.ts"
import type { FetchedResponse } from "./fetchedResponse.ts"

export interface ApiFetch {
  /**
   * Rejects as `fetch` does: with the signal's reason, or with a `TypeError` when the server closes the connection.
   * `interruption` disconnects a client that still waits for its response.
   */
  readonly fetch: (
    input: FetchInput,
    init: RequestInit | undefined,
    interruption: AbortSignal
  ) => Promise<Response>
  /** Ends the streams, and rejects pending requests with `ClusterClosed`. */
  readonly close: () => void
}

/** The caller opened the cluster in its own process: its requests need no token. */
export const makeApiFetch = (operations: ApiOperations & Pick<ApiServices, "isValidToken">): ApiFetch => {
  const api = makeRequestHandler({ ...operations, streamsMax: streamsMaxDefault })
  const pendingResponses = new Set<FetchedResponse>()
  const fetch: ApiFetch["fetch"] = async (input, init, interruption) => {
    const fetchRequest = toRequest(input, init)
    const signals = [fetchRequest.signal, interruption]
    for (const signal of signals) signal.throwIfAborted()
    const request = toIncomingRequest(fetchRequest)
    const response = makeFetchedResponse(request)
    const abort = (): void => response.fail(fetchRequest.signal.reason)
    const interrupt = (): void => response.fail(interruption.reason)
    fetchRequest.signal.addEventListener("abort", abort)
    // The listener also keeps the Request, and with it the link to its caller's signal, from garbage collection.
    response.once("close", () => fetchRequest.signal.removeEventListener("abort", abort))
    interruption.addEventListener("abort", interrupt)
    pendingResponses.add(response)
    api.answer({
      request,
      response,
      readBody: () => readFetchedBody(fetchRequest, { request, response }),
      authenticate: () => impersonatedUser(request) ?? adminUser
    })
    try {
      const answer = await response.response
      // As with a socket, other work of the process runs between two requests.
      await letEventLoopTurn()
      return answer
    } finally {
      pendingResponses.delete(response)
      interruption.removeEventListener("abort", interrupt)
    }
  }
  return {
    fetch,
    close: () => {
      api.close()
      for (const response of pendingResponses) response.fail(new ClusterClosed())
    }
  }
}
