import { isFields } from "../../kubernetes/meta/fields.ts"
import { compileRequestFilter } from "./requestFilters.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { FilteredRequest } from "./requestFilters.ts"
import type { ApiRequest, RequestLog } from "./requestLog.ts"
import type { ResourceTarget } from "../http/requestTarget.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"

export interface ArrivedRequest {
  readonly verb: string
  readonly target: ResourceTarget
  readonly search: string
  readonly userAgent: string
  readonly contentType: string
  readonly user: UserInfo
  readonly atMillis: number
}

export interface RequestLogWriter extends RequestLog {
  readonly logArrival: (arrival: ArrivedRequest) => LoggedRequest
  readonly close: () => void
}

export interface SentBody {
  readonly resource: GroupResource
  readonly subresource: string | undefined
  readonly contentType: string
  readonly body: Buffer
}

/** The server provides the reader: a cluster without a server does not load the decoders. */
export interface BodyReader {
  readonly decode: (sent: SentBody) => unknown
  /** Redacts the contents of Secrets and tokens. */
  readonly decodeRedacted: (sent: SentBody) => unknown
}

/** If the retained bodies have more bytes, the oldest requests are dropped. */
const bodyBytesMax = 64 * 1024 * 1024

export const retainedRequestsDefault = 1000

/** Retains the newest requests. `checkOpen` throws once the cluster is closed. */
export const makeRequestLog = (
  retainedMax = retainedRequestsDefault,
  checkOpen: () => void = () => {}
): RequestLogWriter => {
  /** Request `number` is at index `number % retainedMax`. */
  const ringBuffer: Array<LoggedRequest | undefined> = []
  let oldestNumber = 1
  let bytes = 0
  let received = 0
  let dropped = 0
  let underWay = 0
  let sleeping = 0
  let watching = 0
  const waiters = new Set<LogWaiter>()

  const dropOldest = (): void => {
    const slot = oldestNumber % retainedMax
    bytes -= ringBuffer[slot]?.body.length ?? 0
    ringBuffer[slot] = undefined
    oldestNumber += 1
    dropped += 1
  }
  const retainedRequests = (): ReadonlyArray<LoggedRequest> =>
    Array.from(
      { length: received - oldestNumber + 1 },
      (_, index) => ringBuffer[(oldestNumber + index) % retainedMax]
    ).filter((it) => it !== undefined)
  const observer: RequestObserver = {
    onBodySet: (request) => {
      if (request.number < oldestNumber) return
      bytes += request.body.length
      while (bytes > bodyBytesMax && oldestNumber < received) dropOldest()
    },
    onSleepingChange: (delta) => {
      sleeping += delta
    },
    onWatchingChange: (delta) => {
      watching += delta
    },
    onAnswered: (request) => {
      underWay -= 1
      for (const waiter of waiters) {
        if (!waiter.matches(request)) continue
        waiters.delete(waiter)
        waiter.resolve(request.toApiRequest())
      }
    }
  }
  return {
    logArrival: (arrival) => {
      received += 1
      underWay += 1
      const request = new LoggedRequest(received, arrival, observer)
      if (retainedMax === 0) oldestNumber = received + 1
      else {
        if (received - oldestNumber >= retainedMax) dropOldest()
        ringBuffer[received % retainedMax] = request
      }
      return request
    },
    all: (filter) => {
      const matches = compileRequestFilter(filter)
      return retainedRequests()
        .filter((it) => matches(it))
        .map((it) => it.toApiRequest())
    },
    next: (filter) => {
      const matches = compileRequestFilter(filter)
      const nextRequest = new Promise<ApiRequest>((resolve, reject) => {
        checkOpen()
        waiters.add({ matches, resolve, reject })
      })
      // Prevents an unhandled rejection when the cluster closes and the caller no longer waits.
      nextRequest.catch(() => {})
      return nextRequest
    },
    clear: () => {
      ringBuffer.length = 0
      oldestNumber = received + 1
      bytes = 0
      dropped = 0
    },
    seen: () => received,
    dropped: () => dropped,
    underWay: () => underWay,
    sleeping: () => sleeping,
    watching: () => watching,
    close: () => {
      for (const { reject } of waiters) {
        reject(new Error("the cluster was closed before such a request came"))
      }
      waiters.clear()
    }
  }
}

interface LogWaiter {
  readonly matches: (request: FilteredRequest) => boolean
  readonly resolve: (request: ApiRequest) => void
  readonly reject: (error: Error) => void
}

interface RequestObserver {
  readonly onBodySet: (request: LoggedRequest) => void
  readonly onSleepingChange: (delta: 1 | -1) => void
  readonly onWatchingChange: (delta: 1 | -1) => void
  readonly onAnswered: (request: LoggedRequest) => void
}

const emptyBody = Buffer.alloc(0)

export class LoggedRequest implements FilteredRequest {
  readonly number: number
  body: Buffer = emptyBody
  private readonly arrival: ArrivedRequest
  private readonly observer: RequestObserver
  private reader: BodyReader | undefined = undefined
  private code: number | undefined = undefined

  constructor(number: number, arrival: ArrivedRequest, observer: RequestObserver) {
    this.number = number
    this.arrival = arrival
    this.observer = observer
  }

  setBody(body: Buffer, reader: BodyReader): void {
    if (body.length === 0) return
    this.body = body
    this.reader = reader
    this.observer.onBodySet(this)
  }
  /** A sleeping request waits for the cluster's time. */
  countAsSleepingUntil<A>(promise: Promise<A>): Promise<A> {
    this.observer.onSleepingChange(1)
    return promise.finally(() => this.observer.onSleepingChange(-1))
  }
  /** Returns a function to call when the stream closes. */
  countAsOpen(): () => void {
    this.observer.onWatchingChange(1)
    return () => this.observer.onWatchingChange(-1)
  }
  /** Undefined when the connection was closed without a response. */
  setStatusCode(code: number | undefined): void {
    this.code = code
    this.observer.onAnswered(this)
  }
  toApiRequest(): ApiRequest {
    return this.withBody(this.reader?.decodeRedacted(this.sentBody()))
  }
  toUnredactedRequest(): ApiRequest {
    return this.withBody(this.unredactedBody())
  }

  get verb(): string {
    return this.arrival.verb
  }
  get resource(): GroupResource {
    const { group, plural } = this.arrival.target
    return group === "" ? plural : `${plural}.${group}`
  }
  get subresource(): string | undefined {
    return this.arrival.target.subresource
  }
  get namespace(): string | undefined {
    return this.arrival.target.namespace
  }
  get userAgent(): string {
    return this.arrival.userAgent
  }
  get user(): UserInfo {
    return this.arrival.user
  }
  get name(): string | undefined {
    const { verb, target } = this.arrival
    return target.name ?? (verb === "create" ? nameInBody(this.unredactedBody()) : undefined)
  }

  private sentBody(): SentBody {
    const { resource, subresource, body } = this
    return { resource, subresource, body, contentType: this.arrival.contentType }
  }
  private unredactedBody(): unknown {
    return this.reader?.decode(this.sentBody())
  }
  private withBody(body: unknown): ApiRequest {
    const { number, verb, resource, subresource, namespace, name, userAgent, user, code } = this
    const { target, search, contentType, atMillis } = this.arrival
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

const nameInBody = (body: unknown): string | undefined => {
  const { metadata } = isFields(body) ? body : {}
  const { name } = isFields(metadata) ? metadata : {}
  return typeof name === "string" && name !== "" ? name : undefined
}

const queryOf = (params: URLSearchParams): ApiRequest["query"] =>
  Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? "") : values]
    })
  )
