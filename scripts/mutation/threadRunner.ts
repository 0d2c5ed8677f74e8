import { BroadcastChannel } from "node:worker_threads"
import * as fastCheck from "fast-check"
import { inject, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from "vitest"
import { emptyForgetfulCaches, ForgetfulWeakMap, ForgetfulWeakSet } from "./forgetful.ts"
import {
  type ThreadAnswer,
  type ThreadOrder,
  orderKey,
  type HitCounts,
  type ThreadRequest,
  type Trial
} from "./messages.ts"

/* oxlint-disable unicorn/require-post-message-target-origin -- these channels join threads, not windows */

/** The instrumented code's variables, named by Stryker. */
interface StrykerGlobals {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, HitCounts> }
}

/** Shared by the runners of a thread: vitest makes a runner for each file. */
interface ThreadState {
  readonly order: ThreadOrder
  readonly channel: BroadcastChannel
  readonly tests: Map<string, () => unknown>
  readonly trials: Array<Trial>
  readonly byFile: Record<string, HitCounts>
  filesDone: number
  hasAnswered: boolean
}

const strykerGlobals: StrykerGlobals = { mutantCoverage: { static: {}, perTest: {} } }

const openThreadState = (): ThreadState => {
  const order = inject(orderKey as never) as ThreadOrder
  Object.assign(globalThis, { __stryker__: strykerGlobals, ForgetfulWeakMap, ForgetfulWeakSet })
  if (order.task === "load") {
    strykerGlobals.activeMutant = order.mutant
    limitHits(order.hitsMax)
  }
  fastCheck.configureGlobal({ endOnFailure: true })
  const channel = new BroadcastChannel(order.channel)
  const state = { order, channel, tests: new Map(), trials: [], byFile: {}, filesDone: 0, hasAnswered: false }
  return state
}

let threadState: ThreadState | undefined

/**
 * Runs the tests of the files that a thread loads, or keeps them for later requests. Loading takes most of the time, so that a thread that has
 * loaded all files runs its tests again for each mutant, until one fails.
 */
class ThreadRunner extends TestRunner {
  readonly #state = (threadState ??= openThreadState())

  runTask = async (test: RunnerTestCase): Promise<void> => {
    const { order, tests, trials } = this.#state
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
      this.#answer({ type: "killed", by: id, why: textOf(error), ran: this.#state.tests.size })
      throw error
    }
  }

  onCollected(files: Array<RunnerTestFile>): void {
    for (const { name } of files) this.#state.byFile[name] = strykerGlobals.mutantCoverage.static
    strykerGlobals.mutantCoverage.static = {}
  }

  // oxlint-disable-next-line typescript/no-misused-promises -- vitest waits for it, whatever its type says
  override onAfterRunFiles(files: Array<RunnerTestFile> = []): void | Promise<void> {
    super.onAfterRunFiles()
    const state = this.#state
    state.filesDone += files.length
    if (state.order.task === "load") {
      const broken = files.find(({ result }) => result?.state === "fail")
      const why = broken?.result?.errors?.[0]?.message ?? ""
      if (broken !== undefined) this.#answer({ type: "killed", by: broken.name, why, ran: state.tests.size })
    }
    if (state.filesDone < state.order.files) return
    if (state.order.task === "load") return this.#answer({ type: "survived", ran: state.tests.size })
    const waiting = waitForRequests(state)
    const reach = { byTest: strykerGlobals.mutantCoverage.perTest, byFile: state.byFile }
    this.#answer({ type: "loaded", trials: state.trials, reach })
    return waiting
  }

  /** A thread that loads a mutant answers once. */
  #answer(answer: ThreadAnswer): void {
    if (this.#state.hasAnswered) return
    this.#state.hasAnswered = true
    this.#state.channel.postMessage(answer)
    if (this.#state.order.task === "load") this.#state.channel.close()
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
  emptyForgetfulCaches()
  strykerGlobals.currentTestId = id
  const begin = performance.now()
  let failure: string | undefined
  try {
    await run()
  } catch (error) {
    failure = textOf(error)
  }
  strykerGlobals.currentTestId = undefined
  return { id, title: titleOf(test), millis: performance.now() - begin, failure }
}

const waitForRequests = ({ channel, tests }: ThreadState): Promise<void> =>
  new Promise((resolve) => {
    const hear = async (request: ThreadRequest): Promise<void> => {
      if (request.ask === "try") return channel.postMessage(await tryMutant(request, tests))
      channel.close()
      resolve()
    }
    channel.addEventListener("message", (event) => void hear((event as MessageEvent).data as ThreadRequest))
  })

const tryMutant = async (
  { mutant, tests }: ThreadRequest & { readonly ask: "try" },
  runs: ReadonlyMap<string, () => unknown>
): Promise<ThreadAnswer> => {
  let ran = 0
  strykerGlobals.activeMutant = mutant
  try {
    for (const { id, hitsMax } of tests) {
      const run = runs.get(id)
      if (run === undefined) continue
      ran += 1
      emptyForgetfulCaches()
      limitHits(hitsMax)
      try {
        await run()
      } catch (error) {
        if (!isEndless()) return { type: "killed", by: id, why: textOf(error), ran }
      }
      if (isEndless()) return { type: "endless", ran }
    }
    return { type: "survived", ran }
  } finally {
    strykerGlobals.activeMutant = undefined
  }
}

/** The instrumented code throws beyond `max`. */
const limitHits = (max: number): void => {
  strykerGlobals.hitCount = 0
  strykerGlobals.hitLimit = max
}

const isEndless = (): boolean => (strykerGlobals.hitCount ?? 0) > (strykerGlobals.hitLimit ?? Infinity)

// oxlint-disable-next-line import/no-default-export -- vitest takes a runner under this name
export { ThreadRunner as default }
