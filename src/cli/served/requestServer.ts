import { request } from "node:https"
import { contextNamePrefix, kubeconfigContextName } from "../../server/access/kubeconfigContextName.ts"
import {
  parseKubeconfig,
  KubeconfigError,
  kubeconfigPath,
  readKubeconfig
} from "../kubeconfig/kubeconfigFile.ts"
import { servedContextsIn } from "../kubeconfig/servedContexts.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { ServedContext } from "../kubeconfig/servedContexts.ts"

export interface ServedClusterRef {
  readonly name: string | undefined
  readonly kubeconfig: string | undefined
}

/** No server answers, or the kubeconfig does not say which one. */
export class ServerUnreachable extends Error {}

export const isServerUnreachable = (error: unknown): error is ServerUnreachable | KubeconfigError =>
  error instanceof ServerUnreachable || error instanceof KubeconfigError

/** Finds the current context if there is no name. Throws `ServerUnreachable` or `KubeconfigError`. */
export const findServedContext = ({ name, kubeconfig }: ServedClusterRef): ServedContext => {
  const path = kubeconfig ?? kubeconfigPath(process.env)
  const file = readKubeconfig(path)
  if (file === undefined)
    throw new ServerUnreachable(`no cluster is being served: there is no kubeconfig ${path}`)
  const document = parseKubeconfig(path, file.text)
  const currentContext = String(document.get("current-context"))
  const wantedContext = name === undefined ? currentContext : kubeconfigContextName(name)
  // Other clusters' tokens are never sent: a context must have Charthouse's extension, or be the wanted one with the
  // prefix `charthouse-`. A context without a URL lacks its cluster entry.
  const hasCharthousePrefix = wantedContext.startsWith(contextNamePrefix)
  const servedContexts = servedContextsIn(document, {
    withoutExtension: hasCharthousePrefix ? wantedContext : undefined
  }).filter(({ url }) => url !== "")
  const found = servedContexts.find(({ contextName }) => contextName === wantedContext)
  if (found !== undefined) return found
  if (name !== undefined)
    throw new ServerUnreachable(
      `no cluster called ${JSON.stringify(name)} is being served, by what ${path} says`
    )
  throw new ServerUnreachable(
    servedContexts.length === 0
      ? `no cluster is being served, by what ${path} says`
      : `the current context of ${path} is no cluster of ours: say which with --name`
  )
}

interface ServerResponse {
  readonly code: number
  readonly text: string
}

export interface ServerRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly body?: object
}

export const requestServer = (
  { url, ca, token }: ServedContext,
  { method, path, body }: ServerRequest
): Promise<ServerResponse> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${token}`
    const type = body === undefined ? {} : { "content-type": "application/json" }
    const clientRequest = request(
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
    clientRequest.on("error", (error) =>
      reject(new ServerUnreachable(`${url} does not answer: ${systemErrorText(error)}`))
    )
    clientRequest.end(body === undefined ? undefined : JSON.stringify(body))
  })

export const statusMessageOf = (text: string): string => {
  try {
    return (JSON.parse(text) as { readonly message?: string }).message ?? text.trim()
  } catch {
    return text.trim()
  }
}
