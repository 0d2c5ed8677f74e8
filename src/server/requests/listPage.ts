import { isSameList } from "../http/isSameList.ts"
import { requestedVersionProblem } from "../../store/storeRefusals.ts"
import { jsonSyntaxError } from "../http/jsonSyntaxError.ts"
import { makeRecentValues } from "../http/recentValues.ts"
import { badRequest, invalidRequestOptions, Refusal, makeRefusal } from "../http/statuses.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { QueryParameters } from "../http/queryParameters.ts"
import type { OptionError } from "../http/statuses.ts"

/**
 * Every page shows the collection at the first page's resource version. The server keeps no state between pages: it
 * undoes the later changes, and the list expires (410) once the store no longer retains them.
 *
 * Source: apiserver/pkg/storage/continue.go, pkg/storage/etcd3/store.go (GetList).
 */
export interface ListPage {
  readonly items: ReadonlyArray<KubeObject>
  readonly resourceVersion: string
  readonly continue: string | undefined
  readonly remainingItemCount: number | undefined
}

interface PageRequest {
  readonly resource: GroupResource
  readonly matches: (object: KubeObject) => boolean
  /** With a selector, the remaining items are not counted. */
  readonly hasSelector: boolean
  readonly limit: number | undefined
  /** The list's version and the last key of the previous page; undefined for a first page of the present. */
  readonly from: { readonly version: number; readonly after: Key | undefined } | undefined
}

type View = ClusterView["Service"]

export const makeListPage = (view: View, request: PageRequest): ListPage => {
  const { resource, matches, hasSelector, limit, from } = request
  const version = from?.version ?? view.version()
  const objects = version === view.version() ? view.all(resource) : objectsAt(view, resource, version)
  const matching: Array<KubeObject> = []
  for (const { key, object } of sortedByKey([...objects])) {
    if ((from?.after === undefined || key > from.after) && matches(object)) matching.push(object)
  }
  const items = limit === undefined || limit <= 0 ? matching : matching.slice(0, limit)
  const remainingCount = matching.length - items.length
  const last = items.at(-1)
  return {
    items,
    resourceVersion: String(version),
    continue:
      remainingCount > 0 && last !== undefined ? continueTokenOf(version, objectKeyOf(last)) : undefined,
    remainingItemCount: remainingCount > 0 && !hasSelector ? remainingCount : undefined
  }
}

interface KeyedObject {
  readonly key: Key
  readonly object: KubeObject
}

/** Sorted lists by their first object: clients list again what has not changed. At most 40,000 objects. */
const sortedObjects = makeRecentValues<
  KubeObject,
  { readonly objects: ReadonlyArray<KubeObject>; readonly sorted: ReadonlyArray<KeyedObject> }
>({ sizeMax: 40_000, sizeOf: ({ sorted }) => sorted.length })

/** Makes each object's key once, and not at each comparison. */
export const sortedByKey = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<KeyedObject> => {
  const [firstObject] = objects
  const cachedSort = firstObject === undefined ? undefined : sortedObjects.get(firstObject)
  if (cachedSort !== undefined && isSameList(cachedSort.objects, objects)) return cachedSort.sorted
  const sorted = objects
    .map((object) => ({ key: objectKeyOf(object), object }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  if (firstObject !== undefined) sortedObjects.set(firstObject, { objects, sorted })
  return sorted
}

const objectsAt = (view: View, resource: GroupResource, version: number): Iterable<KubeObject> => {
  const changes = view.since(version)
  if (changes === undefined) throw expiredVersionRefusal()
  const objects = new Map<Key, KubeObject>()
  for (const object of view.all(resource)) objects.set(objectKeyOf(object), object)
  for (const change of changes.toReversed()) {
    if (change.resource !== resource) continue
    if (change.old === undefined) objects.delete(objectKeyOf(change.object))
    else objects.set(objectKeyOf(change.old), change.old)
  }
  return objects.values()
}

const continueTokenOf = (version: number, after: Key): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: after })).toString("base64url")

/** Source: apiserver/pkg/storage/continue.go (DecodeContinue). */
const readContinueToken = (token: string): { readonly version: number; readonly after: Key } => {
  const illegalOffset = token.search(/[^\w-]/u)
  const errorOffset =
    illegalOffset >= 0 ? illegalOffset : token.length % 4 === 1 ? token.length - 1 : undefined
  if (errorOffset !== undefined)
    throw invalidTokenRefusal(`: illegal base64 data at input byte ${errorOffset}`)
  const json = Buffer.from(token, "base64url").toString()
  const { v = "", rv = 0, start = "" } = parseToken(json) ?? {}
  if (v !== "meta.k8s.io/v1")
    throw invalidTokenRefusal(`: server does not recognize this encoded version ${String(v)}`)
  if (rv === 0)
    throw invalidTokenRefusal(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
  if (start === "") throw invalidTokenRefusal(": encoded start key empty (version meta.k8s.io/v1)")
  if (!Number.isSafeInteger(rv) || typeof start !== "string") throw invalidTokenRefusal("")
  return { version: Number(rv), after: start }
}

const parseToken = (json: string): Record<string, unknown> | null => {
  try {
    return JSON.parse(json) as Record<string, unknown> | null
  } catch {
    throw invalidTokenRefusal(`: ${jsonSyntaxError(json)}`)
  }
}

const invalidTokenRefusal = (why: string): Refusal =>
  badRequest(`invalid continue token: continue key is not valid${why}`)

const expiredVersionRefusal = (): Refusal =>
  makeRefusal(410, "Expired", "The resourceVersion for the provided list is too old.")

const expiredTokenText =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list " +
  "without the continue parameter, or use the continue token in this response to retrieve the remainder of the " +
  "results. Continuing with the provided token results in an inconsistent list - objects that were created, " +
  "modified, or deleted between the time the first chunk was returned and now may show up in the list."

const expiredTokenRefusal = (view: View, after: Key): Refusal =>
  new Refusal({
    code: 410,
    reason: "Expired",
    text: expiredTokenText,
    continuation: continueTokenOf(view.version(), after)
  })

export const readPageRequest = (query: QueryParameters, view: View): Pick<PageRequest, "limit" | "from"> => {
  const limit = query.integer("limit")
  const token = query.text("continue")
  const requestedVersion = query.text("resourceVersion")
  checkListOptions(query, { requestedVersion, token })
  const match = query.text("resourceVersionMatch")
  if (token !== undefined) {
    const from = readContinueToken(token)
    if (requestedVersion !== undefined && requestedVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue")
    }
    if (from.version > view.version()) throw invalidTokenRefusal("")
    if (from.version !== view.version() && view.since(from.version) === undefined) {
      throw expiredTokenRefusal(view, from.after)
    }
    return { limit, from }
  }
  const version = readResourceVersion(requestedVersion)
  if (version !== undefined) refuseFutureVersion(version, view)
  if (match !== "Exact" || version === undefined) return { limit, from: undefined }
  return { limit, from: { version, after: undefined } }
}

/**
 * Reports all invalid list options at once.
 *
 * Source: apimachinery/pkg/apis/meta/internalversion/validation/validation.go.
 */
const checkListOptions = (
  query: QueryParameters,
  {
    requestedVersion,
    token
  }: { readonly requestedVersion: string | undefined; readonly token: string | undefined }
): void => {
  const match = query.text("resourceVersionMatch")
  const errors: Array<OptionError> = []
  const addForbidden = (reason: string): void => {
    errors.push(forbiddenOption("resourceVersionMatch", reason))
  }
  if (match !== undefined) {
    if (requestedVersion === undefined)
      addForbidden("resourceVersionMatch is forbidden unless resourceVersion is provided")
    if (token !== undefined) addForbidden("resourceVersionMatch is forbidden when continue is provided")
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(unsupportedVersionMatch(match, ["Exact", "NotOlderThan", ""]))
    }
    if (match === "Exact" && requestedVersion === "0") {
      addForbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    }
  }
  if (query.text("sendInitialEvents") !== undefined) {
    errors.push(forbiddenOption("sendInitialEvents", "sendInitialEvents is forbidden for list"))
  }
  if (errors.length > 0) throw invalidRequestOptions("ListOptions", errors)
}

export const forbiddenOption = (field: string, reason: string): OptionError => ({
  field,
  reason: "FieldValueForbidden",
  body: `Forbidden: ${reason}`
})

export const unsupportedVersionMatch = (match: string, supported: ReadonlyArray<string>): OptionError => ({
  field: "resourceVersionMatch",
  reason: "FieldValueNotSupported",
  body: `Unsupported value: ${goQuote(match)}: supported values: ${supported.map((it) => goQuote(it)).join(", ")}`
})

/** Undefined for the latest state: no resource version, or `0`. */
export const readResourceVersion = (requestedVersion: string | undefined): number | undefined => {
  if (requestedVersion === undefined || requestedVersion === "0") return undefined
  const problem = requestedVersionProblem(requestedVersion)
  if (problem !== undefined) throw badRequest(problem)
  return Number(requestedVersion)
}

/** Unlike kube-apiserver, does not wait some seconds before the refusal. */
export const refuseFutureVersion = (version: number, view: Pick<View, "version">): void => {
  const current = view.version()
  if (version <= current) return
  const text = `Timeout: Too large resource version: ${version}, current: ${current}`
  throw makeRefusal(504, "Timeout", text, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1
  })
}
