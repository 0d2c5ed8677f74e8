import { globSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { relative, resolve } from "node:path"
import { Stryker } from "@stryker-mutator/core"
import { type Explained, explained } from "./mutation/explained.ts"
import { addNumberMutator } from "./mutation/numberMutator.ts"
import { findingsKey, suitesKey } from "./mutation/suites.ts"

/**
 * Changes the rules one small thing at a time (`a < b` to `a <= b`) and prints the changes that no test notices:
 * `node scripts/mutate.ts [--words] [--tests=GLOB]… [FILE…]`, all of `src/kubernetes`, `src/explain/objects` and `machines` when no file is named.
 * `--words` changes texts, literals and patterns instead of operators and numbers; `--tests` asks only these tests. Exits with 1 when a change goes unnoticed that
 * `mutation/explained.ts` does not explain.
 */
type Result = Awaited<ReturnType<Stryker["runMutationTest"]>>[number]

const root = resolve(import.meta.dirname, "..")
const words = process.argv.slice(2)
const testsFlag = "--tests="
const areWords = words.includes("--words")
const wordMutators = ["StringLiteral", "ObjectLiteral", "ArrayDeclaration", "Regex"]
const otherMutators = [
  "ArithmeticOperator",
  "AssignmentOperator",
  "BlockStatement",
  "BooleanLiteral",
  "ConditionalExpression",
  "EmptyExpression",
  "EqualityOperator",
  "LogicalOperator",
  "MethodExpression",
  "NumericLiteral",
  "OptionalChaining",
  "UnaryOperator",
  "UpdateOperator"
]

const mutate = async (patterns: ReadonlyArray<string>): Promise<ReadonlyArray<Result>> => {
  await addNumberMutator()
  mkdirSync(".cache", { recursive: true })
  const stryker = new Stryker({
    mutate: [...patterns],
    // An arrow's body is changed piece by piece; as a whole it is only ever replaced while its module loads.
    mutator: {
      plugins: [],
      excludedMutations: ["ArrowFunction", ...(areWords ? otherMutators : wordMutators)]
    },
    plugins: [resolve(import.meta.dirname, "mutation/strykerRunner.ts")],
    testRunner: "warm",
    coverageAnalysis: "perTest",
    concurrency: 1,
    disableTypeChecks: false,
    // Stryker would read the real one with the compiler's old interface.
    tsconfigFile: "none.json",
    tempDirName: ".cache/mutation",
    ignorePatterns: ["/dist", "/.cache", "/coverage"],
    reporters: ["progress-append-only"],
    logLevel: "warn" as never,
    warnings: { slow: false } as never,
    allowConsoleColors: false,
    timeoutMS: 5000,
    timeoutFactor: 1.5
  })
  return stryker.runMutationTest()
}

/** Texts by path. They are read before the run, since the files may be edited meanwhile. */
const readSources = (patterns: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(globSync([...patterns]).map((path) => [resolve(path), readFileSync(path, "utf8").split("\n")]))

interface Change {
  readonly file: string
  readonly line: string
  readonly text: string
  readonly to: string
  readonly why: string | undefined
}

const changeOf = (result: Result, lines: ReadonlyArray<string>): Change => {
  const { start, end } = result.location
  const file = relative(root, result.fileName)
  const line = lines[start.line - 1] ?? ""
  const below = lines.slice(start.line, end.line)
  const whole = [line, ...below].join("\n")
  const from = whole.slice(start.column - 1, whole.length - (below.at(-1) ?? line).length + end.column - 1)
  const to = (result.replacement ?? "").trim()
  const entry = explained.find((it) => isExplainedBy(it, file, line.trim(), to))
  const reach = result.status === "NoCoverage" ? "  (no test comes here)" : ""
  const text = `${file}:${start.line}:${start.column}  ${pairOf(from, to)}${reach}`
  return { file, line: line.trim(), text, to, why: entry?.why }
}

const isExplainedBy = (entry: Explained, file: string, line: string, to: string): boolean =>
  entry.file === file &&
  entry.changes.some(([its, ...ends]) => its === line && (ends.length === 0 || ends.includes(to)))

/** Both texts; where they are long, only what differs between them. */
const pairOf = (from: string, to: string): string => {
  const [a, b] = [from, to].map((text) => text.replaceAll(/\s+/g, " ")) as [string, string]
  if (a.length < 60 || b.length < 5) return `${shortened(a)}  ->  ${shortened(b)}`
  const lengthMin = Math.min(a.length, b.length)
  let head = 0
  while (head < lengthMin && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < lengthMin - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  const [start, end] = [Math.max(0, head - 20), Math.max(0, tail - 20)]
  return `…${shortened(a.slice(start, a.length - end))}…  ->  …${shortened(b.slice(start, b.length - end))}…`
}

const shortened = (text: string): string => (text.length > 70 ? `${text.slice(0, 69)}…` : text)

const isTried = ({ status }: Result): boolean =>
  ["Killed", "Timeout", "Survived", "NoCoverage"].includes(status)
const isNoticed = ({ status }: Result): boolean => status === "Killed" || status === "Timeout"

const tell = (
  results: ReadonlyArray<Result>,
  sources: ReadonlyMap<string, ReadonlyArray<string>>
): boolean => {
  const files = [...new Set(results.map(({ fileName }) => fileName))].toSorted()
  const rows: Array<string> = []
  let open = 0
  for (const path of files) {
    const lines = sources.get(path) ?? []
    const tried = results.filter((it) => it.fileName === path && isTried(it))
    const unnoticed = tried.filter((it) => !isNoticed(it)).map((it) => changeOf(it, lines))
    const unexplained = unnoticed.filter(({ why }) => why === undefined)
    for (const { text } of unexplained) console.log(text)
    open += unexplained.length
    rows.push(rowOf(relative(root, path), tried.length, unnoticed.length, unexplained.length))
  }
  console.log(
    `\n${"noticed".padStart(8)} ${"of".padStart(6)} ${"explained".padStart(10)} ${"open".padStart(5)}`
  )
  for (const row of rows) console.log(row)
  const untried = results.filter((it) => !isTried(it) && it.status !== "Ignored")
  if (untried.length > 0) console.log(`\n${untried.length} could not be tried: ${untried[0]?.statusReason}`)
  tellStale(files, results, sources)
  const tried = results.filter(isTried)
  const noticed = tried.filter(isNoticed).length
  const score = tried.length === 0 ? 100 : (100 * noticed) / tried.length
  console.log(`\n${noticed} of ${tried.length} changes noticed (${score.toFixed(1)} %), ${open} unexplained`)
  return open === 0 && untried.length === 0
}

/** Explanations that the run found nothing for: a test notices now, or the line has changed. */
const tellStale = (
  files: ReadonlyArray<string>,
  results: ReadonlyArray<Result>,
  sources: ReadonlyMap<string, ReadonlyArray<string>>
): void => {
  if (areWords) return
  const unnoticed = results
    .filter((it) => isTried(it) && !isNoticed(it))
    .map((it) => changeOf(it, sources.get(it.fileName) ?? []))
  const names = files.map((path) => relative(root, path))
  for (const { file, changes } of explained.filter((it) => names.includes(it.file))) {
    for (const [its, ...ends] of changes) {
      const mine = unnoticed.filter((it) => it.file === file && it.line === its).map(({ to }) => to)
      const stale = ends.length === 0 ? mine.length === 0 : ends.some((end) => !mine.includes(end))
      if (stale) console.log(`nothing to explain any more: ${file}: ${its}`)
    }
  }
}

const rowOf = (file: string, tried: number, unnoticed: number, open: number): string => {
  const [noticed, of, explained, left] = [tried - unnoticed, tried, unnoticed - open, open].map(String)
  return `${noticed?.padStart(8)} ${of?.padStart(6)} ${explained?.padStart(10)} ${left?.padStart(5)}  ${file}`
}

process.chdir(root)
const globs = words.filter((word) => word.startsWith(testsFlag)).map((word) => word.slice(testsFlag.length))
if (globs.length > 0) process.env[suitesKey] = globs.join(" ")
const findings = resolve(`.cache/mutation-${process.pid}.json`)
process.env[findingsKey] = findings
const named = words.filter((word) => !word.startsWith("--"))
const patterns =
  named.length > 0 ? named : ["src/kubernetes/**/*.ts", "src/explain/objects/**/*.ts", "machines/**/*.ts"]
const sources = readSources(patterns)
process.exitCode = tell(await mutate(patterns), sources) ? 0 : 1
rmSync(findings, { force: true })
