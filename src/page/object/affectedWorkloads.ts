import { addressHash, isAddressKind } from "../pageAddress.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { hasForecast } from "../forecast/followForecast.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import type { Fleet } from "../history/fleet.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/** The object itself, or the workloads of its Pods: first the workload with the most of them. */
export const affectedWorkloads = (address: PageAddress, fleet: Fleet): ReadonlyArray<PageAddress> => {
  if (hasForecast(address)) return [address]
  const workloads = [...fleet.pods.values()]
    .filter((pod) => isAffected(pod, address))
    .flatMap((pod) => workloadOf(pod, fleet) ?? [])
    .filter(hasForecast)
  return [...Map.groupBy(workloads, addressHash).values()]
    .sort((a, b) => b.length - a.length)
    .flatMap(([workload]) => workload ?? [])
}

const isAffected = (pod: Pod, { kind, namespace, name }: PageAddress): boolean =>
  kind === "Node"
    ? pod.spec.nodeName === name && !isPodFinished(pod)
    : kind === "Pod" && pod.metadata.name === name && pod.metadata.namespace === namespace

const workloadOf = (pod: Pod, fleet: Fleet): PageAddress | undefined => {
  const owner = controllerOf(pod)
  const replicaSet = fleet.replicaSets.get(owner?.uid ?? "")
  const { kind, name } = (replicaSet === undefined ? undefined : controllerOf(replicaSet)) ?? owner ?? {}
  if (kind === undefined || name === undefined || !isAddressKind(kind)) return undefined
  return { kind, namespace: pod.metadata.namespace ?? "", name }
}
