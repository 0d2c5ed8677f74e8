import { timingSafeEqual } from "node:crypto"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { IncomingMessage } from "node:http"
import { isWildcardAddress, serverNames } from "./serverNames.ts"
import { Refusal, makeRefusal } from "../http/statuses.ts"
import { adminUser } from "../../kubernetes/meta/userInfo.ts"
import { anonymousUser, impersonatedUser } from "./impersonatedUser.ts"
import type { IncomingRequest } from "../http/httpMessages.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"

/**
 * Authenticates requests and rejects those made by websites: the Host and Origin checks guard against DNS rebinding
 * and cross-site requests.
 */
export interface RequestGuard {
  readonly authenticate: (request: IncomingMessage) => UserInfo | Refusal
  /** Why `authenticate` refuses the request; undefined if it does not. */
  readonly checkRequest: (request: IncomingMessage) => Refusal | undefined
  /** Like `checkRequest`, for paths that need no token: checks Host and Origin only. */
  readonly checkHostAndOrigin: (request: IncomingMessage) => Refusal | undefined
  /**
   * Whether the request has a valid token and passes the Host and Origin checks. Such a request authenticates its
   * connection; an anonymous one does not.
   */
  readonly isAuthenticated: (request: IncomingMessage) => boolean
  readonly isValidToken: (token: string) => boolean
}

interface GuardOptions {
  readonly token: string
  /** The user of a service account's token; undefined if the token is not valid. */
  readonly userOfToken: (token: string) => UserInfo | undefined
  /** The host or address that the server listens on. */
  readonly host: string
}

/**
 * Paths that the anonymous user may read. Single health checks below them are not included.
 *
 * Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go (system:public-info-viewer).
 */
const anonymousPaths: ReadonlySet<string> = new Set([
  "/healthz",
  "/livez",
  "/readyz",
  "/version",
  "/version/"
])

/**
 * A request with a bearer token is never anonymous; other schemes are ignored.
 *
 * Source: apiserver/pkg/authentication/request/bearertoken/bearertoken.go.
 */
const hasBearerScheme = (authorization = ""): boolean => /^bearer +\S/i.test(authorization)

export const makeRequestGuard = ({ token, host, userOfToken }: GuardOptions): RequestGuard => {
  const allowedNames = new Set(serverNames(host).flatMap(hostNames))
  // A server on a wildcard address is reachable by any IP address.
  const allowsAnyAddress = isWildcardAddress(host)
  const tokenBytes = Buffer.from(token)

  // Clients repeat the same Host and Origin, so each is parsed once.
  let lastAllowedUrl = ""
  const isAllowedUrl = (url: string): boolean => {
    if (url === lastAllowedUrl) return true
    const parsed = URL.parse(url)
    const isAllowed =
      parsed !== null &&
      (allowedNames.has(parsed.hostname) || (allowsAnyAddress && isAddress(parsed.hostname)))
    if (isAllowed) lastAllowedUrl = url
    return isAllowed
  }
  // An empty token must never match.
  const isValidToken = (candidate: string): boolean => candidate !== "" && isSameToken(candidate, tokenBytes)
  const userOfAuthorization = (header = ""): UserInfo | undefined => {
    const [, candidate = ""] = /^bearer +(\S+) *$/i.exec(header) ?? []
    if (isValidToken(candidate)) return adminUser
    return candidate === "" ? undefined : userOfToken(candidate)
  }

  const checkHostAndOrigin: RequestGuard["checkHostAndOrigin"] = (request) => {
    const { headers } = request
    if (!isAllowedUrl(`http://${headers.host ?? ""}`) || hasDuplicateHeader(request, "host")) {
      return makeRefusal(403, "Forbidden", "this server is not called by that name")
    }
    if (headers.origin !== undefined && !isAllowedUrl(headers.origin)) {
      return makeRefusal(403, "Forbidden", "pages of other sites may not call this server")
    }
    return undefined
  }

  const authenticatedUser = ({ headers, method, url = "" }: IncomingRequest): UserInfo | undefined => {
    const tokenUser = userOfAuthorization(headers.authorization)
    if (tokenUser !== undefined) return tokenUser
    const [path = ""] = url.split("?")
    const isAnonymousPath = anonymousPaths.has(path) && (method === "GET" || method === "HEAD")
    return isAnonymousPath && !hasBearerScheme(headers.authorization) ? anonymousUser : undefined
  }

  const authenticate: RequestGuard["authenticate"] = (request) => {
    const originRefusal = checkHostAndOrigin(request)
    if (originRefusal !== undefined) return originRefusal
    const user = authenticatedUser(request)
    if (user === undefined) return makeRefusal(401, "Unauthorized", "Unauthorized")
    const impersonated = impersonatedUser(request)
    if (impersonated === undefined || impersonated instanceof Refusal) return impersonated ?? user
    return user === anonymousUser ? refuseImpersonation(request) : impersonated
  }

  return {
    authenticate,
    isValidToken,
    checkHostAndOrigin,
    isAuthenticated: (request) =>
      userOfAuthorization(request.headers.authorization) !== undefined &&
      checkHostAndOrigin(request) === undefined,
    checkRequest: (request) => {
      const user = authenticate(request)
      return user instanceof Refusal ? user : undefined
    }
  }
}

const refuseImpersonation = ({ method = "GET", url = "" }: IncomingRequest): Refusal => {
  const verb = `impersonate-on:user-info:${method.toLowerCase()}`
  const { username } = anonymousUser
  const path = goQuote(url.split("?")[0] ?? "")
  return makeRefusal(
    403,
    "Forbidden",
    `forbidden: User ${goQuote(username)} cannot ${verb} path ${path}`,
    // The Status has empty details, as in Kubernetes.
    {}
  )
}

const hostNames = (host: string): ReadonlyArray<string> => {
  const url = URL.parse(`http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`)
  return url === null ? [] : [url.hostname]
}

/** An IP address is safe: DNS rebinding needs a name. */
const isAddress = (hostname: string): boolean => /^[\d.]+$/.test(hostname) || hostname.startsWith("[")

/** Proxies and servers may disagree on which of two equal headers counts. */
const hasDuplicateHeader = ({ rawHeaders }: IncomingMessage, name: string): boolean => {
  let count = 0
  // Names and values alternate. For speed, only names of the right length are converted to lower case.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]
    if (header?.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count > 1
}

/** Compares in constant time: both buffers are as long as the token. */
const isSameToken = (candidate: string, tokenBytes: Buffer): boolean => {
  const padded = Buffer.alloc(tokenBytes.length)
  padded.write(candidate)
  return timingSafeEqual(padded, tokenBytes) && Buffer.byteLength(candidate) === tokenBytes.length
}
