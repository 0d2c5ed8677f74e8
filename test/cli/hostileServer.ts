import { createServer } from "node:https"
import { text as textOf } from "node:stream/consumers"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { kubeconfigText } from "../../src/server/access/kubeconfigEntries.ts"
import { generateCertificates } from "../../src/server/access/serverCertificates.ts"
import { aFolder } from "./kubeconfigs.ts"
import type { AddressInfo } from "node:net"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

/**
 * Controls of every kind: NUL, BEL, an escape sequence for a colour that no palette of ours has, one for the title of
 * the window, CR, a newline with what would be a line of its own, a tab, DEL, CSI and NEL of 8 bits, a line separator
 * and two characters that change the direction of writing.
 */
export const controls =
  "\u0000\u0007\u001B[35m\u001B]0;owned\u0007\r\nFORGED line\t\u007F\u009B2J\u0085\u2028\u202E\u2066"

/** How a server misbehaves. */
export interface Misbehaviour {
  /** Fields whose text stays as it is. */
  readonly honest?: ReadonlyArray<string>
  /** Answers every question with this code and a message of controls. */
  readonly refuses?: number
  /** Answers every question with this text. */
  readonly says?: string
}

/** What would no longer be read at all with other text in it. */
const read: ReadonlySet<string> = new Set(
  (
    "apiVersion kind uid resourceVersion type status phase fault strategy for event change id " +
    "deployment.kubernetes.io/revision"
  ).split(" ")
)
const timestamp = /^\d{4}-\d\d-\d\dT/

/** The same data with controls at the end of every text. */
export const withControls = (value: unknown, honest: ReadonlyArray<string>, field = ""): unknown => {
  if (typeof value === "string")
    return read.has(field) || honest.includes(field) || timestamp.test(value) ? value : `${value}${controls}`
  if (Array.isArray(value)) return value.map((it) => withControls(it, honest, field))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, withControls(it, honest, key)]))
}

/** Stands before a cluster and answers with what the cluster says, and with controls in every text of it. */
export const aHostileServer = async (cluster: OpenCluster) => {
  const { ca, server: keys } = await generateCertificates(["127.0.0.1"])
  const { url: behind, token = "" } = await cluster.serve({ tls: false })
  let misbehaviour: Misbehaviour = {}
  const server = createServer(keys, (request, response) => {
    const { honest = [], refuses, says } = misbehaviour
    const poisoned = (text: string): string =>
      text
        .split("\n")
        .map((line) => (line === "" ? "" : JSON.stringify(withControls(JSON.parse(line), honest))))
        .join("\n")
    const answer = async (): Promise<void> => {
      if (says !== undefined) {
        response.writeHead(200, { "content-type": "application/json" }).end(says)
        return
      }
      if (refuses !== undefined) {
        const status = { kind: "Status", reason: `No${controls}`, message: `no${controls}`, code: refuses }
        response.writeHead(refuses, { "content-type": "application/json" }).end(JSON.stringify(status))
        return
      }
      const { method = "", url = "" } = request
      const body = await textOf(request)
      const answered = await fetch(`${behind}${url}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === "" ? {} : { body })
      })
      const text = await answered.text()
      response.writeHead(answered.status, { "content-type": "application/json" }).end(poisoned(text))
    }
    void answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const kubeconfig = join(aFolder(), "config")
  const access = { name: "hostile", url: `https://127.0.0.1:${port}`, ca, token: "t" }
  writeFileSync(kubeconfig, kubeconfigText(access))
  return {
    kubeconfig,
    misbehave: (next: Misbehaviour): void => {
      misbehaviour = next
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}
