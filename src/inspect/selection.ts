/** What is asked for cannot be shown. */
export class UnknownSelection extends Error {
  override readonly name = "UnknownSelection"
}

/** The kinds that have an actor of their own, by the words that `kubectl` knows them under. */
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
 * The ids of actors in texts such as `deployment/web`, `deployment/shop/web` with a namespace, or several with commas
 * between them. Throws `UnknownSelection` for what is none.
 */
export const selectedIds = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) => text.split(",")).map((text) => selectedId(text.trim()))

const selectedId = (text: string): string => {
  const [kind = "", ...place] = text.split("/")
  const word = kind.toLowerCase().replace(/\.apps$/u, "")
  const known = charts[word] ?? charts[word.replace(/s$/u, "")]
  const name = place.at(-1) ?? ""
  const refuse = (why: string): never => {
    throw new UnknownSelection(`${JSON.stringify(text)} cannot be inspected: ${why}`)
  }
  if (place.length === 0)
    return refuse("say a kind and a name, such as deployment/web or deployment/shop/web")
  if (known === undefined) {
    return refuse(
      `no actor is of kind ${JSON.stringify(kind)}: there are deployment, replicaset, pod and node`
    )
  }
  if (place.includes("")) return refuse("a name or a namespace is missing")
  if (place.length > (known.isNamespaced ? 2 : 1)) {
    return refuse(
      known.isNamespaced ? "it has more parts than KIND/NAMESPACE/NAME" : "a node is in no namespace"
    )
  }
  const namespace = known.isNamespaced ? [place.length === 2 ? (place[0] ?? "") : "default"] : []
  return [known.chart, ...namespace, name].join("/")
}
