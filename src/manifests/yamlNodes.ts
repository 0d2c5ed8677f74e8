import { isAlias, isCollection, isMap, isNode, isScalar, isSeq, type Document, type LineCounter } from "yaml"
import type { DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"
import type { TextPosition } from "./manifestDocument.ts"

export interface DuplicateField extends TextPosition {
  readonly path: DocumentPath
}

interface Inspection {
  readonly duplicates: ReadonlyArray<DuplicateField>
  readonly problem: { readonly offset: number; readonly message: string } | undefined
}

/** Further duplicate fields are not reported. */
const duplicatesMax = 100
/** Aliases can make a short document a huge object. */
const aliasesMax = 1000

/** Finds what Kubernetes refuses and the YAML parser accepts. */
export const checkYamlNodes = (root: unknown, lines: LineCounter): Inspection => {
  const duplicates: Array<DuplicateField> = []
  const anchors = new Set<string>()
  const enclosingAnchors = new Set<string>()
  let aliasCount = 0
  let problem: Inspection["problem"]

  const inspect = (node: unknown, path: DocumentPath): void => {
    if (isAlias(node)) {
      aliasCount += 1
      const message = aliasProblem(node.source)
      if (message !== undefined) problem ??= { offset: node.range?.[0] ?? 0, message }
      return
    }
    const anchor = isNode(node) && "anchor" in node ? node.anchor : undefined
    if (typeof anchor === "string") anchors.add(anchor)
    if (!isCollection(node)) return
    if (typeof anchor === "string") enclosingAnchors.add(anchor)
    if (isSeq(node)) for (const [index, item] of node.items.entries()) inspect(item, [...path, index])
    if (isMap(node)) inspectFields(node.items, path)
    if (typeof anchor === "string") enclosingAnchors.delete(anchor)
  }

  const inspectFields = (
    pairs: ReadonlyArray<{ readonly key: unknown; readonly value: unknown }>,
    path: DocumentPath
  ): void => {
    const names = new Set<string>()
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : ""
      const fieldPath = [...path, name]
      // `<<` merges another map, and may occur several times.
      const isDuplicate = names.has(name) && name !== "<<"
      if (isDuplicate && duplicates.length < duplicatesMax && isScalar(key)) {
        duplicates.push({ path: fieldPath, ...positionAtOffset(lines, key.range?.[0] ?? 0) })
      }
      names.add(name)
      inspect(value, fieldPath)
    }
  }

  const aliasProblem = (source: string): string | undefined => {
    if (aliasCount > aliasesMax) return "document contains excessive aliasing"
    if (enclosingAnchors.has(source)) return `anchor '${source}' value contains itself`
    return anchors.has(source) ? undefined : `unknown anchor '${source}' referenced`
  }

  inspect(root, [])
  return { duplicates, problem }
}

export const positionAtOffset = (lines: LineCounter, offset: number): TextPosition => {
  const { line, col: column } = lines.linePos(offset)
  return { line, column }
}

/** A value's position is after an opening quote; a missing field has the position of its closest ancestor. */
export const positionAtPath = (
  document: Document,
  path: DocumentPath,
  lines: LineCounter,
  nameOrValue: "name" | "value"
): TextPosition => {
  const { nameOffset, value } = fieldAt(document, path)
  const isQuoted = isScalar(value) && (value.type === "QUOTE_DOUBLE" || value.type === "QUOTE_SINGLE")
  const hasRange = isNode(value) && value.range !== undefined && value.range !== null
  const offset = nameOrValue === "name" || !hasRange ? nameOffset : startOf(value) + (isQuoted ? 1 : 0)
  return positionAtOffset(lines, offset)
}

/** A list item has no name: `nameOffset` is that of the item. */
const fieldAt = (
  document: Document,
  path: DocumentPath
): { readonly nameOffset: number; readonly value: unknown } => {
  let node: unknown = document.contents
  let nameOffset = startOf(node)
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.findLast(
        (item) => isScalar(item.key) && String(item.key.value) === String(part)
      )
      if (pair === undefined) break
      nameOffset = startOf(pair.key)
      node = pair.value
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(part)]
      if (item === undefined) break
      nameOffset = startOf(item)
      node = item
    } else break
  }
  return { nameOffset, value: node }
}

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
