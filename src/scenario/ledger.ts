import { controllerOf } from "../domain/ownerReferences.ts"
import { isSameTemplate } from "../domain/podTemplates.ts"
import { keyOf } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import { revisionOf } from "../domain/revisions.ts"
import { makeAccount } from "./account.ts"
import { deedOf, waiting } from "./deeds.ts"
import { makeDueTimes } from "./dueTimes.ts"
import { judgeCounts, judgeOwners, judgeRevisions, judgeStatus, unasked } from "./judgements.ts"
import { makeServiceLedger } from "./serviceLedger.ts"
import { usualTraffic } from "./serviceTraffic.ts"
import { judgeStep } from "./violations.ts"
import { makeWatchers } from "./watchers.ts"
import type { Account, Extremes, LedgerRow } from "./account.ts"
import type { Broken } from "./judgements.ts"
import type { Deployment, EventObject, Key, Pod, ReplicaSet } from "../domain/objects.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { ServiceRow, ServiceTotals, Traffic } from "./serviceTraffic.ts"
import type { Violation } from "./violations.ts"
import type { Invariant } from "./watchers.ts"

/** One Deployment in the ledger. */
export interface LedgerEntry {
  readonly rows: () => ReadonlyArray<LedgerRow>
  /** Of the time since `begin`, up to this moment. */
  readonly extremes: (atMillis: number) => Extremes
  readonly now: () => LedgerRow
}

/** One Service in the ledger. */
export interface ServiceEntry {
  readonly rows: () => ReadonlyArray<ServiceRow>
  /** Of the time since `begin`, up to this moment, which may have passed already. */
  readonly totals: (atMillis: number) => ServiceTotals
  readonly now: () => ServiceRow
}

/**
 * Keeps, at every instant of virtual time, how many Pods each Deployment has and how they are, and how many requests
 * each Service would have lost, and sees every rule that is broken. It is fed with all changes of a cluster, in order;
 * each costs the same whatever the number of Pods.
 */
export interface Ledger {
  readonly see: (change: Change, atMillis: number) => void
  /** Sees everything that is there already, where the ledger was not fed from the beginning. */
  readonly seeAll: (view: Pick<ClusterView["Service"], "all">, atMillis: number) => void
  /** Lets time pass in which nothing changed: Pods become available by waiting alone. */
  readonly passTo: (atMillis: number) => void
  /** Forgets rows and extremes so far; what is there stays known. */
  readonly begin: (atMillis: number) => void
  /** By `namespace/name`; undefined for a Deployment that never was. */
  readonly of: (key: Key) => LedgerEntry | undefined
  readonly deployments: () => ReadonlyArray<Key>
  /** By `namespace/name`; undefined for a Service that never was, or that has no selector. */
  readonly ofService: (key: Key) => ServiceEntry | undefined
  readonly services: () => ReadonlyArray<Key>
  /** What must hold from now on, at every instant and after every step. */
  readonly watchFor: (invariant: Invariant) => void
  /** Controllers are hindered from now on; what that excuses is not told as broken. */
  readonly hinder: (how?: Hindrance) => void
  /** Judges what must be right once everything has come to rest. */
  readonly judgeSettled: () => void
  readonly violations: () => ReadonlyArray<Violation>
}

/** How controllers are hindered, beside being stopped, restarted and refused. */
export interface Hindrance {
  /** What a controller does may rest on what was so a minute ago. */
  readonly isLate?: boolean
  /** For how long; for ever where it is left out. */
  readonly lastsMillis?: number | undefined
  /** What was carried out may be done once more. */
  readonly areAnswersLost?: boolean
}

export interface LedgerOptions extends Partial<Traffic> {
  /** How long a Pod that is ready does not answer yet: 0 where nobody says. */
  readonly answersAfterMillis?: (pod: Pod) => number
}

interface Family {
  readonly key: string
  readonly account: Account
  deployment: Deployment
  readonly replicaSets: Map<string, ReplicaSet>
  /** Of the ReplicaSets whose report is to be counted when the instant is over. */
  readonly reported: Set<string>
  /** Whether a ReplicaSet has another number since the last instant. */
  isRenumbered: boolean
}

/** What a Pod's deletion has left, until its ReplicaSet says that it was its own. */
interface Departure {
  readonly left: number
  readonly wanted: number
}

export const makeLedger = (startMillis = 0, options: LedgerOptions = {}): Ledger => {
  const families = new Map<string, Family>()
  const byReplicaSet = new Map<string, Family>()
  const byKey = new Map<string, Family>()
  const departures = new Map<string, Departure>()
  const touched = new Set<Family>()
  const violations: Array<Violation> = []
  const due = makeDueTimes()
  const services = makeServiceLedger({
    traffic: { ...usualTraffic, ...options },
    dueAt: due.add,
    answersAfterMillis: options.answersAfterMillis ?? (() => 0)
  })
  let instantMillis = -Infinity
  let isHindered = false
  let isCatchingUp = false
  let lateUntilMillis = -Infinity
  let areAnswersLost = false

  const isLate = (): boolean => instantMillis <= lateUntilMillis
  const tell = (subject: string, broken: Broken): void => {
    if (isCatchingUp) return
    violations.push({ ...broken, atMillis: instantMillis - startMillis, subject })
  }
  const watchers = makeWatchers({
    tell,
    sums: () => [...byKey.values()].map(({ key, account }) => sumsOf(key, account)).join("; ")
  })
  /** Once nothing is left to do at an instant, what is reported must be what is there. */
  const endInstant = (): void => {
    for (const family of touched) {
      if (!isHindered) judgeReported(family)
      family.reported.clear()
      const broken = family.isRenumbered ? judgeRevisions([...family.replicaSets.values()]) : undefined
      family.isRenumbered = false
      if (broken !== undefined && !isLate()) tell(family.key, broken)
    }
    touched.clear()
  }
  const judgeReported = (family: Family): void => {
    for (const uid of family.reported) {
      const replicaSet = family.replicaSets.get(uid)
      const broken = replicaSet === undefined ? undefined : judgeCounts(family.account, replicaSet)
      if (broken !== undefined) tell(family.key, broken)
    }
  }
  const passTo = (atMillis: number): void => {
    if (atMillis <= instantMillis) return
    endInstant()
    for (let next = due.nextMillis(); next !== undefined && next <= atMillis; next = due.nextMillis()) {
      instantMillis = Math.max(instantMillis, next)
      due.happen()
      if (watchers.isWatching()) watchers.look(waiting("has passed"))
    }
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
      account: makeAccount(due.add),
      deployment,
      replicaSets: new Map(),
      reported: new Set(),
      isRenumbered: false
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
    family.account.setMinReady(uid, replicaSet.spec.minReadySeconds ?? 0, instantMillis)
    family.replicaSets.set(uid, replicaSet)
    byReplicaSet.set(uid, family)
    if (isNew || before?.spec.template !== replicaSet.spec.template) chooseNext(family)
    family.account.note(instantMillis)
    family.reported.add(uid)
    family.isRenumbered ||= isNew || revisionOf(replicaSet) !== (before && revisionOf(before))
    touched.add(family)
    if ((before?.spec.replicas ?? 0) !== replicaSet.spec.replicas) {
      const { deployment, account } = family
      const step = { deployment, account, before, after: replicaSet, atMillis: instantMillis }
      for (const broken of judgeStep({ ...step, family: [...family.replicaSets.values()] }))
        if (!isLate()) tell(family.key, broken)
    }
    for (const broken of judgeStatus(before, replicaSet)) tell(family.key, broken)
  }

  const seePod = ({ type, object, old }: Change): void => {
    const pod = object as Pod
    const { uid, name } = pod.metadata
    const owner = controllerOf(pod)?.uid
    const family = byReplicaSet.get(owner ?? "")
    const former = byReplicaSet.get(controllerOf((old as Pod | undefined) ?? pod)?.uid ?? "")
    if (former !== undefined && former !== family) former.account.forgetPod(uid)
    const torn = judgeOwners(pod)
    if (torn !== undefined) tell(keyOf(pod), torn)
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
    if (type === "ADDED" && left > wanted && !isLate() && !areAnswersLost) {
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
    if (left >= wanted || isLate()) return
    tell(
      family.key,
      unasked(replicaSet, `deleted Pod ${name}`, `Pods left >= replicas: ${left} >= ${wanted}`)
    )
  }

  const take = (change: Change): void => {
    // The store says of what resource an object is; the types cannot follow.
    switch (change.resource) {
      case resources.pods:
        seePod(change)
        return services.see(change, instantMillis)
      case resources.replicaSets:
        return seeReplicaSet(change)
      case resources.deployments:
        return seeDeployment(change)
      case resources.events:
        return seeEvent(change.object as EventObject)
      default:
        return services.see(change, instantMillis)
    }
  }
  /** Whether a Pod's ReplicaSet has more than it was asked for: who takes one away then is that. */
  const isSurplus = ({ resource, object }: Change): boolean => {
    const uid = resource === resources.pods ? controllerOf(object)?.uid : undefined
    const family = uid === undefined ? undefined : byReplicaSet.get(uid)
    const replicaSet = uid === undefined ? undefined : family?.replicaSets.get(uid)
    if (uid === undefined || family === undefined || replicaSet === undefined) return true
    return family.account.activeOf(uid) >= replicaSet.spec.replicas
  }

  return {
    see: (change, atMillis) => {
      passTo(atMillis)
      take(change)
      if (watchers.isWatching() && watched.has(change.resource))
        watchers.look(deedOf(change, isSurplus(change)))
    },
    seeAll: (view, atMillis) => {
      passTo(atMillis)
      isCatchingUp = true
      services.settled(() => {
        for (const resource of watched) {
          for (const object of view.all(resource))
            take({ type: "ADDED", resource, object, old: undefined, resourceVersion: 0 })
        }
      })
      endInstant()
      isCatchingUp = false
    },
    passTo,
    begin: (atMillis) => {
      passTo(atMillis)
      for (const { account } of families.values()) account.begin(atMillis)
      services.begin(atMillis)
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
    deployments: () => [...byKey.keys()],
    ofService: (key) => {
      const service = services.of(key)
      if (service === undefined) return undefined
      const { rows, totals } = service
      return { rows, totals, now: () => service.now(instantMillis) }
    },
    services: services.keys,
    watchFor: (invariant) => {
      watchers.add(invariant)
      watchers.look(waiting("had only begun"))
    },
    hinder: (how = {}) => {
      isHindered = true
      const untilMillis = instantMillis + (how.lastsMillis ?? Infinity) + hearsayMillis
      if (how.isLate === true) lateUntilMillis = Math.max(lateUntilMillis, untilMillis)
      areAnswersLost ||= how.areAnswersLost === true
    },
    judgeSettled: () => {
      endInstant()
      for (const family of families.values()) {
        for (const uid of family.replicaSets.keys()) family.reported.add(uid)
        judgeReported(family)
        family.reported.clear()
      }
    },
    violations: () => violations
  }
}

/** How old what a controller knows may be that has been hindered. */
const hearsayMillis = 60_000

/** What counts are made of, in the order in which one thing is known by another. */
const watched: ReadonlySet<Change["resource"]> = new Set([
  resources.nodes,
  resources.services,
  resources.deployments,
  resources.replicaSets,
  resources.pods,
  resources.endpointSlices
])

const sumsOf = (key: Key, account: Account): string => {
  const { desired, existing, ready, available, updated, terminating } = account.now()
  return (
    `${key}: desired ${desired}, Pods ${existing}, ready ${ready}, available ${available}, ` +
    `updated ${updated}, terminating ${terminating}`
  )
}

const chooseNext = ({ account, deployment, replicaSets }: Family): void => {
  const next = [...replicaSets.values()].find(({ spec }) =>
    isSameTemplate(spec.template, deployment.spec.template)
  )
  account.setNext(next?.metadata.uid)
}
