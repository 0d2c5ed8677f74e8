import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { isMap, isSeq, parseDocument } from "yaml"
import type { Document, YAMLMap } from "yaml"
import type { KubeconfigEntries } from "../api/kubeconfig.ts"

/** A kubeconfig that cannot be used as it is; nothing has been written. */
export class KubeconfigProblem extends Error {
  override readonly name = "KubeconfigProblem"
}

/** The file that kubectl would write to: the first of `$KUBECONFIG`, or `~/.kube/config`. */
export const kubeconfigPath = (env: NodeJS.ProcessEnv): string => {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "")
  const existing = listed.find((path) => existsSync(path))
  return existing ?? listed[0] ?? join(homedir(), ".kube", "config")
}

/**
 * Puts the entries of a server into a kubeconfig and makes its context the current one. What else is in the file stays
 * as it is, comments included. Returns how to take the entries out again: to the last byte as it was, where nobody has
 * written to it since.
 */
export const writeKubeconfig = (path: string, entries: KubeconfigEntries): (() => void) => {
  const file = existsSync(path) ? realpathSync(path) : path
  const before = textOf(file)
  const document = documentOf(file, before ?? "")
  const formerContext = contextBefore(document, entries.contexts.name)
  put(document, entries, formerContext)
  const written = document.toString({ lineWidth: 0 })
  replaceFile(file, written)
  let restored = false
  return () => {
    if (restored) return
    restored = true
    const now = textOf(file)
    if (now === undefined) return
    if (now === written) {
      if (before === undefined) rmSync(file, { force: true })
      else replaceFile(file, before)
      return
    }
    const present = documentOf(file, now)
    takeOut(present, entries.contexts.name, formerContext)
    replaceFile(file, present.toString({ lineWidth: 0 }))
  }
}

const textOf = (file: string): string | undefined => {
  if (!existsSync(file)) return undefined
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new KubeconfigProblem(`${file}: the kubeconfig cannot be read: ${wordsOf(error)}`)
  }
}

const documentOf = (file: string, text: string): Document => {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) {
    throw new KubeconfigProblem(`${file}: the kubeconfig is not YAML: ${error.message.split("\n")[0] ?? ""}`)
  }
  if (document.contents === null) {
    document.contents = document.createNode({ apiVersion: "v1", kind: "Config" }) as never
  }
  if (!isMap(document.contents)) throw new KubeconfigProblem(`${file}: this is not a kubeconfig`)
  for (const list of lists) {
    const found = document.get(list)
    if (found !== undefined && found !== null && !isSeq(found)) {
      throw new KubeconfigProblem(`${file}: "${list}" of the kubeconfig is not a list`)
    }
  }
  return document
}

const lists = ["clusters", "users", "contexts"] as const
const current = "current-context"
/** Under this name a context remembers which one was current before, for whoever finds it left behind. */
const extensionName = "charthouse.dev"

const contextBefore = (document: Document, ours: string): string | undefined => {
  const stated = document.get(current)
  if (typeof stated !== "string" || stated === "") return undefined
  if (stated !== ours) return stated
  const left: unknown = itemOf(document, "contexts", ours)?.toJSON()
  const previous = /"previousContext":"([^"]*)"/.exec(JSON.stringify(left ?? null))?.[1]
  return previous === "" ? undefined : previous
}

const put = (document: Document, entries: KubeconfigEntries, former: string | undefined): void => {
  for (const list of lists) {
    remove(document, list, entries[list].name)
    const entry =
      list === "contexts" && former !== undefined ? remembering(entries.contexts, former) : entries[list]
    const items = document.get(list)
    if (isSeq(items)) items.add(document.createNode(entry))
    else document.set(list, document.createNode([entry]))
  }
  document.set(current, entries.contexts.name)
}

const remembering = (entry: KubeconfigEntries["contexts"], previousContext: string): object => {
  const { context } = entry as { readonly context?: object }
  const extensions = [{ name: extensionName, extension: { previousContext } }]
  return { ...entry, context: { ...context, extensions } }
}

const takeOut = (document: Document, ours: string, former: string | undefined): void => {
  for (const list of lists) remove(document, list, ours)
  if (document.get(current) !== ours) return
  if (former === undefined) document.delete(current)
  else document.set(current, former)
}

const itemOf = (document: Document, list: string, name: string): YAMLMap | undefined => {
  const items = document.get(list)
  if (!isSeq(items)) return undefined
  return items.items.filter(isMap).find((item) => item.get("name") === name)
}

const remove = (document: Document, list: string, name: string): void => {
  const items = document.get(list)
  if (!isSeq(items)) return
  items.items = items.items.filter((item) => !isMap(item) || item.get("name") !== name)
}

const ownerOnly = 0o600

/** Whole or not at all: written beside the file and moved into its place, under the lock that kubectl respects. */
const replaceFile = (file: string, text: string): void => {
  const lock = `${file}.lock`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    closeSync(openSync(lock, "wx", ownerOnly))
  } catch (error) {
    const taken = error instanceof Error && "code" in error && error.code === "EEXIST"
    const why = taken ? `it is locked (${lock} exists; remove it if nobody writes)` : wordsOf(error)
    throw new KubeconfigProblem(`${file}: the kubeconfig cannot be written: ${why}`)
  }
  const beside = `${file}.charthouse-${process.pid}`
  try {
    writeFileSync(beside, text, { mode: ownerOnly })
    chmodSync(beside, existsSync(file) ? statSync(file).mode & 0o777 & ownerOnly : ownerOnly)
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw new KubeconfigProblem(`${file}: the kubeconfig cannot be written: ${wordsOf(error)}`)
  } finally {
    rmSync(lock, { force: true })
  }
}

const wordsOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return messages[code] ?? (error instanceof Error ? error.message : String(error))
}

const messages: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOTDIR: "its folder is a file",
  ENOSPC: "no space is left"
}
