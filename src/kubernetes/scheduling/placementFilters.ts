import { hasFreeDisks } from "./diskConflicts.ts"
import { hasFreePorts } from "./hostPorts.ts"
import { satisfiesPodAffinity } from "./interPodAffinity.ts"
import { fitsResources } from "./nodeResources.ts"
import {
  isSchedulableNode,
  matchesNodeAffinity,
  requiredNodeNames,
  toleratesTaints,
  unnamedNodeObstacle
} from "./nodeSelection.ts"
import { hasRoomForVolumes } from "./volumeLimits.ts"
import { hasFreeClaims, isInVolumeZones, reachesVolumes } from "./volumePlacement.ts"
import { spreadsEvenly } from "./topologySpread.ts"
import type { Node } from "../meta/objects.ts"
import type { NodeCheck, Obstacle, PodToPlace, PlacementFilter, NodeInfos } from "./placementFilter.ts"

/** The names of upstream's plugins. */
export type FilterName =
  | "NodeUnschedulable"
  | "TaintToleration"
  | "NodeAffinity"
  | "NodePorts"
  | "NodeResourcesFit"
  | "VolumeRestrictions"
  | "NodeVolumeLimits"
  | "VolumeBinding"
  | "VolumeZone"
  | "PodTopologySpread"
  | "InterPodAffinity"

/** The order is upstream's, since only the first obstacle is reported. Source: default_plugins.go. */
const placementFilters: ReadonlyArray<readonly [name: FilterName, filter: PlacementFilter]> = [
  ["NodeUnschedulable", isSchedulableNode],
  ["TaintToleration", toleratesTaints],
  ["NodeAffinity", matchesNodeAffinity],
  ["NodePorts", hasFreePorts],
  ["NodeResourcesFit", fitsResources],
  ["VolumeRestrictions", hasFreeDisks],
  ["VolumeRestrictions", hasFreeClaims],
  ["NodeVolumeLimits", hasRoomForVolumes],
  ["VolumeBinding", reachesVolumes],
  ["VolumeZone", isInVolumeZones],
  ["PodTopologySpread", spreadsEvenly],
  ["InterPodAffinity", satisfiesPodAffinity]
]

export interface PlacementChecks {
  /** Why no node may take the Pod. */
  readonly refusal: { readonly filter: FilterName; readonly reason: string } | undefined
  readonly obstacle: (node: Node, onFailure?: (filter: FilterName) => void) => Obstacle | undefined
}

export const prepareChecks = (pod: PodToPlace, nodeInfos: NodeInfos): PlacementChecks => {
  const checks: Array<readonly [filter: FilterName, check: NodeCheck]> = []
  for (const [filterName, filter] of placementFilters) {
    const nodeCheck = filter(pod, nodeInfos)
    if (typeof nodeCheck === "string")
      return {
        refusal: { filter: filterName, reason: nodeCheck },
        obstacle: () => ({ reasons: [nodeCheck], isUnresolvable: true })
      }
    if (nodeCheck !== undefined) checks.push([filterName, nodeCheck])
  }
  const names = pod.spec.affinity === undefined ? undefined : requiredNodeNames(pod.spec)
  return {
    refusal: undefined,
    obstacle: (node, onFailure) => {
      if (names !== undefined && !names.has(node.metadata.name)) {
        onFailure?.("NodeAffinity")
        return unnamedNodeObstacle
      }
      for (const [filter, check] of checks) {
        const obstacle = check(node)
        if (obstacle === undefined) continue
        onFailure?.(filter)
        return obstacle
      }
      return undefined
    }
  }
}
