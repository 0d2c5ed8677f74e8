// What the stores that have no equal are about: runs their tests once more with every write as text, and prints the
// first difference to the store of the other tree that has most in common.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Dump {
  readonly test: string
  readonly lines: ReadonlyArray<string>
}

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const readDumps = (folder: string): ReadonlyArray<Dump> =>
  globSync("*.dump", { cwd: folder }).map((file) => {
    const [test = "", ...lines] = readFileSync(join(folder, file), "utf8").trimEnd().split("\n")
    return { test, lines: lines.map((line) => line.replace(/^\d+ /, "").replaceAll(instant, "T")) }
  })

/** Field by field, since an object is a long line. */
const firstDifference = (before: ReadonlyArray<string>, now: ReadonlyArray<string>): string => {
  const at = now.findIndex((line, index) => line !== before[index])
  const [left = "(end)", right = "(end)"] =
    at === -1 ? [before[now.length], undefined] : [before[at], now[at]]
  let column = 0
  while (column < left.length && left[column] === right[column]) column += 1
  const cut = (line: string): string => line.slice(Math.max(0, column - 80), column + 160)
  return `      - ${cut(left)}\n      + ${cut(right)}`
}

export const explainStores = (base: string, next: string): void => {
  const [before, now] = [readDumps(base), readDumps(next)]
  const texts = new Set(before.map(({ lines }) => lines.join("\n")))
  const differences = new Map<string, Array<string>>()
  let equal = 0
  const byFirst = before.map((dump) => ({ dump, lines: new Set(dump.lines) }))
  for (const { test, lines } of now) {
    if (texts.has(lines.join("\n"))) {
      equal += 1
      continue
    }
    let best: Dump | undefined
    let most = -1
    for (const { dump, lines: known } of byFirst) {
      const common =
        lines.filter((line) => known.has(line)).length - Math.abs(dump.lines.length - lines.length)
      if (common > most) [best, most] = [dump, common]
    }
    const text = firstDifference(best?.lines ?? [], lines)
    const found = differences.get(text)
    const title = `${test} (${lines.length} writes)\n      ~ ${best?.test ?? "none"} (${best?.lines.length ?? 0} writes)`
    if (found === undefined) differences.set(text, [title])
    else found.push(title)
  }
  console.log(`  ${before.length} stores before, ${now.length} now, ${equal} with an equal one`)
  for (const [text, tests] of differences) {
    console.log(
      `\n    ${tests.slice(0, 2).join("\n    ")}${tests.length > 2 ? `\n    and ${tests.length - 2} more` : ""}\n${text}`
    )
  }
}

const [base = "", next = ""] = process.argv.slice(2)
if (process.argv[1] === import.meta.filename) explainStores(base, next)
