import { connectToApiServer } from "./apiConnection.ts"
import { Unreachable } from "./clientErrors.ts"
import { readCredentials } from "./credentials.ts"
import { fieldsOrEmpty, textOrEmpty } from "../kubernetes/meta/fields.ts"
import { readKubeContext } from "./kubeContext.ts"
import { formatSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import { listInPages } from "./listInPages.ts"
import { makeResourceDiscovery, resourcePath } from "./resourceDiscovery.ts"
import { awaitServedKinds, discoverKinds } from "./remoteKinds.ts"
import { customResourceDefinitionResource } from "../kubernetes/customResources/definitions.ts"
import { isFailureCode, noObject, toClientError } from "./statusErrors.ts"
import { withRemoteStore } from "./remoteStore.ts"
import { watchRemoteChanges } from "./remoteChanges.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { AppliedDocument } from "../manifests/manifestDocument.ts"
import type { Change, DeleteOptions, GetOptions, ObjectList } from "../store/objectStore.ts"
import type { HttpRequest } from "./requestSender.ts"
import type { KubeContext } from "./kubeContext.ts"
import type { ResourceDiscovery, ServedResource } from "./resourceDiscovery.ts"
import type { ServedKinds } from "../manifests/definedKinds.ts"
import type { RemoteWriteOptions } from "./remoteStore.ts"

interface RemoteAddress<R extends GroupResource = GroupResource> {
  readonly resource: R
  readonly name: string
  readonly namespace?: string
}

export interface RemoteListOptions {
  readonly namespace?: string
  readonly labelSelector?: string | LabelSelector
  readonly fieldSelector?: string
}

interface RemoteWatchOptions extends RemoteListOptions {
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
  /** The watch fails after so many consecutive failures, one second apart; 10 by default. */
  readonly retries?: number
}

/** A real cluster with the methods and errors of a simulated one. */
export interface RemoteCluster {
  readonly context: KubeContext
  readonly namespace: string
  readonly get: <R extends GroupResource>(address: RemoteAddress<R>) => Promise<ObjectOf<R>>
  readonly list: <R extends GroupResource>(
    resource: R,
    options?: RemoteListOptions
  ) => Promise<ObjectList<ObjectOf<R>>>
  readonly create: (draft: Manifest) => Promise<KubeObject>
  readonly update: (object: Draft, options?: { readonly status?: boolean }) => Promise<KubeObject>
  /** If documents conflict with each other, `ManifestsRefused` says which were applied. */
  readonly apply: (
    manifest: string | Manifest | ReadonlyArray<Manifest>
  ) => Promise<ReadonlyArray<AppliedDocument>>
  /** An RFC 7386 merge patch, or a list of RFC 6902 operations. */
  readonly patch: (
    address: RemoteAddress,
    patch: object,
    options?: { readonly status?: boolean }
  ) => Promise<KubeObject>
  readonly delete: (address: RemoteAddress, options?: DeleteOptions) => Promise<KubeObject>
  readonly watch: (resource: GroupResource, options?: RemoteWatchOptions) => AsyncIterable<Change>
  /** Unix milliseconds; undefined for a cluster that is not Charthouse. */
  readonly clusterNowMillis: () => Promise<number | undefined>
  /** Reads a path below `/charthouse`, which only Charthouse serves. */
  readonly readCharthousePath: (path: string) => Promise<unknown>
  readonly isNamespaced: (resource: GroupResource) => Promise<boolean>
  readonly resourceOf: (object: Draft) => Promise<GroupResource>
  readonly kindsIn: (manifest: string | Manifest | ReadonlyArray<Manifest>) => Promise<ServedKinds>
  readonly findType: ResourceDiscovery["findType"]
  readonly close: () => void
}

interface RemoteOptions {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
  readonly namespace?: string | undefined
  /** Maps the namespaces of manifests; the identity by default. */
  readonly mapNamespace?: ((namespace: string) => string) | undefined
  readonly env?: NodeJS.ProcessEnv
}

/** Rejects with `UnusableKubeconfig`, or with `Unreachable` when the server does not answer. */
export const openRemoteCluster = async (options: RemoteOptions = {}): Promise<RemoteCluster> => {
  const { kubeconfig, context: contextName, env = process.env } = options
  const context = readKubeContext({ path: kubeconfig, context: contextName, env })
  const namespace = options.namespace ?? context.namespace
  const connection = await connectToApiServer(context, () => readCredentials(context.user))
  const { code } = await connection.request({ path: "/version" })
  if (code === 401) {
    connection.close()
    throw new Unreachable(`${context.url} does not know user ${JSON.stringify(context.user.name)} (401)`)
  }
  const discovery = makeResourceDiscovery(connection)
  const closeController = new AbortController()
  const untilClosed = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? closeController.signal : AbortSignal.any([closeController.signal, signal])
  let isClockMissing = false

  const requestObject = async (
    request: HttpRequest,
    subject: { readonly resource: GroupResource; readonly name: string }
  ): Promise<KubeObject> => {
    const response = await connection.request(request)
    if (isFailureCode(response)) throw toClientError(response, subject)
    return response.body as KubeObject
  }
  const objectPath = async (
    address: RemoteAddress,
    { subresource, apiVersion }: { readonly subresource?: string; readonly apiVersion?: string } = {}
  ): Promise<string> =>
    resourcePath(await discovery.resolveResource(address.resource, apiVersion), {
      namespace: address.namespace ?? namespace,
      name: address.name,
      ...(subresource === undefined ? {} : { subresource })
    })
  const get = async <R extends GroupResource>(
    address: RemoteAddress<R>,
    getOptions?: GetOptions
  ): Promise<ObjectOf<R>> => {
    const { resource, name } = address
    const path = await objectPath(address, getOptions)
    return (await requestObject({ path }, { resource, name })) as ObjectOf<R>
  }
  const write = async (
    method: string,
    draft: Draft,
    { query = "", subresource }: RemoteWriteOptions = {}
  ): Promise<KubeObject> => {
    const served = await discovery.resolveTypeOf(draft)
    const { name = "" } = draft.metadata
    const path = resourcePath(served, {
      namespace: draft.metadata.namespace ?? namespace,
      ...(method === "POST" ? {} : { name }),
      ...(subresource === undefined ? {} : { subresource })
    })
    const subject = { resource: served.resource, name }
    return requestObject(
      { method, path: `${path}${query}`, body: inDefaultNamespace(draft, served, namespace) },
      subject
    )
  }
  const list = async <R extends GroupResource>(
    resource: R,
    listOptions: RemoteListOptions = {}
  ): Promise<ObjectList<ObjectOf<R>>> => {
    const served = await discovery.resolveResource(resource)
    return listInPages(served, {
      path: resourcePath(served, { namespace: listOptions.namespace }),
      query: (parameters) => queryOf(listOptions, parameters),
      request: (path) => requestObject({ path }, { resource, name: "" })
    })
  }

  const kindsIn: RemoteCluster["kindsIn"] = (manifest) => discoverKinds(discovery, manifest)
  const awaitServed = (definition: KubeObject): Promise<void> =>
    awaitServedKinds(definition, {
      findType: discovery.findType,
      read: () => get({ resource: customResourceDefinitionResource, name: definition.metadata.name }),
      signal: closeController.signal
    })

  return {
    context,
    namespace,
    get: (address) => get(address),
    list,
    create: (draft) => write("POST", draft),
    update: (object, { status = false } = {}) =>
      write("PUT", object, status ? { subresource: "status" } : {}),
    apply: async (manifest) => {
      const { applyManifest } = await import("../manifests/applyManifests.ts")
      const { mapNamespace = (name) => name } = options
      const kinds = await kindsIn(manifest)
      return withRemoteStore({ get, write, mapNamespace, awaitServed }, (store) =>
        applyManifest(store, manifest, { namespace, kinds })
      )
    },
    patch: async (address, patch, { status = false } = {}) => {
      const path = await objectPath(address, status ? { subresource: "status" } : {})
      const contentType = `application/${Array.isArray(patch) ? "json" : "merge"}-patch+json`
      return requestObject({ method: "PATCH", path, body: patch, contentType }, address)
    },
    delete: async (address, { dryRun = false, ...deleteOptions } = {}) => {
      const before = await get(address)
      const path = await objectPath(address)
      // The API server ignores the query of a DELETE with a body (apiserver/pkg/endpoints/handlers/delete.go).
      const dryRunField = dryRun ? { dryRun: ["All"] } : {}
      const body = { apiVersion: "v1", kind: "DeleteOptions", ...deleteOptions, ...dryRunField }
      const result = await requestObject({ method: "DELETE", path, body }, address)
      // The server returns a Status if the object is gone at once.
      return result.kind === "Status" ? before : result
    },
    watch: (resource, watchOptions = {}) =>
      watchRemoteChanges(
        {
          list: () => list(resource, watchOptions),
          streamLines: async (resourceVersion, options) => {
            const served = await discovery.resolveResource(resource)
            const watchParameters = { watch: 1, resourceVersion, allowWatchBookmarks: "true" }
            const path = `${resourcePath(served, { namespace: watchOptions.namespace })}${queryOf(watchOptions, watchParameters)}`
            return connection.streamLines(path, options)
          },
          resource
        },
        {
          since: watchOptions.resourceVersion,
          signal: untilClosed(watchOptions.signal),
          retries: watchOptions.retries
        }
      ),
    clusterNowMillis: async () => {
      if (isClockMissing) return undefined
      const { code, body } = await connection.request({ path: "/charthouse/v1/clock" })
      const nowMillis = code === okCode ? Date.parse(textOrEmpty(fieldsOrEmpty(body)["now"])) : Number.NaN
      isClockMissing = Number.isNaN(nowMillis)
      return isClockMissing ? undefined : nowMillis
    },
    readCharthousePath: (path) => requestObject({ path }, noObject),
    isNamespaced: async (resource) => (await discovery.resolveResource(resource)).namespaced,
    resourceOf: async (object) => (await discovery.resolveTypeOf(object)).resource,
    kindsIn,
    findType: discovery.findType,
    close: () => {
      closeController.abort()
      connection.close()
    }
  }
}

const okCode = 200
const inDefaultNamespace = (draft: Draft, served: ServedResource, namespace: string): Draft =>
  served.namespaced && draft.metadata.namespace === undefined
    ? { ...draft, metadata: { ...draft.metadata, namespace } }
    : draft

const queryOf = (
  { labelSelector, fieldSelector = "" }: RemoteListOptions,
  extraParameters: Readonly<Record<string, string | number>>
): string => {
  const selector = typeof labelSelector === "object" ? formatSelector(labelSelector) : (labelSelector ?? "")
  const params = new URLSearchParams()
  if (selector !== "") params.set("labelSelector", selector)
  if (fieldSelector !== "") params.set("fieldSelector", fieldSelector)
  for (const [name, value] of Object.entries(extraParameters))
    if (value !== "") params.set(name, String(value))
  return `?${params.toString()}`
}
