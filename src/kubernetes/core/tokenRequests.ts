import { invalidField, type FieldErrors } from "../validation/fieldErrors.ts"
import type { Draft, KubeObject, Pod } from "../meta/objects.ts"

/**
 * Source: pkg/registry/core/serviceaccount/storage/token.go, pkg/serviceaccount/claims.go,
 * pkg/apis/authentication/validation/validation.go.
 */
export interface TokenRequest extends Draft {
  readonly spec: TokenRequestSpec
}

export interface TokenRequestSpec {
  readonly audiences: ReadonlyArray<string>
  readonly expirationSeconds: number
  readonly boundObjectRef?: BoundObjectRef
}

export interface BoundObjectRef {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly uid?: string
}

/** Times are in seconds, as in RFC 7519. */
export interface TokenClaims {
  readonly aud: ReadonlyArray<string>
  readonly exp: number
  readonly iat: number
  readonly iss: string
  readonly jti: string
  readonly "kubernetes.io": KubernetesClaims
  readonly nbf: number
  readonly sub: string
}

export interface KubernetesClaims {
  readonly namespace: string
  readonly node?: ObjectClaim
  readonly pod?: ObjectClaim
  readonly secret?: ObjectClaim
  readonly serviceaccount: ObjectClaim
  /** When an extended token should have been replaced, in seconds. */
  readonly warnafter?: number
}

/** A Node that does not exist has no uid. */
export interface ObjectClaim {
  readonly name: string
  readonly uid?: string
}

/** The issuer of every token, and the audience of the API. */
export const tokenIssuerName = "https://kubernetes.default.svc.cluster.local"

const expirationSecondsDefault = 3600
const expirationSecondsMin = 600
const expirationSecondsMax = 2 ** 32

export const defaultTokenRequest = (draft: Draft & { readonly spec?: Partial<TokenRequestSpec> }) => {
  const { audiences = [], ...spec } = draft.spec ?? {}
  return {
    ...draft,
    spec: {
      ...spec,
      audiences: audiences.length === 0 ? [tokenIssuerName] : audiences,
      expirationSeconds: spec.expirationSeconds ?? expirationSecondsDefault
    }
  } satisfies TokenRequest
}

/** A body may only repeat the name and namespace of its path. */
export const tokenRequestNameErrors = (
  { name, namespace }: { readonly name?: string; readonly namespace?: string },
  account: { readonly name: string; readonly namespace: string | undefined }
): FieldErrors => {
  if (name && name !== account.name)
    return [invalidField("metadata.name", name, "must match the service account name if specified")]
  if (namespace && namespace !== account.namespace) {
    const detail = "must match the service account namespace if specified"
    return [invalidField("metadata.namespace", namespace, detail)]
  }
  return []
}

export const validateTokenRequest = ({ spec: { expirationSeconds } }: TokenRequest): FieldErrors => {
  const invalid = (detail: string): FieldErrors => [
    invalidField("spec.expirationSeconds", expirationSeconds, detail)
  ]
  if (expirationSeconds < expirationSecondsMin)
    return invalid("may not specify a duration less than 10 minutes")
  return expirationSeconds > expirationSecondsMax
    ? invalid("may not specify a duration larger than 2^32 seconds")
    : []
}

/** The token is valid as long as this object exists. */
export interface BoundObject {
  readonly kind: "Pod" | "Node" | "Secret"
  readonly object: KubeObject
  /** The node of a Pod. */
  readonly node?: ObjectClaim
}

export interface TokenSubject {
  readonly account: KubeObject
  readonly bound: BoundObject | undefined
  readonly jti: string
  readonly nowMillis: number
}

/**
 * As in Kubernetes, a token for the lifetime that projected volumes request is valid for a year. Its use after the
 * requested time is logged.
 */
const projectedSeconds = 3607
const extendedSeconds = 365 * 24 * 3600

export const claimsOfToken = (
  { audiences, expirationSeconds }: TokenRequestSpec,
  { account, bound, jti, nowMillis }: TokenSubject
): TokenClaims => {
  const now = Math.floor(nowMillis / 1000)
  const isExtended =
    bound?.kind === "Pod" &&
    expirationSeconds === projectedSeconds &&
    audiences.every((audience) => audience === tokenIssuerName)
  const { namespace = "", name } = account.metadata
  return {
    aud: audiences,
    exp: now + (isExtended ? extendedSeconds : expirationSeconds),
    iat: now,
    iss: tokenIssuerName,
    jti,
    "kubernetes.io": {
      namespace,
      ...boundClaims(bound),
      serviceaccount: objectClaim(account),
      ...(isExtended ? { warnafter: now + expirationSeconds } : {})
    },
    nbf: now,
    sub: serviceAccountUsername(namespace, name)
  }
}

export const serviceAccountUsername = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`

const objectClaim = ({ metadata: { name, uid } }: KubeObject): ObjectClaim => ({ name, uid })

const boundClaims = (bound: BoundObject | undefined): Partial<KubernetesClaims> => {
  if (bound === undefined) return {}
  const claim = objectClaim(bound.object)
  switch (bound.kind) {
    case "Pod":
      return { ...(bound.node === undefined ? {} : { node: bound.node }), pod: claim }
    case "Node":
      return { node: claim }
    case "Secret":
      return { secret: claim }
  }
}

/** Undefined if the token can be bound to the Pod. */
export const podBindingProblem = (account: string, { spec }: Pod): string | undefined =>
  spec.serviceAccountName === account
    ? undefined
    : `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`
