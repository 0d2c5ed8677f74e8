import { request } from "node:https"
import { recordingPath } from "../recording/entry.ts"
import { Unanswered } from "./askServer.ts"
import { wordsOf } from "../wordsOf.ts"
import type { IncomingMessage } from "node:http"
import type { Lent } from "./lentEntries.ts"
import type { ViewerWish } from "../recording/viewer.ts"

interface StreamWish extends Pick<ViewerWish, "watch" | "known"> {
  /** Says that nobody wants it any more. */
  readonly gone: AbortSignal
  /** How long the server may take until it begins to answer. */
  readonly answerMillis?: number
}

/**
 * Asks for the recording, from what is known on: its text, a piece at a time, until the server ends it. Throws
 * `Unanswered` where nothing comes, or where it was broken off.
 */
export const recordPieces = async function* (lent: Lent, wish: StreamWish): AsyncGenerator<string> {
  const response = await answerOf(lent, wish)
  response.setEncoding("utf8")
  try {
    for await (const piece of response) yield String(piece)
  } catch (error) {
    throw new Unanswered(`${lent.url} no longer answers: ${wordsOf(error)}`)
  }
}

const answerOf = ({ url, ca, token }: Lent, wish: StreamWish): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { watch, known, gone, answerMillis = 10_000 } = wish
    const query = new URLSearchParams({
      ...(watch ? { watch: "1" } : {}),
      ...(known === undefined ? {} : { since: String(known.number), id: known.id })
    }).toString()
    const headers = { authorization: `Bearer ${token}` }
    const options = { ca, headers, signal: gone, timeout: answerMillis }
    const asking = request(`${url}${recordingPath}?${query}`, options, (response) => {
      // A recording of which nothing comes is one to which nothing happens.
      asking.setTimeout(0)
      const { statusCode } = response
      if (statusCode === 200) return resolve(response)
      response.resume()
      const older = statusCode === 404 ? ": it is of an older version" : ""
      reject(new Unanswered(`${url} gives no recording (${statusCode})${older}`))
    })
    asking.on("timeout", () => asking.destroy(new Error("nothing has come for a while")))
    asking.on("error", (error) => reject(new Unanswered(`${url} does not answer: ${wordsOf(error)}`)))
    asking.end()
  })
