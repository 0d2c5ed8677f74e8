import { isMap, isSeq } from "yaml"
import type { Document, YAMLMap } from "yaml"
import type { ServerAccess, KubeconfigEntries } from "../../server/access/kubeconfigEntries.ts"
import { contextNamePrefix, kubeconfigContextName } from "../../server/access/kubeconfigContextName.ts"
import { textOrEmpty } from "../../kubernetes/meta/fields.ts"
import { kubeconfigLists, ownerOnlyMode } from "./kubeconfigFile.ts"

export interface ServedContext {
  readonly contextName: string
  readonly url: string
  readonly token: string
  /** PEM; empty without a certificate authority. */
  readonly ca: string
}

const currentContextField = "current-context"
/** This extension marks Charthouse's contexts and remembers the previous context and file mode. */
const extensionName = "charthouse.dev"

/**
 * Finds Charthouse's contexts, and `withoutExtension`, the name of a context that a user may have copied from
 * `charthouse get kubeconfig`.
 */
export const servedContextsIn = (
  document: Document,
  { withoutExtension }: { readonly withoutExtension: string | undefined }
): ReadonlyArray<ServedContext> =>
  itemsOf(document, "contexts").flatMap((context) => {
    const name = textAt(context, "name")
    return name === withoutExtension ||
      (name.startsWith(contextNamePrefix) && extensionOf(context) !== undefined)
      ? [readServedContext(document, name)]
      : []
  })

const readServedContext = (document: Document, contextName: string): ServedContext => {
  const cluster = itemOf(document, "clusters", contextName)
  const certificate = textAt(cluster, "cluster", "certificate-authority-data")
  return {
    contextName,
    url: textAt(cluster, "cluster", "server"),
    token: textAt(itemOf(document, "users", contextName), "user", "token"),
    ca: Buffer.from(certificate, "base64").toString()
  }
}

export const addServedContext = (document: Document, entries: KubeconfigEntries, mode: number): void => {
  const previousContext = document.get(currentContextField)
  const extension = {
    ...(typeof previousContext === "string" && previousContext !== "" ? { previousContext } : {}),
    ...(mode === ownerOnlyMode ? {} : { mode: mode.toString(8) })
  }
  const { context } = entries.contexts as { readonly context?: object }
  const extensions = [{ name: extensionName, extension }]
  const annotatedEntries = {
    ...entries,
    contexts: { ...entries.contexts, context: { ...context, extensions } }
  }
  for (const list of kubeconfigLists) {
    removeItems(document, list, (item) => textAt(item, "name") === entries[list].name)
    const items = document.get(list)
    if (isSeq(items)) items.add(document.createNode(annotatedEntries[list]))
    else document.set(list, document.createNode([annotatedEntries[list]]))
  }
  document.set(currentContextField, entries.contexts.name)
}

/**
 * Removes a context if the entries are still those of `served`, and restores the previous context. Corrects
 * Charthouse's other contexts that remember the removed one as previous.
 */
export const removeServedContext = (
  document: Document,
  served: Pick<ServedContext, "contextName" | "url" | "token">
): RemovalResult => {
  const { contextName } = served
  const presentContext = readServedContext(document, contextName)
  // Another server may have replaced the entries.
  const isOfOtherServer =
    (presentContext.url !== "" && presentContext.url !== served.url) ||
    (presentContext.token !== "" && presentContext.token !== served.token)
  if (isOfOtherServer) return { hasChanged: false, mode: undefined }
  // A context that the user renamed or added for the same cluster would lead nowhere, too.
  const contextsToServer = itemsOf(document, "contexts").filter(
    (item) => textAt(item, "name") === contextName || textAt(item, "context", "cluster") === contextName
  )
  const [extension] = contextsToServer.flatMap((item) => extensionOf(item) ?? [])
  const previous = textAt(extension, "previousContext")
  const mode = textAt(extension, "mode")
  const names = new Set([contextName, ...contextsToServer.map((item) => textAt(item, "name"))])
  const countBefore = kubeconfigLists.flatMap((list) => itemsOf(document, list)).length
  removeItems(document, "contexts", (item) => contextsToServer.includes(item))
  for (const list of kubeconfigLists)
    removeItems(document, list, (item) => textAt(item, "name") === contextName)
  const hasChanged = kubeconfigLists.flatMap((list) => itemsOf(document, list)).length < countBefore

  const otherExtensions = itemsOf(document, "contexts").flatMap((item) => extensionOf(item) ?? [])
  for (const other of otherExtensions) {
    if (names.has(textAt(other, "previousContext"))) setOrDelete(other, "previousContext", previous)
  }
  const isCurrent = names.has(textOrEmpty(document.get(currentContextField)))
  if (isCurrent) setOrDelete(document, currentContextField, contextExists(document, previous) ? previous : "")
  // The file keeps its restricted mode until Charthouse's last context is removed.
  const [nextExtension] = otherExtensions
  if (nextExtension !== undefined && mode !== "") nextExtension.set("mode", mode)
  const isLast = nextExtension === undefined && mode !== ""
  return { hasChanged: hasChanged || isCurrent, mode: isLast ? Number.parseInt(mode, 8) : undefined }
}

export interface RemovalResult {
  readonly hasChanged: boolean
  /** The file's mode before charthouse added contexts; undefined while some are left. */
  readonly mode: number | undefined
}

/** Another program's context counts as existing: it may be in another file of `$KUBECONFIG`. */
const contextExists = (document: Document, context: string): boolean =>
  !context.startsWith(contextNamePrefix) || itemOf(document, "contexts", context) !== undefined

export const contextIdentityOf = ({
  name,
  url,
  token = ""
}: ServerAccess): Pick<ServedContext, "contextName" | "url" | "token"> => ({
  contextName: kubeconfigContextName(name),
  url,
  token
})

const extensionOf = (context: YAMLMap): YAMLMap | undefined => {
  const extensions = context.getIn(["context", "extensions"])
  if (!isSeq(extensions)) return undefined
  const ours = extensions.items.filter(isMap).find((item) => item.get("name") === extensionName)
  const extension = ours?.get("extension")
  return isMap(extension) ? extension : undefined
}

const itemsOf = (document: Document, list: string): ReadonlyArray<YAMLMap> => {
  const items = document.get(list)
  return isSeq(items) ? items.items.filter(isMap) : []
}

const itemOf = (document: Document, list: string, name: string): YAMLMap | undefined =>
  itemsOf(document, list).find((item) => item.get("name") === name)

const removeItems = (document: Document, list: string, predicate: (item: YAMLMap) => boolean): void => {
  const items = document.get(list)
  if (isSeq(items)) items.items = items.items.filter((item) => !isMap(item) || !predicate(item))
}

const textAt = (node: YAMLMap | undefined, ...path: ReadonlyArray<string>): string =>
  textOrEmpty(node?.getIn(path))

const setOrDelete = (node: YAMLMap | Document, key: string, text: string): void => {
  if (text === "") node.delete(key)
  else node.set(key, text)
}
