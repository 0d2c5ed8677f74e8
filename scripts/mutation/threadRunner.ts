import { BroadcastChannel } from "node:worker_threads"
import * as fastCheck from "fast-check"
import { inject, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from "vitest"
import { forget, ForgetfulWeakMap, ForgetfulWeakSet } from "./forgetful.ts"
import { type Answer, type Order, orderKey, type Passes, type Request, type Trial } from "./messages.ts"

/* oxlint-disable unicorn/require-post-message-target-origin -- these channels join threads, not windows */

/** What the instrumented code reads and writes, under the names Stryker gives them. */
interface Switchboard {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, Passes> }
}

/** The thread's memory: vitest makes a runner for each file. */
interface Hall {
  readonly order: Order
  readonly channel: BroadcastChannel
  readonly tests: Map<string, () => unknown>
  readonly trials: Array<Trial>
  readonly byFile: Record<string, Passes>
  filesDone: number
  hasAnswered: boolean
}

const switchboard: Switchboard = { mutantCoverage: { static: {}, perTest: {} } }

const openHall = (): Hall => {
  const order = inject(orderKey as never) as Order
  Object.assign(globalThis, { __stryker__: switchboard, ForgetfulWeakMap, ForgetfulWeakSet })
  if (order.task === "load") {
    switchboard.activeMutant = order.mutant
    limitPasses(order.passesMax)
  }
  fastCheck.configureGlobal({ endOnFailure: true })
  const channel = new BroadcastChannel(order.channel)
  const hall = { order, channel, tests: new Map(), trials: [], byFile: {}, filesDone: 0, hasAnswered: false }
  return hall
}

let opened: Hall | undefined

/**
 * Runs or keeps the tests of the files that a thread loads. Loading is what takes the time in a run of tests, so a
 * thread that has loaded all files stays, and runs its tests again with the mutant it is asked for, until one fails.
 */
class ThreadRunner extends TestRunner {
  readonly #hall = (opened ??= openHall())

  runTask = async (test: RunnerTestCase): Promise<void> => {
    const { order, tests, trials } = this.#hall
    const id = freshIdOf(test, tests)
    const run = TestRunner.getTestFn(test)
    tests.set(id, run)
    if (order.task === "trial") trials.push(await tryUnchanged(id, test, run))
    if (order.task === "load" && order.tests.includes(id)) await this.#tryLoaded(id, run)
  }

  async #tryLoaded(id: string, run: () => unknown): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#answer({ type: "killed", by: id, why: textOf(error), ran: this.#hall.tests.size })
      throw error
    }
  }

  onCollected(files: Array<RunnerTestFile>): void {
    for (const { name } of files) this.#hall.byFile[name] = switchboard.mutantCoverage.static
    switchboard.mutantCoverage.static = {}
  }

  // oxlint-disable-next-line typescript/no-misused-promises -- vitest waits for it, whatever its type says
  override onAfterRunFiles(files: Array<RunnerTestFile> = []): void | Promise<void> {
    super.onAfterRunFiles()
    const hall = this.#hall
    hall.filesDone += files.length
    if (hall.order.task === "load") {
      const broken = files.find(({ result }) => result?.state === "fail")
      const why = broken?.result?.errors?.[0]?.message ?? ""
      if (broken !== undefined) this.#answer({ type: "killed", by: broken.name, why, ran: hall.tests.size })
    }
    if (hall.filesDone < hall.order.files) return
    if (hall.order.task === "load") return this.#answer({ type: "survived", ran: hall.tests.size })
    const waiting = waitForRequests(hall)
    const reach = { byTest: switchboard.mutantCoverage.perTest, byFile: hall.byFile }
    this.#answer({ type: "loaded", trials: hall.trials, reach })
    return waiting
  }

  /** A thread that loads a mutant answers once. */
  #answer(answer: Answer): void {
    if (this.#hall.hasAnswered) return
    this.#hall.hasAnswered = true
    this.#hall.channel.postMessage(answer)
    if (this.#hall.order.task === "load") this.#hall.channel.close()
  }
}

/** Rows of a table may share a title, so the later ones are numbered. */
const freshIdOf = (test: RunnerTestCase, known: ReadonlyMap<string, unknown>): string => {
  const id = `${test.file.name}#${titleOf(test)}`
  let fresh = id
  for (let copy = 2; known.has(fresh); copy += 1) fresh = `${id} (${copy})`
  return fresh
}

const titleOf = (test: RunnerTestCase): string => {
  const names = [test.name]
  for (let suite: RunnerTestSuite | undefined = test.suite; suite !== undefined; suite = suite.suite) {
    names.unshift(suite.name)
  }
  return names.join(" > ")
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const tryUnchanged = async (id: string, test: RunnerTestCase, run: () => unknown): Promise<Trial> => {
  forget()
  switchboard.currentTestId = id
  const begin = performance.now()
  let failure: string | undefined
  try {
    await run()
  } catch (error) {
    failure = textOf(error)
  }
  switchboard.currentTestId = undefined
  return { id, title: titleOf(test), millis: performance.now() - begin, failure }
}

const waitForRequests = ({ channel, tests }: Hall): Promise<void> =>
  new Promise((resolve) => {
    const hear = async (request: Request): Promise<void> => {
      if (request.ask === "try") return channel.postMessage(await tryMutant(request, tests))
      channel.close()
      resolve()
    }
    channel.addEventListener("message", (event) => void hear((event as MessageEvent).data as Request))
  })

const tryMutant = async (
  { mutant, tests }: Request & { readonly ask: "try" },
  runs: ReadonlyMap<string, () => unknown>
): Promise<Answer> => {
  let ran = 0
  switchboard.activeMutant = mutant
  try {
    for (const { id, passesMax } of tests) {
      const run = runs.get(id)
      if (run === undefined) continue
      ran += 1
      forget()
      limitPasses(passesMax)
      try {
        await run()
      } catch (error) {
        if (!isEndless()) return { type: "killed", by: id, why: textOf(error), ran }
      }
      if (isEndless()) return { type: "endless", ran }
    }
    return { type: "survived", ran }
  } finally {
    switchboard.activeMutant = undefined
  }
}

/** The instrumented code throws beyond it. */
const limitPasses = (max: number): void => {
  switchboard.hitCount = 0
  switchboard.hitLimit = max
}

const isEndless = (): boolean => (switchboard.hitCount ?? 0) > (switchboard.hitLimit ?? Infinity)

// oxlint-disable-next-line import/no-default-export -- vitest takes a runner under this name
export { ThreadRunner as default }
