import { labelProblems, subdomainProblems } from "../../kubernetes/validation/nameRules.ts"
import { compareTexts } from "../../kubernetes/meta/text/compareTexts.ts"
import { authenticatedGroup } from "../../kubernetes/meta/userInfo.ts"
import { badRequest } from "../http/statuses.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { IncomingRequest } from "../http/httpMessages.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"
import type { Refusal } from "../http/statuses.ts"

const unauthenticatedGroup = "system:unauthenticated"

export const anonymousUser: UserInfo = { username: "system:anonymous", groups: [unauthenticatedGroup] }

/**
 * The user that the `Impersonate-*` headers name; undefined without such headers, a 400 when the user is missing.
 *
 * Source: apiserver/pkg/endpoints/filters/impersonation/constrained_impersonation.go
 * (processImpersonationHeaders), mode.go (impersonationModeState); for a requestor who may impersonate every user.
 */
export const impersonatedUser = (request: IncomingRequest): UserInfo | Refusal | undefined => {
  if (!Object.keys(request.headers).some((name) => name.startsWith("impersonate-"))) return undefined
  const requestedUser = readImpersonationHeaders(request)
  const { username, uid, groups, extra } = requestedUser
  if (username === "") {
    if (uid === "" && groups.length === 0 && extra.length === 0) return undefined
    return badRequest(`requested ${goText(requestedUser)} without impersonating a user name`)
  }
  return {
    username,
    ...(uid === "" ? {} : { uid }),
    groups: withCommonGroup(username, groups.length > 0 ? groups : defaultGroups(requestedUser)),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) })
  }
}

/** Keys of `extra` are sorted. */
interface RequestedUser {
  readonly username: string
  readonly uid: string
  readonly groups: ReadonlyArray<string>
  readonly extra: ReadonlyArray<readonly [key: string, values: ReadonlyArray<string>]>
}

const extraPrefix = "impersonate-extra-"

const readImpersonationHeaders = ({ headersDistinct: headers }: IncomingRequest): RequestedUser => {
  const valuesOf = (name: string): ReadonlyArray<string> => (headers[name] ?? []).map(decodeUtf8)
  const extra = new Map<string, ReadonlyArray<string>>()
  for (const name of Object.keys(headers).toSorted(compareTexts)) {
    if (!name.startsWith(extraPrefix)) continue
    const key = unescapeKey(name.slice(extraPrefix.length))
    extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(name)])
  }
  return {
    username: valuesOf("impersonate-user")[0] ?? "",
    uid: valuesOf("impersonate-uid")[0] ?? "",
    groups: valuesOf("impersonate-group"),
    extra: [...extra].toSorted(([a], [b]) => compareTexts(a, b))
  }
}

/** Node decodes headers as Latin-1; clients send UTF-8. */
const decodeUtf8 = (value: string): string => Buffer.from(value, "latin1").toString()

/** A malformed key is used unchanged. */
const unescapeKey = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const defaultGroups = ({ username, uid, extra }: RequestedUser): ReadonlyArray<string> => {
  const namespace = serviceAccountNamespace(username)
  if (namespace !== undefined) {
    return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
  }
  const hasNameOnly = uid === "" && extra.length === 0
  return hasNameOnly && isNode(username) ? ["system:nodes"] : []
}

const withCommonGroup = (username: string, groups: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isAnonymous = username === anonymousUser.username
  if (!isAnonymous && groups.includes(unauthenticatedGroup)) return groups
  const common = isAnonymous ? unauthenticatedGroup : authenticatedGroup
  return groups.includes(common) ? groups : [...groups, common]
}

const serviceAccountNamespace = (username: string): string | undefined => {
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]*):([^:]*)$/.exec(username) ?? []
  const isValid = labelProblems(namespace).length === 0 && subdomainProblems(name).length === 0
  return isValid ? namespace : undefined
}

const nodePrefix = "system:node:"

const isNode = (username: string): boolean =>
  username.startsWith(nodePrefix) && subdomainProblems(username.slice(nodePrefix.length)).length === 0

/** The user as Go prints the struct with `%#v`. */
const goText = ({ username, uid, groups, extra }: RequestedUser): string => {
  const list = (values: ReadonlyArray<string>): string =>
    `{${values.map((value) => goQuote(value)).join(", ")}}`
  const map = extra.map(([key, values]) => `${goQuote(key)}:[]string${list(values)}`).join(", ")
  const fields = [
    `Name:${goQuote(username)}`,
    `UID:${goQuote(uid)}`,
    `Groups:[]string${groups.length === 0 ? "(nil)" : list(groups)}`,
    `Extra:map[string][]string${extra.length === 0 ? "(nil)" : `{${map}}`}`
  ]
  return `&user.DefaultInfo{${fields.join(", ")}}`
}
