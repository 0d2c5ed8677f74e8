import { groupResourceOf } from "../../domain/kinds.ts"
import { keyIn } from "../../domain/objects.ts"
import { kindNamed, unknownResource } from "../../domain/resourceNames.ts"
import { shownName } from "../../domain/shownName.ts"
import type { Kind } from "../../domain/kinds.ts"
import type { Key } from "../../domain/objects.ts"
import type { Ref } from "../../store/objectStore.ts"

/** One object as stories name it: `deployment/web`, `deployment/shop/web` in namespace `shop`, `node/node-1`. */
export interface NamedObject extends Ref {
  readonly kind: Kind
  readonly key: Key
  readonly namespace: string | undefined
  readonly name: string
}

/** What is wrong with such a name, and how many characters lie before it. */
interface NameProblem {
  readonly offset: number
  readonly message: string
}

/** Reads a name as kubectl reads its TYPE/NAME: the kind in the singular, the plural, or as its short name. */
export const objectNamed = (text: string): NamedObject | NameProblem => {
  const parts = text.split("/")
  const [type = "", ...names] = parts
  const name = parts.at(-1) ?? ""
  const kind = kindNamed(type)
  if (parts.length < 2 || parts.includes(""))
    return { offset: 0, message: `${JSON.stringify(text)} names no object: write deployment/web` }
  if (kind === undefined) return { offset: 0, message: unknownResource(type) }
  if (names.length > (kind.namespaced ? 2 : 1)) {
    const example = kind.namespaced ? "KIND/NAMESPACE/NAME at the most" : "in no namespace: write KIND/NAME"
    return { offset: type.length + 1, message: `a ${kind.singular} is named ${example}` }
  }
  const namespace = kind.namespaced ? (names.length === 2 ? names[0] : "default") : undefined
  return { kind, resource: groupResourceOf(kind), key: keyIn(namespace, name), namespace, name }
}

/** How messages and stories write it: the namespace is left out where it is `default`. */
export const nameOf = ({ kind, ...place }: Omit<NamedObject, "resource" | "key">): string =>
  `${kind.singular}/${shownName(place)}`
