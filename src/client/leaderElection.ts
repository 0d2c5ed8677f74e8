import { AlreadyExists, NotFound } from "../store/storeErrors.ts"
import { heldLease, mayTakeLease, releasedLease } from "../kubernetes/coordination/leaderLease.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { LeaderLeaseSpec, ObservedLease } from "../kubernetes/coordination/leaderLease.ts"

export interface LeaseObject extends KubeObject {
  readonly spec: LeaderLeaseSpec
}

export interface LeaseRequests {
  readonly get: (signal: AbortSignal) => Promise<LeaseObject>
  readonly create: (spec: LeaderLeaseSpec, signal: AbortSignal) => Promise<LeaseObject>
  /** Rejects when the Lease has changed since it was read. */
  readonly update: (lease: LeaseObject, signal: AbortSignal) => Promise<LeaseObject>
}

export interface LeaseDurations {
  /** How long other processes wait after the last observed renewal. */
  readonly leaseMillis: number
  /** How long a leader leads without a renewal. */
  readonly renewDeadlineMillis: number
  readonly retryMillis: number
}

/** client-go's defaults. */
export const leaseDurationsDefault: LeaseDurations = {
  leaseMillis: 15_000,
  renewDeadlineMillis: 10_000,
  retryMillis: 2000
}

export interface LeaderElection {
  readonly isLeading: () => boolean
  /** The last observed holder; empty if there is none. */
  readonly holder: () => string
  readonly transitions: () => number
  readonly stop: (options: { readonly releasesLease: boolean }) => Promise<void>
}

interface ElectionSettings {
  readonly identity: string
  readonly durations: LeaseDurations
  readonly requests: LeaseRequests
  readonly clock: ElectionClock
  readonly onLeading: () => void
  readonly onLost: (why: string) => void
  /** The failed request is repeated. */
  readonly onFailure: (error: unknown) => void
}

export interface ElectionClock {
  /** The time of day, which is written into the Lease. It may jump. */
  readonly nowMillis: () => number
  /** Never goes back. */
  readonly elapsedMillis: () => number
  readonly sleep: (millis: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
}

/** Source: client-go's JitterFactor: the wait before another try is longer by up to 1.2 times `retryMillis`. */
const jitterFactor = 1.2

/**
 * Competes for a Lease until it is stopped, and again after it was lost.
 *
 * The process leads until `renewDeadlineMillis` after it sent the last answered renewal. The time of day and the
 * elapsed time both count: after a sleep of the machine, one of the two is ahead and ends the leadership.
 *
 * Source: client-go/tools/leaderelection/leaderelection.go.
 */
export const startLeaderElection = (settings: ElectionSettings): LeaderElection => {
  const { identity, durations, requests, clock, onLeading, onLost, onFailure } = settings
  const stopController = new AbortController()
  const { signal } = stopController
  let lease: LeaseObject | undefined
  let observedLease: ObservedLease | undefined
  let mustReadLease = true
  let leadsUntil: { readonly wallMillis: number; readonly elapsedMillis: number } | undefined
  let announcedLeading = false

  const isLeading = (): boolean =>
    leadsUntil !== undefined &&
    clock.elapsedMillis() < leadsUntil.elapsedMillis &&
    clock.nowMillis() < leadsUntil.wallMillis

  const observe = (newLease: LeaseObject): void => {
    const isChanged = lease?.metadata.resourceVersion !== newLease.metadata.resourceVersion
    lease = newLease
    if (isChanged) observedLease = { spec: newLease.spec, changedMillis: clock.elapsedMillis() }
  }
  const readLease = async (requestSignal: AbortSignal): Promise<void> => {
    try {
      observe(await requests.get(requestSignal))
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
      lease = undefined
      observedLease = undefined
    }
  }
  const tryToHoldLease = async (requestSignal: AbortSignal): Promise<boolean> => {
    if (mustReadLease || !isLeading()) await readLease(requestSignal)
    mustReadLease = true
    if (observedLease !== undefined && !mayTakeLease(observedLease, identity, clock.elapsedMillis()))
      return false
    const sentAt = { wallMillis: clock.nowMillis(), elapsedMillis: clock.elapsedMillis() }
    const spec = heldLease(lease?.spec, {
      identity,
      durationMillis: durations.leaseMillis,
      nowMillis: sentAt.wallMillis
    })
    observe(
      lease === undefined
        ? await requests.create(spec, requestSignal)
        : await requests.update({ ...lease, spec }, requestSignal)
    )
    mustReadLease = false
    leadsUntil = {
      wallMillis: sentAt.wallMillis + durations.renewDeadlineMillis,
      elapsedMillis: sentAt.elapsedMillis + durations.renewDeadlineMillis
    }
    return true
  }
  const tryWithinTimeout = async (): Promise<boolean> => {
    const requestController = new AbortController()
    const requestSignal = AbortSignal.any([signal, requestController.signal])
    const timeoutMillis = isLeading()
      ? (leadsUntil?.elapsedMillis ?? 0) - clock.elapsedMillis()
      : durations.renewDeadlineMillis
    const timeout = clock.sleep(timeoutMillis, requestSignal).then(() => requestController.abort())
    try {
      return await tryToHoldLease(requestSignal)
    } catch (error) {
      // AlreadyExists: another process has created the Lease first.
      if (!signal.aborted && !(error instanceof AlreadyExists)) onFailure(error)
      return false
    } finally {
      requestController.abort()
      await timeout
    }
  }
  const announceLeadership = (whyLost: string): void => {
    const isLeadingNow = isLeading()
    if (isLeadingNow === announcedLeading) return
    announcedLeading = isLeadingNow
    if (isLeadingNow) onLeading()
    else onLost(whyLost)
  }
  /** Tells of the end of the leadership on time, also while a request is in flight. */
  const announceEnd = async (): Promise<void> => {
    while (isLeading() && !signal.aborted)
      await clock.sleep((leadsUntil?.elapsedMillis ?? 0) - clock.elapsedMillis(), signal)
    if (!signal.aborted) announceLeadership(lostText(observedLease, identity))
  }
  const compete = async (): Promise<void> => {
    while (!signal.aborted) {
      const wasLeading = isLeading()
      await tryWithinTimeout()
      if (observedLease !== undefined && (observedLease.spec.holderIdentity ?? "") !== identity)
        leadsUntil = undefined
      announceLeadership(lostText(observedLease, identity))
      if (!wasLeading && isLeading()) void announceEnd()
      const factor = isLeading() ? 1 : 1 + clock.random() * jitterFactor
      await clock.sleep(durations.retryMillis * factor, signal)
    }
  }
  const competition = compete()
  return {
    isLeading,
    holder: () => observedLease?.spec.holderIdentity ?? "",
    transitions: () => observedLease?.spec.leaseTransitions ?? 0,
    stop: async ({ releasesLease }) => {
      const isHeld = isLeading()
      leadsUntil = undefined
      stopController.abort()
      await competition
      if (!isHeld || !releasesLease) return
      const releaseController = new AbortController()
      const timeout = clock.sleep(durations.retryMillis, releaseController.signal).then(() => {
        releaseController.abort()
      })
      try {
        // Only the server knows the version: a renewal may have been in flight.
        await readLease(releaseController.signal)
        if (lease?.spec.holderIdentity === identity)
          await requests.update(
            { ...lease, spec: releasedLease(lease.spec, clock.nowMillis()) },
            releaseController.signal
          )
      } catch (error) {
        onFailure(error)
      } finally {
        releaseController.abort()
        await timeout
      }
    }
  }
}

const lostText = (observedLease: ObservedLease | undefined, identity: string): string => {
  const { holderIdentity = "" } = observedLease?.spec ?? {}
  return holderIdentity === identity || holderIdentity === ""
    ? "the Lease could not be renewed in time"
    : `${holderIdentity} holds the Lease`
}
