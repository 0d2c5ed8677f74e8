import { isFields } from "../domain/fields.ts"
import { readFilter } from "./requestFilters.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Filtered, RequestFilter } from "./requestFilters.ts"
import type { ResourceTarget } from "./target.ts"
import type { UserInfo } from "../domain/userInfo.ts"

/** One request for a resource that was let in. */
export interface ApiRequest extends Filtered {
  /** Counted from 1, in the order in which they came. */
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
  /** The user that it was made as: the owner of the token, or the one that is impersonated. */
  readonly user: UserInfo
  readonly contentType: string
  /** As data, however it was sent; what Secrets hold is not shown. */
  readonly body: unknown
  /** The cluster's time at which it came. */
  readonly at: string
  /** Undefined before it was answered, and where it never was. */
  readonly code: number | undefined
}

/** The requests that clients have made of a cluster's API. What the library itself does is none. */
export interface RequestLog {
  /** Those that are kept, in the order in which they came. */
  readonly all: (filter?: RequestFilter) => ReadonlyArray<ApiRequest>
  /** The next one that is meant, as soon as it is answered; a stream is when it begins. */
  readonly next: (filter?: RequestFilter) => Promise<ApiRequest>
  readonly clear: () => void
  /** How many came, kept or not. */
  readonly seen: () => number
  /** How many old ones were dropped for new ones. */
  readonly dropped: () => number
  /** How many are not answered yet. */
  readonly underWay: () => number
  /** How many of those wait for the cluster's own time to pass: they are delayed, or writes are slow. */
  readonly sleeping: () => number
  /** How many watches are open. */
  readonly watching: () => number
}

/** A request as it comes in. */
export interface Arriving {
  readonly verb: string
  readonly target: ResourceTarget
  /** The query as it stands in the URL, with its question mark. */
  readonly search: string
  readonly userAgent: string
  readonly contentType: string
  readonly user: UserInfo
  readonly atMillis: number
}

/** The log as the API writes it. */
export interface RequestLogWriter extends RequestLog {
  readonly arrive: (arriving: Arriving) => LoggedRequest
  /** Fails everybody who waits for a request that can no longer come. */
  readonly close: () => void
}

/** What came with a request. */
export interface SentBody {
  readonly resource: GroupResource
  readonly subresource: string | undefined
  readonly contentType: string
  readonly body: Buffer
}

/** Reads bodies for those who ask; brought by the API, so that a cluster that nobody serves starts without it. */
export interface BodyReader {
  readonly whole: (sent: SentBody) => unknown
  /** Without what Secrets hold. */
  readonly shown: (sent: SentBody) => unknown
}

/** What bodies may take together. */
const bodyBytesMax = 64 * 1024 * 1024

export const requestsKeptDefault = 1000

/** Keeps so many requests, the newest; nobody can wait for one where `checkOpen` throws. */
export const makeRequestLog = (
  kept = requestsKeptDefault,
  checkOpen: () => void = () => {}
): RequestLogWriter => {
  /** By number, each in the place of one that is no longer kept. */
  const places: Array<LoggedRequest | undefined> = []
  /** The number of the oldest that is kept. */
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
      // One that was dropped before its body came is not counted.
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
      // Whoever no longer waits when the cluster is closed is not to hear of it.
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

/** Who is told of what becomes of a request. */
interface LogWatcher {
  readonly carried: (request: LoggedRequest) => void
  /** One more, or one fewer. */
  readonly sleeps: (more: 1 | -1) => void
  readonly watches: (more: 1 | -1) => void
  readonly answered: (request: LoggedRequest) => void
}

const noBody = Buffer.alloc(0)

/** A request in the log, from its arrival on. Nothing is read of it before somebody asks. */
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
  /** What lasts as long as the cluster's time takes. */
  asleep<A>(lasting: Promise<A>): Promise<A> {
    this.watcher.sleeps(1)
    return lasting.finally(() => this.watcher.sleeps(-1))
  }
  /** It is answered for as long as somebody listens. Returns what says that this is over. */
  opened(): () => void {
    this.watcher.watches(1)
    return () => this.watcher.watches(-1)
  }
  /** Undefined where nothing was answered at all. */
  answered(code: number | undefined): void {
    this.code = code
    this.watcher.answered(this)
  }
  shown(): ApiRequest {
    return this.withBody(this.reader?.shown(this.sent()))
  }
  /** With its true body. */
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

/** The name that an object has, where that can be read. */
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
