import { authenticatedGroup, type UserInfo } from "../meta/userInfo.ts"
import { resources, type GroupResource } from "../meta/kinds.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import { serviceAccountUsername, tokenIssuerName } from "./tokenRequests.ts"
import { goQuote } from "../meta/text/goQuote.ts"
import type { KubeObject } from "../meta/objects.ts"
import type { ObjectClaim, TokenClaims } from "./tokenRequests.ts"

export interface TokenCheck {
  readonly find: (
    resource: GroupResource,
    namespace: string | undefined,
    name: string
  ) => KubeObject | undefined
  readonly nowMillis: number
  /** The token must have one of the audiences; by default one of the API. */
  readonly audiences?: ReadonlyArray<string>
}

/** The clocks of issuer and server may differ by this much. */
const leewaySeconds = 60

/**
 * A TokenReview's error; undefined if the claims are accepted. The signature must be verified
 * before. Source: pkg/serviceaccount/claims.go (Validate).
 */
export const tokenProblem = (claims: TokenClaims, check: TokenCheck): string | undefined => {
  const { audiences = [tokenIssuerName] } = check
  if (audiencesInCommon(claims, audiences).length === 0) {
    const [tokenAudiences, targets] = [claims.aud, audiences].map(quotedList)
    return `token audiences ${tokenAudiences} is invalid for the target audiences ${targets}`
  }
  return timeProblem(claims, check.nowMillis) ?? objectProblem(claims, check)
}

export const audiencesInCommon = (
  { aud }: TokenClaims,
  audiences: ReadonlyArray<string> = [tokenIssuerName]
): ReadonlyArray<string> => aud.filter((audience) => audiences.includes(audience))

/** A list of texts as Go prints it with `%q`. */
const quotedList = (texts: ReadonlyArray<string>): string =>
  `[${texts.map((text) => goQuote(text)).join(" ")}]`

const timeProblem = ({ exp, nbf }: TokenClaims, nowMillis: number): string | undefined => {
  const now = nowMillis / 1000
  if (now + leewaySeconds < nbf) return "service account token is not valid yet"
  return now - leewaySeconds > exp ? "service account token has expired" : undefined
}

const invalidatedMessage = "service account token has been invalidated"

const objectProblem = (claims: TokenClaims, { find, nowMillis }: TokenCheck): string | undefined => {
  const { namespace, serviceaccount, secret, pod, node } = claims["kubernetes.io"]
  const isGone = ({ metadata: { deletionTimestamp } }: KubeObject): boolean =>
    deletionTimestamp !== undefined && timestampMillis(deletionTimestamp) < nowMillis - leewaySeconds * 1000
  const boundProblem = (
    claim: ObjectClaim | undefined,
    { resource, word }: { readonly resource: GroupResource; readonly word: string }
  ): string | undefined => {
    if (claim === undefined) return undefined
    const object = find(resource, resource === resources.nodes ? undefined : namespace, claim.name)
    if (object === undefined) return invalidatedMessage
    const { uid } = object.metadata
    if (uid !== claim.uid)
      return `${word} UID (${uid}) does not match service account ${word} ref claim (${claim.uid ?? ""})`
    return isGone(object) ? invalidatedMessage : undefined
  }
  const account = find(resources.serviceAccounts, namespace, serviceaccount.name)
  if (account === undefined) return `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`
  const { uid } = account.metadata
  if (uid !== serviceaccount.uid)
    return `service account UID (${uid}) does not match claim (${serviceaccount.uid ?? ""})`
  if (isGone(account)) return `service account ${namespace}/${serviceaccount.name} has been deleted`
  return (
    boundProblem(secret, { resource: resources.secrets, word: "secret" }) ??
    boundProblem(pod, { resource: resources.pods, word: "pod" }) ??
    // A Pod's token names the Pod's node, but is not bound to the node.
    (pod === undefined ? boundProblem(node, { resource: resources.nodes, word: "node" }) : undefined)
  )
}

/** Source: apiserver/pkg/authentication/serviceaccount/util.go (UserInfo). */
export const tokenUser = (claims: TokenClaims): UserInfo => {
  const { namespace, serviceaccount, pod, node } = claims["kubernetes.io"]
  const prefix = "authentication.kubernetes.io"
  const extraFieldsOf = (name: string, claim: ObjectClaim | undefined) =>
    claim === undefined
      ? {}
      : {
          [`${prefix}/${name}-name`]: [claim.name],
          ...(claim.uid === undefined ? {} : { [`${prefix}/${name}-uid`]: [claim.uid] })
        }
  return {
    username: serviceAccountUsername(namespace, serviceaccount.name),
    ...(serviceaccount.uid === undefined ? {} : { uid: serviceaccount.uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, authenticatedGroup],
    extra: {
      [`${prefix}/credential-id`]: [`JTI=${claims.jti}`],
      ...extraFieldsOf("node", node),
      ...extraFieldsOf("pod", pod)
    }
  }
}
