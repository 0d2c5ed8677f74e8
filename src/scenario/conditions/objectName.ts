import { groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { findKindByName, unknownResourceMessage } from "../../kubernetes/meta/resourceNames.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Ref } from "../../store/objectStore.ts"

/** `deployment/web`, `deployment/shop/web` in namespace `shop`, or `node/node-1`. */
export interface NamedObject extends Ref {
  readonly kind: Kind
  readonly key: Key
  readonly namespace: string | undefined
  readonly name: string
}

interface NameProblem {
  readonly offset: number
  readonly message: string
}

/** The kind may be singular, plural or a short name. */
export const parseObjectName = (text: string): NamedObject | NameProblem => {
  const words = text.split("/")
  const [type = "", ...names] = words
  const name = words.at(-1) ?? ""
  const kind = findKindByName(type)
  if (words.length < 2 || words.includes(""))
    return { offset: 0, message: `${JSON.stringify(text)} names no object: write deployment/web` }
  if (kind === undefined) return { offset: 0, message: unknownResourceMessage(type) }
  if (names.length > (kind.namespaced ? 2 : 1)) {
    const example = kind.namespaced ? "KIND/NAMESPACE/NAME at the most" : "in no namespace: write KIND/NAME"
    return { offset: type.length + 1, message: `a ${kind.singular} is named ${example}` }
  }
  const namespace = kind.namespaced ? (names.length === 2 ? names[0] : "default") : undefined
  return { kind, resource: groupResourceOf(kind), key: toObjectKey(namespace, name), namespace, name }
}

export const objectNameText = ({ kind, ...ref }: Omit<NamedObject, "resource" | "key">): string =>
  `${kind.singular}/${displayName(ref)}`
