import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { FilteredRequest, RequestFilter } from "./requestFilters.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"

export interface ApiRequest extends FilteredRequest {
  /** From 1, in the order of arrival. */
  readonly number: number
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string
  readonly resource: GroupResource
  readonly group: string
  readonly version: string
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly userAgent: string
  readonly user: UserInfo
  readonly contentType: string
  /** Decoded, with the contents of Secrets redacted. */
  readonly body: unknown
  /** The cluster's time of arrival. */
  readonly at: string
  /** Undefined until the request is answered, and when it never is. */
  readonly code: number | undefined
}

/** Requests of clients; the library's own calls are not included. */
export interface RequestLog {
  /** Retained requests in the order of arrival. */
  readonly all: (filter?: RequestFilter) => ReadonlyArray<ApiRequest>
  /** Resolves when the request is answered or its stream begins. */
  readonly next: (filter?: RequestFilter) => Promise<ApiRequest>
  readonly clear: () => void
  /** The number of requests, retained or not. */
  readonly seen: () => number
  readonly dropped: () => number
  /** The number of unanswered requests. */
  readonly underWay: () => number
  /** The number of unanswered requests that wait for the cluster's time. */
  readonly sleeping: () => number
  /** The number of open watches, followed logs and other streams. */
  readonly watching: () => number
}
