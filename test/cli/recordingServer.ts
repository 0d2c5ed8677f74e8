import { writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { join } from "node:path"
import { kubeconfigText } from "../../src/server/access/kubeconfigEntries.ts"
import { generateCertificates } from "../../src/server/access/serverCertificates.ts"
import { aFolder } from "./kubeconfigs.ts"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ServedContext } from "../../src/cli/kubeconfig/servedContexts.ts"

/** What is asked for: `2` is the third connection. */
interface Asked {
  readonly connection: number
  readonly since: string | null
}

/** A server that gives a recording as it is told to, and the kubeconfig that leads to it. */
export const aRecordingServer = async (answer: (asked: Asked, response: ServerResponse) => void) => {
  const { ca, server: keys } = await generateCertificates(["127.0.0.1"])
  let connections = 0
  const server = createServer(keys, ({ url = "" }, response) => {
    const since = new URL(url, "https://here").searchParams.get("since")
    answer({ connection: connections, since }, response)
    connections += 1
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const lent: ServedContext = { entry: "charthouse-fake", url: `https://127.0.0.1:${port}`, ca, token: "t" }
  const folder = aFolder()
  const kubeconfig = join(folder, "config")
  writeFileSync(kubeconfig, kubeconfigText({ ...lent, name: "fake" }))
  const file = join(folder, "web.recording")
  const asked = new Promise<void>((told) => server.once("request", () => told()))
  return {
    lent,
    file,
    words: ["record", "--kubeconfig", kubeconfig, "-o"] as const,
    /** Somebody has asked. */
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((ended) => {
        server.close(() => ended())
        server.closeAllConnections()
      })
  }
}
