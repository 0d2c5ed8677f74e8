import { memoizeUpTo } from "../../meta/text/memoizeUpTo.ts"
import type { Annotations, Deployment, KubeObject, ReplicaSet } from "../../meta/objects.ts"

/**
 * Revisions, and the annotations of a Deployment and its ReplicaSets that hold them.
 * Source: pkg/controller/deployment/util/deployment_util.go (SetNewReplicaSetAnnotations, MaxRevision).
 */
const deploymentPrefix = "deployment.kubernetes.io/"
export const revisionAnnotation = `${deploymentPrefix}revision`
export const revisionHistoryAnnotation = `${deploymentPrefix}revision-history`
export const desiredReplicasAnnotation = `${deploymentPrefix}desired-replicas`
export const maxReplicasAnnotation = `${deploymentPrefix}max-replicas`
export const rollbackAnnotation = "deprecated.deployment.rollback.to"

/** Annotations that are never copied between a Deployment and its ReplicaSets. */
const uncopiedNames: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation
])

/** The longest value of the revision-history annotation, in characters. */
const historyLengthMax = 2000

export const annotationOf = (object: KubeObject, name: string): string | undefined =>
  object.metadata.annotations?.[name]

export const parseInt64 = (text: string): bigint | undefined => {
  if (!/^[-+]?\d+$/.test(text)) return undefined
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : undefined
}

/** The revision of an object; 0 without the annotation, undefined if its value is no 64-bit integer. */
export const revisionOf = (object: KubeObject): bigint | undefined => {
  const text = annotationOf(object, revisionAnnotation)
  return text === undefined ? 0n : parseRevision(text)
}

/** Every look at a Deployment compares the revisions of all its ReplicaSets. */
const parseRevision = memoizeUpTo(1000, parseInt64)

/** Newest revision first; missing or invalid revisions last. */
export const newestRevisionFirst = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a) ?? 0n, revisionOf(b) ?? 0n]
  return left === right ? 0 : left > right ? -1 : 1
}

export const maxRevision = (replicaSets: ReadonlyArray<ReplicaSet>): bigint =>
  replicaSets.reduce((max, replicaSet) => {
    const revision = revisionOf(replicaSet) ?? 0n
    return revision > max ? revision : max
  }, 0n)

/** The value of an annotation that is a non-negative int32; undefined for any other value. */
export const parseCountAnnotation = (object: KubeObject, name: string): number | undefined => {
  const text = annotationOf(object, name)
  if (text === undefined || !/^\d+$/.test(text)) return undefined
  const count = Number(text)
  return count <= 0x7fffffff ? count : undefined
}

/** The annotations that a Deployment and its ReplicaSets copy from each other. */
export const copiedAnnotations = (annotations: Annotations | undefined): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !uncopiedNames.has(name)))

/** The annotations that are never copied. */
export const uncopiedAnnotations = (annotations: Annotations | undefined): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => uncopiedNames.has(name)))

/** The annotations by which a ReplicaSet records its Deployment's size, so that a scaling is noticed. */
export const sizeAnnotations = (desired: number, max: number): Annotations => ({
  [desiredReplicasAnnotation]: String(desired),
  [maxReplicasAnnotation]: String(max)
})

/**
 * The annotations that the new ReplicaSet should have: those of the Deployment, and the newest revision.
 * Annotations that the Deployment has lost stay. A replaced revision (the Deployment has returned to this template)
 * is appended to the history. Undefined if nothing changes.
 */
export const renumberedAnnotations = (
  deployment: Deployment,
  replicaSet: ReplicaSet,
  revision: bigint
): Annotations | undefined => {
  const present = replicaSet.metadata.annotations ?? {}
  const presentRevision = revisionOf(replicaSet)
  const isOlder = presentRevision !== undefined && presentRevision < revision
  // Mostly there is nothing to do, and every look asks.
  if (!isOlder && hasCopied(present, deployment.metadata.annotations)) return undefined
  const wanted: Record<string, string> = {
    ...present,
    ...copiedAnnotations(deployment.metadata.annotations)
  }
  if (isOlder) {
    wanted[revisionAnnotation] = String(revision)
    const replacedRevision = present[revisionAnnotation]
    if (replacedRevision !== undefined) {
      wanted[revisionHistoryAnnotation] = appendHistory(
        present[revisionHistoryAnnotation] ?? "",
        replacedRevision
      )
    }
  }
  const isChanged = Object.entries(wanted).some(([name, value]) => present[name] !== value)
  return isChanged ? wanted : undefined
}

const hasCopied = (present: Annotations, annotations: Annotations = {}): boolean => {
  for (const name of Object.keys(annotations))
    if (present[name] !== annotations[name] && !uncopiedNames.has(name)) return false
  return true
}

const appendHistory = (history: string, revision: string): string => {
  const entries = history === "" ? [] : history.split(",")
  let length = history.length
  while (entries.length > 0 && length + 1 + revision.length > historyLengthMax) {
    const dropped = entries.shift() ?? ""
    length -= dropped.length + 1
  }
  return [...entries, revision].join(",")
}
