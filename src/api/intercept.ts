import { isFields } from "../domain/fields.ts"
import { millisOf } from "../domain/durations.ts"
import { readFilter } from "./requestFilters.ts"
import { refusal } from "./statuses.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { RequestFilter } from "./requestFilters.ts"
import type { Observer, Observers } from "../runtime/observers.ts"
import type { ApiRequest } from "./requestLog.ts"

/** What happens to a request instead of being carried out and answered. */
export type Verdict = Refused | Answered | Delayed | Lost | Dropped | LetThrough

interface Refused {
  readonly type: "refuse"
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly retryAfterSeconds?: number
}

interface Answered {
  readonly type: "answer"
  readonly code: number
  readonly object: KubeObject | object
}

interface Delayed {
  readonly type: "delay"
  readonly millis: number
  readonly isReal: boolean
  readonly afterwards: Exclude<Verdict, Delayed>
}

/** Carried out, and its sender never hears so. */
interface Lost {
  readonly type: "lose"
  /** 504, or a connection that ends without a word. */
  readonly code: 504 | undefined
}

interface Dropped {
  readonly type: "drop"
}

interface LetThrough {
  readonly type: "letThrough"
}

/** Which requests are asked about, and how many of them. */
export interface Interception extends RequestFilter {
  /** After so many the interceptor is gone; without it, it stays. */
  readonly times?: number
}

/** Decides about a request. What is undefined leaves it to the others. */
export type Interceptor =
  | Verdict
  | ((request: ApiRequest) => Verdict | undefined | void | Promise<Verdict | undefined | void>)

/** Refuses with a Status: `refuse(409, "somebody was faster")`. What is left out is as the code has it. */
export const refuse = (
  code: number,
  how:
    | string
    | { readonly reason?: string; readonly message?: string; readonly retryAfterSeconds?: number } = {}
): Refused => {
  if (!Number.isInteger(code) || code < 400 || code > 599) {
    throw new RangeError(`a refusal has a code from 400 to 599, not ${code}`)
  }
  const { reason, message, retryAfterSeconds } = typeof how === "string" ? { message: how } : how
  const [usual, words] = usually[code] ?? ["", "the request was refused"]
  const seconds = retryAfterSeconds ?? (code === 429 ? 1 : undefined)
  return {
    type: "refuse",
    code,
    reason: reason ?? usual,
    message: message ?? words,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds })
  }
}

/** Source: staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go. */
const usually: Readonly<Record<number, readonly [reason: string, message: string]>> = {
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
  500: ["InternalError", "Internal error occurred: it was asked to fail"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "request did not complete within requested timeout"]
}

/** Answers with an object of one's own, and carries nothing out. */
export const answerWith = (object: KubeObject | object, code = 200): Answered => {
  if (!isFields(object)) throw new TypeError(`an answer is an object, not ${JSON.stringify(object)}`)
  // What is not final leaves a client waiting, and 204 and 304 have no body.
  if (!Number.isInteger(code) || code < 200 || code > 599 || code === 204 || code === 304) {
    throw new RangeError(
      `an answer with an object has a code from 200 to 599, neither 204 nor 304, not ${code}`
    )
  }
  return { type: "answer", code, object }
}

/** Lets the cluster's time go on before anything else happens: `delay("5s")`, `delay("5s", refuse(503))`. */
export const delay = (
  duration: number | string,
  afterwards: Delayed["afterwards"] = letThrough
): Delayed => ({
  type: "delay",
  millis: millisOf(duration, "duration"),
  isReal: false,
  afterwards
})

/** The same in the machine's time. */
export const delayReally = (
  duration: number | string,
  afterwards: Delayed["afterwards"] = letThrough
): Delayed => ({
  ...delay(duration, afterwards),
  isReal: true
})

/** Carries it out; its sender is told 504, or finds the connection closed. */
export const loseAnswer = (how: 504 | "closed" = "closed"): Lost => {
  if (how !== 504 && how !== "closed") {
    throw new TypeError(`an answer is lost with 504 or "closed", not ${JSON.stringify(how)}`)
  }
  return { type: "lose", code: how === 504 ? 504 : undefined }
}

/** Closes the connection, and carries nothing out. */
export const drop: Dropped = { type: "drop" }

/** Asks no other interceptor, and goes on as if there were none. */
export const letThrough: LetThrough = { type: "letThrough" }

/** The interceptors of one cluster. The one that came last is asked first. */
export interface Interceptors {
  readonly add: (interception: Interception, interceptor: Interceptor) => () => void
  /** How many there are; nobody is asked where there is none. */
  readonly count: () => number
  /** What happens to a request after all delays; throws a `Refusal` for one that is refused. */
  readonly judge: (
    request: ApiRequest,
    options: {
      readonly signal: AbortSignal
      /** Told of what waits for the cluster's time. */
      readonly asleep?: (lasting: Promise<void>) => Promise<void>
    }
  ) => Promise<Exclude<Verdict, Refused | Delayed>>
}

interface Pending {
  readonly isMeant: (request: ApiRequest) => boolean
  readonly interceptor: Interceptor
  readonly observe: Observer
  left: number
}

/**
 * `sleep` lets the cluster's time pass. An interceptor that throws is an observer that fails; its request is answered
 * with 500.
 */
export const makeInterceptors = (
  sleep: (millis: number, signal: AbortSignal) => Promise<void>,
  observers: Pick<Observers, "add">
): Interceptors => {
  let all: ReadonlyArray<Pending> = []
  const remove = (one: Pending): void => {
    all = all.filter((it) => it !== one)
  }
  const decide = async (request: ApiRequest): Promise<Verdict> => {
    for (const one of all) {
      if (one.left === 0 || !one.isMeant(request)) continue
      one.left -= 1
      if (one.left === 0) remove(one)
      const deciding = verdictOf(one.interceptor, request)
      // What the interceptor throws answers the request with 500, and fails the program's next call.
      one.observe(() => deciding)()
      const verdict = await deciding
      if (verdict === undefined) continue
      return verdict
    }
    return letThrough
  }
  const judge: Interceptors["judge"] = async (request, { signal, asleep = (lasting) => lasting }) => {
    let verdict = await decide(request)
    if (verdict.type === "delay") {
      const { isReal, millis } = verdict
      await (isReal ? sleepReally(millis, signal) : asleep(sleep(millis, signal)))
      verdict = verdict.afterwards
    }
    if (verdict.type !== "refuse") return verdict
    const { code, reason, message, retryAfterSeconds } = verdict
    throw refusal(code, reason, message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds })
  }
  return {
    count: () => all.length,
    judge,
    add: ({ times = Infinity, ...filter }, interceptor) => {
      if (times !== Infinity && !(Number.isInteger(times) && times > 0)) {
        throw new TypeError(`times must be a whole number above 0, not ${times}`)
      }
      requireInterceptor(interceptor)
      const observe = observers.add("an interceptor")
      const one: Pending = { isMeant: readFilter(filter), interceptor, observe, left: times }
      all = [one, ...all]
      return () => remove(one)
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

/** JavaScript gives what it likes; what nobody knows is not let through in silence. */
const requireVerdict = (verdict: Verdict): void => {
  if (verdictTypes.has(verdict?.type) && (verdict.type !== "delay" || isMeant(verdict.afterwards))) return
  throw new TypeError(
    "an interceptor is what refuse, answerWith, delay, loseAnswer give, drop or letThrough, " +
      `or a function of the request that gives one of those, not ${JSON.stringify(verdict)}`
  )
}

const isMeant = (afterwards: Delayed["afterwards"]): boolean =>
  verdictTypes.has(afterwards?.type) && (afterwards as Verdict).type !== "delay"

const sleepReally = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
