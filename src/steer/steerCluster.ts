import { connectToApiServer } from "../client/apiConnection.ts"
import { makeClockCheck } from "./clockCheck.ts"
import { isForbidden } from "../client/clientErrors.ts"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { isInShard, leaseNameOf } from "./steerOptions.ts"
import { isSteered } from "../kubernetes/steering/steeringRecord.ts"
import { leaseDurationsDefault, startLeaderElection } from "../client/leaderElection.ts"
import { leaseRequests } from "./leaseRequests.ts"
import { makeRemoteObjectStore } from "./remoteObjectStore.ts"
import { makeRemoteView } from "./remoteView.ts"
import { makeResourceDiscovery } from "../client/resourceDiscovery.ts"
import { makeShadow } from "./shadow.ts"
import { makeSteerMeter } from "./steerMetrics.ts"
import { makeTimeline } from "../runtime/time/timeline.ts"
import { makeWriteFence } from "./writeFence.ts"
import { queueMetersOf } from "../runtime/workers/queueMeters.ts"
import { readCredentials } from "../client/credentials.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { runController } from "./runController.ts"
import { startInformers } from "./steerInformers.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { RemoteView } from "./remoteView.ts"
import type { RunningController } from "./runController.ts"
import type { Shadow } from "./shadow.ts"
import type { SteerOptions } from "./steerOptions.ts"

export interface RunningSteering {
  readonly isLeading: () => boolean
  /** False if the controller still steers although it no longer holds the Lease. */
  readonly isHealthy: () => boolean
  /** Undefined once all objects are known and all watches are open. */
  readonly whyNotReady: () => string | undefined
  readonly metricsText: () => string
  /** Stops writing, then releases the Lease, so that another process takes it at once. */
  readonly stop: () => Promise<void>
  /** Does not release the Lease, as after `kill -9`. */
  readonly kill: () => Promise<void>
}

const watchedResources = [
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.jobs,
  resources.services
]

/** A strategy may name Jobs and Services that no controller owns; all other watched objects have an owner. */
const resourcesViewedWithoutOwner: ReadonlySet<GroupResource> = new Set([resources.jobs, resources.services])

/**
 * Steers a cluster's Deployments from outside. Returns at once, even if the API server cannot be reached yet. Rejects
 * with `UnusableKubeconfig`.
 */
export const startSteering = async (options: SteerOptions): Promise<RunningSteering> => {
  const { context, clock, log, isShadow = false, lease = {}, identity } = options
  const durations = lease.durations ?? leaseDurationsDefault
  const connection = await connectToApiServer(context, () => readCredentials(context.user))
  const discovery = makeResourceDiscovery(connection)
  const abortController = new AbortController()
  const { signal } = abortController
  const timeline = makeTimeline({
    clock: clock.speed === 1 ? "real" : { speed: clock.speed },
    startMillis: clock.nowMillis()
  })
  let shadow: Shadow | undefined
  const remoteView: RemoteView = makeRemoteView({
    nowMillis: clock.nowMillis,
    toViewObject: (resource, object) => {
      const viewObject = selectForView(options, resource, object)
      return viewObject === undefined ? undefined : (shadow?.withUnsentChanges(viewObject) ?? viewObject)
    }
  })
  const meter = makeSteerMeter(remoteView.view, clock.elapsedMillis)
  const informers = startInformers({
    connection,
    discovery,
    remoteView,
    resources: watchedResources,
    namespaces: options.namespaces,
    clock,
    log,
    meter,
    signal
  })
  const clockCheck = makeClockCheck(clock)
  let controller: RunningController | undefined
  const writeFence = makeWriteFence({
    conditions: [
      () => (signal.aborted ? "the controller stops" : undefined),
      () => (election?.isLeading() === true ? undefined : "the Lease is not held"),
      informers.whyNotCurrent,
      clockCheck.whyWrong
    ],
    elapsedMillis: clock.elapsedMillis
  })
  const remoteStore = makeRemoteObjectStore({
    connection,
    discovery,
    writeFence,
    // A write that is sent right before the Lease ends must be over before another leader writes.
    timeoutMillis: durations.leaseMillis - durations.renewDeadlineMillis,
    sleep: clock.sleep,
    onWritten: remoteView.applyWriteAnswer,
    onRequest: (verb, resource, error) =>
      meter.count("requests_total", { verb, resource, result: requestResult(error) })
  })
  if (isShadow) shadow = makeShadow(remoteStore, remoteView.refresh)
  const startController = (): void => {
    controller ??= runController({
      options,
      kernel: timeline.kernel,
      view: remoteView.view,
      store: shadow?.store ?? remoteStore,
      shadow,
      meter
    })
  }
  const stopOwnController = async (): Promise<void> => {
    const running = controller
    controller = undefined
    await running?.stop()
  }
  const election = isShadow
    ? undefined
    : startLeaderElection({
        identity,
        durations,
        requests: leaseRequests(connection, {
          namespace: lease.namespace ?? context.namespace,
          name: leaseNameOf(options),
          onServerTime: clockCheck.compareWithServer
        }),
        clock,
        onLeading: () => {
          log("info", "leading", { identity })
          startWhenSynced()
        },
        onLost: (why) => {
          log("warn", "no longer leading", { identity, why })
          void stopOwnController()
        },
        onFailure: (error) =>
          log(isForbidden(error) ? "error" : "warn", "the Lease could not be written", {
            error: errorText(error)
          })
      })
  const startWhenSynced = (): void => {
    void informers.synced.then(() => {
      if (!signal.aborted && (isShadow || election?.isLeading() === true)) startController()
    })
  }
  void informers.synced.then(() => {
    if (!signal.aborted) log("info", "all objects are known", objectCountsOf(remoteView))
  })
  if (isShadow) startWhenSynced()

  const end = async ({ releasesLease }: { readonly releasesLease: boolean }): Promise<void> => {
    abortController.abort()
    await stopOwnController()
    await election?.stop({ releasesLease })
    await informers.ended
    connection.close()
    timeline.close()
    if (releasesLease) log("info", "stopped", { identity })
  }
  const whyNotReady = (): string | undefined => informers.whyNotCurrent() ?? clockCheck.whyWrong()
  let ending: Promise<void> | undefined
  return {
    isLeading: () => election?.isLeading() ?? false,
    isHealthy: () => controller === undefined || isShadow || election?.isLeading() === true,
    whyNotReady,
    metricsText: () =>
      meter.text({
        isLeading: election?.isLeading() ?? false,
        leaseTransitions: election?.transitions() ?? 0,
        isReady: whyNotReady() === undefined,
        queues: queueMetersOf(timeline.kernel)
      }),
    stop: () => (ending ??= end({ releasesLease: true })),
    kill: () => {
      connection.close()
      return (ending ??= end({ releasesLease: false }))
    }
  }
}

const requestResult = (error: unknown): string =>
  error === undefined ? "ok" : error instanceof Error && "_tag" in error ? String(error._tag) : "failed"

const objectCountsOf = ({ view }: RemoteView): Readonly<Record<string, number>> =>
  Object.fromEntries(watchedResources.map((resource) => [resource, [...view.all(resource)].length]))

/** Undefined to leave the object out. Omits managed fields, which take most memory. */
const selectForView = (
  { shard }: SteerOptions,
  resource: GroupResource,
  object: KubeObject
): KubeObject | undefined => {
  if (shard !== undefined && !isInShard(object.metadata.namespace ?? "", shard)) return undefined
  if (resource === resources.deployments) return isSteered(object) ? object : undefined
  const isOwned = object.metadata.ownerReferences?.some(({ controller }) => controller === true)
  if (isOwned !== true && !resourcesViewedWithoutOwner.has(resource)) return undefined
  // The server keeps managed fields that a write leaves out.
  const { managedFields: _managedFields, ...metadata } = object.metadata
  return { ...object, metadata }
}
