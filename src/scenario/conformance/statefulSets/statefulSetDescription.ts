import { controllerOf } from "../../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../../kubernetes/meta/deletion.ts"
import {
  podRevisionLabel,
  templateOfRevision
} from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { podCategory, versionOfPod } from "../movedPods.ts"
import { imageVersion } from "../upstreamWorkload.ts"
import { withoutCombinedPrefix } from "../similarEvents.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { NormalizedEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import type { ControllerRevision } from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { Pod } from "../../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { UpstreamStep } from "../upstreamWorkload.ts"

export const recordedStatefulSetName = "s"

/** Template versions by names of ControllerRevisions, deleted ones included. */
interface RevisionVersions {
  readonly add: (revision: ControllerRevision) => void
  readonly versionOf: (name: string) => string | undefined
}

export const makeRevisionVersions = (): RevisionVersions => {
  const versionsByName = new Map<string, string>()
  return {
    add: (revision) => versionsByName.set(revision.metadata.name, versionOfRevision(revision)),
    versionOf: (name) => versionsByName.get(name)
  }
}

const versionOfRevision = (revision: ControllerRevision): string =>
  `v${imageVersion(templateOfRevision(revision)?.spec?.containers[0]?.image)}`

export const byOrdinal = (a: Pod, b: Pod): number => ordinalIn(a) - ordinalIn(b)

const ordinalIn = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name)?.[1])

export const describeStatefulSetCluster = (
  { view }: Cluster["Service"],
  {
    versions,
    events,
    expected
  }: {
    readonly versions: RevisionVersions
    readonly events: ReadonlyArray<NormalizedEvent>
    readonly expected: UpstreamStep["then"]
  }
): Readonly<Record<string, unknown>> => {
  const statefulSet = view.get(resources.statefulSets, `default/${recordedStatefulSetName}`)
  const pods = [...view.all(resources.pods)].sort(byOrdinal)
  const isBeingDeleted = statefulSet !== undefined && isTerminating(statefulSet)
  const eventLines = events.map(({ type, reason, message }) => [type, reason, withoutCombinedPrefix(message)])
  // With Parallel, Pods are created in any order, and so are their Events.
  const isParallel = statefulSet?.spec.podManagementPolicy === "Parallel"
  return {
    statefulSet: statefulSet === undefined ? null : describeStatefulSet(statefulSet, versions),
    pods: Object.fromEntries(pods.map((pod) => [pod.metadata.name, describePod(pod, versions)])),
    claims: [...view.all(resources.persistentVolumeClaims)].map(({ metadata }) => metadata.name).sort(),
    // During a deletion, the garbage collector deletes revisions, and the controller makes one anew, in any order.
    ...(isBeingDeleted
      ? {}
      : {
          controllerRevisions: [...view.all(resources.controllerRevisions)]
            .sort((a, b) => a.revision - b.revision)
            .map((revision) => ({
              revision: revision.revision,
              v: versionOfRevision(revision),
              owned: controllerOf(revision) !== undefined
            }))
        }),
    ...("events" in expected
      ? { events: isParallel ? eventLines.sort((a, b) => (a.join(" ") < b.join(" ") ? -1 : 1)) : eventLines }
      : {})
  }
}

const describeStatefulSet = (statefulSet: StatefulSet, versions: RevisionVersions): object => {
  const { metadata, spec, status } = statefulSet
  const { currentRevision = "", updateRevision = "", collisionCount = 0 } = status
  return {
    observed: status.observedGeneration === metadata.generation,
    replicas: spec.replicas,
    status: {
      replicas: status.replicas,
      ready: status.readyReplicas ?? 0,
      current: status.currentReplicas ?? 0,
      updated: status.updatedReplicas ?? 0,
      ...(collisionCount === 0 ? {} : { collisions: collisionCount })
    },
    ...(isTerminating(statefulSet) ? {} : { currentRevision: versions.versionOf(currentRevision) }),
    updateRevision: versions.versionOf(updateRevision),
    ...(isTerminating(statefulSet) ? { terminating: true } : {})
  }
}

const describePod = (pod: Pod, versions: RevisionVersions): object => {
  const revision = pod.metadata.labels?.[podRevisionLabel]
  return {
    v: versionOfPod(pod),
    revision: revision === undefined ? null : versions.versionOf(revision),
    is: podCategory(pod),
    owned: controllerOf(pod) !== undefined
  }
}
