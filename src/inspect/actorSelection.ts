import { findActorKind, actorKindList } from "../../machines/actorKinds.ts"

export class UnknownSelection extends Error {
  override readonly name = "UnknownSelection"
}

/** Actors of containers have no resource of their own. */
const kindNames = actorKindList.flatMap(({ resource, names: [singular = ""] }) =>
  resource === undefined ? [] : [singular]
)

/** Reads `deployment/web`, `deployment/shop/web`, or several with commas. Throws `UnknownSelection`. */
export const parseSelections = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) => text.split(",")).map((text) => parseSelection(text.trim()))

const parseSelection = (text: string): string => {
  const [kind = "", ...path] = text.split("/")
  const actorKind = findActorKind(kind.replace(/\.apps$/iu, ""))
  const name = path.at(-1) ?? ""
  const refuse = (reason: string): never => {
    throw new UnknownSelection(`${JSON.stringify(text)} cannot be inspected: ${reason}`)
  }
  if (path.length === 0) return refuse("say a kind and a name, such as deployment/web or deployment/shop/web")
  if (actorKind?.resource === undefined) {
    return refuse(
      `no actor is of kind ${JSON.stringify(kind)}: there are ${kindNames.slice(0, -1).join(", ")} and ${kindNames.at(-1)}`
    )
  }
  if (path.includes("")) return refuse("a name or a namespace is missing")
  if (path.length > (actorKind.isNamespaced ? 2 : 1)) {
    return refuse(
      actorKind.isNamespaced ? "it has more parts than KIND/NAMESPACE/NAME" : "a node is in no namespace"
    )
  }
  const namespace = actorKind.isNamespaced ? [path.length === 2 ? (path[0] ?? "") : "default"] : []
  return [actorKind.chart, ...namespace, name].join("/")
}
