import { TaggedError } from "effect/Data"
import * as Effect from "effect/Effect"
import { namespaceTerminatingCause } from "../kubernetes/core/namespaceDeletion.ts"
import { goQuote } from "../kubernetes/meta/text/goQuote.ts"
import type { FieldError } from "../kubernetes/validation/fieldErrors.ts"
import type { Kind } from "../kubernetes/meta/kinds.ts"

/** Why the store refuses a request. Source: apimachinery/pkg/api/errors/errors.go. */

interface RefusedObject {
  /** The resource as messages name it: `deployments.apps`. */
  readonly resource: string
  readonly resourceName: string
}

export class NotFound extends TaggedError("NotFound")<RefusedObject> {
  override get message(): string {
    return `${this.resource} ${goQuote(this.resourceName)} not found`
  }
}

export class AlreadyExists extends TaggedError("AlreadyExists")<
  RefusedObject & { readonly terminating: boolean; readonly isGenerated?: boolean }
> {
  override get message(): string {
    const prefix = this.terminating ? "object is being deleted: " : ""
    const suffix =
      this.isGenerated === true ? ", the server was not able to generate a unique name for the object" : ""
    return `${prefix}${this.resource} ${goQuote(this.resourceName)} already exists${suffix}`
  }
}

interface UidMismatch {
  readonly isUidMismatch?: true
}

export class Conflict extends TaggedError("Conflict")<
  RefusedObject & UidMismatch & { readonly why: string }
> {
  override get message(): string {
    return `Operation cannot be fulfilled on ${this.resource} ${goQuote(this.resourceName)}: ${this.why}`
  }
}

export class Invalid extends TaggedError("Invalid")<
  RefusedObject &
    UidMismatch & {
      readonly errors: ReadonlyArray<FieldError>
      readonly sentence: string
      readonly kind?: Pick<Kind, "group" | "kind">
    }
> {
  override get message(): string {
    return this.sentence
  }
}

export class Forbidden extends TaggedError("Forbidden")<
  RefusedObject & {
    readonly why: string
    /** The reason in the causes of the Status. */
    readonly cause?: string
  }
> {
  override get message(): string {
    return `${this.resource} ${goQuote(this.resourceName)} is forbidden: ${this.why}`
  }
}

export class BadRequest extends TaggedError("BadRequest")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

export class TooManyRequests extends TaggedError("TooManyRequests")<{ readonly retryAfterSeconds: number }> {
  override get message(): string {
    return "Too many requests, please try again later."
  }
}

export class InternalError extends TaggedError("InternalError")<{ readonly why: string }> {
  override get message(): string {
    return `Internal error occurred: ${this.why}`
  }
}

/** The write may have been carried out. */
export class Timeout extends TaggedError("Timeout")<{ readonly why: string }> {
  override get message(): string {
    return `Timeout: ${this.why}`
  }
}

export class Expired extends TaggedError("Expired")<{
  readonly requested: number
  /** The oldest resource version from which a watch can begin. */
  readonly oldest: number
  /** The message of a remote API server, if the error came from there. */
  readonly sentence?: string
}> {
  override get message(): string {
    return this.sentence ?? `too old resource version: ${this.requested} (${this.oldest})`
  }
}

export type StoreError =
  | NotFound
  | AlreadyExists
  | Conflict
  | Invalid
  | Forbidden
  | BadRequest
  | TooManyRequests
  | InternalError
  | Timeout

/** The tags of all errors: a record, so that the compiler finds a missing one. */
const storeErrors: Readonly<Record<StoreError["_tag"], true>> = {
  NotFound: true,
  AlreadyExists: true,
  Conflict: true,
  Invalid: true,
  Forbidden: true,
  BadRequest: true,
  TooManyRequests: true,
  InternalError: true,
  Timeout: true
}

export const isStoreError = (error: unknown): error is StoreError =>
  error instanceof Error &&
  "_tag" in error &&
  typeof error._tag === "string" &&
  Object.hasOwn(storeErrors, error._tag)

export const ignoreNotFound = (
  request: Effect.Effect<unknown, StoreError>
): Effect.Effect<void, StoreError> => Effect.catchTag(Effect.asVoid(request), "NotFound", () => Effect.void)

export const isObjectMissing = ({ _tag }: StoreError): boolean => _tag === "NotFound"

export const hasUidMismatch = (error: StoreError): boolean =>
  (error._tag === "Conflict" || error._tag === "Invalid") && error.isUidMismatch === true

/** Whether the namespace is terminating, so that retrying is useless. */
export const isNamespaceTerminating = (error: StoreError): boolean =>
  error._tag === "Forbidden" && error.cause === namespaceTerminatingCause

export const modifiedMeanwhile =
  "the object has been modified; please apply your changes to the latest version and try again"
