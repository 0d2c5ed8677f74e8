import { stringify } from "yaml"
import { apiVersionOf } from "../../kubernetes/meta/kinds.ts"
import { changedDocument, elementNamed, isNamedList, mergeChanges } from "./objectChange.ts"
import { dequal } from "dequal"
import { fieldsOrEmpty, isFields } from "../../kubernetes/meta/fields.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { ObjectChange, PlanDocuments } from "./objectChange.ts"

export interface ChangeTexts {
  /** YAML that `kubectl patch --patch-file` takes; a document for each object. */
  readonly patch: string
  /** The changed lines of the manifest, after `-` and `+`, with the fields around them. */
  readonly diff: string
  /** How many fields the changes set. */
  readonly fields: number
}

export const changeTexts = (documents: PlanDocuments, changes: ReadonlyArray<ObjectChange>): ChangeTexts => {
  const texts = mergeChanges(changes).flatMap((change) => {
    const document = changedDocument(documents, change)
    if (document === undefined) return []
    const identity = {
      apiVersion: apiVersionOf(document.kind),
      kind: change.kind,
      metadata: { name: change.name }
    }
    return [
      {
        patch: yamlText({ ...identity, ...change.fields }),
        // Unlike `draft`, `rawFields` has no defaults.
        diff: [
          ...linesOf(identity, noIndent, " "),
          ...diffLines(document.rawFields, change.fields, noIndent)
        ],
        fields: countFields(change.fields)
      }
    ]
  })
  return {
    patch: texts.map(({ patch }) => patch).join("---\n"),
    diff: texts.flatMap(({ diff }) => [...diff, ""]).join("\n"),
    fields: texts.reduce((sum, { fields }) => sum + fields, 0)
  }
}

/** Does not count `name`, which says which element of a list is changed. */
const countFields = (value: unknown): number => {
  if (isFields(value))
    return Object.entries(value).reduce(
      (sum, [field, fieldValue]) => sum + (field === "name" ? 0 : countFields(fieldValue)),
      0
    )
  return isNamedList(value) ? value.reduce((sum, element) => sum + countFields(element), 0) : 1
}

const noIndent = ""

const yamlText = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false })

const linesOf = (value: unknown, indent: string, sign: string): ReadonlyArray<string> =>
  yamlText(value)
    .trimEnd()
    .split("\n")
    .map((line) => `${sign}${indent}${line}`)

const diffLines = (before: Fields, change: Fields, indent: string): ReadonlyArray<string> =>
  Object.entries(change).flatMap(([field, value]) => fieldLines(field, before[field], { value, indent }))

const fieldLines = (
  field: string,
  before: unknown,
  { value, indent }: { readonly value: unknown; readonly indent: string }
): ReadonlyArray<string> => {
  if (isFields(before) && isFields(value))
    return [` ${indent}${field}:`, ...diffLines(before, value, `${indent}  `)]
  if (isNamedList(before) && isNamedList(value))
    return [
      ` ${indent}${field}:`,
      ...value.flatMap((element) => elementLines(before, element, `${indent}  `))
    ]
  const isSet = value !== null
  if (dequal(before, value)) return linesOf({ [field]: value }, indent, " ")
  return [
    ...(before === undefined || before === null ? [] : linesOf({ [field]: before }, indent, "-")),
    ...(isSet ? linesOf({ [field]: value }, indent, "+") : [])
  ]
}

const elementLines = (
  before: ReadonlyArray<Fields>,
  { name, ...change }: Fields,
  indent: string
): ReadonlyArray<string> => {
  const element = elementNamed(before, name)
  return element === undefined
    ? linesOf([{ name, ...change }], indent, "+")
    : [...linesOf([{ name }], indent, " "), ...diffLines(fieldsOrEmpty(element), change, `${indent}  `)]
}
