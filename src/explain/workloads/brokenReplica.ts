import { isInRange, ordinalOf, startOrdinal } from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import { isPodActive, isPodReady } from "../../kubernetes/pods/podState.ts"
import { revisionNameOf } from "../../kubernetes/apps/statefulSets/statefulSetObservation.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"

/**
 * The Pod of another template that is not ready, and that OrderedReady waits for: neither a corrected template nor an
 * undone one reaches it before it is deleted.
 * Source: pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet).
 */
export const brokenReplicaOf = (statefulSet: StatefulSet, pods: ReadonlyArray<Pod>): Pod | undefined => {
  const { podManagementPolicy, updateStrategy } = statefulSet.spec
  if (podManagementPolicy === "Parallel" || updateStrategy?.type === "OnDelete") return undefined
  const first = startOrdinal(statefulSet) + (updateStrategy?.rollingUpdate?.partition ?? 0)
  return pods.find((pod) => {
    const ordinal = ordinalOf(statefulSet, pod) ?? -1
    return (
      isInRange(statefulSet, ordinal) &&
      ordinal >= first &&
      isPodActive(pod) &&
      !isPodReady(pod) &&
      isOfOtherTemplate(statefulSet, pod)
    )
  })
}

const isOfOtherTemplate = ({ status }: StatefulSet, pod: Pod): boolean =>
  status.updateRevision !== undefined && !["", status.updateRevision].includes(revisionNameOf(pod))

/** Whether the template is the one from before the update again. */
export const isTemplateBack = ({ status }: StatefulSet): boolean =>
  status.currentRevision === status.updateRevision
