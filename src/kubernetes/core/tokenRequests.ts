import { invalidField, type FieldErrors } from "../validation/fieldErrors.ts"
import type { Draft, KubeObject, Pod } from "../meta/objects.ts"

/**
 * The rules of `serviceaccounts/token`: what a TokenRequest may ask for, and the claims of the token that answers it.
 * Source: pkg/registry/core/serviceaccount/storage/token.go (Create), pkg/serviceaccount/claims.go (Claims),
 * pkg/apis/authentication/validation/validation.go (ValidateTokenRequest), pkg/apis/authentication/v1/defaults.go.
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

/** Claims of RFC 7519 in seconds, and those of Kubernetes. */
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
  /** When a token that is valid for longer than was requested should have been replaced, in seconds. */
  readonly warnafter?: number
}

/** The node of a Pod has no uid where the Node does not exist. */
export interface ObjectClaim {
  readonly name: string
  readonly uid?: string
}

/** The issuer of every token, and the audience of the API itself. */
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

/** A body may repeat the name and namespace of its path, and may give no others. */
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

/** The object that a token is bound to; the token is valid as long as it exists. */
export interface BoundObject {
  readonly kind: "Pod" | "Node" | "Secret"
  readonly object: KubeObject
  /** The node of a Pod. */
  readonly node?: ObjectClaim
}

export interface TokenSubject {
  readonly account: KubeObject
  readonly bound: BoundObject | undefined
  /** The unique id of the token. */
  readonly jti: string
  readonly nowMillis: number
}

/**
 * The lifetime that the projected volumes of Pods request. Such a token is valid for a year; after the requested time
 * its use is logged, since the kubelet should have replaced it.
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

/** Why a token of this account cannot be bound to the Pod; undefined if it can. */
export const podBindingProblem = (account: string, { spec }: Pod): string | undefined =>
  spec.serviceAccountName === account
    ? undefined
    : `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`
