import type { Annotations, Deployment, KubeObject, ReplicaSet } from "./objects.ts"

/**
 * Revisions and the annotations a Deployment and its ReplicaSets carry them in.
 *
 * Source: pkg/controller/deployment/util/deployment_util.go (SetNewReplicaSetAnnotations, MaxRevision).
 */
const prefix = "deployment.kubernetes.io/"
export const revisionAnnotation = `${prefix}revision`
export const historyAnnotation = `${prefix}revision-history`
export const desiredAnnotation = `${prefix}desired-replicas`
export const maxAnnotation = `${prefix}max-replicas`
export const rollbackAnnotation = "deprecated.deployment.rollback.to"

/**
 * Annotations that belong to one object alone and never travel from a Deployment to its ReplicaSets or back.
 */
const staying: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation
])

/** The longest `revision-history` kept, in characters; the oldest entries go first. */
const historyLengthMax = 2000

export const annotationOf = (object: KubeObject, name: string): string | undefined =>
  object.metadata.annotations?.[name]

/** A 64-bit integer in decimal, as revisions are written; undefined for anything else. */
export const integerOf = (text: string): bigint | undefined => {
  if (!/^[-+]?\d+$/.test(text)) return undefined
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : undefined
}

/** The revision of an object: 0 where it has none, undefined where the annotation is no integer. */
export const revisionOf = (object: KubeObject): bigint | undefined => {
  const text = annotationOf(object, revisionAnnotation)
  return text === undefined ? 0n : integerOf(text)
}

/** Orders ReplicaSets by revision, the newest first; one that has none, or none that can be read, comes last. */
export const newestRevisionFirst = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a) ?? 0n, revisionOf(b) ?? 0n]
  return left === right ? 0 : left > right ? -1 : 1
}

/** The highest revision among the ReplicaSets; those whose annotation cannot be read are passed over. */
export const maxRevision = (replicaSets: ReadonlyArray<ReplicaSet>): bigint =>
  replicaSets.reduce((max, replicaSet) => {
    const revision = revisionOf(replicaSet) ?? 0n
    return revision > max ? revision : max
  }, 0n)

/** A count kept in an annotation: a non-negative 32-bit integer, else undefined. */
export const countAnnotation = (object: KubeObject, name: string): number | undefined => {
  const text = annotationOf(object, name)
  if (text === undefined || !/^\d+$/.test(text)) return undefined
  const count = Number(text)
  return count <= 0x7fffffff ? count : undefined
}

/** What of a Deployment's annotations its ReplicaSets carry too. */
export const travellingAnnotations = (annotations: Annotations | undefined): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !staying.has(name)))

/** What of an object's annotations stays where it is, whatever travels. */
export const stayingAnnotations = (annotations: Annotations | undefined): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => staying.has(name)))

/** The annotations that a ReplicaSet remembers its Deployment's size by, to notice a change of it. */
export const sizeAnnotations = (desired: number, max: number): Annotations => ({
  [desiredAnnotation]: String(desired),
  [maxAnnotation]: String(max)
})

/**
 * The annotations that the ReplicaSet of the present template should have: the Deployment's own, and the newest
 * revision. Annotations only ever arrive: one that the Deployment has lost stays. A revision that is replaced (the
 * Deployment came back to this template) is appended to the history. Returns undefined where nothing changes.
 */
export const renumberedAnnotations = (
  deployment: Deployment,
  replicaSet: ReplicaSet,
  revision: bigint
): Annotations | undefined => {
  const present = replicaSet.metadata.annotations ?? {}
  const wanted: Record<string, string> = {
    ...present,
    ...travellingAnnotations(deployment.metadata.annotations)
  }
  const own = revisionOf(replicaSet)
  if (own !== undefined && own < revision) {
    wanted[revisionAnnotation] = String(revision)
    const replaced = present[revisionAnnotation]
    if (replaced !== undefined) {
      wanted[historyAnnotation] = appendHistory(present[historyAnnotation] ?? "", replaced)
    }
  }
  const changed = Object.entries(wanted).some(([name, value]) => present[name] !== value)
  return changed ? wanted : undefined
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
