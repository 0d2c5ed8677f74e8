import { resolve } from "node:path"
import { stringify } from "yaml"
import { fieldsOrEmpty, textOrEmpty } from "../kubernetes/meta/fields.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { KubeContext, KubeUser } from "./kubeContext.ts"

/** A kubeconfig with only this context, in the given namespace. File names are absolute. */
export const makeContextKubeconfig = (context: KubeContext, namespace: string): string => {
  const { name, url, ca, skipsTlsVerify, serverName, user } = context
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64")
  const cluster = {
    server: url,
    ...(ca === undefined ? {} : { "certificate-authority-data": base64(ca) }),
    ...(skipsTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(serverName === undefined ? {} : { "tls-server-name": serverName })
  }
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name: user.name, user: withAbsolutePaths(user) }],
    contexts: [{ name, context: { cluster: name, user: user.name, namespace } }],
    "current-context": name
  })
}

const fileFields = ["client-certificate", "client-key", "tokenFile"]

const withAbsolutePaths = ({ fields, folder }: KubeUser): Fields => {
  const files = fileFields
    .filter((name) => textOrEmpty(fields[name]) !== "")
    .map((name) => [name, resolve(folder, textOrEmpty(fields[name]))])
  const exec = fieldsOrEmpty(fields["exec"])
  const command = textOrEmpty(exec["command"])
  const program = command.includes("/") ? { exec: { ...exec, command: resolve(folder, command) } } : {}
  return { ...fields, ...Object.fromEntries(files), ...program }
}
