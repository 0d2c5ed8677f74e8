import { request } from "node:https"
import { contextName } from "../api/contextName.ts"
import { documentOf, KubeconfigProblem, kubeconfigPath, readKubeconfig } from "./kubeconfigFile.ts"
import { lentIn } from "./lentEntries.ts"
import { wordsOf } from "../wordsOf.ts"
import type { Lent } from "./lentEntries.ts"

/** A cluster that is being served, as the command line says which. */
export interface ServedPlace {
  /** Of the cluster; the one of the current context where it is left out. */
  readonly name: string | undefined
  readonly kubeconfig: string | undefined
}

/** Nobody is there to answer, or it cannot be told who. */
export class Unanswered extends Error {}

/** Whether a command could ask nobody: its message says why. */
export const isNobodyThere = (error: unknown): error is Unanswered | KubeconfigProblem =>
  error instanceof Unanswered || error instanceof KubeconfigProblem

/** Where the cluster is served, and by what it lets us in. */
export const servedAs = ({ name, kubeconfig }: ServedPlace): Lent => {
  const path = kubeconfig ?? kubeconfigPath(process.env)
  const file = readKubeconfig(path)
  if (file === undefined) throw new Unanswered(`no cluster is being served: there is no kubeconfig ${path}`)
  const document = documentOf(path, file.text)
  const current = String(document.get("current-context"))
  const wanted = name === undefined ? current : contextName(name)
  // Nobody else's server is asked, nor told a token.
  const ours = wanted.startsWith(contextName("")) ? wanted : ""
  const all = lentIn(document, ours).filter(({ url }) => url !== "")
  const lent = all.find(({ entry }) => entry === wanted)
  if (lent !== undefined) return lent
  if (name !== undefined)
    throw new Unanswered(`no cluster called ${JSON.stringify(name)} is being served, by what ${path} says`)
  throw new Unanswered(
    all.length === 0
      ? `no cluster is being served, by what ${path} says`
      : `the current context of ${path} is no cluster of ours: say which with --name`
  )
}

interface Answer {
  readonly code: number
  readonly text: string
}

export interface Question {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  /** Sent as JSON. */
  readonly body?: object
}

/** What a server of ours answers. */
export const askServer = ({ url, ca, token }: Lent, { method, path, body }: Question): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${token}`
    const type = body === undefined ? {} : { "content-type": "application/json" }
    const asking = request(
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
    asking.on("error", (error) => reject(new Unanswered(`${url} does not answer: ${wordsOf(error)}`)))
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** What a refusal of ours says: a Status, or a line of text where nothing is served at all. */
export const messageIn = (text: string): string => {
  try {
    return (JSON.parse(text) as { readonly message?: string }).message ?? text.trim()
  } catch {
    return text.trim()
  }
}
