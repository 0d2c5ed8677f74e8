import { parseAllDocuments } from "yaml"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connectToApiServer } from "../../src/client/apiConnection.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { readCredentials } from "../../src/client/credentials.ts"
import { readKubeContext } from "../../src/client/kubeContext.ts"
import { sleepUnlessAborted } from "../../src/client/sleepUnlessAborted.ts"
import { steerManifests } from "../../src/steer/steerManifests.ts"
import { shopBehaviours } from "../steering/steeredShop.ts"
import type { HttpRequest } from "../../src/client/requestSender.ts"
import type { HttpResponse } from "../../src/client/apiConnection.ts"
import type { KubeContext } from "../../src/client/kubeContext.ts"
import type { LeaseDurations } from "../../src/client/leaderElection.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"
import type { RemoteCluster } from "../../src/client/remoteCluster.ts"
import type { SteerClock } from "../../src/steer/steerOptions.ts"

/**
 * The cluster that the suite runs against: one of this project in this process on a fast clock, or the one of the
 * kubeconfig in `CHARTHOUSE_UPSTREAM_KUBECONFIG`, whose kubelets never pull images with `bad` and restart those with
 * `crash`.
 */
export interface SteerTarget {
  readonly context: KubeContext
  /** The context of a steering process in a namespace: on a real cluster with the rights that its manifests give. */
  readonly steeringContext: (namespace: string) => Promise<KubeContext>
  readonly cluster: RemoteCluster
  readonly durations: LeaseDurations
  readonly makeClock: (options?: { readonly aheadMillis?: number }) => SteerClock
  readonly isReal: boolean
  readonly close: () => Promise<void>
}

export const upstreamKubeconfig = process.env["CHARTHOUSE_UPSTREAM_KUBECONFIG"]

interface OwnTargetOptions {
  /** Processes of their own have the machine's clock: then the cluster must have it, too. */
  readonly speed?: number
  /** kubectl sends no token without it. */
  readonly tls?: boolean
}

export const openSteerTarget = (options: OwnTargetOptions = {}): Promise<SteerTarget> =>
  upstreamKubeconfig === undefined ? openOwnTarget(options) : openRealTarget(upstreamKubeconfig)

const openOwnTarget = async ({ speed = 20, tls = false }: OwnTargetOptions): Promise<SteerTarget> => {
  const cluster = await openCluster({
    seed: 23,
    clock: { speed },
    ...(speed === 1 ? { startMillis: Date.now(), behaviour: "instant" } : {}),
    behaviours: [...shopBehaviours, { name: "bad", match: { image: "*:bad" }, pull: { failures: "forever" } }]
  })
  // The controller under test runs outside.
  await cluster.fault({ fault: "controllerStopped", controller: "steering" })
  const served = await cluster.serve({ tls })
  const folder = mkdtempSync(join(tmpdir(), "charthouse-steer-"))
  const path = join(folder, "config")
  writeFileSync(path, served.kubeconfig)
  const remote = await openRemoteCluster({ kubeconfig: path })
  const context = readKubeContext({ path, env: {} })
  return {
    context,
    steeringContext: async () => context,
    cluster: remote,
    // Long enough for a machine that is busy.
    durations: { leaseMillis: 40_000, renewDeadlineMillis: 20_000, retryMillis: 2000 },
    makeClock: ({ aheadMillis = 0 } = {}) => makeClock(speed, cluster.now().getTime() + aheadMillis),
    isReal: false,
    close: async () => {
      remote.close()
      await served.stop()
      await cluster.close()
      rmSync(folder, { recursive: true })
    }
  }
}

const openRealTarget = async (path: string): Promise<SteerTarget> => {
  const remote = await openRemoteCluster({ kubeconfig: path })
  const context = readKubeContext({ path, env: {} })
  return {
    context,
    steeringContext: (namespace) => serviceAccountContext(remote, context, namespace),
    cluster: remote,
    durations: { leaseMillis: 3000, renewDeadlineMillis: 2000, retryMillis: 400 },
    makeClock: ({ aheadMillis = 0 } = {}) => makeClock(1, Date.now() + aheadMillis),
    isReal: true,
    close: async () => remote.close()
  }
}

/** One request over a connection of its own. */
export const requestOnce = async (context: KubeContext, request: HttpRequest): Promise<HttpResponse> => {
  const connection = await connectToApiServer(context, () => readCredentials(context.user))
  try {
    return await connection.request(request)
  } finally {
    connection.close()
  }
}

/** The service account and the Roles of `charthouse steer manifests`, and a token of that account. */
const serviceAccountContext = async (
  cluster: RemoteCluster,
  context: KubeContext,
  namespace: string
): Promise<KubeContext> => {
  const manifests = steerManifests({ namespace, namespaces: [namespace], image: "none" })
  for (const document of parseAllDocuments(manifests)) {
    const object = document.toJS() as Manifest
    if (/^(ServiceAccount|Role|RoleBinding)$/u.test(object.kind)) await cluster.create(object)
  }
  const { body } = await requestOnce(context, {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/charthouse-steer/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } }
  })
  const { token } = (body as { readonly status: { readonly token: string } }).status
  return { ...context, user: { name: "charthouse-steer", fields: { token }, folder: "" } }
}

const makeClock = (speed: number, startMillis: number): SteerClock => {
  const began = performance.now()
  const elapsedMillis = (): number => (performance.now() - began) * speed
  return {
    speed,
    elapsedMillis,
    nowMillis: () => startMillis + elapsedMillis(),
    sleep: (millis, signal) => sleepUnlessAborted(Math.max(0, millis) / speed, signal),
    random: () => 0.5
  }
}
