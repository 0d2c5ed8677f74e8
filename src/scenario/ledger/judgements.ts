import { revisionOf } from "../../domain/revisions.ts"
import type { Deployment, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { Account } from "./account.ts"
import type { Broken } from "./violations.ts"

export const unasked = ({ metadata, spec }: ReplicaSet, what: string, broken: string): Broken => ({
  rule: "asked",
  who: "ReplicaSet controller",
  what,
  sums: `ReplicaSet ${metadata.name} is asked for ${spec.replicas}`,
  broken
})

/** What has two owners that may each do with it as they like. */
export const judgeOwners = ({ metadata }: Pod): Broken | undefined => {
  const { name, ownerReferences = [] } = metadata
  if (ownerReferences.length < 2) return undefined
  const controllers = ownerReferences.filter(({ controller }) => controller === true)
  if (controllers.length < 2) return undefined
  return {
    rule: "oneController",
    who: "somebody",
    what: `wrote the owners of Pod ${name}`,
    sums: ownerReferences.map(({ kind, name: owner }) => `${kind} ${owner}`).join(", "),
    broken: "controllers of a Pod <= 1"
  }
}

/** What an object says of itself must be possible, and never go back. */
export const judgeStatus = (
  before: Deployment | ReplicaSet | undefined,
  after: Deployment | ReplicaSet
): ReadonlyArray<Broken> => {
  const { metadata, kind, status } = after
  const act = { who: `${kind} controller`, what: `wrote ${kind} ${metadata.name}` }
  const broken: Array<Broken> = []
  const { replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = status
  const updated = "updatedReplicas" in status ? (status.updatedReplicas ?? 0) : 0
  if (ready > replicas || available > ready || updated > replicas) {
    const sums = `replicas ${replicas}, updated ${updated}, ready ${ready}, available ${available}`
    broken.push({ ...act, rule: "statusSums", sums, broken: "available <= ready <= replicas >= updated" })
  }
  const generation = metadata.generation ?? 0
  const observed = status.observedGeneration ?? 0
  if (observed > generation) {
    const sums = `generation ${generation}, observedGeneration ${observed}`
    broken.push({ ...act, rule: "observedGeneration", sums, broken: "observedGeneration <= generation" })
  }
  const [former, revision] = [before && revisionOf(before), revisionOf(after)]
  if (former !== undefined && revision !== undefined && revision < former) {
    const sums = `revision ${former} before, ${revision} now`
    broken.push({ ...act, rule: "revisionsGrow", sums, broken: `revision >= ${former}` })
  }
  return broken
}

/** Each template that a Deployment has had is a revision of its own. */
export const judgeRevisions = (replicaSets: ReadonlyArray<ReplicaSet>): Broken | undefined => {
  const names = new Map<bigint, string>()
  for (const replicaSet of replicaSets) {
    const { name } = replicaSet.metadata
    const revision = revisionOf(replicaSet) ?? 0n
    const twin = names.get(revision)
    names.set(revision, name)
    // What somebody else has made has no number until it is taken up.
    if (twin === undefined || revision === 0n) continue
    return {
      rule: "revisionsGrow",
      who: "Deployment controller",
      what: `left ReplicaSets ${twin} and ${name} with one number`,
      sums: `${twin} revision ${revision}, ${name} revision ${revision}`,
      broken: "no two ReplicaSets of a Deployment have the same revision once an instant is over"
    }
  }
  return undefined
}

/** A ReplicaSet that has seen its newest spec reports as many Pods as there are. */
export const judgeCounts = (account: Account, replicaSet: ReplicaSet): Broken | undefined => {
  const { metadata, status } = replicaSet
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined
  const active = account.activeOf(metadata.uid)
  const available = account.availableOf(metadata.uid)
  const { replicas, availableReplicas = 0 } = status
  if (replicas === active && availableReplicas === available) return undefined
  return {
    rule: "statusCounts",
    who: "ReplicaSet controller",
    what: `left the status of ${metadata.name}`,
    sums: `${replicas} replicas and ${availableReplicas} available reported, ${active} and ${available} there`,
    broken: "what is reported is what is there once an instant is over"
  }
}
