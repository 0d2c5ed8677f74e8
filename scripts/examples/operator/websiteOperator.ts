import { ApiError, makeApiClient } from "./apiClient.ts"
import { reconcileWebsite } from "./reconcileWebsite.ts"
import type { KubeObject } from "charthouse"
import type { ApiClient } from "./apiClient.ts"

/** The clock that the operator lives by: the machine's, or that of a cluster in a test. */
export interface OperatorTimers {
  readonly setTimeout: (callback: () => void, millis: number) => NodeJS.Timeout
  readonly clearTimeout: (timer: NodeJS.Timeout | undefined) => void
  readonly Date: DateConstructor
}

export interface OperatorOptions {
  /** Sends a request to the API: `fetch`, or `cluster.fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  readonly url: string
  readonly token?: string
  /** `globalThis`, or `cluster.timers`. */
  readonly timers?: OperatorTimers
}

export interface Operator extends Disposable {
  /** Stops watching, and forgets what was to be done: as if the process had been killed. */
  readonly stop: () => void
}

const retryMillis = 1000

/** Keeps every Website as its spec says: a queue of names, filled by watches and timers, and one worker. */
export const startWebsiteOperator = ({
  fetch: send = fetch,
  url,
  token,
  timers = globalThis
}: OperatorOptions): Operator => {
  const controller = new AbortController()
  const { signal } = controller
  const api = makeApiClient(send, { url, signal, ...(token === undefined ? {} : { token }) })
  const context = { api, now: () => new timers.Date() }
  const queue = new Set<string>()
  /** One timer a Website: a later look replaces an earlier one. */
  const requeues = new Map<string, NodeJS.Timeout>()
  let isWorking = false

  const enqueue = (key: string): void => {
    if (signal.aborted) return
    queue.add(key)
    if (!isWorking) void work()
  }
  const clearRequeue = (key: string): void => {
    timers.clearTimeout(requeues.get(key))
    requeues.delete(key)
  }
  const enqueueLater = (key: string, millis: number): void => {
    clearRequeue(key)
    requeues.set(
      key,
      timers.setTimeout(() => enqueue(key), millis)
    )
  }
  const work = async (): Promise<void> => {
    isWorking = true
    for (const key of queue) {
      queue.delete(key)
      clearRequeue(key)
      const [namespace = "", name = ""] = key.split("/")
      try {
        const requeueMillis = await reconcileWebsite(context, namespace, name)
        if (requeueMillis !== undefined) enqueueLater(key, requeueMillis)
      } catch (error) {
        if (signal.aborted) break
        // After a Conflict the object is read again; any other error may pass.
        enqueueLater(key, error instanceof ApiError && error.code === 409 ? 0 : retryMillis)
      }
    }
    isWorking = false
  }
  const follow = (path: string, keyOf: (object: KubeObject) => string | undefined): void =>
    void followChanges({ api, signal, timers }, path, (object) => {
      const key = keyOf(object)
      if (key !== undefined) enqueue(key)
    })

  follow("/apis/example.com/v1/websites", ({ metadata }) => keyIn(metadata.namespace, metadata.name))
  follow("/apis/apps/v1/deployments", ({ metadata: { namespace, ownerReferences = [] } }) => {
    const owner = ownerReferences.find(({ kind }) => kind === "Website")
    return owner === undefined ? undefined : keyIn(namespace, owner.name)
  })
  const stop = (): void => {
    controller.abort()
    for (const key of requeues.keys()) clearRequeue(key)
  }
  return { stop, [Symbol.dispose]: stop }
}

const keyIn = (namespace = "", name: string): string => `${namespace}/${name}`

interface FollowContext {
  readonly api: ApiClient
  readonly signal: AbortSignal
  readonly timers: OperatorTimers
}

/**
 * Lists, then watches from there. When the watch has ended or failed, as after 410 Gone, it lists again after a while.
 */
const followChanges = async (
  { api, signal, timers }: FollowContext,
  path: string,
  onObject: (object: KubeObject) => void
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const { items, metadata } = await api.list(path)
      for (const object of items) onObject(object)
      for await (const { type, object } of api.watch(path, metadata.resourceVersion)) {
        if (type === "ERROR") break
        if (type !== "BOOKMARK") onObject(object)
      }
    } catch {
      // Whatever has failed: the next list shows what is there.
    }
    if (!signal.aborted) await new Promise<void>((resolve) => timers.setTimeout(resolve, retryMillis))
  }
}
