import { TaggedError } from "effect/Data"
import { namespaceTerminatingCause } from "../domain/namespaceContent.ts"
import type { FieldError } from "../domain/admission/fieldErrors.ts"
import type { Kind } from "../domain/kinds.ts"

/**
 * What the store refuses, as data a caller can act on. `message` is the sentence Kubernetes would say.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.
 */
interface Refused {
  /** The resource that was asked for, as messages name it: `deployments.apps`. */
  readonly resource: string
  readonly name: string
}

export class NotFound extends TaggedError("NotFound")<Refused> {
  override get message(): string {
    return `${this.resource} ${JSON.stringify(this.name)} not found`
  }
}

export class AlreadyExists extends TaggedError("AlreadyExists")<
  Refused & { readonly terminating: boolean; readonly isGenerated?: boolean }
> {
  override get message(): string {
    const prefix = this.terminating ? "object is being deleted: " : ""
    const suffix =
      this.isGenerated === true ? ", the server was not able to generate a unique name for the object" : ""
    return `${prefix}${this.resource} ${JSON.stringify(this.name)} already exists${suffix}`
  }
}

/** Whether it was said for which uid something is asked, and the object of that name has another. */
interface MaybeAnother {
  readonly meantAnother?: true
}

export class Conflict extends TaggedError("Conflict")<Refused & MaybeAnother & { readonly why: string }> {
  override get message(): string {
    return `Operation cannot be fulfilled on ${this.resource} ${JSON.stringify(this.name)}: ${this.why}`
  }
}

export class Invalid extends TaggedError("Invalid")<
  Refused &
    MaybeAnother & {
      readonly errors: ReadonlyArray<FieldError>
      readonly sentence: string
      /** What the object is, where that is more than its resource tells. */
      readonly kind?: Pick<Kind, "group" | "kind">
    }
> {
  override get message(): string {
    return this.sentence
  }
}

export class Forbidden extends TaggedError("Forbidden")<
  Refused & { readonly why: string; readonly cause?: string }
> {
  override get message(): string {
    return `${this.resource} ${JSON.stringify(this.name)} is forbidden: ${this.why}`
  }
}

export class BadRequest extends TaggedError("BadRequest")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

/** The server is asked too much at once: to be asked again later. */
export class TooManyRequests extends TaggedError("TooManyRequests")<{ readonly retryAfterSeconds: number }> {
  override get message(): string {
    return "Too many requests, please try again later."
  }
}

/** Something went wrong in the server; nothing was written. */
export class InternalError extends TaggedError("InternalError")<{ readonly why: string }> {
  override get message(): string {
    return `Internal error occurred: ${this.why}`
  }
}

/** No answer came in time. Whether it was written nobody can say. */
export class Timeout extends TaggedError("Timeout")<{ readonly why: string }> {
  override get message(): string {
    return `Timeout: ${this.why}`
  }
}

/** The watcher asks for changes that the bounded history no longer holds. */
export class Expired extends TaggedError("Expired")<{
  readonly requested: number
  readonly oldest: number
  /** In the words of a server that has others for it. */
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

/** All of them: one that is left out does not compile. */
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

/** Whether it was a store that refused, and not something that went wrong. */
export const isStoreError = (error: unknown): error is StoreError =>
  error instanceof Error &&
  "_tag" in error &&
  typeof error._tag === "string" &&
  Object.hasOwn(storeErrors, error._tag)

/** Whether whoever has the name is somebody else by now; each verb has words of its own for it. */
export const meantAnother = (error: StoreError): boolean =>
  (error._tag === "Conflict" || error._tag === "Invalid") && error.meantAnother === true

/** Whether the namespace is on its way out: what is refused for that need not be tried again. */
export const isNamespaceTerminating = (error: StoreError): boolean =>
  error._tag === "Forbidden" && error.cause === namespaceTerminatingCause

export const modifiedMeanwhile =
  "the object has been modified; please apply your changes to the latest version and try again"
