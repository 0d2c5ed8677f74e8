import { existsSync } from "node:fs"
import { kubeconfigContextName } from "../../server/access/kubeconfigContextName.ts"
import { kubeconfigEntries } from "../../server/access/kubeconfigEntries.ts"
import { isServing } from "./isServing.ts"
import { changeKubeconfig, parseKubeconfig, KubeconfigError, ownerOnlyMode } from "./kubeconfigFile.ts"
import {
  addServedContext,
  contextIdentityOf,
  servedContextsIn,
  removeServedContext
} from "./servedContexts.ts"
import type { Document } from "yaml"
import type { ServerAccess } from "../../server/access/kubeconfigEntries.ts"
import type { KubeconfigContent } from "./kubeconfigFile.ts"
import type { ServedContext } from "./servedContexts.ts"

/**
 * Adds a server's entries to a kubeconfig and makes its context current. Keeps everything else but the entries of
 * killed servers. Fails if a running server has the same name. The returned function removes the entries, and
 * restores the file byte for byte if it has not changed since.
 */
export const installContext = async (path: string, access: ServerAccess): Promise<() => void> => {
  const isServedByKey = new Map<string, boolean>()
  for (;;) {
    const attempt = tryInstall(path, access, isServedByKey)
    if ("uninstall" in attempt) return attempt.uninstall
    await Promise.all(
      attempt.unchecked.map(async (context) => {
        // This server listens at its address now: the entry is of an earlier, killed server.
        const isServed = context.url !== access.url && (await isServing(context))
        isServedByKey.set(keyOf(context), isServed)
      })
    )
  }
}

type InstallAttempt =
  | { readonly uninstall: () => void }
  | { readonly unchecked: ReadonlyArray<ServedContext> }

const keyOf = (context: ServedContext): string => JSON.stringify(context)

/** Changes nothing if contexts are unchecked: looking for their servers is too slow under the lock. */
const tryInstall = (
  path: string,
  access: ServerAccess,
  isServedByKey: ReadonlyMap<string, boolean>
): InstallAttempt => {
  const contextName = kubeconfigContextName(access.name)
  let attempt: InstallAttempt = { unchecked: [] }
  changeKubeconfig(path, (present) => {
    const document = parseKubeconfig(path, present?.text ?? "")
    // Includes a context of the wanted name that a user copied without Charthouse's extension.
    const contexts = servedContextsIn(document, { withoutExtension: contextName })
    const unchecked = contexts.filter((it) => !isServedByKey.has(keyOf(it)))
    if (unchecked.length > 0) {
      attempt = { unchecked }
      return present
    }
    const conflict = contexts.find(
      (it) => it.contextName === contextName && isServedByKey.get(keyOf(it)) === true
    )
    if (conflict !== undefined) throw new KubeconfigError(nameTakenText(path, access.name, conflict))
    const before = removeAbandoned(
      document,
      present,
      contexts.filter((it) => isServedByKey.get(keyOf(it)) === false)
    )
    addServedContext(document, kubeconfigEntries(access), before?.mode ?? ownerOnlyMode)
    const writtenFile = { text: textOf(document), mode: ownerOnlyMode }
    attempt = { uninstall: once(() => uninstall(path, access, before, writtenFile.text)) }
    return writtenFile
  })
  return attempt
}

const nameTakenText = (path: string, name: string, { url }: ServedContext): string =>
  `a cluster called ${JSON.stringify(name)} is being served already, at ${url}, by what ${path} says: ` +
  "end that one, or give this one another --name"

/** Returns the file as it was before killed servers added their entries. */
const removeAbandoned = (
  document: Document,
  present: KubeconfigContent | undefined,
  abandoned: ReadonlyArray<ServedContext>
): KubeconfigContent | undefined => {
  if (present === undefined || abandoned.length === 0) return present
  // Entries remember the file's earlier mode, which is restored with the removal of the last one.
  let { mode } = present
  for (const context of abandoned) mode = removeServedContext(document, context).mode ?? mode
  return { text: textOf(document), mode }
}

const uninstall = (
  path: string,
  access: ServerAccess,
  before: KubeconfigContent | undefined,
  writtenText: string
): void => {
  if (!existsSync(path)) return
  try {
    changeKubeconfig(path, (present) => {
      if (present === undefined) return undefined
      // The user may have chosen another mode since, which stays.
      const hasOurMode = present.mode === ownerOnlyMode
      if (present.text === writtenText) {
        return before === undefined ? undefined : { ...before, mode: hasOurMode ? before.mode : present.mode }
      }
      const document = parseKubeconfig(path, present.text)
      const { hasChanged, mode } = removeServedContext(document, contextIdentityOf(access))
      if (!hasChanged) return present
      return { text: textOf(document), mode: hasOurMode ? (mode ?? present.mode) : present.mode }
    })
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    const contextName = kubeconfigContextName(access.name)
    const instruction = `${contextName} is left in it: take out the context, the cluster and the user of that name by hand`
    throw new KubeconfigError(`${error.message}; ${instruction}`, { cause: error })
  }
}

const once = (action: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}

const textOf = (document: Document): string => document.toString({ lineWidth: 0 })
