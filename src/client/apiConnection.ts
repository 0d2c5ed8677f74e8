import { isTransientCode, Unreachable } from "./clientErrors.ts"
import { sleepUnlessAborted } from "./sleepUnlessAborted.ts"
import { makeRequestSender, idleTimeoutMillis } from "./requestSender.ts"
import type { IncomingMessage } from "node:http"
import type { ClientCredentials } from "./credentials.ts"
import type { KubeContext } from "./kubeContext.ts"
import type { HttpRequest, RequestSender, SendOptions } from "./requestSender.ts"

export interface HttpResponse {
  readonly code: number
  /** When the server answered, by its own clock; undefined without a Date header. */
  readonly serverMillis?: number | undefined
  readonly body: unknown
}

export interface RequestLimits {
  readonly signal?: AbortSignal
  /** Applies to answers with a Retry-After header; ten by default. */
  readonly retriesMax?: number
}

export interface StreamOptions {
  readonly onLine: (line: unknown) => void
  readonly onOpen?: () => void
  readonly signal: AbortSignal
}

export interface ApiConnection {
  readonly request: (request: HttpRequest, limits?: RequestLimits) => Promise<HttpResponse>
  /** Reads JSON lines until the stream ends. Returns like `request` when the server refuses it. */
  readonly streamLines: (path: string, options: StreamOptions) => Promise<HttpResponse>
  readonly close: () => void
}

/**
 * After a 401 over TLS, sends the request once more with new credentials.
 *
 * Source: client-go/rest/with_retry.go (the number of retries).
 */
export const connectToApiServer = async (
  context: KubeContext,
  credentials: () => Promise<ClientCredentials>
): Promise<ApiConnection> => {
  const { url } = context
  const closeController = new AbortController()
  const isSecure = url.startsWith("https:")
  const senders = await makeRenewableSenders(async () => makeRequestSender(context, await credentials()))
  const send = async (request: HttpRequest, options: SendOptions): Promise<IncomingMessage> => {
    const sender = senders.current()
    const response = await (await sender).send(request, options)
    if (response.statusCode !== unauthorizedCode || !isSecure) return response
    response.resume()
    return (await senders.renew(sender)).send(request, options)
  }
  const sendWithRetries = async (
    request: HttpRequest,
    options: SendOptions & { readonly retriesMax?: number },
    read: (response: IncomingMessage) => Promise<unknown>
  ): Promise<HttpResponse> => {
    const { retriesMax = retriesMaxDefault, ...sendOptions } = options
    for (let retries = 0; ; retries += 1) {
      const response = await send(request, sendOptions)
      const code = response.statusCode ?? 0
      const serverMillis = serverMillisIn(response)
      const answer = {
        code,
        serverMillis,
        body: await (code === okCode ? read(response) : bodyOf(url, response))
      }
      const retryAfterMillis = retryAfterMillisIn(response)
      if (retryAfterMillis === undefined || retries === retriesMax) return answer
      const stopSignal = AbortSignal.any([closeController.signal, options.signal ?? closeController.signal])
      await sleepUnlessAborted(retryAfterMillis, stopSignal)
      if (stopSignal.aborted) return answer
    }
  }
  return {
    request: (request, limits = {}) =>
      sendWithRetries(request, { timeoutMillis: idleTimeoutMillis, ...limits }, (response) =>
        bodyOf(url, response)
      ),
    streamLines: (path, { onLine, onOpen, signal }) =>
      sendWithRetries({ path }, { signal }, (response) => {
        onOpen?.()
        return readLines(response, onLine)
      }),
    close: () => {
      closeController.abort()
      senders.close()
    }
  }
}

const okCode = 200
const unauthorizedCode = 401
/** Source: client-go/rest/request.go (maxRetries). */
const retriesMaxDefault = 10

const retryAfterMillisIn = ({ statusCode = 0, headers }: IncomingMessage): number | undefined => {
  const retryAfter = headers["retry-after"] ?? ""
  return isTransientCode(statusCode) && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined
}

const serverMillisIn = ({ headers: { date } }: IncomingMessage): number | undefined => {
  const millis = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(millis) ? undefined : millis
}

interface Senders {
  readonly current: () => Promise<RequestSender>
  /** Returns a sender with new credentials in place of one that was answered with 401. */
  readonly renew: (refusedSender: Promise<RequestSender>) => Promise<RequestSender>
  readonly close: () => void
}

/**
 * Of several requests with a 401, only the first obtains new credentials. Requests in flight finish with the old ones.
 *
 * Source: client-go/plugin/pkg/client/auth/exec/exec.go (maybeRefreshCreds).
 */
const makeRenewableSenders = async (make: () => Promise<RequestSender>): Promise<Senders> => {
  const openSenders = new Set<RequestSender>()
  const openSender = async (): Promise<RequestSender> => {
    const sender = await make()
    openSenders.add(sender)
    return sender
  }
  let current = openSender()
  await current
  const renew: Senders["renew"] = (refusedSender) => {
    if (refusedSender !== current) return current
    current = openSender()
    current.then(
      async () => {
        const old = await refusedSender
        old.closeWhenIdle(() => openSenders.delete(old))
      },
      () => {
        current = refusedSender
      }
    )
    return current
  }
  const close = (): void => {
    for (const sender of openSenders) sender.close()
  }
  return { current: () => current, renew, close }
}

const bodyOf = async (url: string, response: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch (error) {
    throw new Unreachable(`${url} cannot be reached: its answer was cut off`, { cause: error })
  }
  return jsonOrText(Buffer.concat(chunks).toString())
}

const jsonOrText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const readLines = (response: IncomingMessage, onLine: (line: unknown) => void): Promise<void> =>
  new Promise((resolve) => {
    let incompleteLine = ""
    response.setEncoding("utf8")
    response.on("data", (chunk: string) => {
      const lines = `${incompleteLine}${chunk}`.split("\n")
      incompleteLine = lines.pop() ?? ""
      for (const line of lines) if (line !== "") onLine(jsonOrText(line))
    })
    response.on("error", () => resolve())
    response.on("close", () => resolve())
  })
