import { isFailure, try as attempt } from "effect/Result"
import { LineCounter, parseAllDocuments, type Document, type YAMLParseError } from "yaml"
import { misplacedTab } from "./misplacedTabs.ts"
import { splitJsonStream, type TextPart } from "./jsonStream.ts"
import { yamlAliasUsesMax, yamlErrorText, yamlParseOptions } from "./yamlParsing.ts"
import { checkYamlNodes, positionAtPath, positionAtOffset, type DuplicateField } from "./yamlNodes.ts"
import type { DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"
import type { TextPosition } from "./manifestDocument.ts"

export interface YamlDocument extends TextPosition {
  /** Counts from 1. */
  readonly document: number
  readonly value: unknown
  /** The last of duplicate fields is in `value`. */
  readonly duplicates: ReadonlyArray<DuplicateField>
  /** A missing field has the position of its closest ancestor that exists. */
  readonly placeOf: (path: DocumentPath, nameOrValue?: "name" | "value") => TextPosition
}

interface YamlProblem extends TextPosition {
  readonly document: number
  readonly message: string
}

export const parseYamlDocuments = (
  text: string
): { readonly documents: ReadonlyArray<YamlDocument>; readonly problems: ReadonlyArray<YamlProblem> } => {
  const documents: Array<YamlDocument> = []
  const problems: Array<YamlProblem> = []
  let number = 0
  for (const part of splitJsonStream(text)) {
    const lines = new PartLineCounter(part)
    const parsed = parseAllDocuments(part.text, {
      ...yamlParseOptions,
      lineCounter: lines,
      logLevel: "silent",
      prettyErrors: false
    })
    for (const node of parsed) {
      number++
      const result = readDocument(node, number, { lines, text: part.text })
      if ("message" in result) problems.push(result)
      else if (result.value !== null && result.value !== undefined) documents.push(result)
    }
  }
  return { documents, problems }
}

/** Counts the lines of the whole text. */
class PartLineCounter extends LineCounter {
  constructor({ linesBefore, columnsBefore }: TextPart) {
    super()
    const positionInPart = this.linePos
    this.linePos = (offset) => {
      const { line, col } = positionInPart(offset)
      return { line: line + linesBefore, col: line === 1 ? col + columnsBefore : col }
    }
  }
}

/** A template of Helm, for example. */
const templateText = /\{\{.*?\}\}/u

const lineAt = (text: string, offset: number): string =>
  text.slice(text.lastIndexOf("\n", offset - 1) + 1).split("\n", 1)[0] ?? ""

const syntaxProblem = ({ code, message }: YAMLParseError, line: string): string => {
  const [template] = templateText.exec(line) ?? []
  if (template !== undefined) return `${template} is a template that was not rendered`
  return code === "RESOURCE_EXHAUSTION" ? "nested too deeply" : lowerFirst(message)
}

const readDocument = (
  node: Document,
  document: number,
  { lines, text }: { readonly lines: LineCounter; readonly text: string }
): YamlDocument | YamlProblem => {
  const problemAt = (offset: number, message: string): YamlProblem => {
    return { document, ...positionAtOffset(lines, offset), message: `not readable as YAML: ${message}` }
  }
  const [error] = node.errors
  if (error !== undefined) {
    return problemAt(error.pos[0], syntaxProblem(error, lineAt(text, error.pos[0])))
  }
  const tab = misplacedTab(node, text)
  if (tab !== undefined) return problemAt(tab, "tabs are not allowed as indentation")
  const startOffset = node.contents?.range?.[0] ?? 0
  const inspection = checkYamlNodes(node.contents, lines)
  if (inspection.problem !== undefined)
    return problemAt(inspection.problem.offset, inspection.problem.message)
  const value = attempt((): unknown => node.toJS({ maxAliasCount: yamlAliasUsesMax }))
  if (isFailure(value)) {
    return problemAt(startOffset, yamlErrorText(value.failure))
  }
  return {
    document,
    ...positionAtOffset(lines, startOffset),
    value: value.success,
    duplicates: inspection.duplicates,
    placeOf: (path, nameOrValue = "name") => positionAtPath(node, path, lines, nameOrValue)
  }
}

const lowerFirst = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1)
