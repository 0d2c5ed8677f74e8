import { allKinds, groupResourceOf } from "./kinds.ts"
import { nearest } from "./nearest.ts"
import type { GroupResource, Kind, KindRegistry } from "./kinds.ts"

/** The kinds that are looked through: where two share a name, the first has it, as in kubectl. */
type Known = Pick<KindRegistry, "custom">

const kindsOf = (known: Known | undefined): ReadonlyArray<Kind> =>
  known === undefined ? allKinds : [...allKinds, ...known.custom()]

const namesOf = (kind: Kind): ReadonlyArray<string> => [
  groupResourceOf(kind),
  kind.plural,
  kind.singular,
  ...kind.shortNames
]

/** A kind as kubectl takes it, whatever its capitals: `replicasets.apps`, `replicasets`, `replicaset`, `rs`. */
export const kindNamed = (name: string, known?: Known): Kind | undefined => {
  const word = name.toLowerCase()
  return kindsOf(known).find((kind) => namesOf(kind).includes(word))
}

/** The resource that somebody means who names it as kubectl would, or spells it wrong. */
export const resourceMeant = (name: string, known?: Known): GroupResource | undefined => {
  const named = kindNamed(name, known)
  if (named !== undefined) return groupResourceOf(named)
  const kinds = kindsOf(known)
  const near = nearest(name, kinds.flatMap(namesOf))
  const kind = kinds.find((it) => near !== undefined && namesOf(it).includes(near))
  return kind === undefined ? undefined : groupResourceOf(kind)
}

/**
 * What is said of a resource that there is not.
 *
 * Source of its beginning: staging/src/k8s.io/cli-runtime/pkg/resource/builder.go.
 */
export const unknownResource = (name: string, known?: Known): string => {
  const meant = resourceMeant(name, known)
  const hint = meant === undefined ? "" : `: did you mean ${meant}?`
  return `the server doesn't have a resource type ${JSON.stringify(name)}${hint}`
}
