import { tooManyRequests } from "../http/statuses.ts"
import { openStream } from "./responseStreams.ts"
import { sendRefusal } from "./sendRefusal.ts"
import { loseResponse, sendAnswer, sendDocument, sendJson } from "./sendResponse.ts"
import type { CommitSchedule } from "../../store/durable/durability.ts"
import type { Observers } from "../../runtime/observers.ts"
import type { OutgoingResponse } from "../http/httpMessages.ts"
import type { StreamAnswer } from "../requests/apiCall.ts"
import type { HttpExchange } from "../requests/httpExchange.ts"

export interface ServedDurability extends Pick<CommitSchedule, "commit" | "commitAtTurnEnd"> {
  readonly isFailing: () => boolean
}

type AfterCommit<Args extends ReadonlyArray<unknown>> = (...args: Args) => void | Promise<void>

/** Sends each response once all changes so far are durable. */
export interface ResponseSender {
  readonly document: AfterCommit<Parameters<typeof sendDocument>>
  readonly json: AfterCommit<Parameters<typeof sendJson>>
  readonly answer: AfterCommit<Parameters<typeof sendAnswer>>
  /** For a request whose answer an interceptor loses. */
  readonly loss: AfterCommit<Parameters<typeof loseResponse>>
  readonly stream: (response: OutgoingResponse, answer: StreamAnswer) => void
  /** If the commit fails, sends the commit's error instead. */
  readonly refusal: (exchange: HttpExchange, error: unknown) => Promise<void>
  readonly endStreams: () => void
}

export const makeResponseSender = ({
  durability,
  observers,
  streamsMax
}: {
  readonly durability: ServedDurability | undefined
  readonly observers: Observers
  readonly streamsMax: number
}): ResponseSender => {
  const afterCommit = <Args extends ReadonlyArray<unknown>>(send: AfterCommit<Args>): AfterCommit<Args> =>
    durability === undefined
      ? send
      : async (...args) => {
          await durability.commitAtTurnEnd()
          await send(...args)
        }
  const openStreams = new Set<() => void>()
  return {
    document: afterCommit(sendDocument),
    json: afterCommit(sendJson),
    answer: afterCommit(sendAnswer),
    loss: afterCommit(loseResponse),
    stream: (response, answer) => {
      // The close event has fired already, so the stream would never be cleaned up.
      if (response.closed) return
      if (openStreams.size >= streamsMax) throw tooManyRequests()
      durability?.commit()
      const end = openStream(response, answer, { observers, commitAtTurnEnd: durability?.commitAtTurnEnd })
      openStreams.add(end)
      response.once("close", () => openStreams.delete(end))
    },
    refusal: async (exchange, error) => {
      // The error may show objects whose writes must be durable first.
      sendRefusal(exchange, durability === undefined ? error : await errorAfterCommit(error, durability))
    },
    endStreams: () => {
      for (const end of openStreams) end()
    }
  }
}

const errorAfterCommit = async (error: unknown, durability: ServedDurability): Promise<unknown> => {
  try {
    await durability.commitAtTurnEnd()
    return error
  } catch (commitError) {
    return commitError
  }
}
