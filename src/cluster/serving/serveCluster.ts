import { randomBytes } from "node:crypto"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { CannotServe } from "./cannotServe.ts"
import { InvalidOptions } from "../../options/invalidOptions.ts"
import { serverNames } from "../../server/access/serverNames.ts"
import { kubeconfigText } from "../../server/access/kubeconfigEntries.ts"
import { packageRoot } from "../../platform/packageRoot.ts"
import { startApiServer } from "../../server/apiServer.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { checkServeOptions, serverLimits } from "./serveOptions.ts"
import type { PageFiles } from "../../server/charthouse/pageFiles.ts"
import type { RequestTraffic } from "../../server/requestHandler.ts"
import type { ViewerRequest } from "../../recording/recordingViewer.ts"
import type { ClusterService } from "../clusterService.ts"
import type { Faults } from "../../faults/activeFaults.ts"
import type { RunningServer, ServeOptions } from "./serveOptions.ts"

const tokenBytes = 24
export const randomToken = (): string => randomBytes(tokenBytes).toString("base64url")

/** Distinguishes the recordings of two servers whose clusters started alike. */
const instanceBytes = 6
const hostDefault = "127.0.0.1"

/** Serves a cluster as a Kubernetes API until the scope ends. Every client with the token may do everything. */
export const serve = Effect.fnUntraced(function* (
  cluster: Pick<
    ClusterService,
    | "outside"
    | "view"
    | "nowMillis"
    | "publishCertificate"
    | "clock"
    | "faultInjector"
    | "advance"
    | "settle"
    | "snapshot"
    | "stepRecorder"
    | "clusterRecorder"
  >,
  options: ServeOptions = {},
  traffic?: RequestTraffic,
  /** Files of the page; by default those of the package, if the options ask for the page. */
  files?: PageFiles
): Effect.fn.Return<RunningServer, CannotServe | InvalidOptions, Scope> {
  const invalidOptions = checkServeOptions(options)
  if (invalidOptions !== undefined) return yield* invalidOptions
  const { host = hostDefault, port = 0, pagePort = 0, name = "charthouse", tls = true } = options
  const page = files ?? (options.page === true ? yield* builtPage : undefined)
  const token = options.token ?? randomToken()
  const certificates = tls ? yield* Effect.promise(() => certificatesFor(host)) : undefined
  const { nowMillis, stepRecorder } = cluster
  const { store, view: cached, latest, runWithFaults, watches, step, observers } = cluster.outside
  const services = { store, view: cluster.view, cached, latest, runWithFaults, watches, nowMillis }
  const clock = { ...cluster.clock, advance: cluster.advance, settle: cluster.settle }
  const faults = { nowMillis, begin: beginFault(cluster.faultInjector), active: cluster.faultInjector.active }
  const snapshot = Effect.flatMap(cluster.snapshot, (saved) =>
    Effect.promise(async () => (await import("../snapshots/snapshotText.ts")).snapshotText(saved))
  )
  const instance = randomBytes(instanceBytes).toString("base64url")
  const recording = Effect.flatMap(cluster.clusterRecorder, (recorder) =>
    Effect.promise(async () => {
      const { openRecordingViewer } = await import("../../recording/recordingViewer.ts")
      return { open: (request: ViewerRequest) => openRecordingViewer(recorder, request, instance) }
    })
  )
  const operations = { clock, faults, snapshot, why: stepRecorder, recording, observers }
  const { url, pageUrl } = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () =>
        startApiServer({
          services,
          ...operations,
          step,
          host,
          port,
          pagePort,
          token,
          certificates,
          traffic,
          page,
          limits: serverLimits(options)
        }),
      catch: (error) =>
        new CannotServe({ address: addressIn(error, host, port), why: systemErrorText(error) })
    }),
    (server) => Effect.promise(server.close)
  )
  if (certificates !== undefined) yield* cluster.publishCertificate(certificates.ca)
  const access = { name, url, ca: certificates?.ca, token }
  return {
    ...access,
    kubeconfig: kubeconfigText(access),
    page: pageUrl === undefined ? undefined : `${pageUrl}#token=${encodeURIComponent(token)}`
  }
})

const beginFault =
  ({ begin }: Faults) =>
  (given: unknown) =>
    Effect.flatMap(
      Effect.promise(() => import("../../faults/checkFault.ts")),
      ({ readFault }) => {
        const fault = readFault(given)
        return fault instanceof Error ? Effect.fail(fault) : begin(fault, { isValidated: true })
      }
    )

/** The address of the port that is not available: an error of the system names its port. */
const addressIn = (error: unknown, host: string, port: number): string => {
  const unavailablePort =
    error instanceof Error && "port" in error && typeof error.port === "number" ? error.port : port
  return unavailablePort === 0 ? host : `${host}:${unavailablePort}`
}

const builtPage = Effect.gen(function* () {
  const { readPageFiles } = yield* Effect.promise(() => import("../../server/charthouse/pageFiles.ts"))
  const page = readPageFiles(join(packageRoot(), "dist"))
  if (page !== undefined) return page
  return yield* new InvalidOptions({ problems: ["the page is not built: npm run build"] })
})

const certificatesFor = async (host: string) => {
  const { generateCertificates } = await import("../../server/access/serverCertificates.ts")
  return generateCertificates(serverNames(host))
}
