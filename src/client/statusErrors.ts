import { errorBody } from "../kubernetes/validation/fieldErrors.ts"
import { fieldsOrEmpty, isFields, textOrEmpty } from "../kubernetes/meta/fields.ts"
import {
  AlreadyExists,
  BadRequest,
  Conflict,
  Expired,
  Forbidden,
  InternalError,
  Invalid,
  NotFound,
  Timeout,
  TooManyRequests
} from "../store/storeErrors.ts"
import { RemoteRefused } from "./clientErrors.ts"
import type { FieldError } from "../kubernetes/validation/fieldErrors.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"

export const isFailureCode = ({ code }: { readonly code: number }): boolean => code >= failureCodeMin
const failureCodeMin = 300

/** For a request that concerns no single object, such as a watch. */
export const noObject = { resource: "", name: "" } as const

/**
 * Converts a server's Status to the store's error with the same message, or to a `RemoteRefused`.
 *
 * Source: apimachinery/pkg/api/errors/errors.go.
 */
export const toClientError = (
  { code, body }: { readonly code: number; readonly body: unknown },
  subject: { readonly resource: GroupResource; readonly name: string }
): Error => {
  const status = fieldsOrEmpty(body)
  const reason = textOrEmpty(status["reason"])
  const text = textOrEmpty(status["message"]) || textOrEmpty(body).trim()
  const message = text === "" ? `the server answered ${code}` : text
  const error = errorFor(reason, message, {
    subject: { resource: subject.resource, resourceName: subject.name },
    details: fieldsOrEmpty(status["details"])
  })
  // An error whose own message differs would hide the server's message.
  return error?.message === message ? error : new RemoteRefused({ code, reason, message })
}

const errorFor = (
  reason: string,
  message: string,
  {
    subject,
    details
  }: {
    readonly subject: { readonly resource: GroupResource; readonly resourceName: string }
    readonly details: Fields
  }
): Error | undefined => {
  // These messages begin with the object: `pods "web-1" is forbidden: exceeded quota`.
  const why = message.slice(message.indexOf(": ") + 2)
  switch (reason) {
    case "NotFound":
      return new NotFound(subject)
    case "AlreadyExists":
      return new AlreadyExists({ ...subject, terminating: message.startsWith("object is being deleted") })
    case "Conflict":
      return new Conflict({ ...subject, why })
    case "Forbidden":
      return new Forbidden({ ...subject, why })
    case "Invalid":
      return new Invalid({ ...subject, errors: fieldErrorsIn(details), sentence: message })
    case "BadRequest":
      return new BadRequest({ why: message })
    case "TooManyRequests":
      return new TooManyRequests({ retryAfterSeconds: Number(details["retryAfterSeconds"] ?? 1) })
    case "InternalError":
      return new InternalError({ why })
    case "Timeout":
      return new Timeout({ why })
    case "Expired":
    case "Gone":
      return expiredIn(message)
    default:
      return undefined
  }
}

/** Source: apiserver/pkg/storage/cacher/watch_cache.go, storage/etcd3/errors.go. */
const expiredIn = (message: string): Expired => {
  const [, requested = "0", oldest = "0"] = /^too old resource version: (\d+) \((\d+)\)$/.exec(message) ?? []
  return new Expired({ requested: Number(requested), oldest: Number(oldest), sentence: message })
}

const fieldErrorsIn = ({ causes }: Fields): ReadonlyArray<FieldError> =>
  (Array.isArray(causes) ? causes : []).filter(isFields).flatMap((cause) => {
    const message = textOrEmpty(cause["message"])
    const candidates = parseCauseMessage(message).map(
      (parsedCause) =>
        ({
          ...parsedCause,
          type: textOrEmpty(cause["reason"]),
          field: textOrEmpty(cause["field"])
        }) as FieldError
    )
    const match = candidates.find((error) => isKnownType(error) && errorBody(error) === message)
    return match === undefined ? [] : [match]
  })

const knownErrorTypes =
  /^FieldValue(Required|Invalid|NotSupported|Duplicate|Forbidden|TooLong|TooMany|NotFound|TypeInvalid)$/
const isKnownType = ({ type }: FieldError): boolean => knownErrorTypes.test(type)

/** Parses `Invalid value: "a: b": must be short`. The value may contain colons, so every end of it is tried. */
const parseCauseMessage = (message: string): ReadonlyArray<Pick<FieldError, "value" | "detail">> => {
  const [, ...parts] = message.split(": ")
  const ends = Array.from({ length: parts.length + 1 }, (_, end) => end)
  return ends.flatMap((end) => {
    const value = jsonOf(parts.slice(0, end).join(": "))
    const rest = parts.slice(end).join(": ")
    const detail = rest === "" ? {} : { detail: rest }
    return end === 0 ? [detail] : value === undefined ? [] : [{ value, ...detail }]
  })
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
