import { createServer } from "node:https"
import { text as textOf } from "node:stream/consumers"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { kubeconfigText } from "../../../src/server/access/kubeconfigEntries.ts"
import { generateCertificates } from "../../../src/server/access/serverCertificates.ts"
import { temporaryFolder } from "./kubeconfigs.ts"
import type { AddressInfo } from "node:net"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

/**
 * Control characters: NUL, BEL, an escape sequence for a colour that no palette uses, one for the window title, CR, a
 * newline with a forged line, a tab, DEL, 8-bit CSI and NEL, a line separator and two direction overrides.
 */
export const controls =
  "\u0000\u0007\u001B[35m\u001B]0;owned\u0007\r\nFORGED line\t\u007F\u009B2J\u0085\u2028\u202E\u2066"

export interface Misbehaviour {
  /** Fields whose text stays unchanged. */
  readonly unchangedFields?: ReadonlyArray<string>
  /** Answers every request with this code and a message of control characters. */
  readonly refuses?: number
  /** Answers every request with this text. */
  readonly answersWith?: string
}

/** Fields that clients could not decode with other text in them. */
const decodedFields: ReadonlySet<string> = new Set(
  (
    "apiVersion kind uid resourceVersion type status phase fault strategy for event change id " +
    "deployment.kubernetes.io/revision"
  ).split(" ")
)
const timestamp = /^\d{4}-\d\d-\d\dT/

/** The same data with control characters at the end of every text. */
export const withControls = (value: unknown, unchangedFields: ReadonlyArray<string>, field = ""): unknown => {
  if (typeof value === "string")
    return decodedFields.has(field) || unchangedFields.includes(field) || timestamp.test(value)
      ? value
      : `${value}${controls}`
  if (Array.isArray(value)) return value.map((it) => withControls(it, unchangedFields, field))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [key, withControls(it, unchangedFields, key)])
  )
}

/** A proxy of a cluster's server that adds control characters to every text. */
export const aHostileServer = async (cluster: OpenCluster) => {
  const { ca, server: keys } = await generateCertificates(["127.0.0.1"])
  const { url: behind, token } = await cluster.serve({ tls: false })
  let misbehaviour: Misbehaviour = {}
  const server = createServer(keys, (request, response) => {
    const { unchangedFields = [], refuses, answersWith } = misbehaviour
    const withControlsPerLine = (text: string): string =>
      text
        .split("\n")
        .map((line) => (line === "" ? "" : JSON.stringify(withControls(JSON.parse(line), unchangedFields))))
        .join("\n")
    const answer = async (): Promise<void> => {
      if (answersWith !== undefined) {
        response.writeHead(200, { "content-type": "application/json" }).end(answersWith)
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
      response
        .writeHead(answered.status, { "content-type": "application/json" })
        .end(withControlsPerLine(text))
    }
    void answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const kubeconfig = join(temporaryFolder(), "config")
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
