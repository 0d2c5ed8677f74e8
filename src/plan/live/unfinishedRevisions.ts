import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { isControlledBy } from "./liveObjects.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { ordinalOf } from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import { ownerId } from "../previous/previousDocuments.ts"
import {
  podRevisionLabel,
  controllerHashLabel,
  sortRevisions,
  templateOfRevision
} from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { LiveObjects, WorkloadWithRevisions } from "./liveObjects.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { UnfinishedRevision } from "../previous/previousDocuments.ts"

type Revisions = Pick<LiveObjects, "controllerRevisions" | "pods">

export const ownerIdOfWorkload = (workload: WorkloadWithRevisions): string =>
  ownerId(workload.kind, objectKeyOf(workload))

const isStatefulSet = (workload: WorkloadWithRevisions): workload is StatefulSet =>
  workload.kind === "StatefulSet"

/** Servers before 1.22 count no available Pods of a StatefulSet. */
export const availableCount = (workload: WorkloadWithRevisions): number =>
  isStatefulSet(workload)
    ? (workload.status.availableReplicas ?? workload.status.readyReplicas ?? 0)
    : (workload.status.numberAvailable ?? 0)

/** Undefined if all Pods are of the newest revision, or their revision is unknown. */
export const unfinishedRevision = (
  workload: WorkloadWithRevisions,
  { controllerRevisions, pods = [] }: Revisions
): UnfinishedRevision | undefined => {
  const revisions = sortRevisions(controllerRevisions.filter(isControlledBy(workload)))
  const newest = revisions.at(-1)
  const ownPods = pods.filter(isControlledBy(workload))
  const olderPods = ownPods.filter((pod) => newest !== undefined && !isOfRevision(pod, newest))
  const revisionBefore = revisions.findLast((revision) =>
    olderPods.some((pod) => isOfRevision(pod, revision))
  )
  const templateBefore = revisionBefore === undefined ? undefined : templateOfRevision(revisionBefore)
  if (newest === undefined || templateBefore === undefined) return undefined
  const updated = ownPods.filter((pod) => isOfRevision(pod, newest) && isPodReady(pod))
  const ordinals = isStatefulSet(workload) ? updated.flatMap((pod) => ordinalOf(workload, pod) ?? []) : []
  return {
    owner: ownerIdOfWorkload(workload),
    templateBefore,
    leastUpdatedOrdinal: ordinals.length === 0 ? undefined : Math.min(...ordinals)
  }
}

/** Pods of a StatefulSet have the name of their revision, those of a DaemonSet its hash. */
const isOfRevision = ({ metadata }: Pod, revision: ControllerRevision): boolean => {
  const label = metadata.labels?.[podRevisionLabel]
  return label === revision.metadata.name || label === revision.metadata.labels?.[controllerHashLabel]
}

export const unfinishedRevisionText = (
  workload: WorkloadWithRevisions,
  live: Revisions
): string | undefined => {
  const { desired, updated } = isStatefulSet(workload)
    ? { desired: workload.spec.replicas, updated: workload.status.updatedReplicas ?? 0 }
    : {
        desired: workload.status.desiredNumberScheduled,
        updated: workload.status.updatedNumberScheduled ?? 0
      }
  if (updated >= desired) return undefined
  const text =
    `${workload.kind} ${displayName(workload.metadata)} is in the middle of a rollout there: ${updated} of its ` +
    `${countText(desired, "Pod")} are of its newest revision, and ${availableCount(workload)} are available`
  if (unfinishedRevision(workload, live) === undefined)
    return `${text}. The plan begins as if all were of that revision`
  return isStatefulSet(workload)
    ? `${text}. The plan goes on from there`
    : `${text}. The plan begins with all of the revision before`
}
