import { formatDuration, millisOf } from "../domain/durations.ts"
import { meantFor } from "../invalidOptions.ts"
import { attachedPrograms } from "./attachedPrograms.ts"
import { passReally } from "./realTime.ts"
import type { NamesOf } from "../invalidOptions.ts"
import type { Duration } from "../openCluster.ts"
import type { AttachedPrograms } from "./attachedPrograms.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

/** What must hold: it throws until it does, or is false. */
export type Assertion<A = unknown> = () => A | Promise<A>

export interface PollingOptions {
  /** Real time between two tries where the cluster's time goes by itself: 20 ms, or 250 ms on a real cluster. */
  readonly every?: Duration
  /**
   * Where programs are attached over a socket: real time for which they ask for nothing new, after which they count as
   * done with what they have seen, and virtual time goes on. Where it is said, the first request of one that has just
   * been started is waited for as long; where it is left out, 5 ms once somebody has come.
   */
  readonly quiet?: Duration
}

export interface EventuallyOptions extends PollingOptions {
  /** The cluster's time. 10 minutes where it is left out, of a real cluster one. */
  readonly within?: Duration
}

export interface ConsistentlyOptions extends PollingOptions {
  /** The cluster's time. One minute where it is left out, of a real cluster 5 seconds. */
  readonly for?: Duration
}

const pollingNames: NamesOf<PollingOptions> = { every: true, quiet: true }
const eventuallyNames: NamesOf<EventuallyOptions> = { ...pollingNames, within: true }
const consistentlyNames: NamesOf<ConsistentlyOptions> = { ...pollingNames, for: true }

/**
 * Tries until something holds, and answers with what it gave. Virtual time is moved from one moment to the next at
 * which anything happens, so that nobody waits; other time is waited for. What was thrown last is thrown when the time
 * is over, with how much has passed.
 */
export const eventually = async <A>(
  cluster: ClusterUnderTest,
  assertion: Assertion<A>,
  options: EventuallyOptions = {}
): Promise<A> => {
  meantFor("eventually", options, eventuallyNames)
  const limitMillis = millisOf(options.within ?? (cluster.isReal ? "1m" : "10m"), "within")
  let last: unknown
  const passed = await poll(cluster, { ...options, limitMillis }, async () => {
    const tried = await attempt(assertion)
    last = tried
    return tried.ok
  })
  const tried = last as Tried<A>
  if (tried.ok) return tried.value
  throw withWords(tried.error, `not so within ${formatDuration(passed)} of ${kindOfTime(cluster)}`)
}

/**
 * Tries again and again that something holds for as long as it is to. Virtual time is moved as by `eventually`, so that
 * no moment at which anything happens is left out.
 */
export const consistently = async (
  cluster: ClusterUnderTest,
  assertion: Assertion,
  options: ConsistentlyOptions = {}
): Promise<void> => {
  meantFor("consistently", options, consistentlyNames)
  const limitMillis = millisOf(options.for ?? (cluster.isReal ? "5s" : "1m"), "for")
  let failed: { readonly error: unknown } | undefined
  const passed = await poll(cluster, { ...options, limitMillis }, async () => {
    const tried = await attempt(assertion)
    if (!tried.ok) failed = tried
    return !tried.ok
  })
  if (failed === undefined) return
  throw withWords(failed.error, `no longer so after ${formatDuration(passed)} of ${kindOfTime(cluster)}`)
}

type Tried<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: unknown }

const attempt = async <A>(assertion: Assertion<A>): Promise<Tried<A>> => {
  try {
    const value = await assertion()
    return value === false ? { ok: false, error: new Error("it is false") } : { ok: true, value }
  } catch (error) {
    return { ok: false, error }
  }
}

interface Poll extends PollingOptions {
  readonly limitMillis: number
}

/** Asks until it is done, at every moment at which something may have changed. Answers how much time has passed. */
const poll = async (
  cluster: ClusterUnderTest,
  options: Poll,
  isDone: () => Promise<boolean>
): Promise<number> => {
  const programs = attachedPrograms(cluster, options.quiet)
  try {
    return await pollBeside(programs, cluster, options, isDone)
  } finally {
    programs.forget()
  }
}

const pollBeside = async (
  programs: AttachedPrograms,
  cluster: ClusterUnderTest,
  options: Poll,
  isDone: () => Promise<boolean>
): Promise<number> => {
  const begunMillis = cluster.now().getTime()
  const everyMillis = millisOf(options.every ?? (cluster.isReal ? 250 : 20), "every")
  const passed = (): number => cluster.now().getTime() - begunMillis
  // What was asked for just now is begun before it is looked at.
  if (cluster.canMoveTime) await cluster.until(() => true)
  for (;;) {
    await programs.done()
    const leftMillis = options.limitMillis - passed()
    if ((await isDone()) || leftMillis <= 0) return passed()
    if (!cluster.canMoveTime) {
      await passReally(Math.min(everyMillis, leftMillis))
      continue
    }
    // No step: whoever else moves time meanwhile, no moment of it is left out, and it is moved no further.
    const atMillis = cluster.now().getTime()
    await cluster.until(() => cluster.now().getTime() > atMillis, leftMillis)
  }
}

const kindOfTime = (cluster: ClusterUnderTest): string => (cluster.canMoveTime ? "virtual time" : "time")

/** The very error that was thrown, which test runners show with its differences, and a line below its message. */
const withWords = (error: unknown, words: string): unknown => {
  if (!(error instanceof Error) || Object.isFrozen(error)) {
    return new Error(`${error instanceof Error ? error.message : String(error)}\n\n${words}`, {
      cause: error
    })
  }
  const { message, stack = "" } = error
  const longer = `${message}\n\n${words}`
  Object.defineProperty(error, "message", { value: longer, configurable: true, writable: true })
  const at = message === "" ? -1 : stack.indexOf(message)
  if (at >= 0) error.stack = `${stack.slice(0, at)}${longer}${stack.slice(at + message.length)}`
  return error
}
