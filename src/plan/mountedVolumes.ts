import { allContainersOf } from "./draftPodSpec.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../kubernetes/meta/objects.ts"

/**
 * Volumes that no container mounts are not set up. Source:
 * pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go (processPodVolumes).
 */
export const mountedVolumesOf = (spec: Partial<PodSpec>): ReadonlyArray<Core.Volume> => {
  const { volumes = [] } = spec
  if (volumes.length === 0) return volumes
  const mountedNames = new Set(
    allContainersOf(spec).flatMap(({ volumeMounts = [], volumeDevices = [] }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name)
    )
  )
  return volumes.filter(({ name }) => mountedNames.has(name))
}

/** The kubelet no longer loads their plugins. Source: cmd/kubelet/app/plugins.go, the GitRepoVolumeDriver gate. */
export const formerVolumeSources = [
  "cephfs",
  "flocker",
  "gitRepo",
  "glusterfs",
  "photonPersistentDisk",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos"
] as const

/** The drivers that replace these plugins are not played. Source: the CSI migration, csi-translation-lib. */
export const driverVolumeSources = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cinder",
  "flexVolume",
  "gcePersistentDisk",
  "portworxVolume",
  "vsphereVolume"
] as const
