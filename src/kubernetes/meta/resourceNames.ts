import { storedKinds, groupResourceOf } from "./kinds.ts"
import { nearestWord } from "./text/nearestWord.ts"
import type { GroupResource, Kind, KindRegistry } from "./kinds.ts"

type CustomKinds = Pick<KindRegistry, "custom">

const kindsOf = (customKinds: CustomKinds | undefined): ReadonlyArray<Kind> =>
  customKinds === undefined ? storedKinds : [...storedKinds, ...customKinds.custom()]

const namesOf = (kind: Kind): ReadonlyArray<string> => [
  groupResourceOf(kind),
  kind.plural,
  kind.singular,
  ...kind.shortNames
]

/** Accepts any name that kubectl accepts, such as `rs`; of two kinds with one name the first wins. */
export const findKindByName = (name: string, customKinds?: CustomKinds): Kind | undefined => {
  const lowercaseName = name.toLowerCase()
  return kindsOf(customKinds).find((kind) => namesOf(kind).includes(lowercaseName))
}

export const guessResource = (name: string, customKinds?: CustomKinds): GroupResource | undefined => {
  const exact = findKindByName(name, customKinds)
  if (exact !== undefined) return groupResourceOf(exact)
  const kinds = kindsOf(customKinds)
  const similarName = nearestWord(name, kinds.flatMap(namesOf))
  const kind = kinds.find((it) => similarName !== undefined && namesOf(it).includes(similarName))
  return kind === undefined ? undefined : groupResourceOf(kind)
}

/** Source: cli-runtime's resource/builder.go. */
export const unknownResourceMessage = (name: string, customKinds?: CustomKinds): string => {
  const suggestion = guessResource(name, customKinds)
  const hint = suggestion === undefined ? "" : `: did you mean ${suggestion}?`
  return `the server doesn't have a resource type ${JSON.stringify(name)}${hint}`
}
