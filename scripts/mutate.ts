import { globSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Stryker } from "@stryker-mutator/core"
import { addNumberMutator } from "./mutation/numberMutator.ts"
import { findingsKey, suitesKey } from "./mutation/suites.ts"
import { mutatedRooms, type MutantResult, printReport, type Sources } from "./mutation/survivors.ts"

/**
 * Changes the rules one small thing at a time (`a < b` to `a <= b`) and prints the mutants that no test kills, and the
 * score of each room: `node scripts/mutate.ts [--words] [--tests=GLOB]… [FOLDER|FILE]…`, all rooms when none is named.
 * `--words` changes texts, literals and patterns instead of operators and numbers; `--tests` asks only these tests.
 * Exits with 1 when a whole room's score is below its threshold. Thresholds hold for operators and numbers, and for
 * all tests.
 */
const root = resolve(import.meta.dirname, "..")
const commandArguments = process.argv.slice(2)
const testsFlag = "--tests="
const areWords = commandArguments.includes("--words")
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

const mutate = async (patterns: ReadonlyArray<string>): Promise<ReadonlyArray<MutantResult>> => {
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
    // Stryker would read the real file with the compiler's old interface.
    tsconfigFile: "none.json",
    tempDirName: ".cache/mutation",
    ignorePatterns: ["/dist", "/.cache", "/coverage"],
    reporters: ["progress-append-only"],
    logLevel: "warn" as never,
    warnings: { slow: false } as never,
    allowConsoleColors: false,
    timeoutMS: 5000,
    timeoutFactor: 1.5,
    // On a busy machine the first run of all tests takes longer than the five minutes that are the default.
    dryRunTimeoutMinutes: 30
  })
  return stryker.runMutationTest()
}

/** Read before the run, since the files may be edited meanwhile. */
const readSources = (patterns: ReadonlyArray<string>): Sources =>
  new Map(globSync([...patterns]).map((path) => [resolve(path), readFileSync(path, "utf8").split("\n")]))

const patternOf = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, "**/*.ts") : path

process.chdir(root)
const globs = commandArguments
  .filter((word) => word.startsWith(testsFlag))
  .map((word) => word.slice(testsFlag.length))
if (globs.length > 0) process.env[suitesKey] = globs.join(" ")
const findings = resolve(`.cache/mutation-${process.pid}.json`)
process.env[findingsKey] = findings
const givenPaths = commandArguments.filter((word) => !word.startsWith("--"))
const patterns = (givenPaths.length > 0 ? givenPaths : mutatedRooms()).map(patternOf)
const sources = readSources(patterns)
const hasThresholds = !areWords && globs.length === 0
process.exitCode = printReport(await mutate(patterns), root, sources, hasThresholds) ? 0 : 1
rmSync(findings, { force: true })
