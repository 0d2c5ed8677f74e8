import { isMap, isSeq } from "yaml"
import type { Document, YAMLMap } from "yaml"
import type { Access, KubeconfigEntries } from "../api/kubeconfig.ts"
import { contextName } from "../api/contextName.ts"
import { textOf } from "../domain/fields.ts"
import { lists, ownerOnly } from "./kubeconfigFile.ts"

/** What a kubeconfig says of a server that has lent it a context. */
export interface Lent {
  /** Of the context, the cluster and the user. */
  readonly entry: string
  readonly url: string
  readonly token: string
  /** PEM. */
  readonly ca: string
}

const current = "current-context"
/** Under this name a context says that it is lent, and what was there before, for whoever finds it left behind. */
const extensionName = "charthouse.dev"

/** All that has been lent to a kubeconfig, and what has the name of what is to be. */
export const lentIn = (document: Document, ours: string): ReadonlyArray<Lent> =>
  itemsOf(document, "contexts").flatMap((context) => {
    const entry = textAt(context, "name")
    return entry === ours || (entry.startsWith(contextName("")) && noteOf(context) !== undefined)
      ? [lentAs(document, entry)]
      : []
  })

const lentAs = (document: Document, entry: string): Lent => {
  const cluster = itemOf(document, "clusters", entry)
  const authority = textAt(cluster, "cluster", "certificate-authority-data")
  return {
    entry,
    url: textAt(cluster, "cluster", "server"),
    token: textAt(itemOf(document, "users", entry), "user", "token"),
    ca: Buffer.from(authority, "base64").toString()
  }
}

/** Puts the entries of a server in and makes its context the current one. `mode` is that of the file until now. */
export const lend = (document: Document, entries: KubeconfigEntries, mode: number): void => {
  const previousContext = document.get(current)
  const extension = {
    ...(typeof previousContext === "string" && previousContext !== "" ? { previousContext } : {}),
    ...(mode === ownerOnly ? {} : { mode: mode.toString(8) })
  }
  const { context } = entries.contexts as { readonly context?: object }
  const extensions = [{ name: extensionName, extension }]
  const noted = { ...entries, contexts: { ...entries.contexts, context: { ...context, extensions } } }
  for (const list of lists) {
    remove(document, list, (item) => textAt(item, "name") === entries[list].name)
    const items = document.get(list)
    if (isSeq(items)) items.add(document.createNode(noted[list]))
    else document.set(list, document.createNode([noted[list]]))
  }
  document.set(current, entries.contexts.name)
}

/**
 * Takes out what is lent, if it is still that. Current is then what was before, or nothing; what others of ours have
 * noted of it they are told anew. Returns the mode that the file is to have again, where none of ours is left in it.
 */
export const takeOut = (document: Document, lent: Pick<Lent, "entry" | "url" | "token">): Taken => {
  const { entry } = lent
  const present = lentAs(document, entry)
  const isOthers =
    (present.url !== "" && present.url !== lent.url) || (present.token !== "" && present.token !== lent.token)
  if (isOthers) return { hasChanged: false, mode: undefined }
  // A context that somebody made or named anew to lead here leads nowhere now.
  const leading = itemsOf(document, "contexts").filter(
    (item) => textAt(item, "name") === entry || textAt(item, "context", "cluster") === entry
  )
  const [note] = leading.flatMap((item) => noteOf(item) ?? [])
  const previous = textAt(note, "previousContext")
  const mode = textAt(note, "mode")
  const names = new Set([entry, ...leading.map((item) => textAt(item, "name"))])
  const found = lists.flatMap((list) => itemsOf(document, list)).length
  remove(document, "contexts", (item) => leading.includes(item))
  for (const list of lists) remove(document, list, (item) => textAt(item, "name") === entry)
  const hasChanged = lists.flatMap((list) => itemsOf(document, list)).length < found

  const others = itemsOf(document, "contexts").flatMap((item) => noteOf(item) ?? [])
  for (const other of others) {
    if (names.has(textAt(other, "previousContext"))) setOrDelete(other, "previousContext", previous)
  }
  const isCurrent = names.has(textOf(document.get(current)))
  if (isCurrent) setOrDelete(document, current, isThere(document, previous) ? previous : "")
  const [heir] = others
  if (heir !== undefined && mode !== "") heir.set("mode", mode)
  const isLast = heir === undefined && mode !== ""
  return { hasChanged: hasChanged || isCurrent, mode: isLast ? Number.parseInt(mode, 8) : undefined }
}

export interface Taken {
  readonly hasChanged: boolean
  readonly mode: number | undefined
}

/** One of somebody else may be in another of the files of `$KUBECONFIG`; ours are where they were written. */
const isThere = (document: Document, context: string): boolean =>
  !context.startsWith(contextName("")) || itemOf(document, "contexts", context) !== undefined

export const lentBy = ({ name, url, token = "" }: Access): Pick<Lent, "entry" | "url" | "token"> => ({
  entry: contextName(name),
  url,
  token
})

const noteOf = (context: YAMLMap): YAMLMap | undefined => {
  const extensions = context.getIn(["context", "extensions"])
  if (!isSeq(extensions)) return undefined
  const named = extensions.items.filter(isMap).find((item) => item.get("name") === extensionName)
  const note = named?.get("extension")
  return isMap(note) ? note : undefined
}

const itemsOf = (document: Document, list: string): ReadonlyArray<YAMLMap> => {
  const items = document.get(list)
  return isSeq(items) ? items.items.filter(isMap) : []
}

const itemOf = (document: Document, list: string, name: string): YAMLMap | undefined =>
  itemsOf(document, list).find((item) => item.get("name") === name)

const remove = (document: Document, list: string, isMeant: (item: YAMLMap) => boolean): void => {
  const items = document.get(list)
  if (isSeq(items)) items.items = items.items.filter((item) => !isMap(item) || !isMeant(item))
}

const textAt = (node: YAMLMap | undefined, ...path: ReadonlyArray<string>): string =>
  textOf(node?.getIn(path))

const setOrDelete = (node: YAMLMap | Document, key: string, text: string): void => {
  if (text === "") node.delete(key)
  else node.set(key, text)
}
