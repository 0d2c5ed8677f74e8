import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { withoutChance, withoutQuoting } from "./normalize.ts"
import { renamed } from "./renames.ts"

const shownMax = 60
const widthMax = 300

/** Compares the files of two folders, and prints each kind of difference once, with the files that have it. */
export const compareFolders = (base: string, next: string): void => {
  const names = [...new Set([...readdirSync(base), ...readdirSync(next)])].sort()
  const differences = new Map<string, Array<string>>()
  const counts = { files: names.length, bytes: 0, identical: 0, renamed: 0, wrappedAnew: 0, different: 0 }
  for (const name of names) {
    const [from, to] = [join(base, name), join(next, name)]
    if (!existsSync(from) || !existsSync(to)) {
      counts.different += 1
      note(differences, existsSync(from) ? "- only before" : "+ only now", name)
      continue
    }
    const [before, now] = [readFileSync(from, "utf8"), readFileSync(to, "utf8")]
      .map(withoutChance)
      .map((text) => (name.startsWith("completions_") ? withoutQuoting(text) : text))
    if (before === undefined || now === undefined) continue
    counts.bytes += now.length
    if (before === now) counts.identical += 1
    else {
      const expected = sortedNames(name, renamed(before))
      if (expected === now) counts.renamed += 1
      else if (wordsOf(expected) === wordsOf(now)) counts.wrappedAnew += 1
      else {
        counts.different += 1
        note(differences, firstDifference(expected, now), name)
      }
    }
  }
  console.log(`  ${JSON.stringify(counts)}`)
  for (const [text, files] of [...differences].slice(0, shownMax)) {
    const more = files.length > 3 ? ` and ${files.length - 3} more` : ""
    console.log(`\n  ${files.slice(0, 3).join(", ")}${more}\n${text}`)
  }
  if (differences.size > shownMax) console.log(`\n  and ${differences.size - shownMax} more`)
}

/** Names are listed by the alphabet. */
const sortedNames = (name: string, text: string): string =>
  name.startsWith("names-") ? text.split("\n").sort().join("\n") : text

/** Longer names and sentences make other columns and lines. */
const wordsOf = (text: string): string => text.replaceAll(/[\s─]+/g, " ")

const note = (differences: Map<string, Array<string>>, text: string, name: string): void => {
  const names = differences.get(text)
  if (names === undefined) differences.set(text, [name])
  else names.push(name)
}

/** The first line that differs, around its first character that does. */
const firstDifference = (before: string, now: string): string => {
  const [old, new_] = [before.split("\n"), now.split("\n")]
  const index = old.findIndex((line, at) => wordsOf(line) !== wordsOf(new_[at] ?? ""))
  const at = index === -1 ? old.length : index
  const [left = "(end)", right = "(end)"] = [old[at], new_[at]]
  let column = 0
  while (column < left.length && left[column] === right[column]) column += 1
  const begin = Math.max(0, column - 60)
  const cut = (line: string): string => line.slice(begin, begin + widthMax)
  return `    - ${cut(left)}\n    + ${cut(right)}`
}
