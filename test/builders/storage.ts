import { aManifest } from "./manifests.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../../src/kubernetes/storage/storageTypes.ts"

type ClaimSpec = PersistentVolumeClaim["spec"]
type VolumeSpec = PersistentVolume["spec"]

/** A claim of 1Gi, ReadWriteOnce, that names no class. */
export const claimManifest = (
  name: string,
  { storage = "1Gi", ...spec }: Partial<ClaimSpec> & { readonly storage?: string } = {},
  metadata: Draft["metadata"] = {}
): Draft & { readonly spec: ClaimSpec } =>
  aManifest(
    "PersistentVolumeClaim",
    { name, ...metadata },
    { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec } }
  )

/** A volume of 1Gi, ReadWriteOnce, of no class: a directory, unless the spec has another source. */
export const volumeManifest = (
  name: string,
  { storage = "1Gi", ...spec }: Partial<VolumeSpec> & { readonly storage?: string } = {},
  metadata: Draft["metadata"] = {}
): Draft & { readonly spec: VolumeSpec } => {
  const source = spec.csi === undefined && spec.nfs === undefined ? { hostPath: { path: "/data" } } : {}
  return aManifest(
    "PersistentVolume",
    { name, ...metadata },
    { spec: { accessModes: ["ReadWriteOnce"], capacity: { storage }, ...source, ...spec } }
  )
}

/** The volumes of a Pod that uses these claims, each under the claim's name. */
export const claimVolumes = (...names: ReadonlyArray<string>) => ({
  volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
})

/** Only this node reaches a volume. */
export const onlyOnNode = (name: string): Pick<VolumeSpec, "nodeAffinity"> => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [name] }] }
      ]
    }
  }
})
