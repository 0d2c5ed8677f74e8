import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeEntryHistory } from "../../src/recording/entryHistory.ts"
import type { ClusterEntry } from "../../src/recording/entry.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

interface HappeningOptions {
  readonly type: ClusterEntry["type"]
  readonly of: number
  readonly isOver: boolean
}

const happeningOf = ({ type, of, isOver }: HappeningOptions, number: number): ClusterEntry => {
  const when = { number, atMillis: number * 10 }
  if (type === "clock") return { type, ...when, speed: of }
  if (type === "note") return { type, ...when, level: "step", text: `note ${of}` }
  if (type === "fault")
    return { type, ...when, change: isOver ? "ENDED" : "BEGAN", id: `fault-${of}`, text: "" }
  const object = { apiVersion: "v1", kind: "Pod", metadata: { uid: `uid-${of}` } } as KubeObject
  return { type, ...when, change: isOver ? "DELETED" : "MODIFIED", resource: "pods", object }
}

/** The last happening of each object, fault and clock that has not ended, by number. */
const leftOf = (happenings: ReadonlyArray<ClusterEntry>): ReadonlyArray<ClusterEntry> => {
  const last = new Map<string, ClusterEntry>()
  for (const it of happenings) {
    if (it.type === "object") last.set(it.object.metadata.uid, { ...it, change: "ADDED" })
    else if (it.type === "fault") last.set(it.id, it)
    else if (it.type === "clock") last.set("clock", it)
    if ((it.type === "object" && it.change === "DELETED") || (it.type === "fault" && it.change === "ENDED"))
      last.delete(it.type === "fault" ? it.id : it.object.metadata.uid)
  }
  return [...last.values()].toSorted((a, b) => a.number - b.number)
}

const all = fc.array(
  fc.record({
    type: fc.constantFrom("object", "object", "fault", "clock", "note"),
    of: fc.nat(4),
    isOver: fc.boolean()
  }),
  { maxLength: 30 }
)
const note = (number: number): ClusterEntry => happeningOf({ type: "note", of: 1, isOver: false }, number)

describe("the kept happenings of a recording", () => {
  it("are the last ones; the initial objects include all earlier ones", () => {
    fc.assert(
      fc.property(all, fc.integer({ min: 1, max: 7 }), fc.nat(5), (generated, keptMax, initialCount) => {
        const whole = generated.map((it, index) => happeningOf(it, index + 1))
        const initial = whole.slice(0, initialCount)
        const beginning = { number: initial.length, atMillis: initial.length * 10 }
        const happenings = makeEntryHistory(() => leftOf(initial), { ...beginning, entriesMax: keptMax })
        for (const [index, happening] of whole.entries()) {
          if (index >= initial.length) happenings.add(happening)
          const past = whole.slice(0, Math.max(initial.length, index + 1))
          const first = Math.max(initial.length, past.length - keptMax)
          expect(happenings.start()).toEqual({ number: first, atMillis: first * 10 })
          expect(happenings.initialEntries()).toEqual(leftOf(whole.slice(0, first)))
          for (let number = 0; number <= past.length; number += 1) {
            expect(happenings.after(number)).toEqual(number < first ? undefined : past.slice(number))
          }
        }
      }),
      { seed: 8, numRuns: 200 }
    )
  })

  it.each([
    { why: "the last one", number: 5, remaining: [3, 4] },
    { why: "one before the last", number: 4, remaining: [3, 5] },
    { why: "the first kept one", number: 3, remaining: [4, 5] },
    { why: "one that is no longer kept", number: 2, remaining: [3, 4, 5] }
  ])("do not include one that was taken back: $why", ({ number, remaining }) => {
    const notes = [1, 2, 3, 4, 5].map(note)
    const happenings = makeEntryHistory(() => [], { number: 0, atMillis: 0, entriesMax: 3 })
    for (const it of notes) happenings.add(it)
    happenings.remove(notes[number - 1] ?? note(99))
    expect(happenings.after(2)?.map((it) => it.number)).toEqual(remaining)
    happenings.add(note(6))
    const { number: begin } = happenings.start()
    expect(happenings.after(begin)?.map((it) => it.number)).toEqual([...remaining, 6].slice(-3))
  })

  it.each([
    { why: "a fault disappears from the initial objects", type: "fault", remaining: [1, 2] },
    { why: "a clock entry stays among the initial objects", type: "clock", remaining: [1, 2, 3] }
  ] as const)("allow taking back an entry that is no longer kept: $why", ({ type, remaining }) => {
    const [object, fault, last] = [
      happeningOf({ type: "object", of: 1, isOver: false }, 1),
      happeningOf({ type: "fault", of: 1, isOver: false }, 2),
      happeningOf({ type, of: 2, isOver: false }, 3)
    ]
    const happenings = makeEntryHistory(() => [], { number: 0, atMillis: 0, entriesMax: 1 })
    for (const it of [object, fault, last, note(4)]) happenings.add(it)
    happenings.remove(last)
    expect(happenings.initialEntries().map(({ number }) => number)).toEqual(remaining)
  })

  it("exclude from the initial objects an early fault that was taken back", () => {
    const happenings = makeEntryHistory(() => [], { number: 0, atMillis: 0, entriesMax: 1 })
    const faults = [1, 2].map((of) => happeningOf({ type: "fault", of, isOver: false }, of))
    for (const it of [...faults, note(3)]) happenings.add(it)
    happenings.remove(faults[0] ?? note(99))
    expect(happenings.initialEntries()).toEqual([faults[1]])
  })
})
