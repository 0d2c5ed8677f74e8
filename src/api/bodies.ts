import { isFields } from "../domain/fields.ts"
import { aliasUsesMax, whyNoValue, yamlReading } from "../domain/yamlReading.ts"
import { visit } from "jsonc-parser"
import { isScalar, LineCounter, parseDocument, visit as visitYaml } from "yaml"
import type { Document } from "yaml"
import { apiVersionOf } from "../domain/kinds.ts"
import { decodeObject } from "../domain/admission/decode.ts"
import { jsonProblem } from "./jsonProblem.ts"
import { requireShallow, requireShallowJson, requireShallowYaml } from "./nesting.ts"
import { asStored } from "./views.ts"
import type { Decoded } from "../domain/admission/decode.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Draft } from "../domain/objects.ts"
import type { Call } from "./call.ts"
import type { Query } from "./query.ts"
import { protobufMediaType, readProtobuf } from "./protobuf/envelope.ts"
import { badRequest, invalidOptions, unsupportedMediaType } from "./statuses.ts"
import type { OptionError } from "./statuses.ts"

/** A body as data, and the fields that its text gives twice. */
export interface ParsedBody {
  readonly value: unknown
  readonly repeated: ReadonlyArray<string>
  /** The same of YAML, which tells it in another way: `line 7: key "replicas" already set in map`. */
  readonly setTwice?: ReadonlyArray<string>
}

const writable = ["application/json", "application/yaml"]

/** Reads an object. Protobuf is read, as clients in Go insist on it, but never written. */
export const parseBody = ({ body, contentType }: Pick<Call, "body" | "contentType">): ParsedBody => {
  switch (contentType) {
    case "":
    case "application/json":
      return parseJson(body)
    case "application/yaml":
      return parseYaml(body)
    case protobufMediaType: {
      const value = readProtobuf(body)
      if (value !== undefined) return { value, repeated: [] }
      throw unsupportedMediaType(writable)
    }
    default:
      throw unsupportedMediaType(writable)
  }
}

/** Reads a patch, of which nobody expects to be told what it is. */
export const parsePatch = (body: Buffer): ParsedBody => parseJson(body, true)

const parseJson = (body: Buffer, isPatch = false): ParsedBody => {
  requireShallowJson(body)
  const text = body.toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest(`${isPatch ? "" : "couldn't get version/kind; json parse error: "}${jsonProblem(text)}`)
  }
  return { value, repeated: repeatedFields(text) }
}

/** Fields that a text gives twice, as `spec.replicas`; a parsed value no longer shows them. */
const repeatedFields = (text: string): ReadonlyArray<string> => {
  const repeated: Array<string> = []
  const seen: Array<Set<string>> = []
  const open: Array<ReadonlyArray<string | number>> = []
  visit(text, {
    onObjectBegin: (_offset, _length, _line, _character, pathOf) => {
      seen.push(new Set())
      open.push(pathOf())
    },
    onObjectEnd: () => {
      seen.pop()
      open.pop()
    },
    onObjectProperty: (property) => {
      const here = seen.at(-1)
      if (here?.has(property) === true) repeated.push(fieldPath([...(open.at(-1) ?? []), property]))
      here?.add(property)
    }
  })
  return repeated
}

const fieldPath = (path: ReadonlyArray<string | number>): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    ""
  )

/** JSON is YAML, and what most clients send where YAML is wanted. */
const parseYaml = (body: Buffer): ParsedBody => {
  const text = body.toString()
  if (text.trimStart().startsWith("{")) {
    requireShallowJson(body)
    const value = jsonOrNothing(text)
    if (value !== undefined) return { value, repeated: repeatedFields(text) }
  }
  requireShallowYaml(text)
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { ...yamlReading, logLevel: "error", lineCounter })
  const [problem] = document.errors
  if (problem !== undefined) throw unreadableYaml(problem)
  const value = valueOf(document)
  requireShallow(value)
  return { value, repeated: [], setTwice: keysSetTwice(document, lineCounter) }
}

const keysSetTwice = (document: Document, lineCounter: LineCounter): ReadonlyArray<string> => {
  const found: Array<string> = []
  visitYaml(document, {
    Map: (_key, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const { line } = lineCounter.linePos(key.range?.[0] ?? 0)
        if (seen.has(key.value))
          found.push(`line ${line}: key ${JSON.stringify(key.value)} already set in map`)
        seen.add(key.value)
      }
    }
  })
  return found
}

const jsonOrNothing = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const valueOf = (document: ReturnType<typeof parseDocument>): unknown => {
  try {
    return document.toJS({ maxAliasCount: aliasUsesMax })
  } catch (error) {
    throw unreadableYaml(new Error(whyNoValue(error)))
  }
}

/** As Kubernetes tells it, the line first: `yaml: line 3: …`. */
const unreadableYaml = (error: Error) => {
  const [first = ""] = error.message.split("\n")
  const [, why = "", line] = /^(.*?)(?: at line (\d+), column \d+:)?$/.exec(first) ?? []
  const isSeveral = "code" in error && error.code === "MULTIPLE_DOCS"
  const said = isSeveral ? "a second document begins, where one object is asked for" : why
  return badRequest(
    `error converting YAML to JSON: yaml: ${line === undefined ? "" : `line ${line}: `}${said}`
  )
}

/** How strict a client wants to be read; a warning for what is not understood where it says nothing. */
const readFieldValidation = (query: Query, optionsKind: string): "Ignore" | "Warn" | "Strict" => {
  const stated = query.text("fieldValidation") ?? "Warn"
  if (stated === "Ignore" || stated === "Warn" || stated === "Strict") return stated
  const body = `Unsupported value: ${JSON.stringify(stated)}: supported values: "Ignore", "Strict", "Warn"`
  throw invalidOptions(optionsKind, [{ field: "fieldValidation", reason: "FieldValueNotSupported", body }])
}

/** Whether nothing is to be stored. */
export const readDryRun = (query: Query, optionsKind: string): boolean => {
  const stated = query.texts("dryRun")
  const errors = dryRunErrors(stated)
  if (errors.length > 0) throw invalidOptions(optionsKind, errors)
  return stated.length > 0
}

/** Nothing is ever half tried. */
export const dryRunErrors = (stated: ReadonlyArray<string>): ReadonlyArray<OptionError> => {
  if (stated.every((it) => it === "All")) return []
  const body = `Unsupported value: ${JSON.stringify(stated)}: supported values: "All"`
  return [{ field: "dryRun", reason: "FieldValueNotSupported", body }]
}

/** The object in a body, of the kind that is served where it was sent to. */
export const readObject = (call: Call, kind: Kind, optionsKind: string): Draft =>
  decodeAs(parseBody(call), { kind, call, optionsKind })

interface DecodeAs {
  readonly kind: Kind
  readonly call: Call
  readonly optionsKind: string
  /** The object that the value was made from. */
  readonly before?: object
}

/** Decodes a value as an object of one kind; what it leaves out of kind and version is filled in. */
export const decodeAs = (
  { value, repeated, setTwice = [] }: ParsedBody,
  { kind, call, optionsKind, before }: DecodeAs
): Draft => {
  const apiVersion = apiVersionOf(kind)
  const stated = isFields(value)
    ? { ...value, apiVersion: value["apiVersion"] || apiVersion, kind: value["kind"] || kind.kind }
    : value
  if (isFields(stated)) requireKind(stated, kind)
  const validation = readFieldValidation(call.query, optionsKind)
  const decoded = decodeObject(stated, {
    strict: validation === "Strict",
    repeated,
    // It has been seen that it says to be of this kind.
    kinds: { ofServed: () => kind },
    before
  })
  if (validation === "Strict" && setTwice.length > 0) refuseSetTwice(kind, setTwice, decoded)
  if (!decoded.ok) throw badRequest(decoded.message)
  if (validation === "Warn") for (const warning of [...setTwice, ...decoded.warnings]) call.warn(warning)
  return asStored(kind, decoded.object)
}

/** What is wrong with the text is told before what is wrong with the object. */
const refuseSetTwice = (kind: Kind, setTwice: ReadonlyArray<string>, decoded: Decoded): never => {
  const subject = `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}`
  const prefix = `${subject}: strict decoding error: `
  const rest =
    !decoded.ok && decoded.message.startsWith(prefix) ? `, ${decoded.message.slice(prefix.length)}` : ""
  const lines = setTwice.map((line) => `\n  ${line}`).join("")
  throw badRequest(`${prefix}yaml: unmarshal errors:${lines}${rest}`)
}

const requireKind = (stated: Readonly<Record<string, unknown>>, kind: Kind): void => {
  const expected = apiVersionOf(kind)
  const { apiVersion } = stated
  if (typeof apiVersion === "string" && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`
    )
  }
  if (typeof stated["kind"] === "string" && stated["kind"] !== kind.kind) {
    const subject = `${stated["kind"]} in version ${JSON.stringify(kind.version)}`
    const go = `(${kind.version}.${stated["kind"]}) to (${kind.group === "" ? "core" : kind.group}.${kind.kind})`
    throw badRequest(`${subject} cannot be handled as a ${kind.kind}: converting ${go}: unknown conversion`)
  }
}
