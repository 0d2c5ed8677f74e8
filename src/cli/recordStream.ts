import { request } from "node:https"
import { recordingPath } from "../api/recording.ts"
import { Unanswered } from "./askServer.ts"
import { wordsOf } from "../wordsOf.ts"
import type { IncomingMessage } from "node:http"
import type { Lent } from "./lentEntries.ts"

/** A recording that is being sent. */
export interface RecordStream {
  /** The text, a piece at a time. It ends when the server ends it; throws `Unanswered` where it was broken off. */
  readonly pieces: AsyncIterable<string>
  readonly close: () => void
}

/** Asks for the recording, from what is known on. Rejects with `Unanswered`. */
export const openRecordStream = (
  { url, ca, token }: Lent,
  wish: {
    readonly watch: boolean
    readonly known?: { readonly number: number; readonly id: string } | undefined
  }
): Promise<RecordStream> =>
  new Promise((resolve, reject) => {
    const { watch, known } = wish
    const query = new URLSearchParams({
      ...(watch ? { watch: "1" } : {}),
      ...(known === undefined ? {} : { since: String(known.number), id: known.id })
    }).toString()
    const fail = (error: unknown): void => reject(new Unanswered(`${url} does not answer: ${wordsOf(error)}`))
    const headers = { authorization: `Bearer ${token}` }
    const asking = request(`${url}${recordingPath}?${query}`, { ca, headers }, (response) => {
      const { statusCode } = response
      if (statusCode === 200) {
        return resolve({ pieces: piecesOf(response, url), close: () => void asking.destroy() })
      }
      response.resume()
      const older = statusCode === 404 ? ": it is of an older version" : ""
      reject(new Unanswered(`${url} gives no recording (${statusCode})${older}`))
    })
    asking.on("error", fail)
    asking.end()
  })

const piecesOf = async function* (response: IncomingMessage, url: string): AsyncIterable<string> {
  response.setEncoding("utf8")
  try {
    for await (const piece of response) yield String(piece)
  } catch (error) {
    throw new Unanswered(`${url} no longer answers: ${wordsOf(error)}`)
  }
}
