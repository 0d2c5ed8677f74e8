import { controllingOwner } from "../../store/ownerLookup.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import {
  podRevisionLabel,
  podRevisionOf,
  sortRevisions
} from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { PodChoice } from "../schemas/faultFields.ts"

export const ownerFields = ["deployment", "statefulSet", "daemonSet", "job"] as const

export type OwnerField = (typeof ownerFields)[number]

export const ownerResources = {
  deployment: resources.deployments,
  statefulSet: resources.statefulSets,
  daemonSet: resources.daemonSets,
  job: resources.jobs
} as const

export const ownerKinds = {
  deployment: "Deployment",
  statefulSet: "StatefulSet",
  daemonSet: "DaemonSet",
  job: "Job"
} as const

export const ownersNamedIn = (
  choice: Readonly<Partial<Record<OwnerField, string>>>
): ReadonlyArray<{ readonly field: OwnerField; readonly name: string }> =>
  ownerFields.flatMap((field) => {
    const name = choice[field]
    return name === undefined ? [] : [{ field, name }]
  })

type View = ClusterView["Service"]

export const isOfNamedOwner = (view: View, choice: PodChoice, pod: Pod): boolean =>
  ownersNamedIn(choice).every(({ field, name }) => isOfOwner({ view, field, name, pod }, choice.revision))

const isOfOwner = (
  options: { readonly view: View; readonly field: OwnerField; readonly name: string; readonly pod: Pod },
  revision: PodChoice["revision"]
): boolean => {
  const { view, field, name, pod } = options
  if (field === "deployment") return isOfDeployment(view, { name, revision }, pod)
  const owner = controllingOwner(view, ownerResources[field], pod)
  if (owner === undefined || owner.metadata.name !== name) return false
  if (revision === undefined) return true
  const newest = sortRevisions(view.controlled(resources.controllerRevisions, owner.metadata.uid)).at(-1)
  const isNew =
    newest !== undefined && pod.metadata.labels?.[podRevisionLabel] === podRevisionOf(owner.kind, newest)
  return isNew === (revision === "new")
}

const isOfDeployment = (
  view: View,
  { name, revision }: { readonly name: string; readonly revision: PodChoice["revision"] },
  pod: Pod
): boolean => {
  const replicaSet = controllingOwner(view, resources.replicaSets, pod)
  if (replicaSet === undefined) return false
  const deployment = controllingOwner(view, resources.deployments, replicaSet)
  if (deployment === undefined || deployment.metadata.name !== name) return false
  if (revision === undefined) return true
  return isSameTemplate(replicaSet.spec.template, deployment.spec.template) === (revision === "new")
}

/** Why the choice is refused; undefined for a valid one. */
export const ownerProblem = (choice: PodChoice): string | undefined => {
  const [owner, otherOwner] = ownersNamedIn(choice)
  if (owner !== undefined && otherOwner !== undefined)
    return `pods names a ${ownerKinds[owner.field]} and a ${ownerKinds[otherOwner.field]}: a Pod has one owner`
  if (choice.revision === undefined) return undefined
  if (owner?.field === "job") return "pods.revision says which Pods of a workload, and a Job has no revisions"
  return owner === undefined
    ? "pods.revision says which Pods of a workload: it needs pods.deployment, statefulSet or daemonSet"
    : undefined
}
