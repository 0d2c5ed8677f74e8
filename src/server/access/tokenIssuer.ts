import { createHash, generateKeyPairSync, randomUUID, sign, verify } from "node:crypto"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { audiencesInCommon, tokenProblem, tokenUser } from "../../kubernetes/core/tokenClaims.ts"
import { claimsOfToken, tokenIssuerName } from "../../kubernetes/core/tokenRequests.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { TokenClaims, TokenRequestSpec, TokenSubject } from "../../kubernetes/core/tokenRequests.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"

/**
 * Service account tokens: JSON Web Tokens with ES256.
 *
 * Source: pkg/serviceaccount/jwt.go, pkg/serviceaccount/openidmetadata.go.
 */
export interface TokenIssuer {
  readonly issue: (spec: TokenRequestSpec, subject: Omit<TokenSubject, "jti">) => string
  readonly review: (token: string, options: TokenReviewOptions) => ReviewedToken
  readonly keySet: object
}

interface TokenReviewOptions {
  readonly view: ClusterView["Service"]
  readonly nowMillis: number
  readonly audiences?: ReadonlyArray<string>
}

type ReviewedToken =
  | { readonly user: UserInfo; readonly audiences: ReadonlyArray<string> }
  /** The TokenReview's error; undefined for a text that is no token of this issuer. */
  | { readonly problem: string | undefined }

/** All servers of a cluster share a key. It is made for the first token and never stored. */
const issuers = new WeakMap<ClusterView["Service"], TokenIssuer>()

export const tokenIssuerOf = (view: ClusterView["Service"]): TokenIssuer => {
  const present = issuers.get(view)
  if (present !== undefined) return present
  const issuer = makeTokenIssuer()
  issuers.set(view, issuer)
  return issuer
}

const algorithm = "ES256"
/** JWS's form of an ECDSA signature: r and s, one after the other. */
const dsaEncoding = "ieee-p1363"

const makeTokenIssuer = (): TokenIssuer => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const keyId = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url")
  const header = encodePart({ alg: algorithm, kid: keyId })

  const issue: TokenIssuer["issue"] = (spec, subject) => {
    const signed = `${header}.${encodePart(claimsOfToken(spec, { ...subject, jti: randomUUID() }))}`
    const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding })
    return `${signed}.${signature.toString("base64url")}`
  }

  const review: TokenIssuer["review"] = (token, { view, nowMillis, audiences }) => {
    const [head = "", payload = "", signature = "", ...excess] = token.split(".")
    const claims = decodePart(payload)
    if (excess.length > 0 || claims?.["iss"] !== tokenIssuerName) return { problem: undefined }
    if (decodePart(head)?.["kid"] !== keyId) return { problem: "invalid signature, no keys found" }
    const isSignatureValid = verify(
      "sha256",
      Buffer.from(`${head}.${payload}`),
      { key: publicKey, dsaEncoding },
      Buffer.from(signature, "base64url")
    )
    if (!isSignatureValid) return { problem: "go-jose/go-jose: error in cryptographic primitive" }
    // This issuer signed the token, so its claims have this form.
    const tokenClaims = claims as object as TokenClaims
    const find = (resource: string, namespace: string | undefined, name: string) =>
      view.get(resource, toObjectKey(namespace, name))
    const problem = tokenProblem(tokenClaims, {
      find,
      nowMillis,
      ...(audiences === undefined ? {} : { audiences })
    })
    if (problem !== undefined) return { problem }
    return { user: tokenUser(tokenClaims), audiences: audiencesInCommon(tokenClaims, audiences) }
  }

  return {
    issue,
    review,
    keySet: { keys: [{ use: "sig", ...publicKey.export({ format: "jwk" }), kid: keyId, alg: algorithm }] }
  }
}

const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const decodePart = (part: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString())
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const openIdPaths = { configuration: "/.well-known/openid-configuration", keys: "/openid/v1/jwks" }

export const openIdConfiguration = (serverAddress: string): object => ({
  issuer: tokenIssuerName,
  jwks_uri: `https://${serverAddress}${openIdPaths.keys}`,
  response_types_supported: ["id_token"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: [algorithm]
})
