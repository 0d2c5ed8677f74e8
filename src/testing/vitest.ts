import { expect, test as base } from "vitest"
import { accessTo } from "./access.ts"
import { seedOf } from "./seeds.ts"
import { clusterFor, consistently, eventually, pollingOf, rolledOut } from "./testing.ts"
import type { OpenOptions } from "../openCluster.ts"
import type { ServeOptions } from "../serveOptions.ts"
import type { Access, ClusterUnderTest, Polling } from "./testing.ts"
import type { ConsistentlyOptions, EventuallyOptions, Getter, RolledOutOptions } from "./testing.ts"

/** What a test may ask for by name; what it does not ask for is not made. */
interface ClusterFixtures extends Polling {
  /** How this test's cluster is opened. Its seed comes from the test's name, unless one is given. */
  readonly clusterOptions: OpenOptions
  /**
   * How it is served, to those who ask for `served`: plain HTTP, unless told otherwise. kubectl and Go's clients send
   * no token over that.
   */
  readonly serveOptions: ServeOptions
  /** A cluster of the test's own, gone when the test is over. */
  readonly cluster: ClusterUnderTest
  /** The same cluster over HTTP: its URL and kubeconfig. */
  readonly served: Access
}

/**
 * Vitest's `test` with a cluster for each: `test("rolls out", async ({ cluster }) => …)`. Options are overridden for a
 * file or a suite with `test.override({ clusterOptions: { nodes: 1 } })`. A test that fails tells its seed.
 */
export const test = base.extend<ClusterFixtures>({
  clusterOptions: {},
  serveOptions: {},
  cluster: async ({ clusterOptions, task, onTestFailed }, use) => {
    const seed = clusterOptions.seed ?? seedOf(task.fullTestName)
    const cluster = await clusterFor({ ...clusterOptions, seed })
    if (!cluster.isReal) {
      onTestFailed(() => {
        const words = `the cluster's seed was ${seed}: test.override({ clusterOptions: { seed: ${seed} } })`
        for (const error of task.result?.errors ?? []) error.message += `\n\n${words}`
      })
    }
    try {
      await use(cluster)
    } finally {
      await cluster.close()
    }
  },
  served: async ({ cluster, serveOptions }, use) => {
    const access = accessTo(await cluster.serve({ tls: false, ...serveOptions }))
    try {
      await use(access)
    } finally {
      access.forget()
    }
  },
  eventually: async ({ cluster }, use) => use(pollingOf(cluster).eventually),
  consistently: async ({ cluster }, use) => use(pollingOf(cluster).consistently),
  settled: async ({ cluster }, use) => use(pollingOf(cluster).settled),
  rolledOut: async ({ cluster }, use) => use(pollingOf(cluster).rolledOut),
  object: async ({ cluster }, use) => use(pollingOf(cluster).object),
  objects: async ({ cluster }, use) => use(pollingOf(cluster).objects)
})

declare global {
  // Vitest's assertions extend Chai's. Their own type parameters differ from one major version to the next.
  namespace Chai {
    interface Assertion {
      /** Of a cluster: the rollout of a Deployment becomes complete. */
      readonly toRollOut: (name: string, options?: RolledOutOptions) => Promise<void>
      /** Of what `object` or `objects` gave: it comes to look so, by `toMatchObject`'s rules. */
      readonly toEventuallyMatch: (expected: object, options?: EventuallyOptions) => Promise<void>
      /** Of what `object` or `objects` gave: it looks so all the time, by `toMatchObject`'s rules. */
      readonly toConsistentlyMatch: (expected: object, options?: ConsistentlyOptions) => Promise<void>
    }
  }
}

expect.extend({
  async toRollOut(cluster: ClusterUnderTest, name: string, options?: RolledOutOptions) {
    requireThat(isCluster(cluster), 'toRollOut is asked of a cluster: expect(cluster).toRollOut("web")')
    try {
      await rolledOut(cluster, name, options)
      return { pass: true, message: () => `the rollout of ${JSON.stringify(name)} is complete` }
    } catch (error) {
      return { pass: false, message: () => wordsOf(error) }
    }
  },
  async toEventuallyMatch(read: Getter<unknown>, expected: object, options?: EventuallyOptions) {
    requireThat(isGetter(read), getterWanted("toEventuallyMatch"))
    const look = (): Promise<void> => looksLike(read, expected)
    return outcomeOf(eventually(read.cluster, look, options), "it came to look so")
  },
  async toConsistentlyMatch(read: Getter<unknown>, expected: object, options?: ConsistentlyOptions) {
    requireThat(isGetter(read), getterWanted("toConsistentlyMatch"))
    const look = (): Promise<void> => looksLike(read, expected)
    return outcomeOf(consistently(read.cluster, look, options), "it looked so all the time")
  }
})

const looksLike = async (read: Getter<unknown>, expected: object): Promise<void> => {
  expect(await read()).toMatchObject(expected)
}

/** What polling came to, with the differences where there are some. */
const outcomeOf = async (polling: Promise<unknown>, otherwise: string) => {
  try {
    await polling
    return { pass: true, message: () => otherwise }
  } catch (error) {
    const { actual, expected } = error as { readonly actual?: unknown; readonly expected?: unknown }
    return { pass: false, message: () => wordsOf(error), actual, expected }
  }
}

const isCluster = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "rollout" in value && "canMoveTime" in value

const isGetter = (value: unknown): boolean => typeof value === "function" && "cluster" in value

const getterWanted = (matcher: string): string =>
  `${matcher} is asked of what object or objects gave: expect(object({ resource, name })).${matcher}({ … })`

const requireThat = (isSo: boolean, words: string): void => {
  if (!isSo) throw new TypeError(words)
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
