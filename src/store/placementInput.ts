import {
  daemonPlacementDeadlockText,
  placementDeadlockText
} from "../kubernetes/scheduling/placementDeadlock.ts"
import { podsOfDeployment, podsOfWorkload } from "./ownerLookup.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject } from "../kubernetes/meta/objects.ts"
import type { PlacementInput } from "../kubernetes/scheduling/placementDeadlock.ts"
import type { StorageObjects } from "../kubernetes/storage/storageObjects.ts"
import type { ClusterView } from "./objectStore.ts"

type CsiNode = KubeObject & { readonly spec?: Storage.CSINodeSpec }

const noLimits: ReadonlyMap<string, number> = new Map()

export const storageObjectsOf = (view: ClusterView["Service"]): StorageObjects => ({
  claim: (key) => view.get(resources.persistentVolumeClaims, key),
  volume: (name) => view.get(resources.persistentVolumes, name),
  volumes: () => view.all(resources.persistentVolumes),
  storageClass: (name) => view.get(resources.storageClasses, name),
  volumeLimits: (nodeName) => {
    const csiNode: CsiNode | undefined = view.get("csinodes.storage.k8s.io", nodeName)
    const { drivers = [] } = csiNode?.spec ?? {}
    const limits = drivers.flatMap(({ name, allocatable }) =>
      allocatable?.count === undefined ? [] : [[name, allocatable.count] as const]
    )
    return limits.length === 0 ? noLimits : new Map(limits)
  },
  podsUsing: (key) => view.claimPods.using(key)
})

export const placementInputOf = (view: ClusterView["Service"]): PlacementInput => ({
  nodes: [...view.all(resources.nodes)],
  pods: [...view.all(resources.pods)],
  namespaces: Array.from(view.all(resources.namespaces), ({ metadata }) => ({
    name: metadata.name,
    labels: metadata.labels
  })),
  storage: storageObjectsOf(view)
})

/** A sentence if new Pods of a Deployment wait for room that only its old Pods would free. */
export const placementDeadlockTextIn = (
  view: ClusterView["Service"],
  deployment: Deployment
): string | undefined =>
  placementDeadlockText(deployment, podsOfDeployment(view, deployment), () => placementInputOf(view))

export const daemonPlacementDeadlockTextIn = (
  view: ClusterView["Service"],
  daemonSet: DaemonSet
): string | undefined =>
  daemonPlacementDeadlockText(daemonSet, podsOfWorkload(view, resources.daemonSets, daemonSet), () =>
    placementInputOf(view)
  )
