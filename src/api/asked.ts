import { deprecationWarningOf } from "../domain/admission/admit.ts"
import { negotiateFormat } from "./accepts.ts"
import { readRequestBody } from "./bodyBytes.ts"
import { contentTypeOf } from "./exchange.ts"
import { parseQuery } from "./query.ts"
import { loggedBodyReader } from "./requestBodies.ts"
import { findRoute } from "./route.ts"
import { servedResources } from "./served.ts"
import type { ApiServices, ApiCall } from "./call.ts"
import type { HttpExchange } from "./exchange.ts"
import type { ResponseOptions } from "./respond.ts"
import type { ApiRoute } from "./route.ts"
import type { ResourceTarget } from "./target.ts"
import type { UserInfo } from "../domain/userInfo.ts"

/** A parsed request for a resource: which verb runs, on what, and how its answer is written. */
export interface ResourceRequest {
  readonly route: ApiRoute
  readonly call: ApiCall
  readonly responseOptions: ResponseOptions
}

export const readResourceRequest = async (
  resource: ResourceTarget,
  exchange: HttpExchange,
  {
    services,
    params,
    user
  }: { readonly services: ApiServices; readonly params: URLSearchParams; readonly user: UserInfo }
): Promise<ResourceRequest> => {
  const { request, warn } = exchange
  const { method = "GET", headers } = request
  const { "user-agent": userAgent = "" } = headers
  const query = parseQuery(params)
  const wantsWatch = resource.isWatchPath || query.flag("watch")
  const route = findRoute(method, resource, { wantsWatch, kinds: servedResources(services).kinds })
  const format = negotiateFormat(headers.accept)
  const body = hasBody(method) ? await readRequestBody(request) : noBody
  exchange.logEntry?.setBody(body, loggedBodyReader)
  const { kind } = route.target
  const warning = deprecationWarningOf(kind) ?? kind.custom?.deprecationWarning
  if (warning !== undefined) warn(warning)
  const pretty = query.text("pretty") === undefined ? isReadByPerson(userAgent) : query.flag("pretty")
  return {
    route,
    responseOptions: { format: format, query, kind, nowMillis: services.nowMillis(), pretty },
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
