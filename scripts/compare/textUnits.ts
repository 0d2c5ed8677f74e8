import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A sentence of the sources: its pieces, between which values are put. */
export type TextUnit = ReadonlyArray<string>

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
const skipped = new Set(["ImportDeclaration", "ExportAllDeclaration", "ImportExpression", "TSLiteralType"])

/** The pieces of a literal, a template or a sum of them; undefined for anything else. */
const unitOf = (node: Node): ReadonlyArray<string> | undefined => {
  if (node.type === "Literal" && typeof node["value"] === "string") return [node["value"]]
  if (node.type === "JSXText") return [String(node["value"]).replaceAll(/\s+/g, " ").trim()]
  if (node.type === "TemplateLiteral") {
    return (node["quasis"] as ReadonlyArray<{ value: { cooked: string | null; raw: string } }>).map(
      ({ value }) => value.cooked ?? value.raw
    )
  }
  if (node.type !== "BinaryExpression" || node["operator"] !== "+") return undefined
  const [left, right] = [node["left"], node["right"]].map((side) => (isNode(side) ? unitOf(side) : undefined))
  if (left === undefined && right === undefined) return undefined
  const [before, after] = [left ?? ["", ""], right ?? ["", ""]]
  return [...before.slice(0, -1), `${before.at(-1) ?? ""}${after[0] ?? ""}`, ...after.slice(1)]
}

const children = (node: Node): ReadonlyArray<unknown> =>
  Object.entries(node).flatMap(([name, child]) =>
    node.type === "ExportNamedDeclaration" && name === "source" ? [] : [child]
  )

/** The values between the pieces may have sentences of their own. */
const valuesIn = (node: Node): ReadonlyArray<unknown> => {
  if (node.type === "TemplateLiteral") return [node["expressions"]]
  if (node.type !== "BinaryExpression") return []
  return [node["left"], node["right"]].flatMap((side) =>
    isNode(side) && unitOf(side) !== undefined ? valuesIn(side) : [side]
  )
}

/** The sentences of every file, in their order. */
export const textUnits = async (tree: string): Promise<ReadonlyMap<string, ReadonlyArray<TextUnit>>> => {
  const parser = join(import.meta.dirname, "../../node_modules/rolldown/dist/utils-index.mjs")
  const { parseSync } = (await import(parser)) as {
    readonly parseSync: (file: string, text: string) => { readonly program: unknown }
  }
  const units = new Map<string, ReadonlyArray<TextUnit>>()
  for (const file of globSync("{src,machines}/**/*.{ts,tsx}", { cwd: tree }).sort()) {
    if (file.includes("/generated/")) continue
    const found: Array<TextUnit> = []
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) return node.forEach(visit)
      if (typeof node !== "object" || node === null) return
      if (!isNode(node)) return Object.values(node).forEach(visit)
      if (skipped.has(node.type)) return
      const unit = unitOf(node)
      if (unit === undefined) return children(node).forEach(visit)
      if (unit.some((piece) => piece.trim() !== "")) found.push(unit)
      valuesIn(node).forEach(visit)
    }
    visit(parseSync(file, readFileSync(join(tree, file), "utf8")).program)
    units.set(file, found)
  }
  return units
}
