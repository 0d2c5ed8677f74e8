import { applyFleetChanges, emptyFleet } from "./fleet.ts"
import { fleetChangeBetween, lastIndexUpTo } from "./objectVersions.ts"
import type { Fleet, FleetChange } from "./fleet.ts"
import type { VersionStore } from "./objectVersions.ts"
import type { WalkedEntry } from "./workloadWalk.ts"

/** The next fleet is computed from the last one by the entries between. */
interface FleetPosition {
  /** The moment: the number of its last entry. */
  readonly number: number
  /** How many entries the fleet contains. */
  readonly index: number
  readonly fleet: Fleet
}

const initialPosition: FleetPosition = { number: -1, fleet: emptyFleet, index: 0 }

interface Fleets {
  readonly at: (
    number: number,
    options: { readonly beginNumber: number; readonly isLatest: boolean }
  ) => Fleet
  /** Computes the fleet from the beginning. */
  readonly distantFleetAt: (number: number, beginNumber: number) => Fleet
  /** Drops the oldest entries, up to the one with the number `beginNumber`. */
  readonly dropEntries: (beginNumber: number, count: number) => void
}

/** Keeps the latest fleet and the one shown last. */
export const makeFleets = (store: VersionStore, entries: Array<WalkedEntry>): Fleets => {
  let latestPosition = initialPosition
  let lastShownPosition = initialPosition

  /** Applies the entries between two moments, or all objects if those are fewer. */
  const moveTo = (position: FleetPosition, number: number, beginNumber: number): FleetPosition => {
    const index = lastIndexUpTo(entries, number) + 1
    const [low, high] = [Math.min(position.index, index), Math.max(position.index, index)]
    // Initial objects arrive one by one, so a fleet of the first moment may lack some.
    const fromNumber = position.number <= beginNumber ? -1 : position.number
    const uids = new Set<string>()
    // Of dropped entries only the versions are left.
    if (fromNumber === -1 || high - low > store.objectCount())
      for (const { uid } of store.all()) uids.add(uid)
    else for (let i = low; i < high; i += 1) uids.add(entries[i]?.uid ?? "")
    const changes: Array<FleetChange> = []
    for (const uid of uids) {
      const versions = store.versionsOf(uid)
      const change = versions === undefined ? undefined : fleetChangeBetween(versions, fromNumber, number)
      if (change !== undefined) changes.push(change)
    }
    return { number, index, fleet: applyFleetChanges(position.fleet, changes, store.arrivalOrderOf) }
  }

  const latest = (number: number, beginNumber: number): Fleet => {
    if (latestPosition.number < number || latestPosition.index < entries.length)
      latestPosition = moveTo(latestPosition, number, beginNumber)
    lastShownPosition = latestPosition
    return latestPosition.fleet
  }

  return {
    at: (number, { beginNumber, isLatest }) => {
      if (isLatest) return latest(number, beginNumber)
      const { number: shownNumber, index } = lastShownPosition
      if (shownNumber !== number || index <= lastIndexUpTo(entries, number))
        lastShownPosition = moveTo(lastShownPosition, number, beginNumber)
      return lastShownPosition.fleet
    },
    distantFleetAt: (number, beginNumber) => moveTo(initialPosition, number, beginNumber).fleet,
    dropEntries: (beginNumber, count) => {
      // Computes the latest fleet while its entries are there.
      latest(Math.max(beginNumber, entries.at(-1)?.number ?? beginNumber), beginNumber)
      entries.splice(0, count)
      latestPosition = { ...latestPosition, index: entries.length }
      lastShownPosition = latestPosition
    }
  }
}
