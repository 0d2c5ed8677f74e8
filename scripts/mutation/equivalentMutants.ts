import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface EquivalentMutant {
  readonly file: string
  /** The line of source without its indentation. */
  readonly line: string
  /** The replacement of the changed part of the line. */
  readonly to: string
}

const fileIndent = " ".repeat(4)
const lineIndent = " ".repeat(6)

/** The mutants that `equivalent.md` lists: below a file's name, `LINE  ->  TO  |  TO`. */
const parseMutants = (text: string): ReadonlyArray<EquivalentMutant> => {
  let file = ""
  return text.split("\n").flatMap((row) => {
    if (row.startsWith(lineIndent)) {
      const [line = "", replacements = ""] = row.trim().split("  ->  ")
      return replacements.split("  |  ").map((to) => ({ file, line, to }))
    }
    if (row.startsWith(fileIndent)) file = row.trim()
    return []
  })
}

export const equivalentMutants = parseMutants(
  readFileSync(join(import.meta.dirname, "equivalent.md"), "utf8")
)
