import { memoizeUpTo } from "../../meta/text/memoizeUpTo.ts"
import type { Annotations, Deployment, KubeObject, ReplicaSet } from "../../meta/objects.ts"

/**
 * Source: deployment_util.go (SetNewReplicaSetAnnotations,
 * MaxRevision).
 */
const deploymentPrefix = "deployment.kubernetes.io/"
export const revisionAnnotation = `${deploymentPrefix}revision`
export const revisionHistoryAnnotation = `${deploymentPrefix}revision-history`
export const desiredReplicasAnnotation = `${deploymentPrefix}desired-replicas`
export const maxReplicasAnnotation = `${deploymentPrefix}max-replicas`
export const rollbackAnnotation = "deprecated.deployment.rollback.to"

/** Annotations that Deployment and ReplicaSet do not copy from each other. */
const uncopiedNames: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation
])

/** The limit of the revision-history annotation, in characters. */
const historyLengthMax = 2000

export const annotationOf = (object: KubeObject, name: string): string | undefined =>
  object.metadata.annotations?.[name]

export const parseInt64 = (text: string): bigint | undefined => {
  if (!/^[-+]?\d+$/.test(text)) return undefined
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : undefined
}

/** 0 without the annotation, undefined if its value is no 64-bit integer. */
export const revisionOf = (object: KubeObject): bigint | undefined => {
  const text = annotationOf(object, revisionAnnotation)
  return text === undefined ? 0n : parseRevision(text)
}

const memoizedRevisionsMax = 1000

/** Every look at a Deployment compares the revisions of all its ReplicaSets. */
export const parseRevision = memoizeUpTo(memoizedRevisionsMax, parseInt64)

/** Missing or invalid revisions come last. */
export const newestRevisionFirst = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a) ?? 0n, revisionOf(b) ?? 0n]
  return left === right ? 0 : left > right ? -1 : 1
}

export const maxRevision = (replicaSets: ReadonlyArray<ReplicaSet>): bigint =>
  replicaSets.reduce((max, replicaSet) => {
    const revision = revisionOf(replicaSet) ?? 0n
    return revision > max ? revision : max
  }, 0n)

/** Undefined unless the value is a non-negative int32. */
export const parseCountAnnotation = (object: KubeObject, name: string): number | undefined => {
  const text = annotationOf(object, name)
  if (text === undefined || !/^\d+$/.test(text)) return undefined
  const count = Number(text)
  return count <= 0x7fffffff ? count : undefined
}

export const copiedAnnotations = (annotations: Annotations | undefined): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !uncopiedNames.has(name)))

export const uncopiedAnnotations = (annotations: Annotations | undefined): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => uncopiedNames.has(name)))

/** A ReplicaSet records its Deployment's size in annotations, so that a scaling is noticed. */
export const sizeAnnotations = (desired: number, max: number): Annotations => ({
  [desiredReplicasAnnotation]: String(desired),
  [maxReplicasAnnotation]: String(max)
})

/**
 * The new ReplicaSet's annotations; undefined if nothing changes. Annotations that the Deployment
 * lost stay; a replaced revision joins the history.
 */
export const renumberedAnnotations = (
  deployment: Deployment,
  replicaSet: ReplicaSet,
  revision: bigint
): Annotations | undefined => {
  const present = replicaSet.metadata.annotations ?? {}
  const storedRevision = revisionOf(replicaSet)
  const hasOlderRevision = storedRevision !== undefined && storedRevision < revision
  if (!hasOlderRevision && hasCopied(present, deployment.metadata.annotations)) return undefined
  const wanted: Record<string, string> = {
    ...present,
    ...copiedAnnotations(deployment.metadata.annotations)
  }
  if (hasOlderRevision) {
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
