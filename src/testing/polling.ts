import { formatDuration, toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { formatOptionValue, validateOptionNames } from "../options/invalidOptions.ts"
import { watchAttachedClients } from "./attachedClients.ts"
import { sleepRealTime } from "./realTime.ts"
import { withNote } from "./errorNotes.ts"
import { waitWhileTestRuns } from "./pendingWaits.ts"
import type { OptionNames } from "../options/invalidOptions.ts"
import type { Duration } from "../cluster/calls/callOptions.ts"
import type { AttachedClients } from "./attachedClients.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

export type Assertion<A = unknown> = () => A | Promise<A>

export interface PollingOptions {
  /** Real time between attempts, unless the clock is virtual. Default 20 ms; on a real cluster 250 ms. */
  readonly every?: Duration
  /**
   * Real time without new requests of attached clients before virtual time advances; also the wait for a client's
   * first request. Default: 5 ms, only after a first request.
   */
  readonly quiet?: Duration
}

export interface EventuallyOptions extends PollingOptions {
  /** Cluster time; default 10 minutes, on a real cluster one minute. */
  readonly within?: Duration
}

export interface ConsistentlyOptions extends PollingOptions {
  /** Cluster time; default one minute, on a real cluster 5 seconds. */
  readonly for?: Duration
}

const pollingNames: OptionNames<PollingOptions> = { every: true, quiet: true }
const eventuallyNames: OptionNames<EventuallyOptions> = { ...pollingNames, within: true }
const consistentlyNames: OptionNames<ConsistentlyOptions> = { ...pollingNames, for: true }

/**
 * Retries the assertion until it holds and returns its value. After the limit, throws the last error with the time
 * that has passed.
 */
export const pollEventually = async <A>(
  cluster: ClusterUnderTest,
  assertion: Assertion<A>,
  options: EventuallyOptions = {}
): Promise<A> => {
  requireAssertion("eventually", assertion)
  validateOptionNames("eventually", options, eventuallyNames)
  const limitMillis = toDurationMillis(options.within ?? (cluster.isReal ? "1m" : "10m"), "within")
  const startMillis = cluster.now().getTime()
  const noResult: AttemptResult<A> = { ok: false, error: new Error("the assertion has not returned yet") }
  let lastResult = noResult as AttemptResult<A>
  const poll = (signal: AbortSignal): Promise<number> =>
    pollWithClients(cluster, { ...options, limitMillis, signal }, async () => {
      lastResult = await attempt(assertion)
      return lastResult.ok
    })
  const failure = (passedMillis: number, suffix: string): Error => {
    const error = lastResult.ok ? undefined : lastResult.error
    return withNote(error, `did not hold within ${timeText(cluster, passedMillis)}${suffix}`)
  }
  const passedMillis = await waitWhileTestRuns(cluster, {
    wait: poll,
    errorAtTimeout: () => failure(cluster.now().getTime() - startMillis, testEndedText(limitMillis))
  })
  if (lastResult.ok) return lastResult.value
  throw failure(passedMillis, "")
}

/** Throws the assertion's first failure before the time is over. */
export const pollConsistently = async (
  cluster: ClusterUnderTest,
  assertion: Assertion,
  options: ConsistentlyOptions = {}
): Promise<void> => {
  requireAssertion("consistently", assertion)
  validateOptionNames("consistently", options, consistentlyNames)
  const limitMillis = toDurationMillis(options.for ?? (cluster.isReal ? "5s" : "1m"), "for")
  const startMillis = cluster.now().getTime()
  let failure: { readonly error: unknown } | undefined
  const poll = (signal: AbortSignal): Promise<number> =>
    pollWithClients(cluster, { ...options, limitMillis, signal }, async () => {
      const result = await attempt(assertion)
      if (!result.ok) failure = result
      return !result.ok
    })
  const passedMillis = await waitWhileTestRuns(cluster, {
    wait: poll,
    errorAtTimeout: () => {
      const passed = timeText(cluster, cluster.now().getTime() - startMillis)
      return new Error(`the assertion has held for ${passed}${testEndedText(limitMillis)}`)
    }
  })
  if (failure === undefined) return
  throw withNote(failure.error, `did not hold any more after ${timeText(cluster, passedMillis)}`)
}

const requireAssertion = (call: string, assertion: unknown): void => {
  if (typeof assertion === "function") return
  const given =
    assertion instanceof Promise ? "a promise, which has one outcome" : formatOptionValue(assertion)
  throw new TypeError(`${call} needs a function, which it calls again and again, not ${given}`)
}

type AttemptResult<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: unknown }

const attempt = async <A>(assertion: Assertion<A>): Promise<AttemptResult<A>> => {
  try {
    const value = await assertion()
    return value === false
      ? { ok: false, error: new Error("the assertion returned false") }
      : { ok: true, value }
  } catch (error) {
    return { ok: false, error }
  }
}

interface PollSettings extends PollingOptions {
  readonly limitMillis: number
  readonly signal: AbortSignal
}

/** Calls `isDone` after each possible change. Returns the cluster time that has passed, in milliseconds. */
const pollWithClients = async (
  cluster: ClusterUnderTest,
  options: PollSettings,
  isDone: () => Promise<boolean>
): Promise<number> => {
  const clients = watchAttachedClients(cluster, options.quiet)
  try {
    return await pollUntilDone(clients, cluster, options, isDone)
  } finally {
    clients.dispose()
  }
}

const pollUntilDone = async (
  clients: AttachedClients,
  cluster: ClusterUnderTest,
  options: PollSettings,
  isDone: () => Promise<boolean>
): Promise<number> => {
  const startMillis = cluster.now().getTime()
  const everyMillis = toDurationMillis(options.every ?? (cluster.isReal ? 250 : 20), "every")
  const passedMillis = (): number => cluster.now().getTime() - startMillis
  // Plays what is due at the present instant.
  if (cluster.canMoveTime) await cluster.until(() => true)
  for (;;) {
    await clients.waitUntilIdle()
    const leftMillis = options.limitMillis - passedMillis()
    if (options.signal.aborted || (await isDone()) || leftMillis <= 0) return passedMillis()
    if (!cluster.canMoveTime) {
      await sleepRealTime(Math.min(everyMillis, leftMillis), options.signal)
      continue
    }
    // Another caller may move the clock at the same time.
    const atMillis = cluster.now().getTime()
    await cluster.until(() => cluster.now().getTime() > atMillis, leftMillis)
  }
}

const timeText = (cluster: ClusterUnderTest, millis: number): string =>
  `${formatDuration(millis)}${cluster.canMoveTime ? " of virtual time" : ""}`

const testEndedText = (limitMillis: number): string =>
  `: the test ended before the limit of ${formatDuration(limitMillis)}`
