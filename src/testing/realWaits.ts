import { NotFound } from "../store/storeErrors.ts"
import { allOrFirstError } from "../client/allOrFirstError.ts"
import { explainerFor } from "../explain/remote/explainers.ts"
import { realNow, sleepRealTime } from "./realTime.ts"
import { requireWorkloadName, rolloutOutcome } from "../cluster/calls/rolloutWait.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { systemErrorText } from "../platform/systemErrorText.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { workloadResources, workloadStatus } from "../kubernetes/apps/workloadStatus.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"
import type { Duration, ObjectAddress } from "../cluster/calls/callOptions.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"
import type { TestObjectCalls } from "./testObjects.ts"
import type { TestOwnership } from "./testOwnership.ts"
import type { Workload, WorkloadResource } from "../kubernetes/apps/workloadStatus.ts"

export const pollMillis = 250
const defaultLimit = "10m"

interface RealWaitsOptions {
  readonly remote: RemoteCluster
  readonly namespaceOf: TestOwnership["namespaceOf"]
  readonly list: TestObjectCalls["list"]
  /** Ends the waits of a cluster that is closed. */
  readonly closed: AbortSignal
}

/** Waits in real time, by polling. */
export const realWaits = ({
  remote,
  namespaceOf,
  list,
  closed
}: RealWaitsOptions): Pick<ClusterUnderTest, "until" | "rollout" | "settle"> => {
  const until = async (
    isDone: (nowMillis: number) => boolean | Promise<boolean>,
    limit: Duration = defaultLimit
  ) => {
    const endMillis = realNow().getTime() + toDurationMillis(limit, "limit")
    for (;;) {
      if (await isDone(realNow().getTime())) return true
      if (realNow().getTime() >= endMillis) return false
      await sleepRealTime(pollMillis, closed)
      closed.throwIfAborted()
    }
  }
  return {
    until,
    rollout: async (text, options = {}) => {
      const { resource, name } = requireWorkloadName(text)
      const address = { resource, name, namespace: namespaceOf(options.namespace) }
      // Rejects if the workload does not exist. A later deletion is an outcome.
      let last: Workload | undefined = await remote.get(address)
      await until(async () => {
        last = await findWorkload(remote, address)
        return last === undefined || workloadStatus(resource, last).state !== "waiting"
      }, options.limit)
      const result = rolloutOutcome(resource, last)
      if (result.outcome !== "failed" && result.outcome !== "unfinished") return result
      const reasons = await readReasons({ ...remote, namespace: address.namespace }, `${resource}/${name}`)
      return { ...result, reasons }
    },
    // A real cluster does not say whether its actors still move: waits until no rollout is under way and no Pod
    // terminates.
    settle: (limit) =>
      until(async () => {
        const workloads = await allOrFirstError(
          workloadResources.map(async (resource) =>
            (await list(resource)).items.map((it) => workloadStatus(resource, it))
          )
        )
        const pods = await list(resources.pods)
        return (
          workloads.flat().every(({ state }) => state !== "waiting") &&
          pods.items.every(({ metadata }) => metadata.deletionTimestamp === undefined)
        )
      }, limit)
  }
}

const findWorkload = async (
  remote: RemoteCluster,
  address: ObjectAddress<WorkloadResource>
): Promise<Workload | undefined> => {
  try {
    return await remote.get(address)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

const readReasons = async (remote: RemoteCluster, object: string): Promise<ReadonlyArray<string>> => {
  try {
    const explanation = await explainerFor(object)?.(remote)
    return explanation?.stateExplanation.sentences ?? []
  } catch (error) {
    return [`Its Pods cannot be read: ${systemErrorText(error)}`]
  }
}
