import { controllerOf } from "../meta/ownerReferences.ts"
import { groupResourceOf, storedKindOfObject, resources } from "../meta/kinds.ts"
import { goQuote } from "../meta/text/goQuote.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { GroupResource } from "../meta/kinds.ts"
import type { KubeObject, Pod } from "../meta/objects.ts"

/** Each owner counts once. Source: disruption.go (getExpectedScale). */
type ExpectedScale =
  | {
      readonly total: number
      /** Names of Pods without a controller. */
      readonly unmanaged: ReadonlyArray<string>
    }
  | { readonly failure: string }

type FindOwner = (resource: GroupResource, name: string) => KubeObject | undefined

export const expectedScale = (pods: ReadonlyArray<Pod>, findOwner: FindOwner): ExpectedScale => {
  const scales = new Map<string, number>()
  const countedOwners = new Set<string>()
  const unmanaged: Array<string> = []
  for (const pod of pods) {
    const owner = controllerOf(pod)
    if (owner === undefined) {
      unmanaged.push(pod.metadata.name)
      continue
    }
    if (countedOwners.has(owner.uid)) continue
    countedOwners.add(owner.uid)
    const scale = scaleOf(owner, findOwner)
    if (scale === undefined) {
      return { failure: `found no controllers for pod ${JSON.stringify(pod.metadata.name)}` }
    }
    if ("failure" in scale) return scale
    scales.set(scale.uid, scale.replicas)
  }
  return { total: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged }
}

interface ScalableObject extends KubeObject {
  readonly spec?: { readonly replicas?: number }
}

type Scale = { readonly uid: string; readonly replicas: number } | { readonly failure: string }

/** For a ReplicaSet of a Deployment, the scale of the Deployment. Undefined if the owner does not exist. */
const scaleOf = (owner: OwnerReference, findOwner: FindOwner): Scale | undefined => {
  const kind = storedKindOfObject(owner)
  if (kind === undefined) {
    const version = goQuote(owner.apiVersion)
    return { failure: `no matches for kind ${goQuote(owner.kind)} in version ${version}` }
  }
  const resource = groupResourceOf(kind)
  if (!kind.subresources.some(({ name }) => name === "scale")) {
    return { failure: `${resource} does not implement the scale subresource` }
  }
  const object = ownerOfUid(findOwner, resource, owner)
  if (object === undefined) return undefined
  const controller = resource === resources.replicaSets ? controllerOf(object) : undefined
  const deployment =
    controller?.kind === "Deployment" ? ownerOfUid(findOwner, resources.deployments, controller) : undefined
  const { metadata, spec } = deployment ?? object
  return { uid: metadata.uid, replicas: spec?.replicas ?? 1 }
}

const ownerOfUid = (
  findOwner: FindOwner,
  resource: GroupResource,
  { name, uid }: OwnerReference
): ScalableObject | undefined => {
  const object: ScalableObject | undefined = findOwner(resource, name)
  return object?.metadata.uid === uid ? object : undefined
}
