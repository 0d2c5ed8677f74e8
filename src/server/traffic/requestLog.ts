import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { FilteredRequest, RequestFilter } from "./requestFilters.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"

export interface ApiRequest extends FilteredRequest {
  /** Counted from 1 in the order of arrival. */
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
  /** The decoded body, with the contents of Secrets redacted. */
  readonly body: unknown
  /** The cluster's time of arrival. */
  readonly at: string
  /** HTTP status code; undefined until the request is answered, and when it never is. */
  readonly code: number | undefined
}

/** Requests that clients have made to a cluster's API. The library's own calls are not included. */
export interface RequestLog {
  /** Retained requests in the order of arrival. */
  readonly all: (filter?: RequestFilter) => ReadonlyArray<ApiRequest>
  /** The next matching request, once it is answered; a stream counts as answered when it begins. */
  readonly next: (filter?: RequestFilter) => Promise<ApiRequest>
  readonly clear: () => void
  /** Requests that have arrived, whether retained or not. */
  readonly seen: () => number
  /** Requests that are no longer retained. */
  readonly dropped: () => number
  /** Requests that have arrived and are not answered yet. */
  readonly underWay: () => number
  /** Unanswered requests that wait for the cluster's time, because of a delay or slow writes. */
  readonly sleeping: () => number
  /** Open watches, followed logs and other streams. */
  readonly watching: () => number
}
