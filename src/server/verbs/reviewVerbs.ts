import { aggregateText } from "../../kubernetes/meta/text/aggregateText.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import * as Effect from "effect/Effect"
import { apiVersionOf } from "../../kubernetes/meta/kinds.ts"
import { inRequestNamespace } from "../requests/requestIdentity.ts"
import { decodeBody } from "../requests/decodeBody.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import { tokenIssuerOf } from "../access/tokenIssuer.ts"
import { makeRefusal } from "../http/statuses.ts"
import { adminUser } from "../../kubernetes/meta/userInfo.ts"
import { errorBody, invalidField, requiredValue } from "../../kubernetes/validation/fieldErrors.ts"
import type { FieldErrors } from "../../kubernetes/validation/fieldErrors.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ApiCall, ApiServices, VerbHandler } from "../requests/apiCall.ts"

/**
 * Every access review is allowed: the one token permits everything as any user.
 *
 * Source: pkg/registry/authorization, pkg/registry/authentication, pkg/apis/authorization/validation/validation.go.
 */
const allowed = { allowed: true }

interface ReviewBody extends Readonly<Record<string, unknown>> {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec?: Readonly<Record<string, unknown>>
}

interface Review {
  readonly problems?: (body: ReviewBody) => FieldErrors
  readonly status: (body: ReviewBody, call: ApiCall) => object
}

export const reviewVerb = ({ group, kind }: Kind): VerbHandler | undefined => {
  const review = reviewByKind.get(`${group}/${kind}`)
  return review === undefined ? undefined : (call) => Effect.sync(() => answerReview(call, review))
}

const answerReview = (call: ApiCall, review: Review) => {
  const { kind } = call.target
  const body = inRequestNamespace(
    decodeBody(call, kind, "CreateOptions"),
    call.target
  ) as unknown as ReviewBody
  const errors = review.problems?.(body) ?? []
  if (errors.length > 0) throw invalidReview(kind, errors)
  const status = review.status(body, call)
  const { metadata, spec } = body
  const answeredReview = {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { ...metadata },
    spec,
    status
  }
  // A review is not stored and has no name or resource version.
  return toObjectAnswer(answeredReview as unknown as KubeObject, 201)
}

const invalidReview = (kind: Kind, errors: FieldErrors) => {
  const texts = errors.map((error) => `${error.field}: ${errorBody(error)}`)
  const text = aggregateText(texts)
  return makeRefusal(422, "Invalid", `${kind.kind}.${kind.group} "" is invalid: ${text}`, {
    group: kind.group,
    kind: kind.kind,
    causes: errors.map((error) => ({ reason: error.type, message: errorBody(error), field: error.field }))
  })
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const attributeProblems = ({ spec = {} }: ReviewBody): FieldErrors => {
  const [hasResource, hasNonResource] = [
    isPresent(spec["resourceAttributes"]),
    isPresent(spec["nonResourceAttributes"])
  ]
  if (hasResource !== hasNonResource) return []
  return hasResource
    ? [
        invalidField(
          "spec.nonResourceAttributes",
          spec["nonResourceAttributes"],
          "cannot be specified in combination with resourceAttributes"
        )
      ]
    : [
        invalidField(
          "spec.resourceAttributes",
          null,
          "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        )
      ]
}

const subjectProblems = (body: ReviewBody): FieldErrors => {
  const { user: name = "", groups } = body.spec ?? {}
  const namesNoSubject = name === "" && !(Array.isArray(groups) && groups.length > 0)
  return [
    ...attributeProblems(body),
    ...(namesNoSubject
      ? [invalidField("spec.user", "", "at least one of user or group must be specified")]
      : [])
  ]
}

const metadataProblems = ({ metadata }: ReviewBody): FieldErrors =>
  isEmptyExcept(["managedFields"], metadata) ? [] : [invalidField("metadata", metadata, "must be empty")]

const isEmptyExcept = (fields: ReadonlyArray<string>, metadata: ReviewBody["metadata"]): boolean =>
  Object.entries(metadata).every(([field, value]) => fields.includes(field) || isEmptyValue(value))

/** Go clients send `creationTimestamp: null`. */
const isEmptyValue = (value: unknown): boolean =>
  !isPresent(value) ||
  value === "" ||
  (typeof value === "object" && Object.keys(value as object).length === 0)

const localReviewProblems = ({ metadata, spec = {} }: ReviewBody): FieldErrors => {
  const { resourceAttributes, nonResourceAttributes } = spec
  const namespace = isFields(resourceAttributes) ? (resourceAttributes["namespace"] ?? "") : undefined
  return [
    ...(isEmptyExcept(["managedFields", "namespace"], metadata)
      ? []
      : [invalidField("metadata", metadata, "must be empty except for namespace")]),
    ...(namespace === undefined || namespace === metadata["namespace"]
      ? []
      : [invalidField("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace")]),
    ...(isPresent(nonResourceAttributes)
      ? [
          invalidField(
            "spec.nonResourceAttributes",
            nonResourceAttributes,
            "disallowed on this kind of request"
          )
        ]
      : [])
  ]
}

/** The status of a SelfSubjectRulesReview: everything, and what every user may do by default. */
const allRules = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    {
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]
    },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] }
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false
}

const rulesProblems = ({ spec = {} }: ReviewBody): FieldErrors =>
  (spec["namespace"] ?? "") === "" ? [requiredValue("spec.namespace", "no namespace on request")] : []

const reviewAccountToken = (
  { token, audiences }: Readonly<Record<string, unknown>>,
  { view, nowMillis }: ApiServices
): object => {
  const reviewed = tokenIssuerOf(view).review(String(token), {
    view,
    nowMillis: nowMillis(),
    ...(isTextList(audiences) && audiences.length > 0 ? { audiences } : {})
  })
  if ("user" in reviewed) return { authenticated: true, ...reviewed }
  const error =
    reviewed.problem === undefined ? "invalid bearer token" : `[invalid bearer token, ${reviewed.problem}]`
  return { authenticated: false, user: {}, error }
}

const isTextList = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

const reviewByKind: ReadonlyMap<string, Review> = new Map<string, Review>([
  [
    "authorization.k8s.io/SelfSubjectAccessReview",
    { problems: (body) => [...attributeProblems(body), ...metadataProblems(body)], status: () => allowed }
  ],
  [
    "authorization.k8s.io/SubjectAccessReview",
    { problems: (body) => [...subjectProblems(body), ...metadataProblems(body)], status: () => allowed }
  ],
  [
    "authorization.k8s.io/LocalSubjectAccessReview",
    { problems: (body) => [...subjectProblems(body), ...localReviewProblems(body)], status: () => allowed }
  ],
  ["authorization.k8s.io/SelfSubjectRulesReview", { problems: rulesProblems, status: () => allRules }],
  ["authentication.k8s.io/SelfSubjectReview", { status: (_body, { user }) => ({ userInfo: user }) }],
  [
    "authentication.k8s.io/TokenReview",
    {
      problems: ({ spec = {} }) =>
        (spec["token"] ?? "") === ""
          ? [requiredValue("spec.token", "token is required for TokenReview in authentication")]
          : [],
      status: ({ spec = {} }, { services }) =>
        services.isValidToken(String(spec["token"]))
          ? { authenticated: true, user: adminUser }
          : reviewAccountToken(spec, services)
    }
  ]
])
