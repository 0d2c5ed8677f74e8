import { stringify } from "yaml"
import { kubeconfigContextName } from "./kubeconfigContextName.ts"

export interface ServerAccess {
  /** The context is named `charthouse-NAME`. */
  readonly name: string
  readonly url: string
  /** PEM; undefined for plain HTTP. */
  readonly ca: string | undefined
  readonly token: string | undefined
}

export interface KubeconfigEntries {
  readonly clusters: NamedEntry
  readonly users: NamedEntry
  readonly contexts: NamedEntry
}

interface NamedEntry {
  readonly name: string
}

export const kubeconfigEntries = ({ name, url, ca, token }: ServerAccess): KubeconfigEntries => {
  const context = kubeconfigContextName(name)
  // @kubernetes/client-node requires this field for plain HTTP.
  const authority =
    ca === undefined
      ? { "insecure-skip-tls-verify": true }
      : { "certificate-authority-data": Buffer.from(ca).toString("base64") }
  return {
    clusters: { name: context, cluster: { server: url, ...authority } } as NamedEntry,
    users: { name: context, user: token === undefined ? {} : { token } } as NamedEntry,
    contexts: { name: context, context: { cluster: context, user: context } } as NamedEntry
  }
}

export const kubeconfigText = (access: ServerAccess): string => {
  const { clusters, users, contexts } = kubeconfigEntries(access)
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [clusters],
    users: [users],
    contexts: [contexts],
    "current-context": contexts.name
  })
}
