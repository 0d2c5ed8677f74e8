import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isApproved } from "../../src/kubernetes/steering/gatedPods.ts"
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

/** Watches all Pods: none may lose its approval, and no Deployment whose first rollout is over may fall below its floor. */
export const gateObserver = ({ cluster, namespace, replicas, signal }: GateObserverOptions) => {
  const pods = new Map<string, Pod>()
  const watched = new Set<string>()
  const problems: Array<string> = []
  let readyMin = Infinity
  const check = (app: string): void => {
    if (!watched.has(app)) return
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
  const watch = async (): Promise<void> => {
    for await (const { type, object } of cluster.watch("pods", { namespace, signal, retries: 100 })) {
      const pod = object as Pod
      const before = pods.get(pod.metadata.name)
      if (before !== undefined && isApproved(before) && !isApproved(pod))
        problems.push(`${pod.metadata.name}: its approval was taken back`)
      if (type === "DELETED") pods.delete(pod.metadata.name)
      else pods.set(pod.metadata.name, pod)
      check(pod.metadata.labels?.["app"] ?? "")
    }
  }
  void watch().catch((error: unknown) => problems.push(`the watch of Pods ended: ${String(error)}`))
  return {
    /** The Deployment is complete: from now on it has its floor. */
    begin: (app: string): void => void watched.add(app),
    result: (): ObserverResult => ({ readyMin, problems })
  }
}
