import { deprecationWarningOf } from "../kubernetes/admission/admit.ts"
import { negotiateFormat } from "./http/negotiateFormat.ts"
import { readRequestContent } from "./requests/readRequestContent.ts"
import { parseQuery } from "./http/queryParameters.ts"
import { loggedBodyReader } from "./requests/loggedBodies.ts"
import { findRoute } from "./findRoute.ts"
import { servedResources } from "./servedResources.ts"
import type { ApiServices, ApiCall } from "./requests/apiCall.ts"
import type { HttpExchange } from "./requests/httpExchange.ts"
import type { ResponseOptions } from "./responses/responseText.ts"
import type { ApiRoute } from "./findRoute.ts"
import type { ResourceTarget } from "./http/requestTarget.ts"
import type { UserInfo } from "../kubernetes/meta/userInfo.ts"

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
  exchange.route = route
  const format = negotiateFormat(headers.accept)
  const { body, contentType } = await readRequestContent(exchange)
  exchange.logEntry?.setBody(body, loggedBodyReader)
  const { kind } = route.target
  const warning = deprecationWarningOf(kind) ?? kind.custom?.deprecationWarning
  if (warning !== undefined) warn(warning)
  const pretty = query.text("pretty") === undefined ? isReadByPerson(userAgent) : query.flag("pretty")
  return {
    route,
    responseOptions: { format, query, kind, nowMillis: services.nowMillis, pretty },
    call: {
      services: isWriteMethod(method) ? services : servicesForReads(services),
      method,
      target: route.target,
      query,
      contentType,
      userAgent,
      user,
      body,
      warn
    }
  }
}

const isWriteMethod = (method: string): boolean => method !== "GET" && method !== "HEAD"

/** Reads may be stale by a fault, which gives clients an older view; writes never are. */
const servicesForReads = (services: ApiServices): ApiServices => {
  const view = services.viewOfLatestReads?.() ?? services.view
  return view === services.view ? services : { ...services, view }
}

const isReadByPerson = (userAgent: string): boolean => /^(curl|Wget|Mozilla)\//.test(userAgent)
