import { resolve } from "node:path"
import { BroadcastChannel } from "node:worker_threads"
import { createVitest, type TestSpecification, type Vitest } from "vitest/node"
import { type ThreadAnswer, type ThreadOrder, orderKey, type ThreadRequest } from "./messages.ts"
import { suites, excludedSuites } from "./suites.ts"

/* oxlint-disable unicorn/require-post-message-target-origin -- these channels join threads, not windows */

/** The fields of an order that the caller gives; `Thread` adds the others. */
type Task = ThreadOrder extends infer O
  ? O extends ThreadOrder
    ? Omit<O, "channel" | "files">
    : never
  : never

let threads = 0

/** Vitest with one thread that all test files share, driven by `threadRunner.ts`. */
export class Thread {
  readonly #vitest: Vitest
  #channel: BroadcastChannel | undefined
  #running: Promise<unknown> = Promise.resolve()
  #onAnswer: (answer: ThreadAnswer) => void = () => {}

  private constructor(vitest: Vitest) {
    this.#vitest = vitest
  }

  static async open(): Promise<Thread> {
    process.env["NODE_ENV"] = "test"
    process.env["VITEST"] = "1"
    const options = {
      config: false as const,
      include: suites,
      exclude: excludedSuites,
      pool: "threads",
      isolate: false,
      maxWorkers: 1,
      bail: 1,
      watch: false,
      silent: true,
      reporters: [{}],
      testTimeout: 30_000,
      runner: resolve(import.meta.dirname, "threadRunner.ts")
    }
    return new Thread(await createVitest("test", options, { plugins: [forgetfulness] }))
  }

  /** Loads the files, by default all. Resolves with the answer of the task. */
  async start(task: Task, files?: ReadonlyArray<string>): Promise<ThreadAnswer> {
    await this.#running
    const all = await this.#vitest.globTestSpecifications()
    const specifications = files === undefined ? all : inOrderOf(files, all)
    const channel = `mutation-${process.pid}-${(threads += 1)}`
    const order = { ...task, channel, files: specifications.length } as ThreadOrder
    this.#vitest.provide(orderKey as never, order as never)
    this.#channel?.close()
    this.#channel = new BroadcastChannel(channel)
    this.#channel.addEventListener("message", (event) =>
      this.#onAnswer((event as MessageEvent).data as ThreadAnswer)
    )
    const answer = this.#answer()
    this.#running = this.#vitest.runTestSpecifications(specifications, files === undefined)
    return answer
  }

  ask(request: ThreadRequest): Promise<ThreadAnswer> {
    const answer = this.#answer()
    this.#channel?.postMessage(request)
    return answer
  }

  async close(): Promise<void> {
    this.#channel?.postMessage({ ask: "end" } satisfies ThreadRequest)
    await this.#running
    this.#channel?.close()
    await this.#vitest.close()
  }

  #answer(): Promise<ThreadAnswer> {
    return new Promise((resolve) => (this.#onAnswer = resolve))
  }
}

const inOrderOf = (
  files: ReadonlyArray<string>,
  all: ReadonlyArray<TestSpecification>
): Array<TestSpecification> =>
  files.flatMap((file) => all.filter(({ moduleId }) => moduleId === resolve(file)))

/** Replaces weak maps and sets of our modules, so that they can be emptied between mutants. */
const forgetfulness = {
  name: "forgetfulness",
  enforce: "post" as const,
  transform(code: string, id: string): string | undefined {
    if (!/\/(src|machines)\//.test(id) || id.includes("/node_modules/")) return undefined
    return code.replaceAll(/\bnew (Weak(?:Map|Set))\b/g, "new globalThis.Forgetful$1")
  }
}
