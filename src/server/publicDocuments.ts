import { openIdConfiguration, openIdPaths, tokenIssuerOf } from "./access/tokenIssuer.ts"
import { discoveryDocument } from "./discovery/discoveryDocument.ts"
import type { ApiServices } from "./requests/apiCall.ts"
import { indentedDocument, jsonDocument } from "./http/apiDocument.ts"
import type { ApiDocument } from "./http/apiDocument.ts"
import type { IncomingRequest } from "./http/httpMessages.ts"
import { servedResources } from "./servedResources.ts"

export const publicDocument = async (
  path: string,
  { services, request }: { readonly services: ApiServices; readonly request: IncomingRequest }
): Promise<ApiDocument | undefined> => {
  const { accept, host = "" } = request.headers
  if (healthPaths.test(path))
    return /[?&]verbose\b/.test(request.url ?? "") ? verboseHealth(path) : healthDocument
  if (path === openIdPaths.configuration) return jsonDocument(openIdConfiguration(host))
  if (path === openIdPaths.keys)
    return jsonDocument(tokenIssuerOf(services.view).keySet, "application/jwk-set+json")
  if (path === "/version") return indentedDocument(kubernetesVersion)
  const { kinds, customResources } = servedResources(services)
  if (path.startsWith("/openapi")) {
    const { publishedOpenApi } = await import("./openapi/publishedOpenApi.ts")
    return publishedOpenApi(path, { accept, customResources })
  }
  if (path === "/") return indentedDocument({ paths: rootPaths(kinds) })
  return discoveryDocument(path, { accept, kinds, serverAddress: host })
}

const healthDocument: ApiDocument = {
  contentType: "text/plain; charset=utf-8",
  etag: '"ok"',
  body: "ok"
}
const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/

const verboseHealth = (path: string): ApiDocument => {
  const body = `[+]ping ok\n${path.slice(1)} check passed\n`
  return { ...healthDocument, etag: '"verbose"', body }
}

const rootPaths = (kinds: ReadonlyArray<{ readonly group: string; readonly version: string }>) => {
  const groups = new Set(
    kinds.flatMap(({ group, version }) =>
      group === "" ? ["/api", `/api/${version}`] : ["/apis", `/apis/${group}`, `/apis/${group}/${version}`]
    )
  )
  const others = ["/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]
  return [...groups, ...others, ...Object.values(openIdPaths)].sort()
}

/** Most fields are empty: nothing was built with Go. */
const kubernetesVersion = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.2",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "charthouse/amd64"
}
