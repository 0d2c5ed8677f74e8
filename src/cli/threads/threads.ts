import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { availableParallelism } from "node:os"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { systemErrorText } from "../../platform/systemErrorText.ts"

/** The tasks of threads. A task begins with data sent once, and then does jobs. All data can be cloned. */
const tasks = {
  plan: async () => (await import("./planTask.ts")).beginPlanTask,
  stories: async () => (await import("./storyTask.ts")).beginStoryTask
} as const

type Tasks = { readonly [Name in TaskName]: Awaited<ReturnType<(typeof tasks)[Name]>> }
type TaskName = keyof typeof tasks
type SentTo<Name extends TaskName> = Parameters<Tasks[Name]>[0]
type JobOf<Name extends TaskName> = Parameters<ReturnType<Tasks[Name]>>[0]
type ResultOf<Name extends TaskName> = Effect.Success<ReturnType<ReturnType<Tasks[Name]>>>

type Begin = (sent: unknown) => (turn: unknown) => Effect.Effect<unknown>

/** A thread ended before all jobs were done. */
export class ThreadsFailed extends TaggedError("TurnsLost")<{ readonly why: string }> {
  override get message(): string {
    return `it ended before all was played: ${this.why}`
  }
}

/** A thread's error arrives without its class, or cannot be cloned at all. */
const toThreadsFailed = (cause: unknown): ThreadsFailed =>
  new ThreadsFailed({
    why: cause instanceof Error || typeof cause === "string" ? systemErrorText(cause) : "a thread has failed"
  })

/**
 * Does all jobs on all cores. The results are in the order of the jobs; `tell` receives each as soon as it and all
 * earlier ones are done.
 */
export const runOnThreads = <Name extends TaskName>(options: {
  readonly errand: Name
  readonly sent: SentTo<Name>
  readonly turns: ReadonlyArray<JobOf<Name>>
  /** With fewer jobs per thread, starting threads takes longer. */
  readonly turnsForThread: number
  readonly tell?: (answer: ResultOf<Name>, index: number) => void
}): Effect.Effect<ReadonlyArray<ResultOf<Name>>, ThreadsFailed> =>
  Effect.suspend(() => {
    const { errand, sent, turns, turnsForThread, tell } = options
    const threads = Math.min(availableParallelism(), Math.ceil(turns.length / turnsForThread))
    const order = inOrder<ResultOf<Name>>(turns.length, tell)
    const done =
      threads <= 1
        ? Effect.catchDefect(runInThisThread(errand, sent, turns, order.put), (defect) =>
            Effect.fail(toThreadsFailed(defect))
          )
        : runInWorkers({ errand, sent }, turns, threads, order.put)
    return Effect.map(done, order.answers)
  })

/** Puts results that arrive in any order into the order of the jobs. */
const inOrder = <A>(count: number, deliver: ((answer: A, index: number) => void) | undefined) => {
  const answers = new Map<number, A>()
  let deliveredCount = 0
  return {
    put: (index: number, answer: A): void => {
      answers.set(index, answer)
      for (let next = answers.get(deliveredCount); next !== undefined; next = answers.get(deliveredCount)) {
        deliver?.(next, deliveredCount)
        deliveredCount += 1
      }
    },
    answers: (): ReadonlyArray<A> =>
      Array.from({ length: count }, (_, index) => answers.get(index)).filter((it) => it !== undefined)
  }
}

type AddResult<A> = (index: number, answer: A) => void

const runInThisThread = Effect.fnUntraced(function* <A>(
  errand: TaskName,
  sent: unknown,
  turns: ReadonlyArray<unknown>,
  put: AddResult<A>
) {
  const doJob = yield* Effect.promise(() => startTask(errand, sent))
  for (const [index, job] of turns.entries()) put(index, (yield* doJob(job)) as A)
})

/** The caller of `runOnThreads` has checked the types. */
const startTask = async (errand: TaskName, sent: unknown) => {
  const begin = await tasks[errand]()
  return (begin as Begin)(sent)
}

interface WorkerStart {
  readonly errand: TaskName
  readonly sent: unknown
  readonly thread: typeof threadMark
}
interface JobMessage {
  readonly index: number
  readonly turn: unknown
}
type ResultMessage = { readonly index: number; readonly answer: unknown } | { readonly why: string }

const threadMark = "charthouse thread"

/** A thread with a second job need not wait for the next message. */
const jobsAhead = 2

/** With Node's default, a tenth of the time goes to garbage collection. */
const youngGenerationMb = 64

const runInWorkers = <A>(
  { errand, sent }: Omit<WorkerStart, "thread">,
  turns: ReadonlyArray<unknown>,
  threads: number,
  put: AddResult<A>
): Effect.Effect<void, ThreadsFailed> => {
  const workerData: WorkerStart = { errand, sent, thread: threadMark }
  const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb }
  return Effect.acquireUseRelease(
    Effect.sync(() =>
      Array.from(
        { length: threads },
        () => new Worker(new URL(import.meta.url), { workerData, resourceLimits })
      )
    ),
    (workers) => sendJobs(workers, turns, put),
    (workers) => Effect.promise(() => Promise.all(workers.map((worker) => worker.terminate())))
  )
}

const sendJobs = <A>(
  workers: ReadonlyArray<Worker>,
  turns: ReadonlyArray<unknown>,
  put: AddResult<A>
): Effect.Effect<void, ThreadsFailed> =>
  Effect.callback((resume) => {
    let [sentCount, doneCount] = [0, 0]
    const sendNext = (worker: Worker): void => {
      if (sentCount === turns.length) return
      const message: JobMessage = { index: sentCount, turn: turns[sentCount] }
      sentCount += 1
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
      worker.postMessage(message)
    }
    for (const worker of workers) {
      for (const event of ["error", "messageerror"])
        worker.once(event, (error) => resume(Effect.fail(toThreadsFailed(error))))
      worker.once("exit", (code) => resume(Effect.fail(toThreadsFailed(`a thread came to ${code}`))))
      worker.on("message", (message: ResultMessage) => {
        if ("why" in message) return resume(Effect.fail(toThreadsFailed(message.why)))
        sendNext(worker)
        // Messages have no types; the thread runs the same task.
        put(message.index, message.answer as A)
        doneCount += 1
        if (doneCount === turns.length) resume(Effect.void)
      })
    }
    for (let ahead = 0; ahead < jobsAhead; ahead += 1) for (const worker of workers) sendNext(worker)
  })

const isWorkerStart = (data: unknown): data is WorkerStart =>
  typeof data === "object" && data !== null && "thread" in data && data.thread === threadMark

/** Runs in the thread. */
const serveJobs = async (
  { errand, sent }: WorkerStart,
  tell: (answered: ResultMessage) => void
): Promise<void> => {
  const queue: Array<JobMessage> = []
  let wake: (() => void) | undefined
  parentPort?.on("message", (message: JobMessage) => {
    queue.push(message)
    wake?.()
  })
  const doJob = await startTask(errand, sent)
  for (;;) {
    const message = queue.shift()
    if (message === undefined) {
      await new Promise<void>((resolve) => (wake = resolve))
      continue
    }
    tell({ index: message.index, answer: await Effect.runPromise(doJob(message.turn)) })
  }
}

if (!isMainThread && isWorkerStart(workerData)) {
  const tell = (answered: ResultMessage): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
    parentPort?.postMessage(answered)
  }
  // No top-level await: the task may import this module.
  serveJobs(workerData, tell).catch((error: unknown) => tell({ why: systemErrorText(error) }))
}
