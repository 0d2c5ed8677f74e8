import { accessNumbers } from "./fieldNumbers/access.ts"
import { clusterNumbers } from "./fieldNumbers/cluster.ts"
import { metadataNumbers } from "./fieldNumbers/metadata.ts"
import { podNumbers } from "./fieldNumbers/pods.ts"
import { volumeNumbers } from "./fieldNumbers/volumes.ts"
import { workloadNumbers } from "./fieldNumbers/workloads.ts"

/**
 * By which numbers the fields of a struct are known in protobuf. What a field is, the wire types know.
 *
 * In the tables `replicas=1` is a field and its number. `@LocalObjectReference=1` is a message that JSON does not
 * show: its fields stand in the struct itself. A `!` is behind a field whose zero JSON does show, as it is a pointer
 * in Go or never left out; protobuf writes the zeros of all others as well, where JSON leaves them out.
 *
 * Source: generated.proto, and the tags in types.go, of each group in k8s.io/api.
 */
const tables = [metadataNumbers, podNumbers, volumeNumbers, workloadNumbers, clusterNumbers, accessNumbers]

/** What a number stands for in the messages of one struct. */
export interface NumberedField {
  /** The field's name in JSON; of an inlined message, the struct that has its numbers. */
  readonly name: string
  readonly showsZero: boolean
  readonly isInlined: boolean
}

type NumberedFields = ReadonlyMap<number, NumberedField>

/** The fields of a struct by their numbers, or undefined where those are not known. */
export const numberedFieldsOf = (struct: string): NumberedFields | undefined => {
  structs ??= new Map(tables.flatMap(readTable))
  return structs.get(struct)
}

/** Read with the first message: most clients send none. */
let structs: ReadonlyMap<string, NumberedFields> | undefined

const readTable = (table: string): ReadonlyArray<readonly [string, NumberedFields]> =>
  [...table.matchAll(/^(\w+):((?:\s+@?\w+=\d+!?)+)$/gm)].map(([, struct = "", fields = ""]) => [
    struct,
    new Map(fields.trim().split(/\s+/).map(readField))
  ])

const readField = (text: string): readonly [number, NumberedField] => {
  const [, inlined, name = "", number, zero] = /^(@?)(\w+)=(\d+)(!?)$/.exec(text) ?? []
  return [Number(number), { name, showsZero: zero === "!", isInlined: inlined === "@" }]
}
