import { isFields } from "../../kubernetes/meta/fields.ts"
import { yamlAliasUsesMax, yamlErrorText, yamlParseOptions } from "../../manifests/yamlParsing.ts"
import { visit } from "jsonc-parser"
import { isScalar, LineCounter, parseDocument, visit as visitYaml } from "yaml"
import type { Document } from "yaml"
import { apiVersionOf } from "../../kubernetes/meta/kinds.ts"
import { decodeObject } from "../../kubernetes/admission/decoding/decodeObject.ts"
import { jsonSyntaxError } from "../http/jsonSyntaxError.ts"
import { limitValueDepth, limitJsonDepth, limitYamlDepth } from "../http/nestingLimits.ts"
import { convertToStored } from "../../kubernetes/meta/kindConversion.ts"
import type { DecodeResult } from "../../kubernetes/admission/decoding/decodeObject.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ApiCall } from "./apiCall.ts"
import type { QueryParameters } from "../http/queryParameters.ts"
import { protobufMediaType, decodeProtobufObject } from "../protobuf/protobufEnvelope.ts"
import { badRequest, invalidRequestOptions, unsupportedMediaType } from "../http/statuses.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { OptionError } from "../http/statuses.ts"

export interface ParsedBody {
  readonly value: unknown
  readonly duplicateFields: ReadonlyArray<string>
  /** Messages: `line 7: key "replicas" already set in map`. */
  readonly duplicateYamlKeys?: ReadonlyArray<string>
}

const objectMediaTypes = ["application/json", "application/yaml"]

export const parseBody = ({ body, contentType }: Pick<ApiCall, "body" | "contentType">): ParsedBody => {
  switch (contentType) {
    case "":
    case "application/json":
      return parseJson(body)
    case "application/yaml":
      return parseYaml(body)
    case protobufMediaType: {
      const value = decodeProtobufObject(body)
      if (value !== undefined) return { value, duplicateFields: [] }
      throw unsupportedMediaType(objectMediaTypes)
    }
    default:
      throw unsupportedMediaType(objectMediaTypes)
  }
}

export const parsePatch = (body: Buffer): ParsedBody => parseJson(body, { errorPrefix: "" })

const parseJson = (body: Buffer, { errorPrefix } = { errorPrefix: objectErrorPrefix }): ParsedBody => {
  limitJsonDepth(body)
  const text = body.toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest(`${errorPrefix}${jsonSyntaxError(text)}`)
  }
  return { value, duplicateFields: findDuplicateFields(text) }
}

const objectErrorPrefix = "couldn't get version/kind; json parse error: "

/** Paths of the fields that occur twice, such as `spec.replicas`; JSON.parse keeps only the last of them. */
const findDuplicateFields = (text: string): ReadonlyArray<string> => {
  const duplicates: Array<string> = []
  /** The names of the fields so far, and the path, of each object that is not closed yet. */
  const namesOfOpenObjects: Array<Set<string>> = []
  const pathsOfOpenObjects: Array<ReadonlyArray<string | number>> = []
  visit(text, {
    onObjectBegin: (_offset, _length, _line, _character, pathOf) => {
      namesOfOpenObjects.push(new Set())
      pathsOfOpenObjects.push(pathOf())
    },
    onObjectEnd: () => {
      namesOfOpenObjects.pop()
      pathsOfOpenObjects.pop()
    },
    onObjectProperty: (property) => {
      const names = namesOfOpenObjects.at(-1)
      if (names?.has(property) === true)
        duplicates.push(fieldPath([...(pathsOfOpenObjects.at(-1) ?? []), property]))
      names?.add(property)
    }
  })
  return duplicates
}

const fieldPath = (path: ReadonlyArray<string | number>): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    ""
  )

/** Tries the JSON parser first: most clients send JSON under YAML's media type. */
const parseYaml = (body: Buffer): ParsedBody => {
  const text = body.toString()
  if (text.trimStart().startsWith("{")) {
    limitJsonDepth(body)
    const value = parseJsonOrUndefined(text)
    if (value !== undefined) return { value, duplicateFields: findDuplicateFields(text) }
  }
  limitYamlDepth(text)
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { ...yamlParseOptions, logLevel: "error", lineCounter })
  const [problem] = document.errors
  if (problem !== undefined) throw unreadableYaml(problem)
  const value = valueOrBadRequest(document)
  limitValueDepth(value)
  return { value, duplicateFields: [], duplicateYamlKeys: findDuplicateYamlKeys(document, lineCounter) }
}

const findDuplicateYamlKeys = (document: Document, lineCounter: LineCounter): ReadonlyArray<string> => {
  const duplicates: Array<string> = []
  visitYaml(document, {
    Map: (_key, { items }) => {
      const names = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const { line } = lineCounter.linePos(key.range?.[0] ?? 0)
        if (names.has(key.value))
          duplicates.push(`line ${line}: key ${JSON.stringify(key.value)} already set in map`)
        names.add(key.value)
      }
    }
  })
  return duplicates
}

const parseJsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const valueOrBadRequest = (document: ReturnType<typeof parseDocument>): unknown => {
  try {
    return document.toJS({ maxAliasCount: yamlAliasUsesMax })
  } catch (error) {
    throw unreadableYaml(new Error(yamlErrorText(error)))
  }
}

/** Kubernetes puts the line number first: `yaml: line 3: …`. */
const unreadableYaml = (error: Error) => {
  const [first = ""] = error.message.split("\n")
  const [, why = "", line] = /^(.*?)(?: at line (\d+), column \d+:)?$/.exec(first) ?? []
  const hasSeveralDocuments = "code" in error && error.code === "MULTIPLE_DOCS"
  const reason = hasSeveralDocuments ? "a second document begins, where one object is asked for" : why
  return badRequest(
    `error converting YAML to JSON: yaml: ${line === undefined ? "" : `line ${line}: `}${reason}`
  )
}

const readFieldValidation = (query: QueryParameters, optionsKind: string): "Ignore" | "Warn" | "Strict" => {
  const mode = query.text("fieldValidation") ?? "Warn"
  if (mode === "Ignore" || mode === "Warn" || mode === "Strict") return mode
  const body = `Unsupported value: ${goQuote(mode)}: supported values: "Ignore", "Strict", "Warn"`
  throw invalidRequestOptions(optionsKind, [
    { field: "fieldValidation", reason: "FieldValueNotSupported", body }
  ])
}

/** Whether `dryRun=All` is set. Throws a `Refusal` for any other value. */
export const readDryRun = (query: QueryParameters, optionsKind: string): boolean => {
  const values = query.texts("dryRun")
  const errors = dryRunErrors(values)
  if (errors.length > 0) throw invalidRequestOptions(optionsKind, errors)
  return values.length > 0
}

export const dryRunErrors = (values: ReadonlyArray<string>): ReadonlyArray<OptionError> => {
  if (values.every((it) => it === "All")) return []
  const body = `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`
  return [{ field: "dryRun", reason: "FieldValueNotSupported", body }]
}

export const decodeBody = (call: ApiCall, kind: Kind, optionsKind: string): Draft =>
  decodeParsedBody(parseBody(call), { kind, call, optionsKind })

interface BodyDecoding {
  readonly kind: Kind
  readonly call: ApiCall
  /** The type of the query parameters, for error messages: `CreateOptions`. */
  readonly optionsKind: string
  /** The object before a patch: values that the patch has left alone are not decoded again. */
  readonly before?: object
  readonly keepsEmptyValues?: boolean
}

/** Fills in a missing `apiVersion` or `kind`. */
export const decodeParsedBody = (
  { value, duplicateFields, duplicateYamlKeys = [] }: ParsedBody,
  { kind, call, optionsKind, before, keepsEmptyValues = false }: BodyDecoding
): Draft => {
  const apiVersion = apiVersionOf(kind)
  const typedValue = isFields(value)
    ? { ...value, apiVersion: value["apiVersion"] || apiVersion, kind: value["kind"] || kind.kind }
    : value
  if (isFields(typedValue)) requireKind(typedValue, kind)
  const validation = readFieldValidation(call.query, optionsKind)
  const decoded = decodeObject(typedValue, {
    strict: validation === "Strict",
    duplicates: duplicateFields,
    // `requireKind` has refused any other kind.
    kinds: { findServed: () => kind },
    before,
    keepsEmptyValues
  })
  if (validation === "Strict" && duplicateYamlKeys.length > 0)
    refuseDuplicateYamlKeys(kind, duplicateYamlKeys, decoded)
  if (!decoded.ok) throw badRequest(decoded.message)
  if (validation === "Warn")
    for (const warning of [...duplicateYamlKeys, ...decoded.warnings]) call.warn(warning)
  return convertToStored(kind, decoded.object)
}

/** Duplicate keys of the text come first in the message, then the errors of the object. */
const refuseDuplicateYamlKeys = (
  kind: Kind,
  duplicateYamlKeys: ReadonlyArray<string>,
  decoded: DecodeResult
): never => {
  const subject = `${kind.kind} in version ${goQuote(kind.version)} cannot be handled as a ${kind.kind}`
  const prefix = `${subject}: strict decoding error: `
  const rest =
    !decoded.ok && decoded.message.startsWith(prefix) ? `, ${decoded.message.slice(prefix.length)}` : ""
  const lines = duplicateYamlKeys.map((line) => `\n  ${line}`).join("")
  throw badRequest(`${prefix}yaml: unmarshal errors:${lines}${rest}`)
}

const requireKind = (fields: Readonly<Record<string, unknown>>, kind: Kind): void => {
  const expected = apiVersionOf(kind)
  const { apiVersion } = fields
  if (typeof apiVersion === "string" && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`
    )
  }
  if (typeof fields["kind"] === "string" && fields["kind"] !== kind.kind) {
    const subject = `${fields["kind"]} in version ${goQuote(kind.version)}`
    const conversion = `(${kind.version}.${fields["kind"]}) to (${kind.group === "" ? "core" : kind.group}.${kind.kind})`
    throw badRequest(
      `${subject} cannot be handled as a ${kind.kind}: converting ${conversion}: unknown conversion`
    )
  }
}
