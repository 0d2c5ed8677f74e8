import type { NormalizedEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import {
  annotationOf,
  desiredReplicasAnnotation,
  revisionHistoryAnnotation,
  maxReplicasAnnotation,
  revisionAnnotation
} from "../../../kubernetes/apps/revisions/revisions.ts"
import { controllerOf } from "../../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../../kubernetes/meta/deletion.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { podCategory, versionOfPod } from "../movedPods.ts"
import { imageVersion } from "../upstreamWorkload.ts"
import type { StatusCondition } from "../../../kubernetes/meta/conditions.ts"
import type { Deployment, Pod, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { PodCategory } from "../movedPods.ts"

interface ClusterDescription {
  readonly deployment: object | null
  readonly replicaSets: ReadonlyArray<object>
  /** Counts Pods by template version (`v1`) and category. */
  readonly pods: Readonly<Record<string, object>>
  readonly events: ReadonlyArray<object>
}

export const recordedDeploymentName = "d"

/** Template versions replace the hashes in names. */
export const describeDeploymentCluster = (
  { view }: Cluster["Service"],
  versions: TemplateVersions,
  events: ReadonlyArray<NormalizedEvent>
): ClusterDescription => {
  const deployment = view.get(resources.deployments, `default/${recordedDeploymentName}`)
  const replicaSets = [...view.all(resources.replicaSets)]
  return {
    deployment: deployment === undefined ? null : describeDeployment(deployment, versions),
    replicaSets: replicaSets
      .map((replicaSet) => describeReplicaSet(replicaSet, versions))
      .sort((a, b) => a.v - b.v),
    pods: describePods([...view.all(resources.pods)]),
    events: events.map((event) => describeEvent(event, versions))
  }
}

/** Template versions by names of ReplicaSets, deleted ones included. */
interface TemplateVersions {
  readonly add: (replicaSet: ReplicaSet) => void
  readonly versionOf: (replicaSetName: string) => number
  /** The message with generated names replaced: `d-{v2}-{pod}`. */
  readonly withoutHashes: (message: string) => string
}

export const makeTemplateVersions = (): TemplateVersions => {
  const versionsByName = new Map<string, number>()
  return {
    add: (replicaSet) => versionsByName.set(replicaSet.metadata.name, versionOfReplicaSet(replicaSet)),
    versionOf: (name) => versionsByName.get(name) ?? 0,
    withoutHashes: (message) =>
      [...versionsByName].reduce(
        (text, [name, version]) =>
          text
            .replaceAll(new RegExp(`${name}-[a-z0-9]{5}`, "g"), `d-{v${version}}-{pod}`)
            .replaceAll(name, `d-{v${version}}`),
        message
      )
  }
}

export const versionOfReplicaSet = (replicaSet: ReplicaSet): number =>
  imageVersion(replicaSet.spec.template.spec?.containers[0]?.image)

/** The recordings have no undefined fields. */
const optionalField = (key: string, value: unknown): object => (value === undefined ? {} : { [key]: value })

const describeConditions = (
  conditions: ReadonlyArray<StatusCondition>,
  versions: TemplateVersions
): ReadonlyArray<object> =>
  [...conditions]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ type, status, reason, message }) => ({
      type,
      status,
      reason,
      message: versions.withoutHashes(message ?? "")
    }))

const describeDeployment = (deployment: Deployment, versions: TemplateVersions): object => {
  const { status, spec } = deployment
  return {
    ...optionalField("revision", annotationOf(deployment, revisionAnnotation)),
    replicas: spec.replicas,
    status: {
      replicas: status.replicas ?? 0,
      updated: status.updatedReplicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0,
      unavailable: status.unavailableReplicas ?? 0
    },
    conditions: describeConditions(status.conditions ?? [], versions),
    ...(isTerminating(deployment) ? { terminating: true } : {})
  }
}

const describeReplicaSet = (replicaSet: ReplicaSet, versions: TemplateVersions) => {
  const { status, spec } = replicaSet
  const conditions = describeConditions(status.conditions ?? [], versions)
  return {
    v: versionOfReplicaSet(replicaSet),
    owned: controllerOf(replicaSet) !== undefined,
    ...optionalField("revision", annotationOf(replicaSet, revisionAnnotation)),
    ...optionalField("history", annotationOf(replicaSet, revisionHistoryAnnotation)),
    ...optionalField("desired", annotationOf(replicaSet, desiredReplicasAnnotation)),
    ...optionalField("max", annotationOf(replicaSet, maxReplicasAnnotation)),
    spec: spec.replicas,
    status: {
      replicas: status.replicas ?? 0,
      labeled: status.fullyLabeledReplicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0
    },
    ...(conditions.length === 0 ? {} : { conditions })
  }
}

const describePods = (pods: ReadonlyArray<Pod>): ClusterDescription["pods"] => {
  const counts: Record<string, Record<PodCategory, number>> = {}
  for (const pod of pods) {
    const version = `v${versionOfPod(pod)}`
    const row = (counts[version] ??= { pending: 0, notReady: 0, ready: 0, failed: 0, terminating: 0 })
    row[podCategory(pod)] += 1
  }
  return counts
}

const scaledMessage = /Scaled (up|down) replica set (\S+) from (\d+) to (\d+)$/

/** `times` is 1: each write of an Event is described on its own. */
const describeEvent = ({ reason, message }: NormalizedEvent, versions: TemplateVersions): object => {
  const [, direction, name = "", , to] = scaledMessage.exec(message) ?? []
  return direction === undefined
    ? { reason, message: versions.withoutHashes(message), times: 1 }
    : { reason, scaled: direction, v: versions.versionOf(name), to: Number(to), times: 1 }
}
