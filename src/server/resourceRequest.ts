import { deprecationWarningOf } from "../kubernetes/admission/admit.ts"
import { negotiateFormat } from "./http/negotiateFormat.ts"
import { readRequestContent } from "./requests/readRequestContent.ts"
import { isParsedAsTrue, parseQuery } from "./http/queryParameters.ts"
import { loggedBodyReader } from "./requests/loggedBodies.ts"
import { findRoute } from "./findRoute.ts"
import { servedResources } from "./servedResources.ts"
import type { ApiServices, ApiCall } from "./requests/apiCall.ts"
import type { HttpExchange } from "./requests/httpExchange.ts"
import type { ResponseOptions } from "./responses/responseText.ts"
import type { ApiRoute } from "./findRoute.ts"
import type { ResourceTarget } from "./http/requestTarget.ts"
import type { UserInfo } from "../kubernetes/meta/userInfo.ts"

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
  const prettyText = query.text("pretty")
  const pretty = prettyText === undefined ? isReadByPerson(userAgent) : isParsedAsTrue(prettyText)
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

/** A fault may make reads stale, but never writes. */
const servicesForReads = (services: ApiServices): ApiServices => {
  const view = services.viewOfLatestReads?.() ?? services.view
  return view === services.view ? services : { ...services, view }
}

const isReadByPerson = (userAgent: string): boolean => /^(curl|Wget|Mozilla)\//.test(userAgent)
