import { makePodAccount } from "./podAccount.ts"
import type { PodAccount } from "./podAccount.ts"
import type { ViolationDetails } from "./violations.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { ScheduleCallback } from "./ledgerTimers.ts"
import type { FaultExcuses, JudgedController } from "./faultExcuses.ts"

export interface TrackedDeployment {
  readonly key: string
  readonly account: PodAccount
  deployment: Deployment
  readonly replicaSets: Map<string, ReplicaSet>
  /** Objects by uid, as last written by their controllers. */
  readonly lastWritten: Map<string, Deployment | ReplicaSet>
  /** Uids of ReplicaSets whose reported counts are checked at the end of the instant. */
  readonly reportsToCheck: Set<string>
  /** Whether the controller gave a ReplicaSet a new revision in this instant. */
  isRenumbered: boolean
}

/** The counts at a Pod's deletion. Only a later Event tells whether the ReplicaSet deleted the Pod. */
interface PodDeletion {
  readonly remaining: number
  readonly desired: number
}

export interface RolloutLedgerOptions {
  readonly schedule: ScheduleCallback
  readonly nowMillis: () => number
  readonly report: (subject: string, violation: ViolationDetails) => void
  readonly excuses: FaultExcuses
  readonly strategies: ReadonlyArray<Strategy> | undefined
}

/** What the ledger knows of all Deployments. */
export interface TrackedDeployments extends RolloutLedgerOptions {
  readonly trackedByUid: Map<string, TrackedDeployment>
  readonly trackedByReplicaSet: Map<string, TrackedDeployment>
  readonly trackedByKey: Map<string, TrackedDeployment>
  readonly orphanAccount: PodAccount
  /** By the ReplicaSet's uid and the Pod's name. */
  readonly podDeletions: Map<string, PodDeletion>
  /** In this instant. */
  readonly changedDeployments: Set<TrackedDeployment>
}

export const makeTrackedDeployments = (options: RolloutLedgerOptions): TrackedDeployments => ({
  ...options,
  trackedByUid: new Map(),
  trackedByReplicaSet: new Map(),
  trackedByKey: new Map(),
  orphanAccount: makePodAccount(options.schedule),
  podDeletions: new Map(),
  changedDeployments: new Set()
})

export const mayReadStaleObjects = (
  { excuses, nowMillis }: TrackedDeployments,
  controller: JudgedController
): boolean => excuses.mayReadStaleObjects(controller, nowMillis())

export const mayBeWrittenBy = (writer: WriterName | undefined, controller: JudgedController): boolean =>
  writer === undefined || writer === controller

export const forgetIfEmpty = (state: TrackedDeployments, tracked: TrackedDeployment, uid: string): void => {
  if (!tracked.replicaSets.has(uid) && tracked.account.presentOf(uid) === 0)
    state.trackedByReplicaSet.delete(uid)
}
