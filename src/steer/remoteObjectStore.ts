import * as Effect from "effect/Effect"
import { InternalError, isStoreError, Timeout } from "../store/storeErrors.ts"
import { isTransientCode, RemoteRefused } from "../client/clientErrors.ts"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { fenceClosedError } from "./writeFence.ts"
import { isFailureCode, toClientError } from "../client/statusErrors.ts"
import { resourcePath } from "../client/resourceDiscovery.ts"
import { steeringManager } from "../kubernetes/steering/steeringNames.ts"
import type { ApiConnection } from "../client/apiConnection.ts"
import type { Draft, Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { ObjectStore } from "../store/objectStore.ts"
import type { ResourceDiscovery } from "../client/resourceDiscovery.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { WriteFence } from "./writeFence.ts"

export interface RemoteObjectStoreOptions {
  readonly connection: Pick<ApiConnection, "request">
  readonly discovery: ResourceDiscovery
  readonly writeFence: WriteFence
  readonly onWritten: (resource: GroupResource, object: KubeObject) => void
  readonly onRequest: (verb: string, resource: GroupResource, error: unknown) => void
  /** A write without an answer counts as failed after this time. */
  readonly timeoutMillis: number
  readonly sleep: (millis: number, signal: AbortSignal) => Promise<void>
}

/** Sends each write once, right after `writeFence` lets it pass. The server refuses it if the object has changed. */
export const makeRemoteObjectStore = (options: RemoteObjectStoreOptions): ObjectStore["Service"] => {
  const { connection, discovery, writeFence, onWritten, onRequest, timeoutMillis, sleep } = options

  const send = async (
    method: string,
    draft: Draft,
    {
      subresource,
      signal,
      body = draft
    }: { readonly subresource?: string; readonly signal: AbortSignal; readonly body?: unknown }
  ): Promise<KubeObject> => {
    const served = await discovery.resolveTypeOf(draft)
    const { namespace, name = "" } = draft.metadata
    const path = resourcePath(served, {
      namespace,
      ...(method === "POST" ? {} : { name }),
      ...(subresource === undefined ? {} : { subresource })
    })
    const why = writeFence.whyClosed()
    if (why !== undefined) throw fenceClosedError(why)
    const timeoutController = new AbortController()
    const timer = sleep(timeoutMillis, AbortSignal.any([timeoutController.signal, signal])).then(() =>
      timeoutController.abort()
    )
    const resource = served.resource
    try {
      const response = await connection.request(
        { method, path: `${path}?fieldManager=${steeringManager}`, body },
        { signal: AbortSignal.any([signal, timeoutController.signal]), retriesMax: 0 }
      )
      if (isFailureCode(response)) throw toClientError(response, { resource, name })
      const writtenObject = response.body as KubeObject
      onWritten(resource, writtenObject)
      onRequest(verbByMethod[method] ?? method, resource, noError)
      return writtenObject
    } catch (error) {
      writeFence.closeIfThrottled(error)
      onRequest(verbByMethod[method] ?? method, resource, error)
      throw error
    } finally {
      timeoutController.abort()
      await timer
    }
  }
  const readObject = async (resource: GroupResource, key: Key, signal: AbortSignal): Promise<KubeObject> => {
    const [namespace, name] = splitKey(key)
    const path = resourcePath(await discovery.resolveResource(resource), { namespace, name })
    const response = await connection.request({ path }, { signal })
    if (isFailureCode(response)) throw toClientError(response, { resource, name })
    return response.body as KubeObject
  }
  const write = (
    method: string,
    draft: Draft,
    sendOptions: { readonly subresource?: string } = {}
  ): Effect.Effect<KubeObject, StoreError> =>
    toStoreEffect((signal) => send(method, draft, { ...sendOptions, signal }))

  return {
    // Only NotFound proves that the object is gone. Any other failed read ends the reconciliation.
    get: (({ resource, key }) =>
      Effect.catch(
        toStoreEffect((signal) => readObject(resource, key, signal)),
        (error) => (error._tag === "NotFound" ? Effect.fail(error) : Effect.die(error))
      )) as ObjectStore["Service"]["get"],
    create: (draft) => write("POST", draft),
    update: (draft) => write("PUT", draft),
    updateStatus: (draft) => write("PUT", draft, { subresource: "status" }),
    modify: ({ resource, key }, change) =>
      toStoreEffect(async (signal) =>
        send("PUT", change(await readObject(resource, key, signal)), { signal })
      ),
    delete: ({ resource, key }, { propagationPolicy, preconditions } = {}) =>
      toStoreEffect(async (signal) => {
        const present = await readObject(resource, key, signal)
        const { uid, resourceVersion } = present.metadata
        const body = {
          apiVersion: "v1",
          kind: "DeleteOptions",
          propagationPolicy,
          preconditions: preconditions ?? { uid, resourceVersion }
        }
        await send("DELETE", present, { signal, body })
        return present
      }),
    list: () => unavailable("list"),
    bind: () => unavailable("bind"),
    finalizeNamespace: () => unavailable("finalizeNamespace"),
    watch: () => {
      throw new Error("a steering controller watches by its informers")
    }
  }
}

const noError = undefined

const verbByMethod: Readonly<Record<string, string>> = { POST: "create", PUT: "update", DELETE: "delete" }

const splitKey = (key: Key): readonly [namespace: string | undefined, name: string] => {
  const [namespaceOrName = "", name] = key.split("/")
  return name === undefined ? [undefined, namespaceOrName] : [namespaceOrName, name]
}

const unavailable = (method: keyof ObjectStore["Service"]): Effect.Effect<never> =>
  Effect.die(new Error(`a steering controller has no ${method}`))

const toStoreEffect = (
  request: (signal: AbortSignal) => Promise<KubeObject>
): Effect.Effect<KubeObject, StoreError> =>
  Effect.tryPromise({
    try: request,
    catch: toStoreError
  })

/** A webhook's refusal, for example, is an InternalError; a lost connection refuses nothing, and is a Timeout. */
const toStoreError = (error: unknown): StoreError => {
  if (isStoreError(error)) return error
  const why = errorText(error)
  return error instanceof RemoteRefused && !isTransientCode(error.code)
    ? new InternalError({ why })
    : new Timeout({ why })
}
