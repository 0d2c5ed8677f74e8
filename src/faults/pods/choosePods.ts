import * as Effect from "effect/Effect"
import { compileGlob } from "../../behaviours/matchBehaviours.ts"
import { compareByKey, toObjectKey } from "../../kubernetes/meta/objects.ts"
import { isOfNamedOwner, ownerProblem, ownerResources, ownersNamedIn } from "./podOwners.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { FaultRefused, refusedByStore } from "../faultRefused.ts"
import { randomGeneratorFor, drawSubset } from "../seededDraws.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { FaultName } from "../fault.ts"
import type { PodChoice } from "../schemas/faultFields.ts"

type View = ClusterView["Service"]

export const isChosenPod = (view: View, choice: PodChoice, pod: Pod): boolean => {
  const { metadata, spec } = pod
  const namespace = namespaceOf(choice)
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  if (choice.node !== undefined && spec.nodeName !== choice.node) return false
  if (choice.name !== undefined && !compileGlob(choice.name)(metadata.name)) return false
  const labels = Object.entries(choice.labels ?? {})
  if (labels.some(([label, value]) => metadata.labels?.[label] !== value)) return false
  return isOfNamedOwner(view, choice, pod)
}

const namespaceOf = (choice: PodChoice): string | undefined =>
  choice.namespace ?? (ownersNamedIn(choice).length === 0 ? undefined : "default")

/** A choice without any matching Pod is valid. */
export const checkChoice = (
  view: View,
  fault: FaultName,
  choice: PodChoice
): Effect.Effect<void, FaultRefused> => {
  const why = ownerProblem(choice)
  if (why !== undefined) return Effect.fail(new FaultRefused({ fault, why }))
  const missing = missingObject(view, choice)
  return missing === undefined ? Effect.void : Effect.fail(refusedByStore(fault, missing))
}

const missingObject = (view: View, choice: PodChoice): NotFound | undefined => {
  const { namespace, node } = choice
  if (namespace !== undefined && view.get(resources.namespaces, namespace) === undefined) {
    return new NotFound({ resource: resources.namespaces, resourceName: namespace })
  }
  for (const { field, name } of ownersNamedIn(choice)) {
    const resource = ownerResources[field]
    if (view.get(resource, toObjectKey(namespaceOf(choice), name)) === undefined)
      return new NotFound({ resource, resourceName: name })
  }
  return node === undefined || view.get(resources.nodes, node) !== undefined
    ? undefined
    : new NotFound({ resource: resources.nodes, resourceName: node })
}

/** The matching Pods, sorted by name; a smaller `count` is drawn by the seed. */
export const choosePods = (options: {
  readonly view: View
  readonly choice: PodChoice
  readonly canAffect: (pod: Pod) => boolean
  readonly seed: number
  readonly randomPurpose: ReadonlyArray<unknown>
}): ReadonlyArray<Pod> => {
  const { view, choice, canAffect, seed, randomPurpose } = options
  const pods = [...view.all(resources.pods)]
    .filter((pod) => canAffect(pod) && isChosenPod(view, choice, pod))
    .sort(compareByKey)
  return drawSubset(randomGeneratorFor(seed, ...randomPurpose), pods, choice.count ?? pods.length)
}
