import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { apiOperations } from "./apiOperations.ts"
import { CannotServe } from "./cannotServe.ts"
import type { InvalidOptions } from "../../options/invalidOptions.ts"
import { serverNames } from "../../server/access/serverNames.ts"
import { kubeconfigText } from "../../server/access/kubeconfigEntries.ts"
import { startApiServer } from "../../server/apiServer.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { checkServeOptions, serverLimits } from "./checkServeOptions.ts"
import type { RequestLogAndInterceptors } from "../../server/requestHandler.ts"
import type { ApiCluster } from "./apiOperations.ts"
import type { ClusterService } from "../clusterService.ts"
import type { RunningServer, ServeOptions } from "./serveOptions.ts"

const tokenBytes = 24
export const randomToken = (): string => randomBytes(tokenBytes).toString("base64url")

const hostDefault = "127.0.0.1"

/** The server runs until the scope ends. */
export const serve = Effect.fnUntraced(function* (
  cluster: ApiCluster & Pick<ClusterService, "publishCertificate">,
  options: ServeOptions = {},
  traffic?: RequestLogAndInterceptors
): Effect.fn.Return<RunningServer, CannotServe | InvalidOptions, Scope> {
  const invalidOptions = checkServeOptions(options)
  if (invalidOptions !== undefined) return yield* invalidOptions
  const { name = "charthouse" } = options
  const storedServing = cluster.durability?.serving()
  const { host = storedServing?.host ?? hostDefault, tls = storedServing?.tls ?? true } = options
  // Clients find a restarted cluster at its former port.
  const port = options.port ?? storedServing?.port ?? 0
  const pagePort = options.pagePort ?? storedServing?.pagePort ?? 0
  const page = options.page === true ? yield* loadPageFiles : undefined
  const token = options.token ?? storedServing?.token ?? randomToken()
  const storedCertificates = storedServing?.host === host ? storedServing.certificates : undefined
  const certificates = tls
    ? (storedCertificates ?? (yield* Effect.promise(() => certificatesFor(host))))
    : undefined
  const { url, pageUrl } = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () =>
        startApiServer({
          ...apiOperations(cluster, traffic),
          host,
          port,
          pagePort,
          token,
          certificates,
          page,
          limits: serverLimits(options)
        }),
      catch: (error) =>
        new CannotServe({ address: addressIn(error, host, port), why: systemErrorText(error) })
    }),
    (server) => Effect.promise(server.close)
  )
  if (certificates !== undefined) yield* cluster.publishCertificate(certificates.ca)
  cluster.durability?.setServing({
    host,
    port: portOf(url),
    pagePort: pageUrl === undefined ? pagePort : portOf(pageUrl),
    token,
    tls,
    ...(certificates === undefined ? {} : { certificates })
  })
  const access = { name, url, ca: certificates?.ca, token }
  return {
    ...access,
    kubeconfig: kubeconfigText(access),
    page: pageUrl === undefined ? undefined : `${pageUrl}#token=${encodeURIComponent(token)}`
  }
})

const portOf = (url: string): number => Number(new URL(url).port)

const addressIn = (error: unknown, host: string, port: number): string => {
  const unavailablePort =
    error instanceof Error && "port" in error && typeof error.port === "number" ? error.port : port
  return unavailablePort === 0 ? host : `${host}:${unavailablePort}`
}

const loadPageFiles = Effect.promise(
  async () => (await import("../../server/charthouse/pageFiles.ts")).pageFiles
)

const certificatesFor = async (host: string) => {
  const { generateCertificates } = await import("../../server/access/serverCertificates.ts")
  return generateCertificates(serverNames(host))
}
