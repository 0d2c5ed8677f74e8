import { expect, test as base, TestRunner } from "vitest"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { makeClusterAccess } from "./clusterAccess.ts"
import { withLastError } from "./errorNotes.ts"
import { endWaits, endWaitsAtTestEnd } from "./pendingWaits.ts"
import { setTestFinder } from "./runningTest.ts"
import { seedFromName } from "./seedFromName.ts"
import { openClusterForTest, consistently, eventually, bindPolling, rolledOut } from "./testing.ts"
import type { TestContext } from "vitest"
import type { LastError, RunningTest } from "./runningTest.ts"
import type { OpenOptions } from "../cluster/openCluster.ts"
import type { ServeOptions } from "../cluster/serving/serveOptions.ts"
import type { Access, ClusterUnderTest, Polling } from "./testing.ts"
import type { ConsistentlyOptions, EventuallyOptions, Getter, RolledOutOptions } from "./testing.ts"

interface ClusterFixtures extends Polling {
  /** The default seed comes from the test's name. */
  readonly clusterOptions: OpenOptions
  /** By default plain HTTP, over which kubectl and Go clients send no token. */
  readonly serveOptions: ServeOptions
  readonly cluster: ClusterUnderTest
  readonly served: Access
}

/**
 * Vitest's `test` with a cluster for each test; a failing test prints its seed. Override options with
 * `test.override({ clusterOptions: { nodes: 1 } })`.
 */
export const test = base.extend<ClusterFixtures>({
  clusterOptions: {},
  serveOptions: {},
  cluster: async ({ clusterOptions, task, signal, onTestFailed }, use) => {
    const seed = clusterOptions.seed ?? seedFromName(task.fullTestName)
    const cluster = await openClusterForTest({ ...clusterOptions, seed })
    endWaitsAtTestEnd(runningTest({ task, signal, onTestFailed }), cluster)
    if (!cluster.isReal) {
      onTestFailed(() => {
        const note = `the cluster's seed was ${seed}: test.override({ clusterOptions: { seed: ${seed} } })`
        const errors = task.result?.errors?.filter(({ message }) => !message.includes(note)) ?? []
        for (const error of errors) error.message += `\n\n${note}`
      })
    }
    try {
      await use(cluster)
    } finally {
      // The signal of a retried test has aborted already: it reports no call that still waits.
      for (const lastError of endWaits(cluster)) addToTestError({ task, onTestFailed }, lastError)
      await cluster.close()
    }
  },
  served: async ({ cluster, serveOptions }, use) => {
    const access = makeClusterAccess(await cluster.serve({ tls: false, ...serveOptions }))
    try {
      await use(access)
    } finally {
      access.deleteKubeconfigFile()
    }
  },
  eventually: async ({ cluster }, use) => use(bindPolling(cluster).eventually),
  consistently: async ({ cluster }, use) => use(bindPolling(cluster).consistently),
  settled: async ({ cluster }, use) => use(bindPolling(cluster).settled),
  rolledOut: async ({ cluster }, use) => use(bindPolling(cluster).rolledOut),
  object: async ({ cluster }, use) => use(bindPolling(cluster).object),
  objects: async ({ cluster }, use) => use(bindPolling(cluster).objects)
})

/** Vitest reports the signal's reason, the timeout's error, after the signal's listeners have run. */
const runningTest = ({
  task,
  signal,
  onTestFailed
}: Pick<TestContext, "task" | "signal" | "onTestFailed">): RunningTest => ({
  signal,
  report: (lastErrors) => {
    for (const lastError of lastErrors) {
      if (lastError instanceof Error) withLastError(signal.reason, lastError)
      else addToTestError({ task, onTestFailed }, lastError)
    }
  }
})

const addToTestError = (
  { task, onTestFailed }: Pick<TestContext, "task" | "onTestFailed">,
  lastError: LastError
): void =>
  onTestFailed(async () => {
    const note = errorText(await lastError)
    const error = task.result?.errors?.at(-1)
    if (error !== undefined) error.message += `\n\n${note}`
  })

// Vitest does not know which of several concurrent tests makes a call.
setTestFinder(() => {
  const task = TestRunner.getCurrentTest()
  return task === undefined || task.concurrent === true ? undefined : runningTest(task.context)
})

declare global {
  // Chai's type parameters, unlike vitest's own, are the same in all versions.
  namespace Chai {
    interface Assertion {
      readonly toRollOut: (name: string, options?: RolledOutOptions) => Promise<void>
      /** Takes a getter whose value eventually matches, as in `toMatchObject`. */
      readonly toEventuallyMatch: (expected: object, options?: EventuallyOptions) => Promise<void>
      /** Takes a getter whose value matches all the time, as in `toMatchObject`. */
      readonly toConsistentlyMatch: (expected: object, options?: ConsistentlyOptions) => Promise<void>
    }
  }
}

expect.extend({
  async toRollOut(cluster: ClusterUnderTest, name: string, options?: RolledOutOptions) {
    requireArgument(isCluster(cluster), 'toRollOut takes a cluster: expect(cluster).toRollOut("web")')
    try {
      await rolledOut(cluster, name, options)
      return { pass: true, message: () => `the rollout of ${JSON.stringify(name)} is complete` }
    } catch (error) {
      return { pass: false, message: () => errorText(error) }
    }
  },
  async toEventuallyMatch(read: Getter<unknown>, expected: object, options?: EventuallyOptions) {
    requireArgument(isGetter(read), getterExpected("toEventuallyMatch"))
    const assertion = (): Promise<void> => matches(read, expected)
    return outcomeOf(eventually(read.cluster, assertion, options), "the value eventually matched")
  },
  async toConsistentlyMatch(read: Getter<unknown>, expected: object, options?: ConsistentlyOptions) {
    requireArgument(isGetter(read), getterExpected("toConsistentlyMatch"))
    const assertion = (): Promise<void> => matches(read, expected)
    return outcomeOf(consistently(read.cluster, assertion, options), "the value matched all the time")
  }
})

const matches = async (read: Getter<unknown>, expected: object): Promise<void> => {
  expect(await read()).toMatchObject(expected)
}

const outcomeOf = async (polling: Promise<unknown>, passMessage: string) => {
  try {
    await polling
    return { pass: true, message: () => passMessage }
  } catch (error) {
    const { actual, expected } = error as { readonly actual?: unknown; readonly expected?: unknown }
    return { pass: false, message: () => errorText(error), actual, expected }
  }
}

const isCluster = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "rollout" in value && "canMoveTime" in value

const isGetter = (value: unknown): boolean => typeof value === "function" && "cluster" in value

const getterExpected = (matcher: string): string =>
  `${matcher} takes what object or objects returned: expect(object({ resource, name })).${matcher}({ … })`

const requireArgument = (isValid: boolean, message: string): void => {
  if (!isValid) throw new TypeError(message)
}
