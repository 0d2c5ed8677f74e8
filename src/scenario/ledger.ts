import { controllerOf } from "../domain/ownerReferences.ts"
import { isSameTemplate } from "../domain/podTemplates.ts"
import { keyOf } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import { revisionOf } from "../domain/revisions.ts"
import { makeAccount } from "./account.ts"
import { judgeStep } from "./violations.ts"
import type { Account, Extremes, LedgerRow } from "./account.ts"
import type { Deployment, EventObject, KubeObject, Pod, ReplicaSet } from "../domain/objects.ts"
import type { Change } from "../store/objectStore.ts"
import type { Violation } from "./violations.ts"

/** One Deployment in the ledger. */
export interface LedgerEntry {
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** Of the time since `begin`, up to this moment. */
  readonly extremes: (atMillis: number) => Extremes
  readonly now: () => LedgerRow
}

/**
 * Keeps, at every instant of virtual time, how many Pods each Deployment has and how they are, and sees every rule
 * that is broken. It is fed with all changes of a cluster from its beginning, in order; each costs the same whatever
 * the number of Pods.
 */
export interface Ledger {
  readonly see: (change: Change, atMillis: number) => void
  /** Lets time pass in which nothing changed: Pods become available by waiting alone. */
  readonly passTo: (atMillis: number) => void
  /** Forgets rows and extremes so far; what is there stays known. */
  readonly begin: (atMillis: number) => void
  /** By `namespace/name`; undefined for a Deployment that never was. */
  readonly of: (key: string) => LedgerEntry | undefined
  readonly violations: () => ReadonlyArray<Violation>
}

interface Family {
  readonly key: string
  readonly account: Account
  deployment: Deployment
  readonly replicaSets: Map<string, ReplicaSet>
  /** Of the ReplicaSets whose report is to be counted when the instant is over. */
  readonly reported: Set<string>
}

/** What a Pod's deletion has left, until its ReplicaSet says that it was its own. */
interface Departure {
  readonly left: number
  readonly wanted: number
}

export const makeLedger = (startMillis = 0): Ledger => {
  const families = new Map<string, Family>()
  const byReplicaSet = new Map<string, Family>()
  const byKey = new Map<string, Family>()
  const departures = new Map<string, Departure>()
  const touched = new Set<Family>()
  const violations: Array<Violation> = []
  let instantMillis = -Infinity

  const tell = (subject: string, broken: Omit<Violation, "atMillis" | "subject">): void => {
    violations.push({ ...broken, atMillis: instantMillis - startMillis, subject })
  }
  /** Once nothing is left to do at an instant, what is reported must be what is there. */
  const endInstant = (): void => {
    for (const family of touched) {
      for (const uid of family.reported) {
        const broken = judgeCounts(family, uid)
        if (broken !== undefined) tell(family.key, broken)
      }
      family.reported.clear()
    }
    touched.clear()
  }
  const passTo = (atMillis: number): void => {
    if (atMillis <= instantMillis) return
    endInstant()
    for (const { account } of families.values()) account.passTo(atMillis)
    instantMillis = atMillis
  }

  const seeDeployment = ({ type, object, old }: Change): void => {
    const deployment = object as Deployment
    const { uid } = deployment.metadata
    const key = keyOf(deployment)
    const before = old as Deployment | undefined
    const known = families.get(uid)
    const family = known ?? {
      key,
      account: makeAccount(),
      deployment,
      replicaSets: new Map(),
      reported: new Set()
    }
    if (known === undefined) {
      families.set(uid, family)
      byKey.set(key, family)
    }
    family.deployment = deployment
    if (type === "DELETED") {
      families.delete(uid)
      return
    }
    family.account.setDesired(deployment.spec.replicas)
    if (before?.spec.template !== deployment.spec.template) chooseNext(family)
    family.account.note(instantMillis)
    for (const broken of judgeStatus(before, deployment)) tell(key, broken)
  }

  const seeReplicaSet = ({ type, object, old }: Change): void => {
    const replicaSet = object as ReplicaSet
    const before = old as ReplicaSet | undefined
    const { uid } = replicaSet.metadata
    const family = families.get(controllerOf(replicaSet)?.uid ?? "")
    if (family === undefined || type === "DELETED") {
      byReplicaSet.get(uid)?.replicaSets.delete(uid)
      byReplicaSet.delete(uid)
      return
    }
    const isNew = !family.replicaSets.has(uid)
    family.account.setMinReady(uid, replicaSet.spec.minReadySeconds ?? 0)
    family.replicaSets.set(uid, replicaSet)
    byReplicaSet.set(uid, family)
    if (isNew || before?.spec.template !== replicaSet.spec.template) chooseNext(family)
    family.account.note(instantMillis)
    family.reported.add(uid)
    touched.add(family)
    if ((before?.spec.replicas ?? 0) !== replicaSet.spec.replicas) {
      const { deployment, account } = family
      const step = { deployment, account, before, after: replicaSet, atMillis: instantMillis }
      for (const broken of judgeStep({ ...step, family: [...family.replicaSets.values()] }))
        tell(family.key, broken)
    }
    for (const broken of judgeStatus(before, replicaSet)) tell(family.key, broken)
  }

  const seePod = ({ type, object, old }: Change): void => {
    const pod = object as Pod
    const { uid, name, ownerReferences = [] } = pod.metadata
    const owner = controllerOf(pod)?.uid
    const family = byReplicaSet.get(owner ?? "")
    const former = byReplicaSet.get(controllerOf((old as Pod | undefined) ?? pod)?.uid ?? "")
    if (former !== undefined && former !== family) former.account.forgetPod(uid)
    const controllers = ownerReferences.filter(({ controller }) => controller === true)
    if (controllers.length > 1) tell(keyOf(pod), twoControllers(pod))
    if (family === undefined) {
      former?.account.note(instantMillis)
      return
    }
    if (type === "DELETED") family.account.forgetPod(uid)
    else family.account.seePod(pod, owner ?? "", instantMillis)
    family.account.note(instantMillis)
    if (owner !== undefined) family.reported.add(owner)
    touched.add(family)
    const replicaSet = family.replicaSets.get(owner ?? "")
    if (replicaSet === undefined) return
    const left = family.account.activeOf(replicaSet.metadata.uid)
    const wanted = replicaSet.spec.replicas
    if (type === "ADDED" && left > wanted) {
      const what = `created Pod ${name}`
      tell(family.key, unasked(replicaSet, what, `Pods <= replicas: ${left} <= ${wanted}`))
    }
    const isLeaving = pod.metadata.deletionTimestamp !== undefined
    if (isLeaving && (old as Pod | undefined)?.metadata.deletionTimestamp === undefined)
      departures.set(`${replicaSet.metadata.uid} ${name}`, { left, wanted })
    if (type === "DELETED") departures.delete(`${replicaSet.metadata.uid} ${name}`)
  }

  /** Who deleted a Pod is told by nothing but the event of its ReplicaSet. */
  const seeEvent = ({ reason, message, involvedObject }: EventObject): void => {
    if (reason !== "SuccessfulDelete") return
    const name = message.slice(message.lastIndexOf(" ") + 1)
    const uid = involvedObject.uid ?? ""
    const departure = departures.get(`${uid} ${name}`)
    const family = byReplicaSet.get(uid)
    const replicaSet = family?.replicaSets.get(uid)
    if (departure === undefined || family === undefined || replicaSet === undefined) return
    departures.delete(`${uid} ${name}`)
    const { left, wanted } = departure
    if (left >= wanted) return
    tell(
      family.key,
      unasked(replicaSet, `deleted Pod ${name}`, `Pods left >= replicas: ${left} >= ${wanted}`)
    )
  }

  return {
    see: (change, atMillis) => {
      passTo(atMillis)
      // The store says of what resource an object is; the types cannot follow.
      if (change.resource === resources.pods) seePod(change)
      else if (change.resource === resources.replicaSets) seeReplicaSet(change)
      else if (change.resource === resources.deployments) seeDeployment(change)
      else if (change.resource === resources.events) seeEvent(change.object as EventObject)
    },
    passTo,
    begin: (atMillis) => {
      passTo(atMillis)
      for (const { account } of families.values()) account.begin(atMillis)
    },
    of: (key) => {
      const family = byKey.get(key)
      if (family === undefined) return undefined
      const { account } = family
      return {
        rows: account.rows,
        extremes: account.extremes,
        now: () => ({ atMillis: instantMillis, ...account.now() })
      }
    },
    violations: () => violations
  }
}

const chooseNext = ({ account, deployment, replicaSets }: Family): void => {
  const next = [...replicaSets.values()].find(({ spec }) =>
    isSameTemplate(spec.template, deployment.spec.template)
  )
  account.setNext(next?.metadata.uid)
}

type Broken = Omit<Violation, "atMillis" | "subject">

const unasked = ({ metadata, spec }: ReplicaSet, what: string, broken: string): Broken => ({
  rule: "asked",
  who: "ReplicaSet controller",
  what,
  sums: `ReplicaSet ${metadata.name} is asked for ${spec.replicas}`,
  broken
})

const twoControllers = ({ metadata }: Pod): Broken => ({
  rule: "oneController",
  who: "somebody",
  what: `wrote the owners of Pod ${metadata.name}`,
  sums: (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`).join(", "),
  broken: "controllers of a Pod <= 1"
})

/** What an object says of itself must be possible, and never go back. */
const judgeStatus = (
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

/** A ReplicaSet that has seen its newest spec reports as many Pods as there are. */
const judgeCounts = ({ account, replicaSets }: Family, uid: string): Broken | undefined => {
  const replicaSet: (KubeObject & ReplicaSet) | undefined = replicaSets.get(uid)
  if (replicaSet === undefined) return undefined
  const { metadata, status } = replicaSet
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined
  const active = account.activeOf(uid)
  const available = account.availableOf(uid)
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
