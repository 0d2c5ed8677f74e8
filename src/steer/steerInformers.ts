import { listInPages } from "../client/listInPages.ts"
import { isFailureCode, toClientError } from "../client/statusErrors.ts"
import { resourcePath } from "../client/resourceDiscovery.ts"
import { runClientInformer } from "../client/informer.ts"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import type { ApiConnection } from "../client/apiConnection.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { RemoteView } from "./remoteView.ts"
import type { ResourceDiscovery } from "../client/resourceDiscovery.ts"
import type { SteerClock } from "./steerOptions.ts"
import type { SteerLog } from "./steerLog.ts"
import type { SteerMeter } from "./steerMetrics.ts"

interface InformersOptions {
  readonly connection: ApiConnection
  readonly discovery: ResourceDiscovery
  readonly remoteView: RemoteView
  readonly resources: ReadonlyArray<GroupResource>
  /** Undefined for all namespaces. */
  readonly namespaces: ReadonlyArray<string> | undefined
  readonly clock: SteerClock
  readonly log: SteerLog
  readonly meter: SteerMeter
  readonly signal: AbortSignal
}

export interface SteerInformers {
  readonly synced: Promise<void>
  /** Undefined while all watches are open. */
  readonly whyNotCurrent: () => string | undefined
  /** Resolves when all informers have ended, after the signal has aborted. */
  readonly ended: Promise<void>
}

/**
 * The server closes each watch after this time or up to twice as long.
 *
 * Source: client-go/tools/cache/reflector.go (minWatchTimeout).
 */
const watchSeconds = 300
/** A watch this long silent is opened again: a server sends bookmarks once a minute. */
const silenceMaxMillis = 150_000

export const startInformers = (options: InformersOptions): SteerInformers => {
  const { resources, namespaces, signal } = options
  const problemsByInformer = new Map<string, string>()
  const informerScopes = resources.flatMap((resource) =>
    (namespaces ?? [undefined]).map((namespace) => ({ resource, namespace }))
  )
  const informers = informerScopes.map((scope) => startInformer(options, scope, problemsByInformer))
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
  return {
    synced: Promise.race([Promise.all(informers.map(({ synced }) => synced)).then(() => {}), aborted]),
    whyNotCurrent: () => problemsByInformer.values().next().value,
    ended: Promise.all(informers.map(({ ended }) => ended)).then(() => {})
  }
}

const startInformer = (
  { connection, discovery, remoteView, clock, log, meter, signal }: InformersOptions,
  scope: { readonly resource: GroupResource; readonly namespace: string | undefined },
  problemsByInformer: Map<string, string>
) => {
  const { resource, namespace } = scope
  const name = namespace === undefined ? resource : `${resource} of ${namespace}`
  problemsByInformer.set(name, `${name} were not listed yet`)
  let resolveSynced = (): void => {}
  const synced = new Promise<void>((resolve) => {
    resolveSynced = resolve
  })
  const pathOf = async (): Promise<string> =>
    resourcePath(await discovery.resolveResource(resource), { namespace })
  const ended = runClientInformer(
    {
      list: async (listSignal) => {
        meter.count("relists_total", { resource })
        return listInPages(await discovery.resolveResource(resource), {
          path: await pathOf(),
          query: (parameters) => `?${queryText(parameters)}`,
          request: async (path) => {
            const response = await connection.request({ path }, { signal: listSignal })
            if (isFailureCode(response)) throw toClientError(response, { resource, name: "" })
            return response.body
          }
        })
      },
      streamLines: async (resourceVersion, streamOptions) => {
        const timeoutSeconds = Math.round(watchSeconds * (1 + clock.random()))
        const parameters = { watch: 1, allowWatchBookmarks: "true", resourceVersion, timeoutSeconds }
        return connection.streamLines(`${await pathOf()}?${queryText(parameters)}`, streamOptions)
      }
    },
    {
      replace: (list) => {
        remoteView.replace(scope, list)
        problemsByInformer.delete(name)
        resolveSynced()
      },
      change: (type, object) => {
        if (type === "DELETED") remoteView.remove(resource, object)
        else remoteView.change(resource, object)
      },
      watchOpened: () => {
        if (problemsByInformer.delete(name)) log("info", "watch open", { resource, namespace })
      },
      requestFailed: (error, delayMillis) => {
        problemsByInformer.set(name, `the watch of ${name} has failed: ${errorText(error)}`)
        meter.count("watch_failures_total", { resource })
        const fields = { resource, namespace, error: errorText(error), retryMillis: Math.round(delayMillis) }
        log("warn", "watch failed", fields)
      }
    },
    { signal, sleep: clock.sleep, random: clock.random, silenceMaxMillis }
  )
  return { synced, ended }
}

const queryText = (parameters: Readonly<Record<string, string | number>>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== "") params.set(name, String(value))
  return params.toString()
}
