import { request } from "node:https"
import { recordingPath } from "../../recording/entry.ts"
import { ServerUnreachable } from "../served/requestServer.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { IncomingMessage } from "node:http"
import type { ServedContext } from "../kubeconfig/servedContexts.ts"
import type { ViewerRequest } from "../../recording/recordingViewer.ts"

interface StreamOptions extends Pick<ViewerRequest, "watch" | "resumeAfter"> {
  readonly signal: AbortSignal
  /** Limits the wait for the response; 10 s by default. */
  readonly answerTimeoutMillis?: number
}

/**
 * The server resumes after the entry `resumeAfter` if it still has it; otherwise it sends the whole recording. Throws
 * `ServerUnreachable`, also after the first chunks.
 */
export const recordingChunks = async function* (
  server: ServedContext,
  options: StreamOptions
): AsyncGenerator<string> {
  const response = await openStream(server, options)
  response.setEncoding("utf8")
  try {
    for await (const chunk of response) yield String(chunk)
  } catch (error) {
    throw new ServerUnreachable(`${server.url} no longer answers: ${systemErrorText(error)}`)
  }
}

const openStream = (
  { url, ca, token }: ServedContext,
  { watch, resumeAfter, signal, answerTimeoutMillis = 10_000 }: StreamOptions
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const query = new URLSearchParams({
      ...(watch ? { watch: "1" } : {}),
      ...(resumeAfter === undefined ? {} : { since: String(resumeAfter.number), id: resumeAfter.id })
    }).toString()
    const headers = { authorization: `Bearer ${token}` }
    const options = { ca, headers, signal, timeout: answerTimeoutMillis }
    const pending = request(`${url}${recordingPath}?${query}`, options, (response) => {
      // A live recording may be silent for long.
      pending.setTimeout(0)
      const { statusCode } = response
      if (statusCode === 200) return resolve(response)
      response.resume()
      const olderVersionText = statusCode === 404 ? ": the server is of an older version" : ""
      reject(new ServerUnreachable(`${url} gives no recording (${statusCode})${olderVersionText}`))
    })
    pending.on("timeout", () => pending.destroy(new Error("it sent nothing for a while")))
    pending.on("error", (error) =>
      reject(new ServerUnreachable(`${url} does not answer: ${systemErrorText(error)}`))
    )
    pending.end()
  })
