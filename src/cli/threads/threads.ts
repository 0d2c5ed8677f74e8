import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { availableParallelism } from "node:os"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import type { Scope } from "effect/Scope"
import { systemErrorText } from "../../platform/systemErrorText.ts"

/** A task gets an input once and then does jobs. Input, jobs and results must be cloneable. */
const tasks = {
  plan: async () => (await import("./planTask.ts")).beginPlanTask,
  stories: async () => (await import("./storyTask.ts")).beginStoryTask
} as const

type Tasks = { readonly [Name in TaskName]: Awaited<ReturnType<(typeof tasks)[Name]>> }
type TaskName = keyof typeof tasks
type InputOf<Name extends TaskName> = Parameters<Tasks[Name]>[0]
type DoJobOf<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>
type JobOf<Name extends TaskName> = Parameters<DoJobOf<Name>>[0]
type ResultOf<Name extends TaskName> = Effect.Success<ReturnType<DoJobOf<Name>>>

// A thread learns its task only at run time.
type DoJob = (job: unknown) => Effect.Effect<unknown>
type Begin = (input: unknown) => DoJob | Promise<DoJob>

export class ThreadsFailed extends TaggedError("ThreadsFailed")<{ readonly why: string }> {
  override get message(): string {
    return `a thread ended before all seeds were played: ${this.why}`
  }
}

/** An error from a thread has lost its class. */
const toThreadsFailed = (cause: unknown): ThreadsFailed =>
  new ThreadsFailed({
    why: cause instanceof Error || typeof cause === "string" ? systemErrorText(cause) : "a thread has failed"
  })

export interface JobsOptions<Name extends TaskName> {
  readonly onResult?: (result: ResultOf<Name>, index: number) => void
  readonly onJobDone?: (() => void) | undefined
  /** When it completes, the results so far are returned. */
  readonly stop?: Effect.Effect<void> | undefined
}

/** Results are in the order of the jobs; `onResult` receives each once all earlier ones are done. */
export type DoJobs<Name extends TaskName> = (
  jobs: ReadonlyArray<JobOf<Name>>,
  options?: JobsOptions<Name>
) => Effect.Effect<ReadonlyArray<ResultOf<Name>>, ThreadsFailed>

interface ThreadsOptions<Name extends TaskName> {
  readonly task: Name
  readonly input: InputOf<Name>
  /** The first call has at least this many jobs: more threads would be idle. */
  readonly jobCount: number
  /** For fewer jobs, starting a thread would take longer than the jobs. */
  readonly jobsPerThread: number
}

/** The returned function can be called again, with other jobs. */
export const openThreads = <Name extends TaskName>({
  task,
  input,
  jobCount,
  jobsPerThread
}: ThreadsOptions<Name>): Effect.Effect<DoJobs<Name>, never, Scope> =>
  Effect.gen(function* () {
    const count = Math.min(availableParallelism(), Math.ceil(jobCount / jobsPerThread))
    const doAllJobs =
      count <= 1 ? inThisThread(task, input) : inWorkers(yield* openWorkers({ task, input }, count))
    return (jobs, { onResult, onJobDone, stop = Effect.never } = {}) =>
      Effect.suspend(() => {
        if (jobs.length === 0) return Effect.succeed([])
        const queue = makeResultQueue<ResultOf<Name>>(jobs.length, { deliver: onResult, onJobDone })
        return Effect.map(
          Effect.raceFirst(stop, doAllJobs(jobs, queue.add as AddResult<unknown>)),
          queue.results
        )
      })
  })

export type ThreadRunOptions<Name extends TaskName> = Omit<ThreadsOptions<Name>, "jobCount"> &
  JobsOptions<Name> & { readonly jobs: ReadonlyArray<JobOf<Name>> }

export const runOnThreads = <Name extends TaskName>({
  jobs,
  task,
  input,
  jobsPerThread,
  ...options
}: ThreadRunOptions<Name>): Effect.Effect<ReadonlyArray<ResultOf<Name>>, ThreadsFailed> =>
  Effect.scoped(
    Effect.flatMap(openThreads({ task, input, jobsPerThread, jobCount: jobs.length }), (doJobs) =>
      doJobs(jobs, options)
    )
  )

const makeResultQueue = <A>(
  count: number,
  {
    deliver,
    onJobDone
  }: {
    readonly deliver: ((result: A, index: number) => void) | undefined
    readonly onJobDone: (() => void) | undefined
  }
) => {
  const results = new Map<number, A>()
  let deliveredCount = 0
  return {
    add: (index: number, result: A): void => {
      results.set(index, result)
      onJobDone?.()
      for (let next = results.get(deliveredCount); next !== undefined; next = results.get(deliveredCount)) {
        deliver?.(next, deliveredCount)
        deliveredCount += 1
      }
    },
    results: (): ReadonlyArray<A> =>
      Array.from({ length: count }, (_, index) => results.get(index)).filter((it) => it !== undefined)
  }
}

type AddResult<A> = (index: number, result: A) => void

type DoAll = (
  jobs: ReadonlyArray<unknown>,
  addResult: AddResult<unknown>
) => Effect.Effect<void, ThreadsFailed>

const inThisThread = (task: TaskName, input: unknown): DoAll => {
  let startedTask: ReturnType<typeof startTask> | undefined
  return (jobs, addResult) =>
    Effect.gen(function* () {
      const doJob = yield* Effect.promise(() => (startedTask ??= startTask(task, input)))
      for (const [index, job] of jobs.entries()) addResult(index, yield* doJob(job))
    }).pipe(Effect.catchDefect((defect) => Effect.fail(toThreadsFailed(defect))))
}

const startTask = async (task: TaskName, input: unknown) => {
  const begin = await tasks[task]()
  return (begin as Begin)(input)
}

interface WorkerStart {
  readonly task: TaskName
  readonly input: unknown
  readonly thread: typeof threadMark
}
interface JobMessage {
  readonly index: number
  readonly job: unknown
}
type ResultMessage = { readonly index: number; readonly result: unknown } | { readonly why: string }

/** Marks threads of this module: a program may import it in its own threads. */
const threadMark = "charthouse thread"

/** Each thread has a second job at hand, so that it need not wait for the next message. */
const jobsAhead = 2

/** With Node's default, a tenth of the time goes to garbage collection. */
const youngGenerationMb = 64

const openWorkers = (
  { task, input }: Omit<WorkerStart, "thread">,
  count: number
): Effect.Effect<ReadonlyArray<Worker>, never, Scope> => {
  const workerData: WorkerStart = { task, input, thread: threadMark }
  const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb }
  return Effect.acquireRelease(
    Effect.sync(() =>
      Array.from(
        { length: count },
        () => new Worker(new URL(import.meta.url), { workerData, resourceLimits })
      )
    ),
    (workers) => Effect.promise(() => Promise.all(workers.map((worker) => worker.terminate())))
  )
}

const inWorkers =
  (workers: ReadonlyArray<Worker>): DoAll =>
  (jobs, addResult) =>
    Effect.callback((resume) => {
      let [sentCount, doneCount] = [0, 0]
      const sendNext = (worker: Worker): void => {
        if (sentCount === jobs.length) return
        const message: JobMessage = { index: sentCount, job: jobs[sentCount] }
        sentCount += 1
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
        worker.postMessage(message)
      }
      const fail = (cause: unknown): void => resume(Effect.fail(toThreadsFailed(cause)))
      const failExited = (code: number): void => fail(`a thread exited with code ${code}`)
      const listeners = workers.map((worker) => ({
        worker,
        onMessage: (message: ResultMessage): void => {
          if ("why" in message) return fail(message.why)
          sendNext(worker)
          addResult(message.index, message.result)
          doneCount += 1
          if (doneCount < jobs.length) return
          stopListening()
          resume(Effect.void)
        }
      }))
      const stopListening = (): void => {
        for (const { worker, onMessage } of listeners)
          worker
            .off("error", fail)
            .off("messageerror", fail)
            .off("exit", failExited)
            .off("message", onMessage)
      }
      for (const { worker, onMessage } of listeners)
        worker.on("error", fail).on("messageerror", fail).on("exit", failExited).on("message", onMessage)
      for (let round = 0; round < jobsAhead; round += 1) for (const worker of workers) sendNext(worker)
      return Effect.sync(stopListening)
    })

const isWorkerStart = (data: unknown): data is WorkerStart =>
  typeof data === "object" && data !== null && "thread" in data && data.thread === threadMark

const serveJobs = async (
  { task, input }: WorkerStart,
  send: (message: ResultMessage) => void
): Promise<void> => {
  const queue: Array<JobMessage> = []
  let wake: (() => void) | undefined
  parentPort?.on("message", (message: JobMessage) => {
    queue.push(message)
    wake?.()
  })
  const doJob = await startTask(task, input)
  for (;;) {
    const message = queue.shift()
    if (message === undefined) {
      await new Promise<void>((resolve) => (wake = resolve))
      continue
    }
    send({ index: message.index, result: await Effect.runPromise(doJob(message.job)) })
  }
}

if (!isMainThread && isWorkerStart(workerData)) {
  const send = (message: ResultMessage): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
    parentPort?.postMessage(message)
  }
  // No top-level await: the task may import this module.
  serveJobs(workerData, send).catch((error: unknown) => send({ why: systemErrorText(error) }))
}
