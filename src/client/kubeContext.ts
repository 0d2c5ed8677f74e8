import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { parse } from "yaml"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { fieldsOrEmpty, isFields, textOrEmpty, type Fields } from "../kubernetes/meta/fields.ts"
import { UnusableKubeconfig } from "./clientErrors.ts"
import { kubeconfigPaths } from "./kubeconfigPaths.ts"

export interface KubeContext {
  readonly name: string
  readonly url: string
  readonly namespace: string
  /** PEM; undefined to trust the system's certificate authorities. */
  readonly ca: string | undefined
  readonly skipsTlsVerify: boolean
  /** The expected name in the server's certificate; undefined for the URL's host. */
  readonly serverName: string | undefined
  readonly user: KubeUser
}

/** File names are relative to `folder`. */
export interface KubeUser {
  readonly name: string
  readonly fields: Fields
  readonly folder: string
}

interface ContextQuery {
  /** A kubeconfig; by default those of `$KUBECONFIG`, or `~/.kube/config`. */
  readonly path?: string | undefined
  readonly context?: string | undefined
  readonly env: NodeJS.ProcessEnv
}

/**
 * Entries of the same name are not merged: that of the first file is used.
 *
 * Source: client-go/tools/clientcmd/loader.go, api/v1/types.go.
 */
export const readKubeContext = ({ path, context, env }: ContextQuery): KubeContext => {
  const files = filesOf(path, env)
  const filePaths = files.map(({ path }) => path).join(", ")
  const name =
    context ?? files.map(({ fields }) => textOrEmpty(fields["current-context"])).find((it) => it !== "")
  if (name === undefined) {
    throw new UnusableKubeconfig(`${filePaths}: no context is the current one, and none was asked for`)
  }
  const contextEntry = entryOf(files, "contexts", name)
  if (contextEntry === undefined) {
    const names = namesIn(files, "contexts")
    throw new UnusableKubeconfig(
      `${filePaths}: there is no context ${JSON.stringify(name)}${names === "" ? "" : `: there is ${names}`}`
    )
  }
  const contextFields = fieldsOrEmpty(contextEntry.entry["context"])
  const clusterName = textOrEmpty(contextFields["cluster"])
  const cluster = entryOf(files, "clusters", clusterName)
  if (cluster === undefined) {
    const why = `context ${JSON.stringify(name)} is for cluster ${JSON.stringify(clusterName)}, which is not there`
    throw new UnusableKubeconfig(`${contextEntry.file.path}: ${why}`)
  }
  const user = entryOf(files, "users", textOrEmpty(contextFields["user"]))
  return {
    name,
    namespace: textOrEmpty(contextFields["namespace"]) || "default",
    ...serverOf(cluster),
    user: {
      name: textOrEmpty(contextFields["user"]),
      fields: fieldsOrEmpty(user?.entry["user"]),
      folder: dirname((user ?? contextEntry).file.path)
    }
  }
}

interface KubeconfigFile {
  readonly path: string
  readonly fields: Fields
}

interface KubeconfigEntry {
  readonly entry: Fields
  readonly file: KubeconfigFile
}

/** An explicit path must exist; of the default paths at least one. */
const filesOf = (path: string | undefined, env: NodeJS.ProcessEnv): ReadonlyArray<KubeconfigFile> => {
  const paths = (path === undefined ? kubeconfigPaths(env) : [path]).map((file) => resolve(file))
  const files = paths.flatMap((file) => readFile(file) ?? [])
  if (files.length === 0) throw new UnusableKubeconfig(`${paths.join(", ")}: there is no such kubeconfig`)
  return files
}

const readFile = (path: string): KubeconfigFile | undefined => {
  let fields: unknown
  try {
    fields = parse(readFileSync(path, "utf8")) ?? {}
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    const [first = ""] = errorText(error).split("\n")
    throw new UnusableKubeconfig(`${path}: the kubeconfig cannot be read: ${first}`)
  }
  if (!isFields(fields)) throw new UnusableKubeconfig(`${path}: this is no kubeconfig`)
  const file = { path, fields }
  for (const list of ["clusters", "contexts", "users"]) requireUniqueNames(file, list)
  return file
}

/** Source: client-go/tools/clientcmd/api/v1/conversion.go. */
const requireUniqueNames = (file: KubeconfigFile, list: string): void => {
  const names = entriesOf(file, list).map(({ name }) => textOrEmpty(name))
  const duplicate = names.find((name, index) => names.indexOf(name) < index)
  if (duplicate === undefined) return
  throw new UnusableKubeconfig(`${file.path}: duplicate name ${JSON.stringify(duplicate)} in ${list}`)
}

const entryOf = (
  files: ReadonlyArray<KubeconfigFile>,
  list: string,
  name: string
): KubeconfigEntry | undefined => {
  for (const file of files) {
    const entry = entriesOf(file, list).find((listEntry) => listEntry["name"] === name)
    if (entry !== undefined) return { entry, file }
  }
  return undefined
}

const entriesOf = ({ fields }: KubeconfigFile, list: string): ReadonlyArray<Fields> => {
  const entries = fields[list]
  return Array.isArray(entries) ? entries.filter(isFields) : []
}

const namesIn = (files: ReadonlyArray<KubeconfigFile>, list: string): string =>
  files
    .flatMap((file) => entriesOf(file, list))
    .map((entry) => textOrEmpty(entry["name"]))
    .join(", ")

const serverOf = ({
  entry,
  file
}: KubeconfigEntry): Pick<KubeContext, "url" | "ca" | "skipsTlsVerify" | "serverName"> => {
  const cluster = fieldsOrEmpty(entry["cluster"])
  const where = `${file.path}: cluster ${JSON.stringify(entry["name"])}`
  const url = textOrEmpty(cluster["server"])
  if (URL.parse(url)?.protocol.startsWith("http") !== true) {
    throw new UnusableKubeconfig(`${where}: server ${JSON.stringify(url)} is no URL`)
  }
  if (textOrEmpty(cluster["proxy-url"]) !== "") {
    throw new UnusableKubeconfig(`${where}: proxy-url is not supported`)
  }
  return {
    url: url.replace(/\/+$/, ""),
    ca: readPem(cluster, "certificate-authority", dirname(file.path)),
    skipsTlsVerify: cluster["insecure-skip-tls-verify"] === true,
    serverName: textOrEmpty(cluster["tls-server-name"]) || undefined
  }
}

/** The base64 field `NAME-data`, or the content of the file in field `NAME`. */
export const readPem = (fields: Fields, name: string, folder: string): string | undefined => {
  const inline = textOrEmpty(fields[`${name}-data`])
  if (inline !== "") return Buffer.from(inline, "base64").toString()
  const path = textOrEmpty(fields[name])
  return path === "" ? undefined : readKubeconfigFile(resolve(folder, path))
}

export const readKubeconfigFile = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const why = errorText(error)
    throw new UnusableKubeconfig(`${path}: a file that the kubeconfig names cannot be read: ${why}`)
  }
}
