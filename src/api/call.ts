import type { Effect } from "effect/Effect"
import type { Status } from "kubernetes-types/meta/v1.js"
import type { Kind } from "../domain/kinds.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { GatedStore } from "../store/gatedStore.ts"
import type { Observer } from "../runtime/observers.ts"
import type { WatchLine } from "../store/watchLine.ts"
import type { Page } from "./pages.ts"
import type { Query } from "./query.ts"
import type { Refused } from "./statuses.ts"
import type { ServedTarget } from "./target.ts"
import type { UserInfo } from "../domain/userInfo.ts"

/** What the API needs of a cluster. */
export interface ApiServices {
  readonly store: ObjectStore["Service"]
  /** What is so now: what writes are judged by. */
  readonly view: ClusterView["Service"]
  /** What watches, and reads that name a version or `0`, are answered from, where that is not what is so now. */
  readonly cached?: ClusterView["Service"]
  /** What all other reads are answered from, where that may be something else than what is so now. */
  readonly latest?: () => ClusterView["Service"]
  /** Carries out a request that writes, where something may come in between. */
  readonly asOne?: GatedStore["asOne"]
  /** The connection that watches go by, where it can break. */
  readonly watches?: WatchLine
  readonly nowMillis: () => number
  /** Whether a token is the one that lets in. */
  readonly knowsToken: (token: string) => boolean
}

/** One request for a resource, read and let in. */
export interface Call {
  readonly services: ApiServices
  readonly method: string
  readonly target: ServedTarget
  readonly query: Query
  /** Media type of the body, in lower case and without parameters; empty where nothing is said. */
  readonly contentType: string
  readonly userAgent: string
  /** The user that it is made as. */
  readonly user: UserInfo
  readonly body: Buffer
  /** Something that the client should know, though it gets what it asked for. */
  readonly warn: (text: string) => void
}

/** What is answered. How it is written depends on what the client accepts. */
export type Answer = ObjectAnswer | ListAnswer | StatusAnswer | StreamAnswer

export interface ObjectAnswer {
  readonly type: "object"
  readonly code: number
  readonly object: KubeObject
}

export interface ListAnswer {
  readonly type: "list"
  readonly kind: Kind
  readonly page: Page
}

export interface StatusAnswer {
  readonly type: "status"
  readonly code: number
  readonly status: Status
}

/** An answer that goes on: a watch, or a log that is followed. */
export interface StreamAnswer {
  readonly type: "stream"
  readonly contentType: string
  /** Begins to write; what it returns is called once when the client is gone. */
  readonly open: (sink: Sink) => () => void
}

/** Where a stream is written to. */
export interface Sink {
  readonly write: (bytes: Buffer | string) => void
  readonly end: () => void
  /**
   * Wraps what writes to this stream when something changes in the cluster. An error in it is logged, and ends this
   * stream and nothing else.
   */
  readonly observe: Observer
  /** Bytes that the client has not taken yet. */
  readonly behind: () => number
  /** Calls back once when the client has taken all that was written. */
  readonly onDrained: (listener: () => void) => void
}

/** What a verb does with a call, in one step on the cluster's timeline. */
export type Verb = (call: Call) => Effect<Answer, Refused>

export const objectAnswer = (object: KubeObject, code = 200): ObjectAnswer => ({
  type: "object",
  code,
  object
})

/** Of what was created the status says so, of what was done it does not. */
export const statusAnswer = (status: Status, code = 200): StatusAnswer => ({
  type: "status",
  code,
  status: code === 201 ? { ...status, code } : status
})
