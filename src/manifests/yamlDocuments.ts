import { isFailure, try as attempt } from "effect/Result"
import { LineCounter, parseAllDocuments, type Document } from "yaml"
import { inspectNodes, placeAt, textPlace, type Repeated } from "./yamlNodes.ts"
import type { FieldPath } from "../domain/admission/decodeFields.ts"
import type { TextPlace } from "./manifest.ts"
import type { ScalarTag, Tags } from "yaml"

/** One document of a YAML or JSON text, with what a plain value does not show. */
export interface YamlDocument extends TextPlace {
  readonly document: number
  readonly value: unknown
  /** Fields that the text gives more than once; the last one counts. */
  readonly repeated: ReadonlyArray<Repeated>
  /** Where the name of a field begins, or its value. */
  readonly placeOf: (path: FieldPath, aim?: "name" | "value") => TextPlace
}

interface YamlProblem extends TextPlace {
  readonly document: number
  readonly message: string
}

/** As often as one anchor may be used, counting what its aliases stand for in turn. */
const aliasUsesMax = 100

/**
 * Reads a text as kubectl does: YAML 1.1's `yes` and `0644` mean true and 420, `<<` merges, tags and dates
 * mean nothing. Empty documents are left out, and counted.
 *
 * Source: sigs.k8s.io/yaml and its fork of go-yaml v2 (resolve.go).
 */
export const readYaml = (
  text: string
): { readonly documents: ReadonlyArray<YamlDocument>; readonly problems: ReadonlyArray<YamlProblem> } => {
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, {
    customTags,
    lineCounter: lines,
    logLevel: "silent",
    merge: true,
    prettyErrors: false,
    resolveKnownTags: false,
    stringKeys: true,
    // Looked for below, where the path to them is known and where a large map takes no longer than it must.
    uniqueKeys: false
  })
  const documents: Array<YamlDocument> = []
  const problems: Array<YamlProblem> = []
  for (const [index, node] of parsed.entries()) {
    const read = readDocument(node, index + 1, lines)
    if ("message" in read) problems.push(read)
    else if (read.value !== null && read.value !== undefined) documents.push(read)
  }
  return { documents, problems }
}

const readDocument = (node: Document, document: number, lines: LineCounter): YamlDocument | YamlProblem => {
  const problemAt = (offset: number, message: string): YamlProblem => {
    return { document, ...textPlace(lines, offset), message: `not readable as YAML: ${message}` }
  }
  const [error] = node.errors
  if (error !== undefined) {
    const deep = error.code === "RESOURCE_EXHAUSTION"
    return problemAt(error.pos[0], deep ? "nested too deeply" : sentence(error.message))
  }
  const start = node.contents?.range?.[0] ?? 0
  const found = inspectNodes(node.contents, lines)
  if (found.problem !== undefined) return problemAt(found.problem.offset, found.problem.message)
  const value = attempt((): unknown => node.toJS({ maxAliasCount: aliasUsesMax }))
  if (isFailure(value)) {
    const excessive = value.failure instanceof ReferenceError
    return problemAt(start, excessive ? "document contains excessive aliasing" : mergeMessage)
  }
  return {
    document,
    ...textPlace(lines, start),
    value: value.success,
    repeated: found.repeated,
    placeOf: (path, aim = "name") => placeAt(node, path, lines, aim)
  }
}

const mergeMessage = "map merge requires map or sequence of maps as the value"

const sentence = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1)

/** Words that YAML 1.2 no longer takes for truths, and Kubernetes does: a label `enabled: yes` is no text. */
const boolean: ScalarTag = {
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/,
  resolve: (word) => /^(?:y|on)/i.test(word)
}

/** The modes of files are written so: `defaultMode: 0644`. */
const octal: ScalarTag = {
  default: true,
  tag: "tag:yaml.org,2002:int",
  test: /^[-+]?0[0-7]+$/,
  resolve: (digits) => Number.parseInt(digits, 8)
}

const customTags = (tags: Tags): Tags => [boolean, octal, ...tags]
