import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TextUnit } from "./textUnits.ts"

/** Sentences that were changed on purpose, each with its pieces between values: reviewed, then kept in a file. */
const file = join(import.meta.dirname, "renames.json")
export const sentences: ReadonlyArray<readonly [TextUnit, TextUnit]> = existsSync(file)
  ? (JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<readonly [TextUnit, TextUnit]>)
  : []
export const writeSentences = (pairs: ReadonlyArray<readonly [TextUnit, TextUnit]>): void =>
  writeFileSync(file, `[\n${pairs.map((pair) => JSON.stringify(pair)).join(",\n")}\n]\n`)

/** Names and forms that no sentence of the sources has as a whole: patterns and what they become. */
const names = (
  JSON.parse(readFileSync(join(import.meta.dirname, "names.json"), "utf8")) as ReadonlyArray<[string, string]>
).map(([pattern, now]) => [new RegExp(pattern, "gm"), now] as const)

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
/** As a part of a longer sentence. */
const withoutPoint = (text: string): string => text.replace(/\.$/, "")
const inHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

interface Rename {
  /** Only texts that have it are searched. */
  readonly needle: string
  readonly pattern: RegExp
  readonly now: string
}

/** Values stand between the pieces; one before the first piece or after the last need not be known. */
const renameOf = (before: TextUnit, now: TextUnit, encode: (text: string) => string): Rename | undefined => {
  if (before.length !== now.length) return undefined
  const needle = encode([...before].sort((a, b) => b.length - a.length)[0] ?? "")
  if (needle.trim().length < 6 || !needle.trim().includes(" ")) return undefined
  const pieces = before.map((piece) => escaped(encode(piece)))
  const values = now.map((piece) => encode(piece).replaceAll("$", "$$$$"))
  let number = 0
  const [pattern, text] = pieces.reduce(
    ([left, right], piece, index) => {
      if (index === 0) return [piece, values[0] ?? ""]
      const isOpen =
        (index === 1 && before[0] === "" && now[0] === "") ||
        (index === pieces.length - 1 && piece === "" && now[index] === "")
      if (isOpen) return [`${left}${piece}`, `${right}${values[index] ?? ""}`]
      number += 1
      return [`${left}([^\\n]{0,400}?)${piece}`, `${right}$${number}${values[index] ?? ""}`]
    },
    ["", ""]
  )
  return { needle, pattern: new RegExp(pattern, "g"), now: text }
}

const renames: ReadonlyArray<Rename> = sentences
  .flatMap(([before, now]) => {
    const forms = [
      (text: string) => text,
      inJson,
      inHtml,
      withoutPoint,
      (text: string) => inJson(inHtml(text))
    ]
    const made = forms.flatMap((encode) => renameOf(before, now, encode) ?? [])
    return [...new Map(made.map((rename) => [rename.pattern.source, rename])).values()]
  })
  // A sentence may be a part of a longer one.
  .sort((a, b) => b.needle.length - a.needle.length)

/** The older tree's text with the newer one's names and sentences. */
export const renamed = (text: string): string => {
  let changed = text
  for (const { needle, pattern, now } of renames) {
    if (changed.includes(needle)) changed = changed.replaceAll(pattern, now)
  }
  for (const [pattern, now] of names) changed = changed.replaceAll(pattern, now)
  return changed
}
