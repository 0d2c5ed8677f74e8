import { applyFleetChanges, controllerUid, emptyFleet, involvedUid } from "./fleet.ts"
import { fleetChangeBetween } from "./objectVersions.ts"
import type { Fleet, FleetChange } from "./fleet.ts"
import type { VersionStore } from "./objectVersions.ts"

/** The fleet has the workload, what it owns, their Events, and the nodes. */
export interface WalkedMoment {
  readonly number: number
  readonly atMillis: number
  readonly fleet: Fleet
}

export interface WorkloadWalk {
  /** The next instant at which an object of the fleet changed; undefined as long as there is none. */
  readonly next: () => WalkedMoment | undefined
}

/** An entry without an object changes no fleet. */
export interface WalkedEntry {
  readonly number: number
  readonly atMillis: number
  readonly uid?: string
}

interface WalkInput {
  readonly store: VersionStore
  readonly entries: ReadonlyArray<WalkedEntry>
  /** Objects up to this number make the first moment. */
  readonly beginNumber: number
  readonly beginMillis: number
  readonly uid: string
}

/** Follows a workload one instant at a time, so that a long history can be read in slices. */
export const makeWorkloadWalk = ({
  store,
  entries,
  beginNumber,
  beginMillis,
  uid: workloadUid
}: WalkInput): WorkloadWalk => {
  let fleet = emptyFleet
  let index = 0
  let lastNumber = -1

  const isOwned = (uid: string): boolean => {
    // Event, Pod, ReplicaSet or Job, Deployment or CronJob.
    const depthMax = 4
    let ownerUid = uid
    for (let depth = 0; depth < depthMax && ownerUid !== ""; depth += 1) {
      if (ownerUid === workloadUid) return true
      const record = store.versionsOf(ownerUid)
      const object = record?.versions.at(-1)?.object
      if (object === undefined) return false
      ownerUid = record?.resource === "events" ? involvedUid(object) : controllerUid(object)
    }
    return false
  }
  const isIncluded = (uid: string | undefined): uid is string =>
    uid !== undefined && (store.versionsOf(uid)?.resource === "nodes" || isOwned(uid))

  const moveTo = (uids: Iterable<string>, number: number, atMillis: number): WalkedMoment => {
    const changes: Array<FleetChange> = []
    for (const uid of uids) {
      const versions = store.versionsOf(uid)
      const change = versions === undefined ? undefined : fleetChangeBetween(versions, lastNumber, number)
      if (change !== undefined) changes.push(change)
    }
    lastNumber = number
    fleet = applyFleetChanges(fleet, changes, store.arrivalOrderOf)
    return { number, atMillis, fleet }
  }

  return {
    next: () => {
      if (lastNumber === -1) {
        const uids = [...store.all()].map((record) => record.uid)
        return moveTo(uids.filter(isIncluded), beginNumber, beginMillis)
      }
      const uids = new Set<string>()
      let [number, atMillis] = [beginNumber, beginMillis]
      for (; index < entries.length; index += 1) {
        const entry = entries[index]
        if (entry === undefined || (uids.size > 0 && entry.atMillis !== atMillis)) break
        if (entry.number <= beginNumber || !isIncluded(entry.uid)) continue
        uids.add(entry.uid)
        number = entry.number
        atMillis = entry.atMillis
      }
      return uids.size === 0 ? undefined : moveTo(uids, number, atMillis)
    }
  }
}
