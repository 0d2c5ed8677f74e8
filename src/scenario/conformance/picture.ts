import type { WholeEvent } from "../../domain/wholeEvent.ts"
import {
  annotationOf,
  desiredAnnotation,
  historyAnnotation,
  maxAnnotation,
  revisionAnnotation
} from "../../domain/revisions.ts"
import { controllerOf, isTerminating } from "../../domain/ownerReferences.ts"
import { isFinished, isReady } from "../../domain/pods.ts"
import { resources } from "../../domain/kinds.ts"
import { versionOf } from "./recordings.ts"
import type { Condition } from "../../domain/conditions.ts"
import type { Deployment, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { Cluster } from "../../cluster.ts"
import type { Picture } from "./recordings.ts"

/** Describes the cluster's state in the form of the recordings, with versions in place of hashes. */
export const drawPicture = (
  { view }: Cluster["Service"],
  names: VersionNames,
  events: ReadonlyArray<WholeEvent>
): Picture => {
  const deployment = view.get(resources.deployments, "default/d")
  const replicaSets = [...view.all(resources.replicaSets)]
  return {
    deployment: deployment === undefined ? null : drawDeployment(deployment, names),
    replicaSets: replicaSets.map((replicaSet) => drawReplicaSet(replicaSet, names)).sort((a, b) => a.v - b.v),
    pods: drawPods([...view.all(resources.pods)]),
    events: events.map((event) => drawEvent(event, names))
  }
}

/** Maps names of ReplicaSets, deleted ones included, to versions of the Pod template. */
interface VersionNames {
  readonly learn: (replicaSet: ReplicaSet) => void
  readonly version: (name: string) => number
  readonly withoutHashes: (message: string) => string
}

export const makeNames = (): VersionNames => {
  const versions = new Map<string, number>()
  return {
    learn: (replicaSet) => versions.set(replicaSet.metadata.name, versionOfReplicaSet(replicaSet)),
    version: (name) => versions.get(name) ?? 0,
    withoutHashes: (message) =>
      [...versions].reduce(
        (text, [name, version]) =>
          text
            .replaceAll(new RegExp(`${name}-[a-z0-9]{5}`, "g"), `d-{v${version}}-{pod}`)
            .replaceAll(name, `d-{v${version}}`),
        message
      )
  }
}

export const versionOfReplicaSet = (replicaSet: ReplicaSet): number =>
  versionOf(replicaSet.spec.template.spec?.containers[0]?.image)

export const versionOfPod = (pod: Pod): number => versionOf(pod.spec.containers[0]?.image)

const optionalField = (key: string, value: unknown): object => (value === undefined ? {} : { [key]: value })

const drawConditions = (conditions: ReadonlyArray<Condition>, names: VersionNames): ReadonlyArray<object> =>
  [...conditions]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ type, status, reason, message }) => ({
      type,
      status,
      reason,
      message: names.withoutHashes(message ?? "")
    }))

const drawDeployment = (deployment: Deployment, names: VersionNames): object => {
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
    conditions: drawConditions(status.conditions ?? [], names),
    ...(isTerminating(deployment) ? { terminating: true } : {})
  }
}

const drawReplicaSet = (replicaSet: ReplicaSet, names: VersionNames) => {
  const { status, spec } = replicaSet
  const conditions = drawConditions(status.conditions ?? [], names)
  return {
    v: versionOfReplicaSet(replicaSet),
    owned: controllerOf(replicaSet) !== undefined,
    ...optionalField("revision", annotationOf(replicaSet, revisionAnnotation)),
    ...optionalField("history", annotationOf(replicaSet, historyAnnotation)),
    ...optionalField("desired", annotationOf(replicaSet, desiredAnnotation)),
    ...optionalField("max", annotationOf(replicaSet, maxAnnotation)),
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

type PodCategory = "pending" | "notReady" | "ready" | "failed" | "terminating"

export const placeOf = (pod: Pod): PodCategory => {
  if (isTerminating(pod)) return "terminating"
  if (isFinished(pod)) return "failed"
  if (isReady(pod)) return "ready"
  return pod.spec.nodeName === undefined ? "pending" : "notReady"
}

const drawPods = (pods: ReadonlyArray<Pod>): Picture["pods"] => {
  const counts: Record<string, Record<PodCategory, number>> = {}
  for (const pod of pods) {
    const version = `v${versionOfPod(pod)}`
    const row = (counts[version] ??= { pending: 0, notReady: 0, ready: 0, failed: 0, terminating: 0 })
    row[placeOf(pod)] += 1
  }
  return counts
}

const scaledMessage = /Scaled (up|down) replica set (\S+) from (\d+) to (\d+)$/

const drawEvent = ({ reason, message }: WholeEvent, names: VersionNames): object => {
  const [, direction, name = "", , to] = scaledMessage.exec(message) ?? []
  return direction === undefined
    ? { reason, message: names.withoutHashes(message), times: 1 }
    : { reason, scaled: direction, v: names.version(name), to: Number(to), times: 1 }
}
