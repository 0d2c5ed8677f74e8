import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { followObjects } from "./followObjects.ts"
import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { RemoteCluster } from "../../src/client/remoteCluster.ts"

interface GateObserverOptions {
  readonly cluster: RemoteCluster
  readonly namespace: string
  /** The floor of each Deployment, named by the label `app`. */
  readonly replicas: number
  readonly signal: AbortSignal
}

interface ObserverResult {
  readonly readyMin: number
  readonly problems: ReadonlyArray<string>
}

/**
 * Watches all Pods: none may lose its approval, and no Deployment whose first rollout is over may fall below its floor.
 */
export const gateObserver = ({ cluster, namespace, replicas, signal }: GateObserverOptions) => {
  const pods = new Map<string, Pod>()
  const completedDeployments = new Set<string>()
  const problems: Array<string> = []
  let readyMin = Infinity
  const check = (app: string): void => {
    if (!completedDeployments.has(app)) return
    const ready = [...pods.values()].filter(
      (pod) =>
        pod.metadata.labels?.["app"] === app &&
        isPodActive(pod) &&
        conditionOf(pod.status.conditions, "Ready")?.status === "True"
    ).length
    readyMin = Math.min(readyMin, ready)
    if (ready < replicas)
      problems.push(`${app}: ${ready} of ${replicas} Pods ready at ${new Date().toISOString()}`)
  }
  const observePod = (pod: Pod, { isDeleted }: { readonly isDeleted: boolean }): void => {
    const before = pods.get(pod.metadata.name)
    if (before !== undefined && isApproved(before) && !isApproved(pod))
      problems.push(`${pod.metadata.name}: its approval was taken back`)
    if (isDeleted) pods.delete(pod.metadata.name)
    else pods.set(pod.metadata.name, pod)
  }
  const watch = async (): Promise<void> => {
    for await (const it of followObjects(cluster, "pods", { namespace, signal })) {
      if (it.type === "change") {
        observePod(it.change.object as Pod, { isDeleted: it.change.type === "DELETED" })
        check(it.change.object.metadata.labels?.["app"] ?? "")
        continue
      }
      const names = new Set(it.objects.map(({ metadata }) => metadata.name))
      for (const name of pods.keys()) if (!names.has(name)) pods.delete(name)
      for (const pod of it.objects) observePod(pod as Pod, { isDeleted: false })
      for (const app of completedDeployments) check(app)
    }
  }
  void watch().catch((error: unknown) => problems.push(`the watch of Pods ended: ${String(error)}`))
  return {
    /** The Deployment is complete: from now on it has its floor. */
    begin: (app: string): void => void completedDeployments.add(app),
    result: (): ObserverResult => ({ readyMin, problems })
  }
}
