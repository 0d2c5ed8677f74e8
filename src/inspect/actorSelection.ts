export class UnknownSelection extends Error {
  override readonly name = "UnknownSelection"
}

/** Kinds with actors, by kubectl's names. */
const charts: Readonly<Record<string, { readonly chart: string; readonly isNamespaced: boolean }>> = {
  deployment: { chart: "deployment", isNamespaced: true },
  deploy: { chart: "deployment", isNamespaced: true },
  replicaset: { chart: "replicaSet", isNamespaced: true },
  rs: { chart: "replicaSet", isNamespaced: true },
  pod: { chart: "pod", isNamespaced: true },
  po: { chart: "pod", isNamespaced: true },
  node: { chart: "node", isNamespaced: false },
  no: { chart: "node", isNamespaced: false }
}

/**
 * Actor ids of selections such as `deployment/web`, `deployment/shop/web`, or several separated by commas. Throws
 * `UnknownSelection`.
 */
export const parseSelections = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) => text.split(",")).map((text) => parseSelection(text.trim()))

const parseSelection = (text: string): string => {
  const [kind = "", ...path] = text.split("/")
  const kindName = kind.toLowerCase().replace(/\.apps$/u, "")
  const kindInfo = charts[kindName] ?? charts[kindName.replace(/s$/u, "")]
  const name = path.at(-1) ?? ""
  const refuse = (reason: string): never => {
    throw new UnknownSelection(`${JSON.stringify(text)} cannot be inspected: ${reason}`)
  }
  if (path.length === 0) return refuse("say a kind and a name, such as deployment/web or deployment/shop/web")
  if (kindInfo === undefined) {
    return refuse(
      `no actor is of kind ${JSON.stringify(kind)}: there are deployment, replicaset, pod and node`
    )
  }
  if (path.includes("")) return refuse("a name or a namespace is missing")
  if (path.length > (kindInfo.isNamespaced ? 2 : 1)) {
    return refuse(
      kindInfo.isNamespaced ? "it has more parts than KIND/NAMESPACE/NAME" : "a node is in no namespace"
    )
  }
  const namespace = kindInfo.isNamespaced ? [path.length === 2 ? (path[0] ?? "") : "default"] : []
  return [kindInfo.chart, ...namespace, name].join("/")
}
