import { request } from "node:https"
import { contextName } from "../api/contextName.ts"
import { documentOf, KubeconfigProblem, kubeconfigPath, readKubeconfig } from "./kubeconfigFile.ts"
import { lentIn } from "./lentEntries.ts"
import { wordsOf } from "../wordsOf.ts"
import type { Lent } from "./lentEntries.ts"

/** Names a cluster served by `charthouse up`. */
export interface ServedPlace {
  /** The cluster of the current context by default. */
  readonly name: string | undefined
  readonly kubeconfig: string | undefined
}

/** No server answers, or the kubeconfig does not say which one. */
export class Unanswered extends Error {}

export const isNobodyThere = (error: unknown): error is Unanswered | KubeconfigProblem =>
  error instanceof Unanswered || error instanceof KubeconfigProblem

/**
 * The URL, token and CA of the served cluster, read from the kubeconfig. Throws `Unanswered` or
 * `KubeconfigProblem`.
 */
export const servedAs = ({ name, kubeconfig }: ServedPlace): Lent => {
  const path = kubeconfig ?? kubeconfigPath(process.env)
  const file = readKubeconfig(path)
  if (file === undefined) throw new Unanswered(`no cluster is being served: there is no kubeconfig ${path}`)
  const document = documentOf(path, file.text)
  const current = String(document.get("current-context"))
  const contextWanted = name === undefined ? current : contextName(name)
  // Contexts of other clusters are never used, and their tokens never sent.
  const reservedContext = contextWanted.startsWith(contextName("")) ? contextWanted : ""
  const all = lentIn(document, reservedContext).filter(({ url }) => url !== "")
  const found = all.find(({ entry }) => entry === contextWanted)
  if (found !== undefined) return found
  if (name !== undefined)
    throw new Unanswered(`no cluster called ${JSON.stringify(name)} is being served, by what ${path} says`)
  throw new Unanswered(
    all.length === 0
      ? `no cluster is being served, by what ${path} says`
      : `the current context of ${path} is no cluster of ours: say which with --name`
  )
}

interface ServerResponse {
  readonly code: number
  readonly text: string
}

export interface Question {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly body?: object
}

/** Sends a request to a served cluster. Rejects with `Unanswered`. */
export const askServer = (
  { url, ca, token }: Lent,
  { method, path, body }: Question
): Promise<ServerResponse> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${token}`
    const type = body === undefined ? {} : { "content-type": "application/json" }
    const pending = request(
      `${url}${path}`,
      { method, ca, headers: { authorization, ...type } },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resolve({ code: response.statusCode ?? 0, text: String(Buffer.concat(chunks)) })
        )
        response.on("error", reject)
      }
    )
    pending.on("error", (error) => reject(new Unanswered(`${url} does not answer: ${wordsOf(error)}`)))
    pending.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** The message of an error response: a Status, or a line of text. */
export const messageIn = (text: string): string => {
  try {
    return (JSON.parse(text) as { readonly message?: string }).message ?? text.trim()
  } catch {
    return text.trim()
  }
}
