import { isFields } from "../../kubernetes/meta/fields.ts"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { compileRequestFilter } from "./requestFilters.ts"
import { makeRefusal } from "../http/statuses.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { RequestFilter } from "./requestFilters.ts"
import type { ErrorCatcher, Observers } from "../../runtime/observers.ts"
import type { ApiRequest } from "./requestLog.ts"

/** What an interceptor decides about a request. */
export type Verdict =
  | RefuseVerdict
  | AnswerVerdict
  | DelayVerdict
  | LoseVerdict
  | DropVerdict
  | LetThroughVerdict

interface RefuseVerdict {
  readonly type: "refuse"
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly retryAfterSeconds?: number
}

interface AnswerVerdict {
  readonly type: "answer"
  readonly code: number
  readonly object: KubeObject | object
}

interface DelayVerdict {
  readonly type: "delay"
  readonly millis: number
  /** True for real time, false for the cluster's. */
  readonly isReal: boolean
  readonly afterwards: Exclude<Verdict, DelayVerdict>
}

/** The request is carried out, and its response is lost. */
interface LoseVerdict {
  readonly type: "lose"
  /** 504, or undefined for a connection closed without a response. */
  readonly code: 504 | undefined
}

interface DropVerdict {
  readonly type: "drop"
}

interface LetThroughVerdict {
  readonly type: "letThrough"
}

/** Which requests an interceptor decides, and how many. */
export interface Interception extends RequestFilter {
  /** Removes the interceptor after this many requests, including those that it passes on; never by default. */
  readonly times?: number
}

/** A verdict, or a function that decides each request. Undefined passes the request to the next interceptor. */
export type Interceptor =
  | Verdict
  | ((request: ApiRequest) => Verdict | undefined | void | Promise<Verdict | undefined | void>)

/**
 * Refuses a request with a Status: `refuse(409, "the object has been modified")`. Reason and message default to those
 * of the code.
 */
export const refuse = (
  code: number,
  details:
    | string
    | { readonly reason?: string; readonly message?: string; readonly retryAfterSeconds?: number } = {}
): RefuseVerdict => {
  if (!Number.isInteger(code) || code < 400 || code > 599) {
    throw new RangeError(`a refusal has a code from 400 to 599, not ${JSON.stringify(code)}`)
  }
  const unknownName = Object.keys(typeof details === "string" ? {} : details).find(
    (name) => !refusalDetails.includes(name)
  )
  if (unknownName !== undefined)
    throw new TypeError(
      `${JSON.stringify(unknownName)} is no detail of a refusal; the details are ${refusalDetails.join(", ")}`
    )
  const { reason, message, retryAfterSeconds } = typeof details === "string" ? { message: details } : details
  const [defaultReason, defaultMessage] = defaultRefusals[code] ?? ["", "the request was refused"]
  const seconds = retryAfterSeconds ?? (code === 429 ? 1 : undefined)
  return {
    type: "refuse",
    code,
    reason: reason ?? defaultReason,
    message: message ?? defaultMessage,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds })
  }
}

const refusalDetails: ReadonlyArray<string> = ["reason", "message", "retryAfterSeconds"]

const defaultRefusals: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "Unauthorized"],
  403: ["Forbidden", "forbidden"],
  404: ["NotFound", "the server could not find the requested resource"],
  409: [
    "Conflict",
    "the object has been modified; please apply your changes to the latest version and try again"
  ],
  410: ["Expired", "the requested version is too old"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "Too many requests, please try again later."],
  500: ["InternalError", "Internal error occurred: an interceptor refused the request"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "request did not complete within requested timeout"]
}

/** Responds with this object and carries nothing out. */
export const answerWith = (object: KubeObject | object, code = 200): AnswerVerdict => {
  if (!isFields(object)) throw new TypeError(`an answer is an object, not ${JSON.stringify(object)}`)
  // A 1xx response leaves the client waiting; 204 and 304 have no body.
  if (!Number.isInteger(code) || code < 200 || code > 599 || code === 204 || code === 304) {
    throw new RangeError(
      `an answer with an object has a code from 200 to 599, neither 204 nor 304, not ${code}`
    )
  }
  return { type: "answer", code, object }
}

/** Delays a request by the cluster's time: `delay("5s")`, `delay("5s", refuse(503))`. */
export const delay = (
  duration: number | string,
  afterwards: DelayVerdict["afterwards"] = letThrough
): DelayVerdict => ({
  type: "delay",
  millis: toDurationMillis(duration, "duration"),
  isReal: false,
  afterwards
})

/** Delays a request by real time. */
export const delayReally = (
  duration: number | string,
  afterwards: DelayVerdict["afterwards"] = letThrough
): DelayVerdict => ({
  ...delay(duration, afterwards),
  isReal: true
})

/** Carries the request out, then closes the connection, or responds with 504. */
export const loseAnswer = (details: 504 | "closed" = "closed"): LoseVerdict => {
  if (details !== 504 && details !== "closed") {
    throw new TypeError(`an answer is lost with 504 or "closed", not ${JSON.stringify(details)}`)
  }
  return { type: "lose", code: details === 504 ? 504 : undefined }
}

/** Closes the connection and carries nothing out. */
export const drop: DropVerdict = { type: "drop" }

/** Carries the request out without asking further interceptors. */
export const letThrough: LetThroughVerdict = { type: "letThrough" }

/** The interceptors of one cluster. The newest decides first. */
export interface Interceptors {
  readonly add: (interception: Interception, interceptor: Interceptor) => () => void
  readonly count: () => number
  /** The verdict for a request, after all delays. Throws a `Refusal` for a refused request. */
  readonly decide: (
    request: ApiRequest,
    options: {
      readonly signal: AbortSignal
      /** Gets the promise of a sleep in the cluster's time, to count the request as sleeping until it is over. */
      readonly whileSleeping?: (sleep: Promise<void>) => Promise<void>
    }
  ) => Promise<Exclude<Verdict, RefuseVerdict | DelayVerdict>>
}

interface Registration {
  readonly matches: (request: ApiRequest) => boolean
  readonly interceptor: Interceptor
  readonly catchErrors: ErrorCatcher
  remainingRequests: number
}

/**
 * `sleep` waits for the cluster's time. An error in an interceptor is reported as an observer's failure, and its
 * request gets a 500.
 */
export const makeInterceptors = (
  sleep: (millis: number, signal: AbortSignal) => Promise<void>,
  observers: Pick<Observers, "catchErrorsOf">
): Interceptors => {
  let registrations: ReadonlyArray<Registration> = []
  const remove = (registration: Registration): void => {
    registrations = registrations.filter((it) => it !== registration)
  }
  const firstVerdict = async (request: ApiRequest): Promise<Verdict> => {
    for (const registration of registrations) {
      // Another request may have used up an interceptor of this list while this one waited for a verdict.
      if (registration.remainingRequests === 0 || !registration.matches(request)) continue
      registration.remainingRequests -= 1
      if (registration.remainingRequests === 0) remove(registration)
      const pendingVerdict = verdictOf(registration.interceptor, request)
      // Reports an error of the interceptor; awaiting the verdict throws it again, and the request gets a 500.
      registration.catchErrors(() => pendingVerdict)()
      const verdict = await pendingVerdict
      if (verdict === undefined) continue
      return verdict
    }
    return letThrough
  }
  const decide: Interceptors["decide"] = async (
    request,
    { signal, whileSleeping = (promise) => promise }
  ) => {
    let verdict = await firstVerdict(request)
    if (verdict.type === "delay") {
      const { isReal, millis } = verdict
      await (isReal ? sleepInRealTime(millis, signal) : whileSleeping(sleep(millis, signal)))
      verdict = verdict.afterwards
    }
    if (verdict.type !== "refuse") return verdict
    const { code, reason, message, retryAfterSeconds } = verdict
    throw makeRefusal(
      code,
      reason,
      message,
      retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }
    )
  }
  return {
    count: () => registrations.length,
    decide,
    add: ({ times = Infinity, ...filter }, interceptor) => {
      if (times !== Infinity && !(Number.isInteger(times) && times > 0)) {
        throw new TypeError(`times must be a whole number above 0, not ${times}`)
      }
      requireInterceptor(interceptor)
      const catchErrors = observers.catchErrorsOf("an interceptor")
      const registration: Registration = {
        matches: compileRequestFilter(filter),
        interceptor,
        catchErrors,
        remainingRequests: times
      }
      registrations = [registration, ...registrations]
      return () => remove(registration)
    }
  }
}

const verdictOf = async (interceptor: Interceptor, request: ApiRequest): Promise<Verdict | undefined> => {
  if (typeof interceptor !== "function") return interceptor
  const verdict = (await interceptor(request)) ?? undefined
  if (verdict !== undefined) requireVerdict(verdict)
  return verdict
}

const requireInterceptor = (interceptor: Interceptor): void => {
  if (typeof interceptor !== "function") requireVerdict(interceptor)
}

const verdictTypes: ReadonlySet<unknown> = new Set<Verdict["type"]>([
  "refuse",
  "answer",
  "delay",
  "lose",
  "drop",
  "letThrough"
])

/** Checks at run time for callers without types. */
const requireVerdict = (verdict: Verdict): void => {
  if (verdictTypes.has(verdict?.type) && (verdict.type !== "delay" || isFinalVerdict(verdict.afterwards)))
    return
  throw new TypeError(
    "an interceptor is the result of refuse, answerWith, delay or loseAnswer, or drop or letThrough, " +
      `or a function of the request that returns one of these, not ${JSON.stringify(verdict)}`
  )
}

const isFinalVerdict = (afterwards: DelayVerdict["afterwards"]): boolean =>
  verdictTypes.has(afterwards?.type) && (afterwards as Verdict).type !== "delay"

const sleepInRealTime = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
