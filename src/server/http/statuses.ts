import { unreadableVersionBeginning } from "../../store/storeRefusals.ts"
import { aggregateText } from "../../kubernetes/meta/text/aggregateText.ts"
import { TaggedError } from "effect/Data"
import type { Status, StatusCause, StatusDetails } from "kubernetes-types/meta/v1.js"
import { errorBody } from "../../kubernetes/validation/fieldErrors.ts"
import { kindOfResource } from "../../kubernetes/meta/kinds.ts"
import { namespaceTerminatingCause } from "../../kubernetes/core/namespaceDeletion.ts"
import type { StoreError } from "../../store/storeErrors.ts"

/**
 * An error that the response shows as a Status with this HTTP code.
 *
 * Source: apimachinery/pkg/api/errors/errors.go, pkg/apis/meta/v1/types.go.
 */
export class Refusal extends TaggedError("Refusal")<{
  readonly code: number
  readonly reason: string
  readonly text: string
  readonly details?: StatusDetails
  /** The token with which an expired list continues at the present version. */
  readonly continuation?: string
  /** The response is the text alone, and no Status. */
  readonly isPlainText?: boolean
}> {
  override get message(): string {
    return this.text
  }
}

export const makeRefusal = (code: number, reason: string, text: string, details?: StatusDetails): Refusal =>
  new Refusal({ code, reason, text, ...(details === undefined ? {} : { details }) })

/** For errors that Kubernetes reports without a reason. */
export const noReason = ""

export const badRequest = (text: string): Refusal => makeRefusal(400, "BadRequest", text)
/** The 404 for paths below a served group. */
export const resourceNotFound = (): Refusal =>
  makeRefusal(404, "NotFound", "the server could not find the requested resource", {})
/** The 404 for paths outside of all served groups. */
export const pageNotFound = (): Refusal =>
  new Refusal({ code: 404, reason: "NotFound", text: "404 page not found", isPlainText: true })
export const methodNotAllowed = (): Refusal =>
  makeRefusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {})
export const requireReadMethod = (method: string | undefined): void => {
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed()
}
export const unsupportedMediaType = (accepted: ReadonlyArray<string>): Refusal =>
  makeRefusal(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`
  )
export const tooManyRequests = (): Refusal =>
  makeRefusal(429, "TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 })
export const notAcceptable = (offered: ReadonlyArray<string>): Refusal =>
  makeRefusal(406, "NotAcceptable", `only the following media types are accepted: ${offered.join(", ")}`)

export const invalidRequestOptions = (kind: string, errors: ReadonlyArray<OptionError>): Refusal => {
  const texts = errors.map(({ field, body }) => `${field}: ${body}`)
  const text = aggregateText(texts)
  return makeRefusal(422, "Invalid", `${kind}.meta.k8s.io "" is invalid: ${text}`, {
    group: "meta.k8s.io",
    kind,
    causes: errors.map(({ field, body, reason }) => ({ reason, message: body, field }))
  })
}

export interface OptionError {
  readonly field: string
  readonly reason: string
  readonly body: string
}

export type RefusalOrStoreError = StoreError | Refusal

export const toStatus = (error: RefusalOrStoreError): Status & { readonly code: number } => {
  switch (error._tag) {
    case "Refusal": {
      const status = failureStatus(error.code, error.reason, error.message, error.details)
      return error.continuation === undefined
        ? status
        : { ...status, metadata: { continue: error.continuation } }
    }
    case "BadRequest":
      // kube-apiserver responds to this one error with 500.
      return error.why === versionOnCreateText || error.why.startsWith(unreadableVersionBeginning)
        ? failureStatus(500, noReason, error.why)
        : failureStatus(400, "BadRequest", error.message)
    case "NotFound":
      return failureStatus(404, "NotFound", error.message, resourceDetails(error))
    case "AlreadyExists":
      return failureStatus(409, "AlreadyExists", error.message, {
        ...resourceDetails(error),
        ...(error.isGenerated === true ? { retryAfterSeconds: 1 } : {})
      })
    case "Conflict":
      return failureStatus(409, "Conflict", error.message, resourceDetails(error))
    case "Forbidden":
      return failureStatus(403, "Forbidden", error.message, {
        ...resourceDetails(error),
        ...(error.cause === namespaceTerminatingCause ? { causes: [namespaceTerminating(error.why)] } : {})
      })
    case "TooManyRequests":
      return failureStatus(429, "TooManyRequests", error.message, {
        retryAfterSeconds: error.retryAfterSeconds
      })
    case "InternalError":
      return failureStatus(500, "InternalError", error.message, { causes: [{ message: error.why }] })
    case "Timeout":
      return failureStatus(504, "Timeout", error.message, {})
    case "Invalid": {
      const { group, kind } = error.kind ??
        kindOfResource(error.resource) ?? { group: "", kind: error.resource }
      return failureStatus(422, "Invalid", error.message, {
        name: error.resourceName,
        ...(group === "" ? {} : { group }),
        kind,
        causes: error.errors.map((it) => ({ reason: it.type, message: errorBody(it), field: it.field }))
      })
    }
  }
}

const versionOnCreateText = "resourceVersion should not be set on objects to be created"

/** Rewords `… in namespace X because it is being terminated` as a cause. */
const namespaceTerminating = (why: string): StatusCause => ({
  reason: namespaceTerminatingCause,
  message: why.replace(/^.*in (namespace \S+) because it.*$/, "$1 is being terminated"),
  field: "metadata.namespace"
})

/** `resource` is the plural and group, as in `deployments.apps`; Kubernetes calls the plural `kind` here. */
const resourceDetails = ({
  resource,
  resourceName
}: {
  readonly resource: string
  readonly resourceName: string
}) => {
  const [plural = "", ...group] = resource.split(".")
  return { name: resourceName, ...(group.length === 0 ? {} : { group: group.join(".") }), kind: plural }
}

const failureStatus = (
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails
): Status & { readonly code: number } => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  ...(reason === noReason ? {} : { reason }),
  ...(details === undefined ? {} : { details }),
  code
})

export const successStatus = (details?: StatusDetails): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...(details === undefined ? {} : { details })
})
