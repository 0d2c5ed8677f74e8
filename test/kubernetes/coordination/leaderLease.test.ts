import { describe, expect, it } from "vitest"
import { heldLease, mayTakeLease, releasedLease } from "../../../src/kubernetes/coordination/leaderLease.ts"

const held = {
  holderIdentity: "a",
  leaseDurationSeconds: 15,
  acquireTime: "2026-01-01T00:00:00.000000Z",
  renewTime: "2026-01-01T00:01:00.000000Z",
  leaseTransitions: 3
}
const nowMillis = Date.parse("2026-01-01T00:02:00Z")
const now = "2026-01-01T00:02:00.000000Z"

describe("a Lease may be taken", () => {
  it.each([
    { who: "its holder, at any time", identity: "a", afterMillis: 0, spec: held, mayTake: true },
    { who: "no other before it has run out", identity: "b", afterMillis: 14_999, spec: held, mayTake: false },
    { who: "another when it has run out", identity: "b", afterMillis: 15_000, spec: held, mayTake: true },
    {
      who: "any, of a released one",
      identity: "b",
      afterMillis: 0,
      spec: { ...held, holderIdentity: "" },
      mayTake: true
    },
    { who: "any, of an empty one", identity: "b", afterMillis: 0, spec: {}, mayTake: true },
    {
      who: "no other by what its renewTime says: only the own clock counts",
      identity: "b",
      afterMillis: 0,
      spec: { ...held, renewTime: "1999-01-01T00:00:00.000000Z" },
      mayTake: false
    }
  ])("by $who", ({ identity, afterMillis, spec, mayTake }) => {
    expect(mayTakeLease({ spec, changedMillis: 1000 }, identity, 1000 + afterMillis)).toBe(mayTake)
  })
})

describe("a held Lease", () => {
  const write = (before: typeof held | undefined, identity: string) =>
    heldLease(before, { identity, durationMillis: 15_000, nowMillis })

  it.each([
    {
      when: "it is new",
      spec: write(undefined, "a"),
      expected: {
        holderIdentity: "a",
        leaseDurationSeconds: 15,
        acquireTime: now,
        renewTime: now,
        leaseTransitions: 0
      }
    },
    { when: "it is renewed", spec: write(held, "a"), expected: { ...held, renewTime: now } },
    {
      when: "it changes hands",
      spec: write(held, "b"),
      expected: { ...held, holderIdentity: "b", acquireTime: now, renewTime: now, leaseTransitions: 4 }
    },
    {
      when: "it was released",
      spec: write(releasedLease(held, nowMillis) as typeof held, "a"),
      expected: { ...held, acquireTime: now, renewTime: now, leaseTransitions: 4 }
    }
  ])("when $when", ({ spec, expected }) => {
    expect(spec).toEqual(expected)
  })

  it("is free for a second at most once it is released", () => {
    expect(releasedLease(held, nowMillis)).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 })
  })
})
