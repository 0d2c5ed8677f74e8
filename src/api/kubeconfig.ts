import { stringify } from "yaml"
import { contextName } from "./contextName.ts"

/** What a client must know to reach a server. */
export interface Access {
  /** Of the cluster; contexts are called `charthouse-NAME`. */
  readonly name: string
  readonly url: string
  /** PEM; undefined for plain HTTP. */
  readonly ca: string | undefined
  readonly token: string | undefined
}

/** The three entries of one server in a kubeconfig, by the lists they stand in. */
export interface KubeconfigEntries {
  readonly clusters: NamedEntry
  readonly users: NamedEntry
  readonly contexts: NamedEntry
}

interface NamedEntry {
  readonly name: string
}

export const kubeconfigEntries = ({ name, url, ca, token }: Access): KubeconfigEntries => {
  const context = contextName(name)
  // Plain HTTP has nothing to verify, and @kubernetes/client-node only speaks it where that is said.
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

/** A whole kubeconfig for one server and nothing else. */
export const kubeconfigText = (access: Access): string => {
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
