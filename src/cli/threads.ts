import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { availableParallelism } from "node:os"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { wordsOf } from "../wordsOf.ts"

/**
 * What can be done in other threads. Each begins with what is sent there once, and answers turns one by one. What is
 * sent, turns and answers are plain data.
 */
const errands = {
  plan: async () => (await import("./planErrand.ts")).beginPlanTask,
  stories: async () => (await import("./storyErrand.ts")).beginStoryTask
} as const

type Errands = { readonly [Name in ErrandName]: Awaited<ReturnType<(typeof errands)[Name]>> }
type ErrandName = keyof typeof errands
type SentTo<Name extends ErrandName> = Parameters<Errands[Name]>[0]
type TurnOf<Name extends ErrandName> = Parameters<ReturnType<Errands[Name]>>[0]
type AnswerOf<Name extends ErrandName> = Effect.Success<ReturnType<ReturnType<Errands[Name]>>>

/** An errand without its types, as it is where one is looked up by its name. */
type Begin = (sent: unknown) => (turn: unknown) => Effect.Effect<unknown>

/** Whoever did the turns has ended before all of them were done: a fault of this program, or of the machine. */
export class TurnsLost extends TaggedError("TurnsLost")<{ readonly why: string }> {
  override get message(): string {
    return `it ended before all was played: ${this.why}`
  }
}

/** An error of a class of ours arrives from a thread as an object of no class, or as one that cannot even be told. */
const lost = (cause: unknown): TurnsLost =>
  new TurnsLost({
    why: cause instanceof Error || typeof cause === "string" ? wordsOf(cause) : "a thread has failed"
  })

/**
 * Does every turn, on as many cores as there are; the answers come in the order of the turns. `tell` hears each as soon
 * as it and all those before it are there.
 */
export const shareOut = <Name extends ErrandName>(options: {
  readonly errand: Name
  readonly sent: SentTo<Name>
  readonly turns: ReadonlyArray<TurnOf<Name>>
  /** A thread takes a while to start: fewer turns than this are sooner done than shared. */
  readonly turnsForThread: number
  readonly tell?: (answer: AnswerOf<Name>, index: number) => void
}): Effect.Effect<ReadonlyArray<AnswerOf<Name>>, TurnsLost> =>
  Effect.suspend(() => {
    const { errand, sent, turns, turnsForThread, tell } = options
    const threads = Math.min(availableParallelism(), Math.ceil(turns.length / turnsForThread))
    const order = inOrder<AnswerOf<Name>>(turns.length, tell)
    const done =
      threads <= 1
        ? Effect.catchDefect(doHere(errand, sent, turns, order.put), (defect) => Effect.fail(lost(defect)))
        : doElsewhere({ errand, sent }, turns, threads, order.put)
    return Effect.map(done, order.answers)
  })

/** Takes answers as they come and tells them in order. */
const inOrder = <A>(count: number, tell: ((answer: A, index: number) => void) | undefined) => {
  const answers = new Map<number, A>()
  let told = 0
  return {
    put: (index: number, answer: A): void => {
      answers.set(index, answer)
      for (let next = answers.get(told); next !== undefined; next = answers.get(told)) {
        tell?.(next, told)
        told += 1
      }
    },
    answers: (): ReadonlyArray<A> =>
      Array.from({ length: count }, (_, index) => answers.get(index)).filter((it) => it !== undefined)
  }
}

type Put<A> = (index: number, answer: A) => void

const doHere = Effect.fnUntraced(function* <A>(
  errand: ErrandName,
  sent: unknown,
  turns: ReadonlyArray<unknown>,
  put: Put<A>
) {
  const turnBy = yield* Effect.promise(() => begun(errand, sent))
  for (const [index, turn] of turns.entries()) put(index, (yield* turnBy(turn)) as A)
})

/** That what is sent is meant for the errand of that name is known where it is shared out. */
const begun = async (errand: ErrandName, sent: unknown) => {
  const begin = await errands[errand]()
  return (begin as Begin)(sent)
}

/** What a thread is made with, what it is told, and what it tells. */
interface Beginning {
  readonly errand: ErrandName
  readonly sent: unknown
  readonly thread: typeof threadMark
}
interface Told {
  readonly index: number
  readonly turn: unknown
}
type Answered = { readonly index: number; readonly answer: unknown } | { readonly why: string }

const threadMark = "charthouse thread"

/** While a thread does one turn the next lies ready for it. */
const turnsAhead = 2

/** What is short-lived dies young where there is room for it: a tenth of the time goes to collecting it otherwise. */
const youngGenerationMb = 64

const doElsewhere = <A>(
  { errand, sent }: Omit<Beginning, "thread">,
  turns: ReadonlyArray<unknown>,
  threads: number,
  put: Put<A>
): Effect.Effect<void, TurnsLost> => {
  const workerData: Beginning = { errand, sent, thread: threadMark }
  const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb }
  return Effect.acquireUseRelease(
    Effect.sync(() =>
      Array.from(
        { length: threads },
        () => new Worker(new URL(import.meta.url), { workerData, resourceLimits })
      )
    ),
    (workers) => dealOut(workers, turns, put),
    (workers) => Effect.promise(() => Promise.all(workers.map((worker) => worker.terminate())))
  )
}

/** Whoever has answered gets the next turn, until every one is answered. */
const dealOut = <A>(
  workers: ReadonlyArray<Worker>,
  turns: ReadonlyArray<unknown>,
  put: Put<A>
): Effect.Effect<void, TurnsLost> =>
  Effect.callback((resume) => {
    let [given, answered] = [0, 0]
    const give = (worker: Worker): void => {
      if (given === turns.length) return
      const told: Told = { index: given, turn: turns[given] }
      given += 1
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
      worker.postMessage(told)
    }
    for (const worker of workers) {
      for (const event of ["error", "messageerror"])
        worker.once(event, (error) => resume(Effect.fail(lost(error))))
      // Whatever ends it, nobody waits for it.
      worker.once("exit", (code) => resume(Effect.fail(lost(`a thread came to ${code}`))))
      worker.on("message", (said: Answered) => {
        if ("why" in said) return resume(Effect.fail(lost(said.why)))
        give(worker)
        // What comes back is what this errand answers: data has no types on its way.
        put(said.index, said.answer as A)
        answered += 1
        if (answered === turns.length) resume(Effect.void)
      })
    }
    for (let ahead = 0; ahead < turnsAhead; ahead += 1) for (const worker of workers) give(worker)
  })

const isBeginning = (given: unknown): given is Beginning =>
  typeof given === "object" && given !== null && "thread" in given && given.thread === threadMark

/** This same file, in another thread. */
const serveTurns = async ({ errand, sent }: Beginning, tell: (answered: Answered) => void): Promise<void> => {
  const waiting: Array<Told> = []
  let wake: (() => void) | undefined
  parentPort?.on("message", (told: Told) => {
    waiting.push(told)
    wake?.()
  })
  const turnBy = await begun(errand, sent)
  for (;;) {
    const told = waiting.shift()
    if (told === undefined) {
      await new Promise<void>((resolve) => (wake = resolve))
      continue
    }
    tell({ index: told.index, answer: await Effect.runPromise(turnBy(told.turn)) })
  }
}

if (!isMainThread && isBeginning(workerData)) {
  const tell = (answered: Answered): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
    parentPort?.postMessage(answered)
  }
  // Nobody waits for it here: what it loads may itself wait for this file.
  serveTurns(workerData, tell).catch((error: unknown) => tell({ why: wordsOf(error) }))
}
