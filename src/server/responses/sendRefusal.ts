import { stringify } from "yaml"
import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import { isStoreError } from "../../store/storeErrors.ts"
import { acceptsYaml } from "../http/negotiateFormat.ts"
import { Refusal, makeRefusal, toStatus } from "../http/statuses.ts"
import { responseHeaders } from "./responseText.ts"
import { sendResponse } from "./sendResponse.ts"
import type { HttpExchange } from "../requests/httpExchange.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** An unexpected error becomes a 500 with its message, without the stack. */
export const sendRefusal = ({ response, warnings }: HttpExchange, error: unknown): void => {
  const failure = isRefusalOrStoreError(error)
    ? error
    : makeRefusal(500, "InternalError", `Internal error occurred: ${errorText(error)}`)
  const { headers } = response.req
  if (failure._tag === "Refusal" && failure.isPlainText === true) {
    const body = `${failure.message}\n`
    return sendResponse(response, {
      code: failure.code,
      headers: responseHeaders("text/plain; charset=utf-8"),
      body
    })
  }
  const status = toStatus(failure)
  const isYaml = acceptsYaml(headers.accept)
  const retry = status.details?.retryAfterSeconds
  const retryHeaders = retry === undefined ? {} : { "retry-after": String(retry) }
  sendResponse(response, {
    code: status.code,
    headers: responseHeaders(isYaml ? "application/yaml" : "application/json", {
      warnings,
      extraHeaders: retryHeaders
    }),
    body: isYaml ? stringify(status) : `${JSON.stringify(status)}\n`
  })
}

const isRefusalOrStoreError = (error: unknown): error is RefusalOrStoreError =>
  error instanceof Refusal || isStoreError(error)
