import * as Effect from "effect/Effect"
import { compileGlob } from "../../behaviours/matchBehaviours.ts"
import { controllingOwner } from "../../store/ownerLookup.ts"
import { compareByKey, toObjectKey } from "../../kubernetes/meta/objects.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { FaultRefused, refusedByStore } from "../faultRefused.ts"
import { randomFor, drawSubset } from "../seededDraws.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { FaultName } from "../fault.ts"
import type { PodChoice } from "../schemas/faultFields.ts"

type View = ClusterView["Service"]

export const isChosen = (view: View, choice: PodChoice, pod: Pod): boolean => {
  const { metadata, spec } = pod
  const namespace = namespaceOf(choice)
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  if (choice.node !== undefined && spec.nodeName !== choice.node) return false
  if (choice.name !== undefined && !compileGlob(choice.name)(metadata.name)) return false
  const labels = Object.entries(choice.labels ?? {})
  if (labels.some(([label, value]) => metadata.labels?.[label] !== value)) return false
  return choice.deployment === undefined || isOfDeployment(view, choice, pod)
}

/** A Deployment without namespace is in `default`. Without a Deployment, Pods of all namespaces match. */
const namespaceOf = ({ namespace, deployment }: PodChoice): string | undefined =>
  namespace ?? (deployment === undefined ? undefined : "default")

const isOfDeployment = (view: View, { deployment: name, revision }: PodChoice, pod: Pod): boolean => {
  const replicaSet = controllingOwner(view, resources.replicaSets, pod)
  if (replicaSet === undefined) return false
  const deployment = controllingOwner(view, resources.deployments, replicaSet)
  if (deployment === undefined || deployment.metadata.name !== name) return false
  if (revision === undefined) return true
  return isSameTemplate(replicaSet.spec.template, deployment.spec.template) === (revision === "new")
}

/** Refuses a choice that names missing objects. A choice without any matching Pod is valid. */
export const checkChoice = (
  view: View,
  fault: FaultName,
  choice: PodChoice
): Effect.Effect<void, FaultRefused> => {
  const { revision, deployment } = choice
  if (revision !== undefined && deployment === undefined) {
    const why = "pods.revision says which Pods of a Deployment: it needs pods.deployment"
    return Effect.fail(new FaultRefused({ fault, why }))
  }
  const missing = missingObject(view, choice)
  return missing === undefined ? Effect.void : Effect.fail(refusedByStore(fault, missing))
}

const missingObject = (view: View, choice: PodChoice): NotFound | undefined => {
  const { namespace, deployment, node } = choice
  if (namespace !== undefined && view.get(resources.namespaces, namespace) === undefined) {
    return new NotFound({ resource: resources.namespaces, resourceName: namespace })
  }
  if (deployment !== undefined) {
    const key = toObjectKey(namespaceOf(choice), deployment)
    if (view.get(resources.deployments, key) === undefined) {
      return new NotFound({ resource: resources.deployments, resourceName: deployment })
    }
  }
  return node === undefined || view.get(resources.nodes, node) !== undefined
    ? undefined
    : new NotFound({ resource: resources.nodes, resourceName: node })
}

/** The matching Pods, sorted by name. With a smaller `count`, draws that many by the seed. */
export const choosePods = (options: {
  readonly view: View
  readonly choice: PodChoice
  readonly canAffect: (pod: Pod) => boolean
  readonly seed: number
  /** What the draw depends on besides the seed: the fault and the instant. */
  readonly drawPurpose: ReadonlyArray<unknown>
}): ReadonlyArray<Pod> => {
  const { view, choice, canAffect, seed, drawPurpose } = options
  const pods = [...view.all(resources.pods)]
    .filter((pod) => canAffect(pod) && isChosen(view, choice, pod))
    .sort(compareByKey)
  return drawSubset(randomFor(seed, ...drawPurpose), pods, choice.count ?? pods.length)
}
