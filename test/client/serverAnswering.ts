import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createPlain } from "node:http"
import { createServer as createSecure } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateCertificates } from "../../src/server/access/serverCertificates.ts"
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Header values by lower-case name. */
  readonly headerLines: NodeJS.Dict<Array<string>>
  readonly body: unknown
}

interface AnsweringServer {
  readonly kubeconfig: string
  /** Writes another kubeconfig beside it, and returns its path. */
  readonly writeKubeconfig: (text: string) => string
  readonly url: string
  /** All requests so far, except for the version. */
  readonly requests: ReadonlyArray<ReceivedRequest>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** A server whose answers are given by the test, except for its version. */
export const serverAnswering = async (
  answer: (received: ReceivedRequest, response: ServerResponse) => void,
  { tls = false, user = "{ token: t }" }: { readonly tls?: boolean; readonly user?: string } = {}
): Promise<AnsweringServer> => {
  const requests: Array<ReceivedRequest> = []
  const listener: RequestListener = (request, response) => {
    const { method = "", url = "", headers } = request
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      if (url === "/version") return sendJson(response, 200, { major: "1" })
      const headerLines = request.headersDistinct
      const received = { method, url, headers, headerLines, body: text === "" ? undefined : JSON.parse(text) }
      requests.push(received)
      return answer(received, response)
    })
  }
  const certificates = tls ? await generateCertificates(["127.0.0.1"]) : undefined
  const server =
    certificates === undefined ? createPlain(listener) : createSecure(certificates.server, listener)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const url = `http${tls ? "s" : ""}://127.0.0.1:${port}`
  const ca =
    certificates === undefined
      ? ""
      : `, certificate-authority-data: ${Buffer.from(certificates.ca).toString("base64")}`
  const folder = mkdtempSync(join(tmpdir(), "charthouse-answering-"))
  const kubeconfig = join(folder, "config")
  writeFileSync(
    kubeconfig,
    `current-context: a
contexts: [{ name: a, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "${url}"${ca} } }]
users: [{ name: u, user: ${user} }]
`
  )
  const writeKubeconfig = (text: string): string => {
    writeFileSync(join(folder, "other-config"), text)
    return join(folder, "other-config")
  }
  return {
    kubeconfig,
    writeKubeconfig,
    url,
    requests,
    [Symbol.asyncDispose]: async () => {
      rmSync(folder, { recursive: true })
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  }
}

export const sendJson = (response: ServerResponse, code: number, body: unknown): void => {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body))
}
