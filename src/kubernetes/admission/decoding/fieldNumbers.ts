import { accessNumbers } from "./fieldNumbers/accessNumbers.ts"
import { clusterNumbers } from "./fieldNumbers/clusterNumbers.ts"
import { deviceNumbers } from "./fieldNumbers/deviceNumbers.ts"
import { extensionNumbers } from "./fieldNumbers/extensionNumbers.ts"
import { metadataNumbers } from "./fieldNumbers/metadataNumbers.ts"
import { podNumbers } from "./fieldNumbers/podNumbers.ts"
import { volumeNumbers } from "./fieldNumbers/volumeNumbers.ts"
import { workloadNumbers } from "./fieldNumbers/workloadNumbers.ts"

/**
 * Protobuf field numbers of each struct; their types are in `wireTypes.ts`.
 *
 * `replicas=1` is a field and its number. `@LocalObjectReference=1` is a message whose fields JSON inlines. `!`
 * follows a field whose zero value appears in JSON: a pointer in Go, or a field without omitempty. A struct name that
 * several groups use has its group and version in front: `CoreV1Event`.
 *
 * Source: generated.proto, and the tags in types.go, of each group in k8s.io/api.
 */
const structTables = [
  metadataNumbers,
  podNumbers,
  volumeNumbers,
  workloadNumbers,
  clusterNumbers,
  accessNumbers,
  extensionNumbers,
  deviceNumbers
]

export interface NumberedField {
  /** The name in JSON; for an inlined message, the struct's name. */
  readonly name: string
  readonly keepsZero: boolean
  readonly isInlined: boolean
}

type NumberedFields = ReadonlyMap<number, NumberedField>

export const numberedFieldsOf = (struct: string): NumberedFields | undefined => {
  fieldsByStruct ??= new Map(structTables.flatMap(readTable))
  return fieldsByStruct.get(struct)
}

let fieldsByStruct: ReadonlyMap<string, NumberedFields> | undefined

const readTable = (table: string): ReadonlyArray<readonly [string, NumberedFields]> =>
  [...table.matchAll(/^(\w+):((?:\s+@?\w+=\d+!?)+)$/gm)].map(([, struct = "", fields = ""]) => [
    struct,
    new Map(fields.trim().split(/\s+/).map(readField))
  ])

const readField = (text: string): readonly [number, NumberedField] => {
  const [, inlinedMark, name = "", number, zeroMark] = /^(@?)(\w+)=(\d+)(!?)$/.exec(text) ?? []
  return [Number(number), { name, keepsZero: zeroMark === "!", isInlined: inlinedMark === "@" }]
}
