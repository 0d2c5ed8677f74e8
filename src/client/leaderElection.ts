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
  /** How long others wait after the last observed renewal. */
  readonly leaseMillis: number
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
  readonly stop: (options: { readonly releases: boolean }) => Promise<void>
}

interface ElectionSettings {
  readonly identity: string
  readonly durations: LeaseDurations
  readonly requests: LeaseRequests
  readonly clock: ElectionClock
  readonly onLeading: () => void
  readonly onLost: (why: string) => void
  /** The request is repeated. */
  readonly onFailure: (error: unknown) => void
}

export interface ElectionClock {
  /** The time of day: written into the Lease, it decides nothing but when to stop. */
  readonly nowMillis: () => number
  /** Never goes back. */
  readonly elapsedMillis: () => number
  readonly sleep: (millis: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
}

/** Jitter adds up to 1.2 times `retryMillis` to the wait. */
const jitter = 1.2

/**
 * Competes for a Lease until it is stopped, and again after it was lost.
 *
 * E1  A leader leads until `renewDeadlineMillis` after it sent the last answered renewal: others have seen it later.
 * E2  Both clocks must agree: one that jumps ahead, as after a sleep of the machine, ends the leadership.
 *
 * Source: staging/src/k8s.io/client-go/tools/leaderelection/leaderelection.go.
 */
export const startLeaderElection = (settings: ElectionSettings): LeaderElection => {
  const { identity, durations, requests, clock, onLeading, onLost, onFailure } = settings
  const stopController = new AbortController()
  const { signal } = stopController
  let lease: LeaseObject | undefined
  let observed: ObservedLease | undefined
  let mustRead = true
  let leadsUntil: { readonly wallMillis: number; readonly elapsedMillis: number } | undefined
  let isAnnounced = false

  const isLeading = (): boolean =>
    leadsUntil !== undefined &&
    clock.elapsedMillis() < leadsUntil.elapsedMillis &&
    clock.nowMillis() < leadsUntil.wallMillis

  const observe = (newLease: LeaseObject): void => {
    const isChanged = lease?.metadata.resourceVersion !== newLease.metadata.resourceVersion
    lease = newLease
    if (isChanged) observed = { spec: newLease.spec, changedMillis: clock.elapsedMillis() }
  }
  const read = async (requestSignal: AbortSignal): Promise<void> => {
    try {
      observe(await requests.get(requestSignal))
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
      lease = undefined
      observed = undefined
    }
  }
  const tryOnce = async (requestSignal: AbortSignal): Promise<boolean> => {
    if (mustRead || !isLeading()) await read(requestSignal)
    mustRead = true
    if (observed !== undefined && !mayTakeLease(observed, identity, clock.elapsedMillis())) return false
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
    mustRead = false
    leadsUntil = {
      wallMillis: sentAt.wallMillis + durations.renewDeadlineMillis,
      elapsedMillis: sentAt.elapsedMillis + durations.renewDeadlineMillis
    }
    return true
  }
  const attempt = async (): Promise<boolean> => {
    const requestController = new AbortController()
    const requestSignal = AbortSignal.any([signal, requestController.signal])
    const limit = isLeading()
      ? (leadsUntil?.elapsedMillis ?? 0) - clock.elapsedMillis()
      : durations.renewDeadlineMillis
    const timeout = clock.sleep(limit, requestSignal).then(() => requestController.abort())
    try {
      return await tryOnce(requestSignal)
    } catch (error) {
      // AlreadyExists: another process has created the Lease first.
      if (!signal.aborted && !(error instanceof AlreadyExists)) onFailure(error)
      return false
    } finally {
      requestController.abort()
      await timeout
    }
  }
  const announce = (why: string): void => {
    const leads = isLeading()
    if (leads === isAnnounced) return
    isAnnounced = leads
    if (leads) onLeading()
    else onLost(why)
  }
  /** Notices the end of the leadership, also while a request is in flight. */
  const watchEnd = async (): Promise<void> => {
    while (isLeading() && !signal.aborted)
      await clock.sleep((leadsUntil?.elapsedMillis ?? 0) - clock.elapsedMillis(), signal)
    if (!signal.aborted) announce(lostText(observed, identity))
  }
  const compete = async (): Promise<void> => {
    while (!signal.aborted) {
      const wasLeading = isLeading()
      await attempt()
      if (observed !== undefined && (observed.spec.holderIdentity ?? "") !== identity) leadsUntil = undefined
      announce(lostText(observed, identity))
      if (!wasLeading && isLeading()) void watchEnd()
      const factor = isLeading() ? 1 : 1 + clock.random() * jitter
      await clock.sleep(durations.retryMillis * factor, signal)
    }
  }
  const competition = compete()
  return {
    isLeading,
    holder: () => observed?.spec.holderIdentity ?? "",
    transitions: () => observed?.spec.leaseTransitions ?? 0,
    stop: async ({ releases }) => {
      const isHeld = isLeading()
      leadsUntil = undefined
      stopController.abort()
      await competition
      if (!isHeld || !releases) return
      const releaseController = new AbortController()
      const timeout = clock.sleep(durations.retryMillis, releaseController.signal).then(() => {
        releaseController.abort()
      })
      try {
        // Only the server knows the version: a renewal may have been in flight.
        await read(releaseController.signal)
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

const lostText = (observed: ObservedLease | undefined, identity: string): string => {
  const { holderIdentity = "" } = observed?.spec ?? {}
  return holderIdentity === identity || holderIdentity === ""
    ? "the Lease could not be renewed in time"
    : `${holderIdentity} holds the Lease`
}
