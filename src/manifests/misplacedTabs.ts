import { isCollection, isScalar, visit, type Document } from "yaml"

const lineWithTab = /^( *)\t[ \t]*(?:#.*)?\r?$/gmu

/**
 * The offset of a tab that starts an empty line outside of values: kubectl refuses it.
 * Source: go-yaml v2 (scannerc.go).
 */
export const misplacedTab = (document: Document, text: string): number | undefined => {
  const [contentStart, , end] = document.range ?? [0, 0, 0]
  const start = startOfEmptyLines(text, contentStart)
  const offsets = [...text.slice(start, end).matchAll(lineWithTab)].map(
    ({ index, 1: blanks = "" }) => start + index + blanks.length
  )
  return offsets.length === 0 ? undefined : offsets.find(refusedTabTest(document, text))
}

const startOfEmptyLines = (text: string, contentStart: number): number => {
  let start = text.lastIndexOf("\n", contentStart - 1) + 1
  if (contentStart === 0 || text.slice(start, contentStart).trim() !== "") return contentStart
  while (start > 0) {
    const previous = start === 1 ? 0 : text.lastIndexOf("\n", start - 2) + 1
    const line = text.slice(previous, start).trim()
    if (line !== "" && !line.startsWith("#")) return start
    start = previous
  }
  return start
}

const refusedTabTest = (document: Document, text: string): ((offset: number) => boolean) => {
  const valuesOfSeveralLines: Array<readonly [number, number]> = []
  const plainScalarEnds = new Set<number>()
  visit(document, {
    Node: (_key, node) => {
      const [from, to] = node.range ?? [0, 0]
      const isBlock = isCollection(node) && node.flow !== true
      if (!isBlock && text.slice(from, to).includes("\n")) valuesOfSeveralLines.push([from, to])
      if (isScalar(node) && node.type === "PLAIN") plainScalarEnds.add(to)
    }
  })
  return (offset) => {
    if (valuesOfSeveralLines.some(([from, to]) => from <= offset && offset < to)) return false
    const textBefore = text.slice(0, offset).trimEnd()
    if (!plainScalarEnds.has(textBefore.length)) return true
    const line = textBefore.slice(textBefore.lastIndexOf("\n") + 1)
    // A plain scalar goes on after a line that is indented farther than its key.
    const keyIndent = /^ *(?:- +(?=\S+:))*/u.exec(line)?.[0].length ?? 0
    return offset - text.lastIndexOf("\n", offset - 1) - 1 <= keyIndent
  }
}
