import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { storedKindOfObject, groupResourceOf } from "../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { isStoreError } from "../store/storeErrors.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { Draft, Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { NotFound, StoreError } from "../store/storeErrors.ts"
import type { GetOptions, SingleObjectWrites, WriteOptions } from "../store/objectStore.ts"

export interface RemoteWriteOptions {
  readonly query?: string
  readonly subresource?: string
}

interface RemoteWrites {
  readonly get: <R extends GroupResource>(
    address: { readonly resource: R; readonly name: string; readonly namespace?: string },
    options?: GetOptions
  ) => Promise<ObjectOf<R>>
  readonly write: (method: string, draft: Draft, options: RemoteWriteOptions) => Promise<KubeObject>
  readonly mapNamespace: (namespace: string) => string
  /** Waits until the server serves the kinds of a written definition. */
  readonly awaitServed: (definition: KubeObject) => Promise<void>
}

/** Runs `useStore` with a store that writes to a real cluster. Errors outside of `StoreError` reject unchanged. */
export const withRemoteStore = async <A, E>(
  { get, write, mapNamespace, awaitServed }: RemoteWrites,
  useStore: (store: SingleObjectWrites) => Effect.Effect<A, E>
): Promise<A> => {
  /** Objects as last read: an update that changes nothing returns the same object. */
  const lastReadById = new Map<string, KubeObject>()
  const mapOptionalNamespace = (namespace: string | undefined): string | undefined =>
    namespace === undefined ? undefined : mapNamespace(namespace)
  const addressOf = (key: Key): { readonly name: string; readonly namespace?: string } => {
    const [namespaceOrName = "", name] = key.split("/")
    return name === undefined ? { name: namespaceOrName } : { name, namespace: mapNamespace(namespaceOrName) }
  }
  const send = (method: string, draft: Draft, { dryRun = false }: WriteOptions = {}) =>
    toStoreEffect(async () => {
      // The server keeps managed fields that a write leaves out.
      const { managedFields: _managedFields, ...metadata } = draft.metadata
      const mappedNamespace = mapOptionalNamespace(metadata.namespace)
      const mappedDraft = {
        ...draft,
        metadata: mappedNamespace === undefined ? metadata : { ...metadata, namespace: mappedNamespace }
      }
      const isBuiltIn = storedKindOfObject(draft) !== undefined
      const parameters = [
        ...(dryRun ? ["dryRun=All"] : []),
        // Only the server knows the fields of a custom resource.
        ...(isBuiltIn ? [] : ["fieldValidation=Strict"])
      ]
      const query = parameters.length === 0 ? "" : `?${parameters.join("&")}`
      const writtenObject = await write(method, mappedDraft, { query })
      if (!dryRun && writtenObject.kind === "CustomResourceDefinition") await awaitServed(writtenObject)
      return writtenObject
    })
  const update: SingleObjectWrites["update"] = (draft, options) =>
    Effect.map(send("PUT", draft, options), (written) => {
      const readObject = lastReadById.get(objectId(written))
      return readObject?.metadata.resourceVersion === written.metadata.resourceVersion
        ? (readObject ?? written)
        : written
    })
  const store: SingleObjectWrites = {
    get: <R extends GroupResource>(
      { resource, key }: { readonly resource: R; readonly key: Key },
      options?: GetOptions
    ) =>
      Effect.map(
        toStoreEffect(() => get({ resource, ...addressOf(key) }, options)),
        (object) => {
          lastReadById.set(objectId(object), object)
          return object
        }
      ) as Effect.Effect<ObjectOf<R>, NotFound>,
    create: (draft, options) => send("POST", draft, options),
    update
  }
  const exit = await Effect.runPromiseExit(useStore(store))
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

const objectId = (object: KubeObject): string => {
  const kind = storedKindOfObject(object)
  const { namespace, name } = object.metadata
  const type = kind === undefined ? `${object.apiVersion}/${object.kind}` : groupResourceOf(kind)
  return `${type}/${toObjectKey(namespace, name)}`
}

const toStoreEffect = (request: () => Promise<KubeObject>): Effect.Effect<KubeObject, StoreError> =>
  Effect.catch(Effect.tryPromise({ try: request, catch: (error) => error }), (error) =>
    isStoreError(error) ? Effect.fail(error) : Effect.die(error)
  )
