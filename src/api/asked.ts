import { deprecation } from "../domain/admission/admit.ts"
import { readAccept } from "./accepts.ts"
import { readBody } from "./bodyBytes.ts"
import { contentTypeOf } from "./exchange.ts"
import { readQuery } from "./query.ts"
import { bodyReader } from "./requestBodies.ts"
import { routeOf } from "./route.ts"
import { servedBy } from "./served.ts"
import type { ApiServices, Call } from "./call.ts"
import type { Exchange } from "./exchange.ts"
import type { Manner } from "./respond.ts"
import type { Route } from "./route.ts"
import type { ResourceTarget } from "./target.ts"
import type { UserInfo } from "../domain/userInfo.ts"

/** A parsed request for a resource: which verb runs, on what, and how its answer is written. */
export interface Asked {
  readonly route: Route
  readonly call: Call
  readonly manner: Manner
}

export const readAsked = async (
  resource: ResourceTarget,
  exchange: Exchange,
  {
    services,
    params,
    user
  }: { readonly services: ApiServices; readonly params: URLSearchParams; readonly user: UserInfo }
): Promise<Asked> => {
  const { request, warn } = exchange
  const { method = "GET", headers } = request
  const { "user-agent": userAgent = "" } = headers
  const query = readQuery(params)
  const wantsWatch = resource.isWatchPath || query.flag("watch")
  const route = routeOf(method, resource, { wantsWatch, kinds: servedBy(services).kinds })
  const format = readAccept(headers.accept)
  const body = hasBody(method) ? await readBody(request) : noBody
  exchange.logged?.carries(body, bodyReader)
  const { kind } = route.target
  const warning = deprecation(kind) ?? kind.custom?.warning
  if (warning !== undefined) warn(warning)
  const pretty = query.text("pretty") === undefined ? isReadByPerson(userAgent) : query.flag("pretty")
  return {
    route,
    manner: { accepted: format, query, kind, nowMillis: services.nowMillis(), pretty },
    call: {
      services: hasBody(method) ? services : servicesForReads(services),
      method,
      target: route.target,
      query,
      contentType: contentTypeOf(request),
      userAgent,
      user,
      body,
      warn
    }
  }
}

const noBody = Buffer.alloc(0)
const hasBody = (method: string): boolean => method !== "GET" && method !== "HEAD"

const servicesForReads = (services: ApiServices): ApiServices => {
  const view = services.latest?.() ?? services.view
  return view === services.view ? services : { ...services, view }
}

const isReadByPerson = (userAgent: string): boolean => /^(curl|Wget|Mozilla)\//.test(userAgent)
