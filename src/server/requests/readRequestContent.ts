import { protobufMediaType } from "../protobuf/protobufEnvelope.ts"
import { loadProtobufReader } from "../protobuf/wireFormat.ts"
import { contentTypeOf } from "./httpExchange.ts"
import type { ApiCall } from "./apiCall.ts"
import type { HttpConnection } from "./httpExchange.ts"

/** Also loads the decoder of the body. Rejects as `readBody` does. */
export const readRequestContent = async ({
  request,
  readBody
}: Pick<HttpConnection, "request" | "readBody">): Promise<Pick<ApiCall, "body" | "contentType">> => {
  const contentType = contentTypeOf(request)
  if (request.method === "GET" || request.method === "HEAD") return { body: emptyBody, contentType }
  const body = await readBody()
  if (contentType === protobufMediaType) await loadProtobufReader()
  return { body, contentType }
}

const emptyBody = Buffer.alloc(0)
