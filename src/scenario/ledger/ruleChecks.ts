import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { isGenerationObserved } from "../../kubernetes/meta/observedGeneration.ts"
import type { Deployment, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { PodAccount } from "./podAccount.ts"
import type { ViolationDetails } from "./violations.ts"

export const unrequestedPod = (
  { metadata, spec }: ReplicaSet,
  what: string,
  broken: string
): ViolationDetails => ({
  rule: "asked",
  who: "ReplicaSet controller",
  what,
  sums: `ReplicaSet ${metadata.name} is asked for ${spec.replicas}`,
  broken
})

export const checkOwners = ({ metadata }: Pod): ViolationDetails | undefined => {
  const { name, ownerReferences = [] } = metadata
  if (ownerReferences.length < 2) return undefined
  const controllers = ownerReferences.filter(({ controller }) => controller === true)
  if (controllers.length < 2) return undefined
  return {
    rule: "oneController",
    who: "a client",
    what: `wrote the owners of Pod ${name}`,
    sums: ownerReferences.map(({ kind, name: owner }) => `${kind} ${owner}`).join(", "),
    broken: "controllers of a Pod <= 1"
  }
}

export const checkStatus = (
  before: Deployment | ReplicaSet | undefined,
  after: Deployment | ReplicaSet
): ReadonlyArray<ViolationDetails> => {
  const { metadata, kind, status } = after
  const attribution = { who: `${kind} controller`, what: `wrote ${kind} ${metadata.name}` }
  const violations: Array<ViolationDetails> = []
  const { replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = status
  const updated = "updatedReplicas" in status ? (status.updatedReplicas ?? 0) : 0
  if (ready > replicas || available > ready || updated > replicas) {
    const sums = `replicas ${replicas}, updated ${updated}, ready ${ready}, available ${available}`
    violations.push({
      ...attribution,
      rule: "statusSums",
      sums,
      broken: "available <= ready <= replicas >= updated"
    })
  }
  const generation = metadata.generation ?? 0
  const observedGeneration = status.observedGeneration ?? 0
  if (observedGeneration > generation) {
    const sums = `generation ${generation}, observedGeneration ${observedGeneration}`
    violations.push({
      ...attribution,
      rule: "observedGeneration",
      sums,
      broken: "observedGeneration <= generation"
    })
  }
  const [previousRevision, revision] = [before && revisionOf(before), revisionOf(after)]
  if (previousRevision !== undefined && revision !== undefined && revision < previousRevision) {
    const sums = `revision ${previousRevision} before, ${revision} now`
    violations.push({
      ...attribution,
      rule: "revisionsGrow",
      sums,
      broken: `revision >= ${previousRevision}`
    })
  }
  return violations
}

export const checkRevisions = (replicaSets: ReadonlyArray<ReplicaSet>): ViolationDetails | undefined => {
  const nameByRevision = new Map<bigint, string>()
  for (const replicaSet of replicaSets) {
    const { name } = replicaSet.metadata
    const revision = revisionOf(replicaSet) ?? 0n
    const otherName = nameByRevision.get(revision)
    nameByRevision.set(revision, name)
    // A ReplicaSet created by hand has no revision until it is adopted.
    if (otherName === undefined || revision === 0n) continue
    return {
      rule: "revisionsGrow",
      who: "Deployment controller",
      what: `left ReplicaSets ${otherName} and ${name} with one revision`,
      sums: `${otherName} revision ${revision}, ${name} revision ${revision}`,
      broken: "no two ReplicaSets of a Deployment have the same revision once an instant is over"
    }
  }
  return undefined
}

/** Only a ReplicaSet that has observed its newest generation must report the actual number of Pods. */
export const checkReportedCounts = (
  account: PodAccount,
  replicaSet: ReplicaSet
): ViolationDetails | undefined => {
  const { metadata, status } = replicaSet
  if (!isGenerationObserved(replicaSet)) return undefined
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
