import { existsSync } from "node:fs"
import { contextName } from "../api/contextName.ts"
import { kubeconfigEntries } from "../api/kubeconfig.ts"
import { isServing } from "./answers.ts"
import { changeKubeconfig, documentOf, KubeconfigProblem, ownerOnly } from "./kubeconfigFile.ts"
import { lend, lentBy, lentIn, takeOut } from "./lentEntries.ts"
import type { Document } from "yaml"
import type { Access } from "../api/kubeconfig.ts"
import type { Kubeconfig } from "./kubeconfigFile.ts"
import type { Lent } from "./lentEntries.ts"

/**
 * Puts the entries of a server into a kubeconfig and makes its context the current one. What else is in the file stays
 * as it is, comments included; what a killed server has left behind is taken out. Refuses a name that is being served.
 * Returns how to take the entries out again: to the last byte as it was, where nobody has written to it since.
 */
export const lendContext = async (path: string, access: Access): Promise<() => void> => {
  const known = new Map<string, boolean>()
  for (;;) {
    const attempt = tryToLend(path, access, known)
    if ("takeBack" in attempt) return attempt.takeBack
    await Promise.all(attempt.unknown.map(async (lent) => known.set(keyOf(lent), await isServing(lent))))
  }
}

type Attempt = { readonly takeBack: () => void } | { readonly unknown: ReadonlyArray<Lent> }

const keyOf = (lent: Lent): string => JSON.stringify(lent)

/** Writes only when it is known of all that is lent whether it is still served, and nobody can write in between. */
const tryToLend = (path: string, access: Access, known: ReadonlyMap<string, boolean>): Attempt => {
  const ours = contextName(access.name)
  let attempt: Attempt = { unknown: [] }
  changeKubeconfig(path, (present) => {
    const document = documentOf(path, present?.text ?? "")
    const lent = lentIn(document, ours)
    const unknown = lent.filter((one) => !known.has(keyOf(one)))
    if (unknown.length > 0) {
      attempt = { unknown }
      return present
    }
    const rival = lent.find((one) => one.entry === ours && known.get(keyOf(one)) === true)
    if (rival !== undefined) throw new KubeconfigProblem(taken(path, access.name, rival))
    const before = withoutLeftBehind(
      document,
      present,
      lent.filter((one) => known.get(keyOf(one)) === false)
    )
    lend(document, kubeconfigEntries(access), before?.mode ?? ownerOnly)
    const written = { text: textOf(document), mode: ownerOnly }
    attempt = { takeBack: onlyOnce(() => takeBack(path, access, before, written.text)) }
    return written
  })
  return attempt
}

const taken = (path: string, name: string, { url }: Lent): string =>
  `a cluster called ${JSON.stringify(name)} is being served already, at ${url}, by what ${path} says: ` +
  "end that one, or give this one another --name"

/** What the file was before anything was left behind in it. */
const withoutLeftBehind = (
  document: Document,
  present: Kubeconfig | undefined,
  leftBehind: ReadonlyArray<Lent>
): Kubeconfig | undefined => {
  if (present === undefined || leftBehind.length === 0) return present
  let { mode } = present
  for (const lent of leftBehind) mode = takeOut(document, lent).mode ?? mode
  return { text: textOf(document), mode }
}

const takeBack = (path: string, access: Access, before: Kubeconfig | undefined, written: string): void => {
  if (!existsSync(path)) return
  try {
    changeKubeconfig(path, (present) => {
      if (present === undefined) return undefined
      const isOursStill = present.mode === ownerOnly
      if (present.text === written) {
        return before === undefined
          ? undefined
          : { ...before, mode: isOursStill ? before.mode : present.mode }
      }
      const document = documentOf(path, present.text)
      const { hasChanged, mode } = takeOut(document, lentBy(access))
      if (!hasChanged) return present
      return { text: textOf(document), mode: isOursStill ? (mode ?? present.mode) : present.mode }
    })
  } catch (error) {
    if (!(error instanceof KubeconfigProblem)) throw error
    const left = contextName(access.name)
    const byHand = `${left} is left in it: take out the context, the cluster and the user of that name by hand`
    throw new KubeconfigProblem(`${error.message}; ${byHand}`, { cause: error })
  }
}

const onlyOnce = (act: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}

const textOf = (document: Document): string => document.toString({ lineWidth: 0 })
