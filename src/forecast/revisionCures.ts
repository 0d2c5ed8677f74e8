import { brokenReplicaOf, holdsUpOrderedReady } from "../kubernetes/apps/statefulSets/brokenReplica.ts"
import { deletionRequest, kubectlCommand, kubectlDelete, patchRequest, workloadPath } from "./cureRequests.ts"
import { faultCures, nodeCures, nodesInTheWay } from "./faultCures.ts"
import {
  recordsTemplate,
  sortRevisions,
  templateOfRevision
} from "../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { imageCures } from "./imageCures.ts"
import { imagesText } from "../kubernetes/pods/containers/images.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { undosMax } from "./playableCure.ts"
import { workloadStatus } from "../kubernetes/apps/workloadStatus.ts"
import type { CureContext, PlayableCure } from "./playableCure.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"

export const revisionCures = (
  workload: StatefulSet | DaemonSet,
  { view, faults }: CureContext
): ReadonlyArray<PlayableCure> => {
  const { uid } = workload.metadata
  const pods = view.controlled(resources.pods, uid)
  const blockingNodes = nodesInTheWay(view, pods)
  const resource = isStatefulSet(workload) ? resources.statefulSets : resources.daemonSets
  if (workloadStatus(resource, workload).state === "complete" && blockingNodes.length === 0) return []
  const revisions = sortRevisions(view.controlled(resources.controllerRevisions, uid))
  const undos = revisions
    .filter((revision) => revision.data !== undefined && !recordsTemplate(revision, workload.spec.template))
    .slice(-undosMax)
    .reverse()
    .map((revision): PlayableCure => {
      const template = templateOfRevision(revision)
      const images = template === undefined ? "" : ` (${imagesText({ spec: { template } })})`
      return {
        id: `undo-${revision.revision}`,
        title: `Undo to revision ${revision.revision}${images}`,
        command: kubectlCommand("rollout undo", workload, ` --to-revision=${revision.revision}`),
        request: patchRequest(workloadPath(workload), "strategic-merge", revision.data)
      }
    })
  const blockingPod = isStatefulSet(workload) ? brokenReplicaOf(workload, pods) : undefined
  const podHeldByOrder = isStatefulSet(workload)
    ? pods.find((pod) => holdsUpOrderedReady(workload, pod))
    : undefined
  const templateCures = [...undos, ...imageCures(workload, pods, faults)]
  return [
    ...faultCures(workload, pods, faults),
    ...blockingNodes.flatMap((node) => nodeCures(node, faults)),
    ...(blockingPod === undefined ? [] : [deletePod(blockingPod)]),
    ...templateCures.map((cure) => (podHeldByOrder === undefined ? cure : withDeletion(cure, podHeldByOrder)))
  ]
}

const isStatefulSet = (workload: StatefulSet | DaemonSet): workload is StatefulSet =>
  workload.kind === "StatefulSet"

const deletePod = (pod: Pod): PlayableCure => ({
  id: `delete-${pod.metadata.name}`,
  title: `Delete ${pod.metadata.name}`,
  command: kubectlDelete(pod),
  request: deletionRequest(pod)
})

/** OrderedReady waits for a Pod that never becomes ready, even after its template has changed. */
const withDeletion = (cure: PlayableCure, pod: Pod): PlayableCure => ({
  ...cure,
  title: `${cure.title}, and delete ${pod.metadata.name}`,
  command: `${cure.command ?? ""} && ${kubectlDelete(pod)}`,
  followUp: deletionRequest(pod)
})
