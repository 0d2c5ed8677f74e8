import { goIsoText } from "../meta/amounts/timestamps.ts"

/** Times are in RFC 3339 with microseconds. */
export interface LeaderLeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

/** A Lease as a process saw it, and when it last changed by that process's clock. */
export interface ObservedLease {
  readonly spec: LeaderLeaseSpec
  readonly changedMillis: number
}

/**
 * Only the process's own clock counts, so that clocks may differ. Source:
 * client-go/tools/leaderelection/leaderelection.go (tryAcquireOrRenew).
 */
export const mayTakeLease = (
  { spec, changedMillis }: ObservedLease,
  identity: string,
  nowMillis: number
): boolean => {
  const { holderIdentity = "", leaseDurationSeconds = 0 } = spec
  return (
    holderIdentity === "" ||
    holderIdentity === identity ||
    changedMillis + leaseDurationSeconds * 1000 <= nowMillis
  )
}

/** A new holder counts as a transition. */
export const heldLease = (
  before: LeaderLeaseSpec | undefined,
  {
    identity,
    durationMillis,
    nowMillis
  }: { readonly identity: string; readonly durationMillis: number; readonly nowMillis: number }
): LeaderLeaseSpec => {
  const now = microTime(nowMillis)
  const isHeld = before?.holderIdentity === identity
  const transitions = before?.leaseTransitions ?? 0
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMillis / 1000),
    acquireTime: isHeld ? (before.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: before === undefined || isHeld ? transitions : transitions + 1
  }
}

export const releasedLease = (before: LeaderLeaseSpec, nowMillis: number): LeaderLeaseSpec => ({
  ...before,
  holderIdentity: "",
  // The API server refuses 0.
  leaseDurationSeconds: 1,
  acquireTime: microTime(nowMillis),
  renewTime: microTime(nowMillis)
})

const microTime = (millis: number): string => goIsoText(millis).replace("Z", "000Z")
