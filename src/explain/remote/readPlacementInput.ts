import { allOrFirstError } from "../../client/allOrFirstError.ts"
import { unschedulableCondition } from "../../kubernetes/pods/podState.ts"
import { isForbidden } from "../../client/clientErrors.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { podClaimKeys, usesClaims } from "../../kubernetes/storage/podClaims.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { PlacementInput } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { StorageObjects } from "../../kubernetes/storage/storageObjects.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

type ListableCluster = Pick<RemoteCluster, "list">

/** Undefined if all Pods find a node, or if the client may not read the objects. */
export const readPlacementInput = async (
  remote: ListableCluster,
  { pods, nodes }: { readonly pods: ReadonlyArray<Pod>; readonly nodes: ReadonlyArray<Node> }
): Promise<PlacementInput | undefined> => {
  const unschedulable = pods.filter((pod) => unschedulableCondition(pod) !== undefined)
  if (unschedulable.length === 0) return undefined
  try {
    const [allPods, namespaces] = await allOrFirstError([
      remote.list(resources.pods),
      remote.list(resources.namespaces)
    ])
    const input = {
      nodes,
      pods: allPods.items,
      namespaces: withNameAndLabels(namespaces.items)
    }
    if (!unschedulable.some(({ spec }) => usesClaims(spec))) return input
    return { ...input, storage: await readStorage(remote, allPods.items) }
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

const withNameAndLabels = (
  items: ReadonlyArray<{ readonly metadata: Node["metadata"] }>
): NonNullable<PlacementInput["namespaces"]> =>
  items.map(({ metadata }) => ({ name: metadata.name, labels: metadata.labels }))

/** Limits of CSI drivers are not read. */
const readStorage = async (remote: ListableCluster, pods: ReadonlyArray<Pod>): Promise<StorageObjects> => {
  const [claimList, volumeList, classList] = await allOrFirstError([
    remote.list(resources.persistentVolumeClaims),
    remote.list(resources.persistentVolumes),
    remote.list(resources.storageClasses)
  ])
  const claims = new Map(claimList.items.map((it) => [objectKeyOf(it), it]))
  const volumes = new Map(volumeList.items.map((it) => [it.metadata.name, it]))
  const classes = new Map(classList.items.map((it) => [it.metadata.name, it]))
  return {
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    volumes: () => volumes.values(),
    storageClass: (name) => classes.get(name),
    volumeLimits: () => new Map<string, number>(),
    podsUsing: (key) => pods.filter((pod) => podClaimKeys(pod).includes(key))
  }
}
