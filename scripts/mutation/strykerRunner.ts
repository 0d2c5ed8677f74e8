import { readFileSync, writeFileSync } from "node:fs"
import { basename, resolve } from "node:path"
import process from "node:process"
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  TestStatus
} from "@stryker-mutator/api/test-runner"
import type { Logger } from "@stryker-mutator/api/logging"
import type { ThreadAnswer, HitCounts, Reach, Trial } from "./messages.ts"
import { findingsKey, slowMillis, slowToLoadMillis } from "./suites.ts"
import { Thread } from "./thread.ts"

/** A test may hit a mutant this many times as often as without it, plus `hitsMin`. */
const hitsFactor = 20
const hitsMin = 2000

/** Results of the run without mutants, kept in a file because Stryker starts a new process after a timeout. */
interface Findings {
  readonly trials: ReadonlyArray<Trial>
  readonly reach: Reach
}
const findingsPath = process.env[findingsKey] ?? "findings.json"

/**
 * Loads the tests once and then only switches mutants. Stryker's own runner for vitest loads the test files anew for
 * each mutant, which takes two seconds where most tests take a millisecond.
 */
class StrykerRunner {
  /** Has loaded all test files without a mutant. */
  #loadedThread: Thread | undefined
  /** Loads test files again, with a mutant. */
  #reloadThread: Thread | undefined
  #findings: Findings = { trials: [], reach: { byTest: {}, byFile: {} } }
  #millis: ReadonlyMap<string, number> = new Map()

  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  capabilities(): { readonly reloadEnvironment: boolean } {
    return { reloadEnvironment: true }
  }

  async dryRun(): Promise<DryRunResult> {
    this.#loadedThread = await Thread.open()
    const answer = await this.#loadedThread.start({ task: "trial" })
    if (answer.type !== "loaded") throw new Error(`the tests did not load: ${answer.type}`)
    writeFileSync(findingsPath, JSON.stringify(answer))
    this.#useFindings(answer)
    const failing = answer.trials.filter(({ failure }) => failure !== undefined).map(({ id }) => id)
    if (failing.length > 0) {
      this.#log.warn(`${failing.length} tests fail as it is and are left out, such as ${failing[0]}`)
    }
    await this.#checkTestsRepeat()
    const usable = usableTrials(answer.trials)
    return {
      status: DryRunStatus.Complete,
      tests: usable.map(({ id, title, millis }) => {
        const fileName = resolve(fileOf(id))
        return { id, name: title, timeSpentMs: millis, fileName, status: TestStatus.Success }
      }),
      mutantCoverage: {
        static: total(Object.values(answer.reach.byFile)),
        perTest: Object.fromEntries(usable.map(({ id }) => [id, answer.reach.byTest[id] ?? {}]))
      }
    }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { testFilter, activeMutant } = options
    const testsReaching = testFilter ?? this.#testsReaching(activeMutant.id)
    const loadedThread = (this.#loadedThread ??= await this.#reopenThread())
    const tests = this.#cheapestFirst(testsReaching).map((id) => ({
      id,
      hitsMax: this.#hitsMax(id, activeMutant.id)
    }))
    const answer =
      tests.length === 0 ? undefined : await loadedThread.ask({ ask: "try", mutant: activeMutant.id, tests })
    const isNoticed = answer !== undefined && answer.type !== "survived"
    const isStatic = options.mutantActivation === "static"
    return resultOf(isNoticed || !isStatic ? answer : await this.#load(options, testsReaching))
  }

  async dispose(): Promise<void> {
    await this.#loadedThread?.close()
    await this.#reloadThread?.close()
  }

  /** Tries a mutant that does not exist: a test that fails then cannot be run twice. */
  async #checkTestsRepeat(): Promise<void> {
    const tests = [...this.#millis.keys()].map((id) => ({ id, hitsMax: 0 }))
    const answer = await this.#loadedThread?.ask({ ask: "try", mutant: "none", tests })
    if (answer?.type === "killed") throw new Error(`fails when it is run again: ${answer.by}: ${answer.why}`)
  }

  async #reopenThread(): Promise<Thread> {
    this.#useFindings(JSON.parse(readFileSync(findingsPath, "utf8")) as Findings)
    const thread = await Thread.open()
    await thread.start({ task: "wait" })
    return thread
  }

  /** Loads the test files that reached the mutant while they loaded, or all if no test reaches it. */
  async #load(options: MutantRunOptions, testsReaching: ReadonlyArray<string>): Promise<ThreadAnswer> {
    const mutant = options.activeMutant.id
    const subject = basename(options.sandboxFileName, ".ts")
    const { byFile } = this.#findings.reach
    const filesReaching = Object.keys(byFile).filter((file) => byFile[file]?.[mutant] !== undefined)
    const candidates =
      testsReaching.length === 0 ? Object.keys(byFile) : [...filesReaching, ...testsReaching.map(fileOf)]
    const isNear = (file: string): number => Number(basename(file).startsWith(subject))
    const files = [...new Set(candidates)].toSorted((a, b) => isNear(b) - isNear(a))
    const isQuick = (id: string): boolean => (this.#millis.get(id) ?? 0) < slowToLoadMillis
    const tests = [...this.#millis.keys()].filter((id) => files.includes(fileOf(id)) && isQuick(id))
    const hits = total([
      ...Object.values(byFile),
      ...tests.map((id) => this.#findings.reach.byTest[id] ?? {})
    ])
    const hitsMax = (hits[mutant] ?? 0) * hitsFactor + hitsMin
    this.#reloadThread ??= await Thread.open()
    return this.#reloadThread.start({ task: "load", mutant, tests, hitsMax }, files)
  }

  #useFindings(findings: Findings): void {
    this.#findings = findings
    this.#millis = new Map(usableTrials(findings.trials).map(({ id, millis }) => [id, millis]))
  }

  #testsReaching(mutant: string): ReadonlyArray<string> {
    const { byTest } = this.#findings.reach
    return [...this.#millis.keys()].filter((id) => byTest[id]?.[mutant] !== undefined)
  }

  #hitsMax(test: string, mutant: string): number {
    return (this.#findings.reach.byTest[test]?.[mutant] ?? 0) * hitsFactor + hitsMin
  }

  #cheapestFirst(tests: ReadonlyArray<string>): ReadonlyArray<string> {
    const millis = (id: string): number => this.#millis.get(id) ?? 0
    return tests.toSorted((a, b) => millis(a) - millis(b))
  }
}

const usableTrials = (trials: ReadonlyArray<Trial>): ReadonlyArray<Trial> =>
  trials.filter(({ failure, millis }) => failure === undefined && millis < slowMillis)

const fileOf = (id: string): string => id.slice(0, id.indexOf("#"))

const total = (all: ReadonlyArray<HitCounts>): Record<string, number> => {
  const sum: Record<string, number> = {}
  for (const hits of all) {
    for (const [mutant, count] of Object.entries(hits)) sum[mutant] = (sum[mutant] ?? 0) + count
  }
  return sum
}

const resultOf = (answer: ThreadAnswer | undefined): MutantRunResult => {
  if (answer?.type === "killed") {
    const { by, why, ran } = answer
    return { status: MutantRunStatus.Killed, killedBy: [by], failureMessage: why, nrOfTests: ran }
  }
  if (answer?.type === "endless") return { status: MutantRunStatus.Timeout, reason: "it goes round for ever" }
  return { status: MutantRunStatus.Survived, nrOfTests: answer?.type === "survived" ? answer.ran : 0 }
}

const runnerOf = (log: Logger): StrykerRunner => new StrykerRunner(log)
/** The constructor arguments that Stryker injects. */
runnerOf.inject = ["logger"] as const

/** Stryker looks for plugins under this name. */
export const strykerPlugins = [{ kind: "TestRunner", name: "warm", factory: runnerOf }]
