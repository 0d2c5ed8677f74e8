import { isFields } from "../domain/fields.ts"
import { readFilter } from "./requestFilters.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Filtered, RequestFilter } from "./requestFilters.ts"
import type { ResourceTarget } from "./target.ts"
import type { UserInfo } from "../domain/userInfo.ts"

/** One admitted request for a resource. */
export interface ApiRequest extends Filtered {
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
  /** The user after impersonation. */
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
  /** Requests that were dropped to make room. */
  readonly dropped: () => number
  /** Requests not answered yet. */
  readonly underWay: () => number
  /** Unanswered requests that wait for the cluster's time, because of a delay or slow writes. */
  readonly sleeping: () => number
  /** Open watches and other streams. */
  readonly watching: () => number
}

export interface Arriving {
  readonly verb: string
  readonly target: ResourceTarget
  /** The URL's query with its question mark. */
  readonly search: string
  readonly userAgent: string
  readonly contentType: string
  readonly user: UserInfo
  readonly atMillis: number
}

/** The log with the operations that the API uses. */
export interface RequestLogWriter extends RequestLog {
  readonly arrive: (arriving: Arriving) => LoggedRequest
  /** Rejects the promises of `next`. */
  readonly close: () => void
}

export interface SentBody {
  readonly resource: GroupResource
  readonly subresource: string | undefined
  readonly contentType: string
  readonly body: Buffer
}

/** Decodes bodies on demand. The server provides it, so that a cluster without a server does not load the decoders. */
export interface BodyReader {
  readonly whole: (sent: SentBody) => unknown
  /** With the contents of Secrets redacted. */
  readonly shown: (sent: SentBody) => unknown
}

/** The size of all retained bodies together. */
const bodyBytesMax = 64 * 1024 * 1024

export const requestsKeptDefault = 1000

/** Retains the newest `kept` requests. `checkOpen` throws once the cluster is closed, which `next` reports. */
export const makeRequestLog = (
  kept = requestsKeptDefault,
  checkOpen: () => void = () => {}
): RequestLogWriter => {
  /** Ring buffer: request `number` is at index `number % kept`. */
  const places: Array<LoggedRequest | undefined> = []
  /** Number of the oldest retained request. */
  let first = 1
  let bytes = 0
  let seen = 0
  let dropped = 0
  let underWay = 0
  let sleeping = 0
  let watching = 0
  const waiting = new Set<Waiting>()

  const drop = (): void => {
    const place = first % kept
    bytes -= places[place]?.body.length ?? 0
    places[place] = undefined
    first += 1
    dropped += 1
  }
  const present = (): ReadonlyArray<LoggedRequest> =>
    Array.from({ length: seen - first + 1 }, (_, index) => places[(first + index) % kept]).filter(
      (it) => it !== undefined
    )
  const watcher: LogWatcher = {
    carried: (request) => {
      // The request was dropped before its body arrived.
      if (request.number < first) return
      bytes += request.body.length
      while (bytes > bodyBytesMax && first < seen) drop()
    },
    sleeps: (more) => {
      sleeping += more
    },
    watches: (more) => {
      watching += more
    },
    answered: (request) => {
      underWay -= 1
      for (const one of waiting) {
        if (!one.isMeant(request)) continue
        waiting.delete(one)
        one.resolve(request.shown())
      }
    }
  }
  return {
    arrive: (arriving) => {
      seen += 1
      underWay += 1
      const request = new LoggedRequest(seen, arriving, watcher)
      if (kept === 0) first = seen + 1
      else {
        if (seen - first >= kept) drop()
        places[seen % kept] = request
      }
      return request
    },
    all: (filter) => {
      const isMeant = readFilter(filter)
      return present()
        .filter((it) => isMeant(it))
        .map((it) => it.shown())
    },
    next: (filter) => {
      const isMeant = readFilter(filter)
      const coming = new Promise<ApiRequest>((resolve, reject) => {
        checkOpen()
        waiting.add({ isMeant, resolve, reject })
      })
      // Prevents an unhandled rejection when the cluster closes after the caller has lost interest.
      coming.catch(() => {})
      return coming
    },
    clear: () => {
      places.length = 0
      first = seen + 1
      bytes = 0
      dropped = 0
    },
    seen: () => seen,
    dropped: () => dropped,
    underWay: () => underWay,
    sleeping: () => sleeping,
    watching: () => watching,
    close: () => {
      for (const { reject } of waiting) {
        reject(new Error("the cluster was closed before such a request came"))
      }
      waiting.clear()
    }
  }
}

interface Waiting {
  readonly isMeant: (request: Filtered) => boolean
  readonly resolve: (request: ApiRequest) => void
  readonly reject: (error: Error) => void
}

interface LogWatcher {
  readonly carried: (request: LoggedRequest) => void
  readonly sleeps: (more: 1 | -1) => void
  readonly watches: (more: 1 | -1) => void
  readonly answered: (request: LoggedRequest) => void
}

const noBody = Buffer.alloc(0)

/** A request in the log. Its body is decoded on demand. */
export class LoggedRequest implements Filtered {
  readonly number: number
  body: Buffer = noBody
  private readonly arriving: Arriving
  private readonly watcher: LogWatcher
  private reader: BodyReader | undefined = undefined
  private code: number | undefined = undefined

  constructor(number: number, arriving: Arriving, watcher: LogWatcher) {
    this.number = number
    this.arriving = arriving
    this.watcher = watcher
  }

  carries(body: Buffer, reader: BodyReader): void {
    if (body.length === 0) return
    this.body = body
    this.reader = reader
    this.watcher.carried(this)
  }
  /** Counts the request as sleeping until the promise settles. */
  asleep<A>(lasting: Promise<A>): Promise<A> {
    this.watcher.sleeps(1)
    return lasting.finally(() => this.watcher.sleeps(-1))
  }
  /** Counts an open stream. Returns a function to call when it closes. */
  opened(): () => void {
    this.watcher.watches(1)
    return () => this.watcher.watches(-1)
  }
  /** Undefined when the connection closed without a response. */
  answered(code: number | undefined): void {
    this.code = code
    this.watcher.answered(this)
  }
  shown(): ApiRequest {
    return this.withBody(this.reader?.shown(this.sent()))
  }
  /** With its body unredacted. */
  whole(): ApiRequest {
    return this.withBody(this.trueBody())
  }

  get verb(): string {
    return this.arriving.verb
  }
  get resource(): GroupResource {
    const { group, plural } = this.arriving.target
    return group === "" ? plural : `${plural}.${group}`
  }
  get subresource(): string | undefined {
    return this.arriving.target.subresource
  }
  get namespace(): string | undefined {
    return this.arriving.target.namespace
  }
  get userAgent(): string {
    return this.arriving.userAgent
  }
  get user(): UserInfo {
    return this.arriving.user
  }
  get name(): string | undefined {
    const { verb, target } = this.arriving
    return target.name ?? (verb === "create" ? nameIn(this.trueBody()) : undefined)
  }

  private sent(): SentBody {
    const { resource, subresource, body } = this
    return { resource, subresource, body, contentType: this.arriving.contentType }
  }
  private trueBody(): unknown {
    return this.reader?.whole(this.sent())
  }
  private withBody(body: unknown): ApiRequest {
    const { number, verb, resource, subresource, namespace, name, userAgent, user, code } = this
    const { target, search, contentType, atMillis } = this.arriving
    const { group, version } = target
    return {
      number,
      verb,
      resource,
      group,
      version,
      subresource,
      namespace,
      name,
      query: queryOf(new URLSearchParams(search)),
      userAgent,
      user,
      contentType,
      body,
      at: new Date(atMillis).toISOString(),
      code
    }
  }
}

const nameIn = (body: unknown): string | undefined => {
  const { metadata } = isFields(body) ? body : {}
  const { name } = isFields(metadata) ? metadata : {}
  return typeof name === "string" && name !== "" ? name : undefined
}

const queryOf = (params: URLSearchParams): ApiRequest["query"] =>
  Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const all = params.getAll(name)
      return [name, all.length === 1 ? (all[0] ?? "") : all]
    })
  )
