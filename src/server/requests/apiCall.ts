import type { Effect } from "effect/Effect"
import type { Status } from "kubernetes-types/meta/v1.js"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ClusterView, ObjectStore } from "../../store/objectStore.ts"
import type { FaultyStore } from "../../faults/faultyStore.ts"
import type { ErrorCatcher } from "../../runtime/observers.ts"
import type { WatchConnection } from "../../faults/watchConnection.ts"
import type { ListPage } from "./listPage.ts"
import type { QueryParameters } from "../http/queryParameters.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"
import type { ServedTarget } from "../http/requestTarget.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"

export interface ApiServices {
  readonly store: ObjectStore["Service"]
  /** Writes are validated against these objects. */
  readonly view: ClusterView["Service"]
  /** For watches, and for reads with a resource version or `0`. `view` when undefined. */
  readonly watchCache?: ClusterView["Service"]
  /** For all other reads, which a fault may make stale. `view` when undefined. */
  readonly viewOfLatestReads?: () => ClusterView["Service"]
  /** Returns the function that runs a request under the present faults; undefined without any. */
  readonly findFaultRunner?: FaultyStore["findFaultRunner"]
  /** A fault may break this connection, which ends all watches. */
  readonly watchConnection?: WatchConnection
  readonly nowMillis: () => number
  /** Undefined where nothing is measured, as in a remote cluster. */
  readonly meter?: PodMeter
  readonly isValidToken: (token: string) => boolean
}

export interface ApiCall {
  readonly services: ApiServices
  readonly method: string
  readonly target: ServedTarget
  readonly query: QueryParameters
  /** In lower case, without parameters; empty without a Content-Type header. */
  readonly contentType: string
  readonly userAgent: string
  readonly user: UserInfo
  readonly body: Buffer
  /** Adds a `Warning` header to the response. */
  readonly warn: (text: string) => void
}

export type ApiAnswer = ObjectAnswer | ListAnswer | StatusAnswer | StreamAnswer

export interface ObjectAnswer {
  readonly type: "object"
  readonly code: number
  readonly object: KubeObject
}

export interface ListAnswer {
  readonly type: "list"
  readonly kind: Kind
  readonly page: ListPage
}

export interface StatusAnswer {
  readonly type: "status"
  readonly code: number
  readonly status: Status
}

export interface StreamAnswer {
  readonly type: "stream"
  readonly contentType: string
  /** The returned function is called once, when the client disconnects. */
  readonly open: (sink: StreamSink) => () => void
}

export interface StreamSink {
  readonly write: (bytes: Buffer | string) => void
  readonly end: () => void
  /** An error in the callback is logged and ends this stream only. */
  readonly endOnError: ErrorCatcher
  readonly unreadBytes: () => number
  readonly onDrained: (listener: () => void) => void
}

export type VerbHandler = (call: ApiCall) => Effect<ApiAnswer, RefusalOrStoreError>

export const toObjectAnswer = (object: KubeObject, code = 200): ObjectAnswer => ({
  type: "object",
  code,
  object
})

/** The Status has its code only when something was created. */
export const toStatusAnswer = (status: Status, code = 200): StatusAnswer => ({
  type: "status",
  code,
  status: code === 201 ? { ...status, code } : status
})
