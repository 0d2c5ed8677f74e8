import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "yaml"
import { generateCertificates } from "../../../src/server/access/serverCertificates.ts"
import type { AddressInfo } from "node:net"
import type { ServerAccess } from "../../../src/server/access/kubeconfigEntries.ts"

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "charthouse-up-"))

export const aKubeconfigFile = (text: string): string => {
  const file = join(temporaryFolder(), "config")
  writeFileSync(file, text)
  return file
}

/** A user's kubeconfig with a comment, flow style and one context. */
export const userKubeconfig = `# mine
apiVersion: v1
kind: Config
clusters:
- {name: prod, cluster: {server: "https://prod"}}   # careful
users: [{name: me, user: {token: t}}]
contexts:
- name: prod
  context: {cluster: prod, user: me}
current-context: prod
`

interface ParsedKubeconfig {
  readonly "current-context"?: string
  readonly clusters?: ReadonlyArray<{ readonly name: string }>
  readonly contexts?: ReadonlyArray<{ readonly name: string }>
  readonly users: ReadonlyArray<{ readonly name: string; readonly user: { readonly token: string } }>
}

export const readKubeconfig = (file: string): ParsedKubeconfig =>
  parse(readFileSync(file, "utf8")) as ParsedKubeconfig

/** The current context and all contexts. */
export const contextsOf = (file: string) => {
  const { "current-context": current, contexts = [] } = readKubeconfig(file)
  return { current, contexts: contexts.map(({ name }) => name) }
}

/** Access to a server that no longer runs. */
export const anEndedServer = (name: string): ServerAccess => ({
  name,
  url: "https://127.0.0.1:1",
  ca: "PEM",
  token: `the-token-of-${name}`
})

/** A server with the certificate that its kubeconfig entry names. */
export const aServer = async (name: string): Promise<ServerAccess & AsyncDisposable> => {
  const { ca, server: keys } = await generateCertificates(["127.0.0.1"])
  const server = createServer(keys, (_request, response) => response.end("{}"))
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    name,
    url: `https://127.0.0.1:${port}`,
    ca,
    token: `the-token-of-${name}-${port}`,
    [Symbol.asyncDispose]: () => new Promise((ended) => server.close(() => ended()))
  }
}
