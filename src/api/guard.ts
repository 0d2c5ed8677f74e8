import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { isEverywhere, namesOf } from "./addresses.ts"
import { Refusal, refusal } from "./statuses.ts"
import { adminUser } from "../domain/userInfo.ts"
import { anonymousUser, impersonatedUser } from "./users.ts"
import type { UserInfo } from "../domain/userInfo.ts"

/**
 * Who may come in. The token keeps out whoever shares the machine; name and origin keep out websites, which may give
 * themselves a name that leads here and make a visitor's browser call.
 */
export interface Guard {
  /** The user that a request is made as, impersonation included, or why the request may not go on. */
  readonly admit: (request: IncomingMessage) => UserInfo | Refusal
  /** Undefined for a request that may go on. */
  readonly refuse: (request: IncomingMessage) => Refusal | undefined
  /** The same, for what may be had without a token: undefined unless a website is behind it. */
  readonly refuseSite: (request: IncomingMessage) => Refusal | undefined
  /**
   * Whether a request bears the token, and no website is behind it. Such a request makes its connection an
   * authenticated one; a request that is answered without a token does not.
   */
  readonly authenticates: (request: IncomingMessage) => boolean
  /** Whether a token is the one that lets in. */
  readonly knowsToken: (token: string) => boolean
}

interface GuardOptions {
  readonly token: string
  /** What the server listens on. */
  readonly host: string
}

/**
 * What the anonymous user may read. The checks below the health paths are not among it.
 *
 * Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go (system:public-info-viewer).
 */
const openPaths: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"])

/**
 * A request that states a bearer token is never anonymous; another scheme counts as none.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/authentication/request/bearertoken/bearertoken.go.
 */
const statesToken = (authorization = ""): boolean => /^bearer +\S/i.test(authorization)

export const makeGuard = ({ token, host }: GuardOptions): Guard => {
  const names = new Set(namesOf(host).flatMap(hostNames))
  // A server that listens everywhere is called by whatever address leads to it.
  const hasAnyAddress = isEverywhere(host)
  const expected = Buffer.from(token)

  /** Clients say the same in every request. */
  let lastKnown = ""
  const isKnown = (url: string): boolean => {
    if (url === lastKnown) return true
    const parsed = URL.parse(url)
    const known =
      parsed !== null && (names.has(parsed.hostname) || (hasAnyAddress && isAddress(parsed.hostname)))
    if (known) lastKnown = url
    return known
  }
  // A token of nothing would be known to everybody.
  const knowsToken = (stated: string): boolean => stated !== "" && isSame(stated, expected)
  const isAuthorised = (header = ""): boolean => {
    const [, stated] = /^bearer +(\S+) *$/i.exec(header) ?? []
    return knowsToken(stated ?? "")
  }

  const refuseSite: Guard["refuseSite"] = (request) => {
    const { headers } = request
    if (!isKnown(`http://${headers.host ?? ""}`) || hasTwice(request, "host")) {
      return refusal(403, "Forbidden", "this server is not called by that name")
    }
    if (headers.origin !== undefined && !isKnown(headers.origin)) {
      return refusal(403, "Forbidden", "pages of other sites may not call this server")
    }
    return undefined
  }

  /** Undefined for a request that is not let in. */
  const authenticatedUser = ({ headers, method, url = "" }: IncomingMessage): UserInfo | undefined => {
    if (isAuthorised(headers.authorization)) return adminUser
    const [path = ""] = url.split("?")
    const isOpen = openPaths.has(path) && (method === "GET" || method === "HEAD")
    return isOpen && !statesToken(headers.authorization) ? anonymousUser : undefined
  }

  const admit: Guard["admit"] = (request) => {
    const refused = refuseSite(request)
    if (refused !== undefined) return refused
    const user = authenticatedUser(request)
    if (user === undefined) return refusal(401, "Unauthorized", "Unauthorized")
    const impersonated = impersonatedUser(request)
    if (impersonated === undefined || impersonated instanceof Refusal) return impersonated ?? user
    return user === anonymousUser ? refuseImpersonation(request) : impersonated
  }

  return {
    admit,
    knowsToken,
    refuseSite,
    authenticates: (request) =>
      isAuthorised(request.headers.authorization) && refuseSite(request) === undefined,
    refuse: (request) => {
      const admitted = admit(request)
      return admitted instanceof Refusal ? admitted : undefined
    }
  }
}

/** The anonymous user may do nothing as another one. */
const refuseImpersonation = ({ method = "GET", url = "" }: IncomingMessage): Refusal => {
  const verb = `impersonate-on:user-info:${method.toLowerCase()}`
  const { username } = anonymousUser
  const path = JSON.stringify(url.split("?")[0])
  return refusal(
    403,
    "Forbidden",
    `forbidden: User ${JSON.stringify(username)} cannot ${verb} path ${path}`,
    {}
  )
}

/** As a host stands in a URL: in lower case, and in brackets where it has colons. */
const hostNames = (host: string): ReadonlyArray<string> => {
  const url = URL.parse(`http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`)
  return url === null ? [] : [url.hostname]
}

/** An address cannot be taken by a website, as a name can. */
const isAddress = (hostname: string): boolean => /^[\d.]+$/.test(hostname) || hostname.startsWith("[")

/** Of a header that is there twice, one reader sees the first and another the last. */
const hasTwice = ({ rawHeaders }: IncomingMessage, name: string): boolean =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length > 1

/** Takes as long whatever was right, since what is compared is always as long as the token. */
const isSame = (stated: string, expected: Buffer): boolean => {
  const shown = Buffer.alloc(expected.length)
  shown.write(stated)
  return timingSafeEqual(shown, expected) && Buffer.byteLength(stated) === expected.length
}
