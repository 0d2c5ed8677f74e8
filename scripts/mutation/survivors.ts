import { globSync } from "node:fs"
import { join, relative } from "node:path"
import type { Stryker } from "@stryker-mutator/core"
import { equivalentMutants } from "./equivalentMutants.ts"
import { thresholds } from "./thresholds.ts"

export type MutantResult = Awaited<ReturnType<Stryker["runMutationTest"]>>[number]

/** Lines by path. */
export type Sources = ReadonlyMap<string, ReadonlyArray<string>>

/** `from` replaced by `to`. `equivalent`: no test can tell it from the original. `isReached`: a test runs it. */
interface Mutant {
  readonly file: string
  readonly lineNumber: number
  readonly line: string
  readonly from: string
  readonly to: string
  readonly fate: "killed" | "survived" | "equivalent"
  readonly isReached: boolean
}

/** The score of a room, or of a file whose room was not tried as a whole. */
interface Score {
  readonly name: string
  readonly killed: number
  readonly survived: number
  readonly equivalent: number
  readonly percent: number
  readonly threshold: number | undefined
}

/** Tried when no path is given. A room without a threshold is scored and not judged. */
export const mutatedRooms = (): ReadonlyArray<string> => [
  "machines",
  "src/explain/objects",
  "src/explain/workloads",
  ...globSync("src/kubernetes/*/").toSorted()
]

const isTried = ({ status }: MutantResult): boolean =>
  ["Killed", "Timeout", "Survived", "NoCoverage"].includes(status)

const mutantOf = (result: MutantResult, root: string, sources: Sources): Mutant => {
  const { start, end } = result.location
  const lines = sources.get(result.fileName) ?? []
  const first = lines[start.line - 1] ?? ""
  const below = lines.slice(start.line, end.line)
  const whole = [first, ...below].join("\n")
  const from = whole.slice(start.column - 1, whole.length - (below.at(-1) ?? first).length + end.column - 1)
  const found = {
    file: relative(root, result.fileName),
    lineNumber: start.line,
    line: first.trim(),
    from,
    to: (result.replacement ?? "").trim(),
    isReached: result.status !== "NoCoverage"
  }
  if (result.status === "Killed" || result.status === "Timeout") return { ...found, fate: "killed" }
  return { ...found, fate: isEquivalent(found) ? "equivalent" : "survived" }
}

const isEquivalent = ({ file, line, to }: Pick<Mutant, "file" | "line" | "to">): boolean =>
  equivalentMutants.some((it) => it.file === file && it.line === line && it.to === to)

const scoreOf = (name: string, mutants: ReadonlyArray<Mutant>, threshold?: number): Score => {
  const count = (fate: Mutant["fate"]): number => mutants.filter((it) => it.fate === fate).length
  const [killed, survived] = [count("killed"), count("survived")]
  const percent = killed + survived === 0 ? 100 : (100 * killed) / (killed + survived)
  return { name, killed, survived, equivalent: count("equivalent"), percent, threshold }
}

/** A row per room that was tried as a whole, and per other file. */
const scoresOf = (mutants: ReadonlyArray<Mutant>, root: string, sources: Sources): ReadonlyArray<Score> => {
  const isWhole = (room: string): boolean =>
    globSync(`${room}/**/*.ts`).every((file) => sources.has(join(root, file)))
  const rooms = mutatedRooms().filter(isWhole)
  const nameOf = ({ file }: Mutant): string => rooms.find((room) => file.startsWith(`${room}/`)) ?? file
  return [...Map.groupBy(mutants, nameOf)]
    .map(([name, all]) => scoreOf(name, all, rooms.includes(name) ? thresholds[name] : undefined))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const printSurvivors = (mutants: ReadonlyArray<Mutant>): void => {
  const survivors = mutants.filter(({ fate }) => fate === "survived")
  for (const [file, ofFile] of Map.groupBy(survivors, (it) => it.file)) {
    console.log(`\n${file}`)
    const ofLines = Map.groupBy(ofFile, ({ lineNumber }) => lineNumber)
    for (const [lineNumber, all] of [...ofLines].toSorted(([a], [b]) => a - b)) {
      console.log(`  ${lineNumber}: ${all[0]?.line ?? ""}`)
      for (const { from, to, isReached } of all) {
        console.log(`      ${changeText(from, to)}${isReached ? "" : "  (no test comes here)"}`)
      }
    }
  }
}

/** Long texts are cut to their difference. */
const changeText = (from: string, to: string): string => {
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

const printScores = (scores: ReadonlyArray<Score>): void => {
  const cells = (texts: ReadonlyArray<string | number>): string =>
    texts.map((text) => String(text).padStart(10)).join(" ")
  console.log(`\n${cells(["killed", "survived", "equivalent", "score", "threshold"])}`)
  for (const { name, killed, survived, equivalent, percent, threshold } of scores) {
    const row = cells([killed, survived, equivalent, shortPercent(percent), threshold?.toFixed(1) ?? ""])
    console.log(`${row}  ${name}${isBelow(percent, threshold) ? "  (too low)" : ""}`)
  }
}

/** Rounded down, so that the score printed never looks better than it is. */
const shortPercent = (percent: number): string => (Math.floor(percent * 10) / 10).toFixed(1)

const isBelow = (percent: number, threshold: number | undefined): boolean =>
  threshold !== undefined && percent < threshold

/** Listed equivalent mutants that did not survive: a test kills them now, or the line has changed. */
const printStale = (mutants: ReadonlyArray<Mutant>): void => {
  const files = new Set(mutants.map(({ file }) => file))
  const equivalents = mutants.filter(({ fate }) => fate === "equivalent")
  for (const { file, line, to } of equivalentMutants.filter((it) => files.has(it.file))) {
    if (equivalents.some((it) => it.file === file && it.line === line && it.to === to)) continue
    console.log(`listed in equivalent.md, but it does not survive: ${file}: ${line}  ->  ${to}`)
  }
}

/** Returns whether each room reaches its threshold. */
export const printReport = (
  results: ReadonlyArray<MutantResult>,
  root: string,
  sources: Sources,
  hasThresholds: boolean
): boolean => {
  const mutants = results.filter(isTried).map((it) => mutantOf(it, root, sources))
  printSurvivors(mutants)
  const scores = scoresOf(mutants, root, sources).map((it) =>
    hasThresholds ? it : { ...it, threshold: undefined }
  )
  printScores(scores)
  if (scores.length > 1) printScores([scoreOf("together", mutants)])
  if (hasThresholds) printStale(mutants)
  const untried = results.filter((it) => !isTried(it) && it.status !== "Ignored")
  if (untried.length > 0) console.log(`\n${untried.length} could not be tried: ${untried[0]?.statusReason}`)
  return untried.length === 0 && !scores.some(({ percent, threshold }) => isBelow(percent, threshold))
}
