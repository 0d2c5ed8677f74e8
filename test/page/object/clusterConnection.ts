import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { ServerConnection } from "../../../src/page/source/connection.ts"

/** As the page asks: an answer with an error rejects with the server's message. */
export const connectionTo = (cluster: OpenCluster): ServerConnection => {
  const request: ServerConnection["request"] = async (method, path, options = {}) => {
    const { body, contentType = "application/json" } = options
    const response = await cluster.fetch(`http://cluster${path}`, {
      method,
      headers: { "content-type": contentType },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const answer = (await response.json()) as { readonly message?: string }
    if (!response.ok) throw new Error(answer.message)
    return answer
  }
  return { request } as ServerConnection
}
