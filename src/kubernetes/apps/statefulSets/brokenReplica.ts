import { isOrdinalInRange, ordinalOf, startOrdinal } from "./replicaIdentity.ts"
import { isPodActive, isPodReady } from "../../pods/podState.ts"
import { revisionNameOf } from "./statefulSetObservation.ts"
import type { Pod } from "../../meta/objects.ts"
import type { StatefulSet } from "./statefulSetTypes.ts"

/**
 * The unready Pod of an older template that OrderedReady waits for, so that it must be deleted by hand. Source:
 * stateful_set_control.go (updateStatefulSet).
 */
export const brokenReplicaOf = (statefulSet: StatefulSet, pods: ReadonlyArray<Pod>): Pod | undefined =>
  pods.find((pod) => holdsUpOrderedReady(statefulSet, pod) && isOfOtherTemplate(statefulSet, pod))

export const holdsUpOrderedReady = (statefulSet: StatefulSet, pod: Pod): boolean => {
  const { podManagementPolicy, updateStrategy } = statefulSet.spec
  if (podManagementPolicy === "Parallel" || updateStrategy?.type === "OnDelete") return false
  const firstUpdatedOrdinal = startOrdinal(statefulSet) + (updateStrategy?.rollingUpdate?.partition ?? 0)
  const ordinal = ordinalOf(statefulSet, pod) ?? -1
  return (
    isOrdinalInRange(statefulSet, ordinal) &&
    ordinal >= firstUpdatedOrdinal &&
    isPodActive(pod) &&
    !isPodReady(pod)
  )
}

const isOfOtherTemplate = ({ status }: StatefulSet, pod: Pod): boolean =>
  status.updateRevision !== undefined && !["", status.updateRevision].includes(revisionNameOf(pod))

/** Whether a StatefulSet with a broken replica has the template from before the update again. */
export const isUpdateUndone = ({ status }: StatefulSet): boolean =>
  status.currentRevision === status.updateRevision
