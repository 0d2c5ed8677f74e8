import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { validatedWritesOf, validateUpdate, withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import { structFieldsOf, wireTypeOf } from "../../../src/kubernetes/admission/decoding/wireTypes.ts"
import { defaultsByKind } from "../../../src/kubernetes/admission/defaults/defaultsByKind.ts"
import { strategyOf } from "../../../src/kubernetes/admission/kindStrategies.ts"
import { isFields } from "../../../src/kubernetes/meta/fields.ts"
import { apiVersionOf, groupResourceOf, storedKinds, type Kind } from "../../../src/kubernetes/meta/kinds.ts"

/** `TRACE_UPDATE=1 npx vitest run test/kubernetes/admission/kindsReadme.test.ts` rewrites the table. */
const isRewriting = process.env["TRACE_UPDATE"] === "1"

const path = join(import.meta.dirname, "../../../src/kubernetes/admission/README.md")
const [start, end] = ["<!-- kinds -->\n", "<!-- /kinds -->"]

/** The paths of the values in an object: what a function fills into an empty one. */
const leavesOf = (value: unknown, at: string): ReadonlyArray<string> => {
  if (!isFields(value) || Object.keys(value).length === 0) return [at]
  return Object.entries(value).flatMap(([field, inner]) =>
    leavesOf(inner, at === "" ? field : `${at}.${field}`)
  )
}

/** An empty part is no default worth telling. */
const parts = new Set(["", "spec", "status"])

const defaultedFields = (kind: Kind): ReadonlyArray<string> => {
  const empty = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "a" }, spec: {} }
  const {
    apiVersion: _version,
    kind: _kind,
    metadata: _metadata,
    ...filled
  } = { ...withDefaults(kind, empty) }
  const rules = defaultsByKind[`${kind.group}/${kind.kind}`] ?? []
  const found = new Set([...leavesOf(filled, ""), ...rules.map((rule) => rule.path)])
  const holds = (parent: string) =>
    [...found].some((other) => other.startsWith(`${parent}.`) || other.startsWith(`${parent}[]`))
  return [...found].filter((field) => !parts.has(field) && !holds(field)).toSorted()
}

/** `spec.strategy.{rollingUpdate.{maxSurge,maxUnavailable},type}` for paths that share their beginning. */
const shortened = (paths: ReadonlyArray<string>): string => {
  const byFirst = Map.groupBy(paths, (field) => field.split(".")[0] ?? "")
  const texts = [...byFirst].map(([first, group]) => {
    const rest = group.filter((field) => field !== first).map((field) => field.slice(first.length + 1))
    if (rest.length === 0) return first
    const inner = shortened(rest)
    return rest.length === 1 || !inner.includes(",") ? `${first}.${inner}` : `${first}.{${inner}}`
  })
  return texts.join(", ")
}

const isRefusalOfChange = ({ detail = "" }: { readonly detail?: string | undefined }): boolean =>
  /immutable|may not change|not be changed|cannot change|updates to/.test(detail)

/** Two different values of a type. */
const valuesOf = (type: string, depth = 0): readonly [unknown, unknown] => {
  const inner = /^(list|map):(.+)$/.exec(type)
  if (inner?.[1] === "list") return wrapBoth(valuesOf(inner[2] ?? "", depth), (value) => [value])
  if (inner?.[1] === "map") return wrapBoth(valuesOf(inner[2] ?? "", depth), (value) => ({ a: value }))
  const fields = structFieldsOf(type)
  if (fields !== undefined && depth < 3) {
    const [[field, fieldType] = ["", ""]] = Object.entries(fields)
    return wrapBoth(valuesOf(fieldType, depth + 1), (value) => (field === "" ? {} : { [field]: value }))
  }
  if (type === "boolean") return [true, false]
  return type === "string" || type === "quantity" || type === "byte" ? ["1", "2"] : [1, 2]
}

const wrapBoth = (
  [first, second]: readonly [unknown, unknown],
  wrap: (value: unknown) => unknown
): readonly [unknown, unknown] => [wrap(first), wrap(second)]

/** The fields of the object and of its spec whose change an update refuses, whatever else it finds. */
const immutableFields = (kind: Kind): ReadonlyArray<string> => {
  const root = structFieldsOf(wireTypeOf(kind)) ?? {}
  const own = Object.entries(root).filter(([field]) => !ownFields.has(field))
  const ofSpec = Object.entries(structFieldsOf(root["spec"] ?? "") ?? {})
  const objectWith = (fields: object) =>
    withDefaults(kind, {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name: "a" },
      ...fields
    })
  const refuses = ([field, type]: readonly [string, string], wrap: (fields: object) => object): boolean => {
    const [before, after] = valuesOf(type).map((value) => objectWith(wrap({ [field]: value })))
    if (before === undefined || after === undefined) return false
    return validateUpdate(kind, after, before).some(isRefusalOfChange)
  }
  return [
    ...own.filter((entry) => refuses(entry, (fields) => fields)).map(([field]) => field),
    ...ofSpec.filter((entry) => refuses(entry, (spec) => ({ spec }))).map(([field]) => `spec.${field}`)
  ].toSorted()
}

const ownFields = new Set(["apiVersion", "kind", "metadata", "spec", "status"])

const code = (text: string): string => (text === "" ? "" : `\`${text}\``)

const rowOf = (kind: Kind): string => {
  const {
    generationFields,
    annotationsRaiseGeneration = false,
    labelsRaiseGeneration = false,
    hasStatusSubresource = false
  } = strategyOf(groupResourceOf(kind))
  const generation = [
    ...(generationFields ?? []),
    ...(annotationsRaiseGeneration ? ["annotations"] : []),
    ...(labelsRaiseGeneration ? ["labels"] : [])
  ].join(", ")
  const cells = [
    `${apiVersionOf(kind)} ${kind.kind}`,
    code(shortened(defaultedFields(kind))),
    generationFields === undefined ? "" : generation === "" ? "stays 1" : generation,
    hasStatusSubresource ? "apart" : "",
    validatedWritesOf(kind).join(", "),
    code(shortened(immutableFields(kind)))
  ]
  return `| ${cells.join(" | ")} |`
}

const table = [
  "| kind | defaults | generation rises with | status | own rules on | immutable |",
  "|---|---|---|---|---|---|",
  ...storedKinds.toSorted((a, b) => (groupKey(a) < groupKey(b) ? -1 : 1)).map(rowOf)
].join("\n")

function groupKey(kind: Kind): string {
  return `${kind.group} ${kind.kind}`
}

it("the table of kinds tells what is filled in, kept and checked (TRACE_UPDATE=1 rewrites it)", () => {
  const text = readFileSync(path, "utf8")
  const [before = "", rest = ""] = text.split(start)
  const [, after = ""] = rest.split(end)
  const expected = `${before}${start}\n${table}\n\n${end}${after}`
  if (isRewriting) writeFileSync(path, expected)
  else expect(text).toBe(expected)
})
