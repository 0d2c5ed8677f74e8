import { writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { join } from "node:path"
import { kubeconfigText } from "../../../src/server/access/kubeconfigEntries.ts"
import { generateCertificates } from "../../../src/server/access/serverCertificates.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ServedContext } from "../../../src/cli/kubeconfig/servedContexts.ts"

/** One request for the recording; connections are counted from 0. */
interface RecordingRequest {
  readonly connection: number
  readonly since: string | null
}

/** A server of recordings with the given answers, and a kubeconfig for it. */
export const aRecordingServer = async (
  answer: (request: RecordingRequest, response: ServerResponse) => void
) => {
  const { ca, server: keys } = await generateCertificates(["127.0.0.1"])
  let connections = 0
  const server = createServer(keys, ({ url = "" }, response) => {
    const since = new URL(url, "https://here").searchParams.get("since")
    answer({ connection: connections, since }, response)
    connections += 1
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const access: ServedContext = {
    contextName: "charthouse-fake",
    url: `https://127.0.0.1:${port}`,
    ca,
    token: "t"
  }
  const folder = temporaryFolder()
  const kubeconfig = join(folder, "config")
  writeFileSync(kubeconfig, kubeconfigText({ ...access, name: "fake" }))
  const file = join(folder, "web.recording")
  const requested = new Promise<void>((resolve) => server.once("request", () => resolve()))
  return {
    access,
    file,
    args: ["record", "--kubeconfig", kubeconfig, "-o"] as const,
    /** Resolves with the first request. */
    requested,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((ended) => {
        server.close(() => ended())
        server.closeAllConnections()
      })
  }
}
