import { brokenReplicaOf, isHeldByOrder } from "../kubernetes/apps/statefulSets/brokenReplica.ts"
import { deletionOf, kubectl, kubectlDelete, patchOf, workloadPath } from "./cureRequests.ts"
import { faultCures, nodeCures, sickNodesOf } from "./faultCures.ts"
import {
  hasTemplate,
  sortRevisions,
  templateOfRevision
} from "../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { imageCures } from "./imageCures.ts"
import { imagesOf } from "../kubernetes/pods/containers/images.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { undosMax } from "./playableCure.ts"
import { workloadStatus } from "../kubernetes/apps/workloadStatus.ts"
import type { CureWorld, PlayableCure } from "./playableCure.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"

/** Of a StatefulSet or a DaemonSet. */
export const revisedCures = (
  workload: StatefulSet | DaemonSet,
  { view, faults }: CureWorld
): ReadonlyArray<PlayableCure> => {
  const { uid } = workload.metadata
  const pods = view.controlled(resources.pods, uid)
  const sickNodes = sickNodesOf(view, pods)
  const resource = isStatefulSet(workload) ? resources.statefulSets : resources.daemonSets
  if (workloadStatus(resource, workload).state === "complete" && sickNodes.length === 0) return []
  const revisions = sortRevisions(view.controlled(resources.controllerRevisions, uid))
  const undos = revisions
    .filter((it) => it.data !== undefined && !hasTemplate(it, workload.spec.template))
    .slice(-undosMax)
    .reverse()
    .map((it): PlayableCure => {
      const template = templateOfRevision(it)
      const images = template === undefined ? "" : ` (${imagesOf({ spec: { template } })})`
      return {
        id: `undo-${it.revision}`,
        title: `Undo to revision ${it.revision}${images}`,
        command: kubectl("rollout undo", workload, ` --to-revision=${it.revision}`),
        request: patchOf(workloadPath(workload), "strategic-merge", it.data)
      }
    })
  const blockingPod = isStatefulSet(workload) ? brokenReplicaOf(workload, pods) : undefined
  /** The Pod that would be in the way of another template. */
  const heldPod = isStatefulSet(workload) ? pods.find((pod) => isHeldByOrder(workload, pod)) : undefined
  const templateCures = [...undos, ...imageCures(workload, pods, faults)]
  return [
    ...faultCures(workload, pods, faults),
    ...sickNodes.flatMap((node) => nodeCures(node, faults)),
    ...(blockingPod === undefined ? [] : [deletePod(blockingPod)]),
    ...templateCures.map((cure) => (heldPod === undefined ? cure : withDeletion(cure, heldPod)))
  ]
}

const isStatefulSet = (workload: StatefulSet | DaemonSet): workload is StatefulSet =>
  workload.kind === "StatefulSet"

const deletePod = (pod: Pod): PlayableCure => ({
  id: `delete-${pod.metadata.name}`,
  title: `Delete ${pod.metadata.name}`,
  command: kubectlDelete(pod),
  request: deletionOf(pod)
})

/** OrderedReady waits for a Pod that never becomes ready, even when its template is another one. */
const withDeletion = (cure: PlayableCure, pod: Pod): PlayableCure => ({
  ...cure,
  title: `${cure.title}, and delete ${pod.metadata.name}`,
  command: `${cure.command ?? ""} && ${kubectlDelete(pod)}`,
  followUp: deletionOf(pod)
})
