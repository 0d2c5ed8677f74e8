import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { fieldsOrEmpty, isFields, textOrEmpty } from "../kubernetes/meta/fields.ts"
import { readKubeconfigFile, readPem } from "./kubeContext.ts"
import { UnusableKubeconfig } from "./clientErrors.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { KubeUser } from "./kubeContext.ts"

export interface ClientCredentials {
  /** Undefined when the client certificate authenticates. */
  readonly authorization: string | undefined
  readonly certificate: string | undefined
  readonly key: string | undefined
}

/**
 * Runs an exec plugin without interaction.
 *
 * Source: client-go/tools/clientcmd/api/v1/types.go (AuthInfo), plugin/pkg/client/auth/exec.
 */
export const readCredentials = async (user: KubeUser): Promise<ClientCredentials> => {
  const { fields, folder } = user
  const exec = fields["exec"]
  if (isFields(exec)) return runExecPlugin(user, exec)
  if (fields["auth-provider"] !== undefined) {
    throw new UnusableKubeconfig(
      `user ${JSON.stringify(user.name)}: auth-provider is no longer part of Kubernetes; use exec`
    )
  }
  return {
    authorization: authorizationOf(fields, folder),
    certificate: readPem(fields, "client-certificate", folder),
    key: readPem(fields, "client-key", folder)
  }
}

const authorizationOf = (fields: Fields, folder: string): string | undefined => {
  const file = textOrEmpty(fields["tokenFile"])
  const token = file === "" ? textOrEmpty(fields["token"]) : readKubeconfigFile(resolve(folder, file)).trim()
  if (token !== "") return `Bearer ${token}`
  const name = textOrEmpty(fields["username"])
  if (name === "") return undefined
  return `Basic ${Buffer.from(`${name}:${textOrEmpty(fields["password"])}`).toString("base64")}`
}

const runExecPlugin = async (user: KubeUser, exec: Fields): Promise<ClientCredentials> => {
  const command = textOrEmpty(exec["command"])
  const envEntries = Array.isArray(exec["env"]) ? exec["env"].filter(isFields) : []
  const env = {
    ...process.env,
    ...Object.fromEntries(
      envEntries.map((entry) => [textOrEmpty(entry["name"]), textOrEmpty(entry["value"])])
    ),
    KUBERNETES_EXEC_INFO: JSON.stringify({
      apiVersion: exec["apiVersion"],
      kind: "ExecCredential",
      spec: { interactive: false }
    })
  }
  const args = Array.isArray(exec["args"]) ? exec["args"].map(String) : []
  // A command with a slash is relative to the kubeconfig's folder; others are looked up in PATH.
  const program = command.includes("/") ? resolve(user.folder, command) : command
  const output = await new Promise<string>((resolvePromise, reject) => {
    execFile(program, args, { env }, (error, stdout) => {
      const message = `user ${JSON.stringify(user.name)}: ${JSON.stringify(command)} gave no credentials`
      if (error === null) resolvePromise(stdout)
      else reject(new UnusableKubeconfig(`${message}: ${error.message.trim()}`))
    })
  })
  const status = parseExecStatus(output)
  const token = textOrEmpty(status["token"])
  return {
    authorization: token === "" ? undefined : `Bearer ${token}`,
    certificate: textOrEmpty(status["clientCertificateData"]) || undefined,
    key: textOrEmpty(status["clientKeyData"]) || undefined
  }
}

const parseExecStatus = (output: string): Fields => {
  try {
    return fieldsOrEmpty(fieldsOrEmpty(JSON.parse(output))["status"])
  } catch {
    return {}
  }
}
