import { isPassingCode, Unreachable } from "./errors.ts"
import { pause } from "./pause.ts"
import { makeSender, silenceMillis } from "./sender.ts"
import type { IncomingMessage } from "node:http"
import type { Credentials } from "./credentials.ts"
import type { KubeContext } from "./kubeconfig.ts"
import type { Asked, Sender, SendOptions } from "./sender.ts"

interface Answered {
  readonly code: number
  /** As JSON; a text where it is none. */
  readonly body: unknown
}

/** HTTP to one API server. What it cannot do just now it is asked again when it says that it can, some times. */
export interface Connection {
  readonly ask: (asked: Asked) => Promise<Answered>
  /** Reads the lines of a stream until it ends; each is JSON. Answers like `ask` where it is refused. */
  readonly follow: (
    path: string,
    options: { readonly onLine: (line: unknown) => void; readonly signal: AbortSignal }
  ) => Promise<Answered>
  readonly close: () => void
}

/**
 * Begins with what `credentials` gives, and asks for it once more when the server no longer takes it.
 *
 * Source: staging/src/k8s.io/client-go/rest/with_retry.go (how often what is asked).
 */
export const connect = async (
  context: KubeContext,
  credentials: () => Promise<Credentials>
): Promise<Connection> => {
  const { url } = context
  const closing = new AbortController()
  const isSecure = url.startsWith("https:")
  const senders = await renewable(async () => makeSender(context, await credentials()))
  const send = async (asked: Asked, options: SendOptions): Promise<IncomingMessage> => {
    const used = senders.current()
    const response = await (await used).send(asked, options)
    if (response.statusCode !== unauthorized || !isSecure) return response
    response.resume()
    return (await senders.renewed(used)).send(asked, options)
  }
  const insist = async (
    asked: Asked,
    options: SendOptions,
    read: (response: IncomingMessage) => Promise<unknown>
  ): Promise<Answered> => {
    for (let repeated = 0; ; repeated += 1) {
      const response = await send(asked, options)
      const code = response.statusCode ?? 0
      const answered = { code, body: await (code === ok ? read(response) : bodyOf(url, response)) }
      const waitMillis = waitMillisIn(response)
      if (waitMillis === undefined || repeated === repeatsMost) return answered
      const leaving = AbortSignal.any([closing.signal, options.signal ?? closing.signal])
      await pause(waitMillis, leaving)
      if (leaving.aborted) return answered
    }
  }
  return {
    ask: (asked) => insist(asked, { timeout: silenceMillis }, (response) => bodyOf(url, response)),
    follow: (path, { onLine, signal }) =>
      insist({ path }, { signal }, (response) => readLines(response, onLine)),
    close: () => {
      closing.abort()
      senders.close()
    }
  }
}

const ok = 200
const unauthorized = 401
const repeatsMost = 10

/** How long a server wants to be left alone that could not do what was asked; undefined where it says nothing. */
const waitMillisIn = ({ statusCode = 0, headers }: IncomingMessage): number | undefined => {
  const stated = headers["retry-after"] ?? ""
  return isPassingCode(statusCode) && /^\d+$/.test(stated) ? Number(stated) * 1000 : undefined
}

interface Senders {
  readonly current: () => Promise<Sender>
  /** Another than the one that was refused. */
  readonly renewed: (refused: Promise<Sender>) => Promise<Sender>
  readonly close: () => void
}

/**
 * Many may be refused at once: the first asks for new credentials, and the others take what comes of it. What is
 * under way with the old ones comes to its end.
 *
 * Source: staging/src/k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go (maybeRefreshCreds).
 */
const renewable = async (make: () => Promise<Sender>): Promise<Senders> => {
  const open = new Set<Sender>()
  const next = async (): Promise<Sender> => {
    const made = await make()
    open.add(made)
    return made
  }
  let current = next()
  await current
  const renewed: Senders["renewed"] = (refused) => {
    if (refused !== current) return current
    current = next()
    current.then(
      async () => {
        const old = await refused
        old.retire(() => open.delete(old))
      },
      () => {
        // The next who is refused tries again.
        current = refused
      }
    )
    return current
  }
  const close = (): void => {
    for (const it of open) it.close()
  }
  return { current: () => current, renewed, close }
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

/** Ends when the stream does, whichever side has ended it. */
const readLines = (response: IncomingMessage, onLine: (line: unknown) => void): Promise<void> =>
  new Promise((resolve) => {
    let rest = ""
    response.setEncoding("utf8")
    response.on("data", (chunk: string) => {
      const lines = `${rest}${chunk}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line !== "") onLine(jsonOrText(line))
    })
    response.on("error", () => resolve())
    response.on("close", () => resolve())
  })
