import type * as Core from "kubernetes-types/core/v1.js"
import { toObjectKey } from "../meta/objects.ts"
import { controllerReference } from "../meta/ownerReferences.ts"
import type { Draft, Key, Pod, PodSpec } from "../meta/objects.ts"
import type { PersistentVolumeClaim } from "./storageTypes.ts"

export interface PodClaim {
  readonly name: string
  readonly isEphemeral: boolean
}

export const podClaims = ({ metadata, spec }: Pick<Pod, "metadata" | "spec">): ReadonlyArray<PodClaim> =>
  usesClaims(spec) ? (spec.volumes ?? []).flatMap((volume) => claimOfVolume(metadata.name, volume)) : noClaims

const noClaims: ReadonlyArray<PodClaim> = []

/** Memoized by the list of volumes, which Pods of one template share. */
export const usesClaims = ({ volumes }: PodSpec): boolean => {
  if (volumes === undefined) return false
  const cached = usesByVolumes.get(volumes)
  if (cached !== undefined) return cached
  const uses = volumes.some((it) => it.persistentVolumeClaim !== undefined || it.ephemeral !== undefined)
  usesByVolumes.set(volumes, uses)
  return uses
}

const usesByVolumes = new WeakMap<object, boolean>()

const claimOfVolume = (
  podName: string,
  { name, persistentVolumeClaim, ephemeral }: Core.Volume
): ReadonlyArray<PodClaim> => {
  if (persistentVolumeClaim !== undefined)
    return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }]
  return ephemeral === undefined ? noClaims : [{ name: `${podName}-${name}`, isEphemeral: true }]
}

export const podClaimKeys = (pod: Pick<Pod, "metadata" | "spec">): ReadonlyArray<Key> =>
  usesClaims(pod.spec)
    ? [...new Set(podClaims(pod).map(({ name }) => toObjectKey(pod.metadata.namespace, name)))]
    : noKeys

const noKeys: ReadonlyArray<Key> = []

/** False for a claim of the same name that a client made. */
export const isClaimOfPod = (pod: Pick<Pod, "metadata">, { metadata }: PersistentVolumeClaim): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ uid, controller }) => controller === true && uid === pod.metadata.uid
  )

/** Source: ephemeral/controller.go (handleVolume). */
export const ephemeralClaimDrafts = (pod: Pod): ReadonlyArray<Draft> =>
  (pod.spec.volumes ?? []).flatMap(({ name, ephemeral }) => {
    const template = ephemeral?.volumeClaimTemplate
    if (template === undefined) return []
    const { namespace = "", name: podName } = pod.metadata
    const { labels, annotations } = template.metadata ?? {}
    const metadata = {
      name: `${podName}-${name}`,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(pod)]
    }
    return [{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: template.spec } as Draft]
  })
