import { describe, expect, it } from "vitest"
import { isUnreadable, readRecordingEntry } from "../../src/recording/readEntry.ts"
import { aHeader } from "./builders.ts"
import type { Step } from "../../src/explain/steps/step.ts"

const header = aHeader({ title: "a recording", seed: -7, charts: { pod: "<svg/>" } })

const metadata = { name: "web", uid: "uid-1" }
const anObject = (object: object, more: object = {}): object => ({
  type: "object",
  change: "ADDED",
  number: 0,
  atMillis: 0.5,
  resource: "pods",
  object: { apiVersion: "v1", kind: "Pod", metadata, spec: {}, status: {}, ...object },
  ...more
})

const whole: Step = {
  number: 0,
  atMillis: 0,
  uid: "uid-1",
  kind: "Pod",
  namespace: "default",
  name: "web",
  chart: "pod",
  event: "observed",
  from: ["a"],
  to: ["b"],
  taken: [{ source: "a", target: "b", guard: "isBound" }],
  guards: [{ state: "a", name: "isBound", holds: false, text: "it is bound" }],
  numbers: [
    ["ready", 3],
    ["revision", "2"]
  ],
  commands: ["scale"],
  writes: [{ verb: "update", resource: "pods", key: "default/web" } as Step["writes"][number]],
  events: ["it is bound"],
  because: { type: "MODIFIED", resource: "pods", key: "default/web" } as NonNullable<Step["because"]>
}
const aStep = (step: object, more: object = {}): object => ({
  type: "step",
  number: 1,
  atMillis: 1,
  step: { ...whole, ...step },
  ...more
})
const aFault = (more: object): object => ({
  type: "fault",
  number: 1,
  atMillis: 1,
  change: "BEGAN",
  id: "fault-1",
  text: "node-2 is lost",
  ...more
})
const aClock = (more: object): object => ({ type: "clock", number: 1, atMillis: 1, speed: 0, ...more })
const aNote = (more: object): object => ({
  type: "note",
  number: 1,
  atMillis: 1,
  level: "step",
  text: "updated",
  ...more
})
const anEnd = (more: object): object => ({ type: "end", number: 1, atMillis: 1, entries: 2, ...more })

const leftOut = undefined

describe("a line of a recording", () => {
  it.each<{ why: string; entry: object }>([
    { why: "a header", entry: header },
    { why: "a header without charts", entry: { ...header, charts: {} } },
    { why: "a Pod", entry: anObject({}) },
    { why: "a modified object", entry: anObject({}, { change: "MODIFIED" }) },
    { why: "a deleted object", entry: anObject({}, { change: "DELETED" }) },
    { why: "a Node without a spec", entry: anObject({ kind: "Node", spec: undefined }) },
    {
      why: "an event without spec and status",
      entry: anObject({ kind: "Event", spec: undefined, status: undefined, involvedObject: {} })
    },
    { why: "a kind that a page does not show", entry: anObject({ kind: "Service", spec: 1, status: 2 }) },
    { why: "a step", entry: aStep({}) },
    {
      why: "a step without namespace and cause",
      entry: aStep({
        namespace: undefined,
        because: undefined,
        taken: [{ source: "a" }],
        guards: [{ state: "a", name: "isBound", holds: true, text: "" }],
        numbers: []
      })
    },
    { why: "a fault that began", entry: aFault({}) },
    { why: "a fault that ended", entry: aFault({ change: "ENDED" }) },
    { why: "a paused clock", entry: aClock({}) },
    { why: "a clock that is slower than the machine's", entry: aClock({ speed: 0.25 }) },
    { why: "a note of a story's step", entry: aNote({ step: 3 }) },
    { why: "a note without a story", entry: aNote({}) },
    { why: "a failure", entry: aNote({ level: "failure" }) },
    { why: "an end", entry: anEnd({}) }
  ])("is read unchanged: $why", ({ entry }) => {
    expect(readRecordingEntry(JSON.stringify(entry))).toEqual(JSON.parse(JSON.stringify(entry)))
  })

  const refusalOf = (entry: unknown): string | undefined => {
    const found = readRecordingEntry(JSON.stringify(entry))
    return isUnreadable(found) ? found.problem : undefined
  }

  const pageless =
    "a field object that is not a Kubernetes object with apiVersion, kind, name and uid, and with spec and status where the page needs them"
  it.each<{ why: string; entry: object; refused: string }>([
    { why: "a number as text", entry: aNote({ text: 7 }), refused: "a field text that is not a text" },
    { why: "no text", entry: aNote({ text: leftOut }), refused: "no field text, which is to be a text" },
    {
      why: "an unknown level",
      entry: aNote({ level: "x" }),
      refused: "a field level that is not one of step, failure"
    },
    {
      why: "a level in a list",
      entry: aNote({ level: ["step"] }),
      refused: "a field level that is not one of step, failure"
    },
    {
      why: "a step number as text",
      entry: aNote({ step: "3" }),
      refused: "a field step that is not an integer from 0 on"
    },
    {
      why: "a negative number",
      entry: aNote({ number: -1 }),
      refused: "a field number that is not an integer from 0 on"
    },
    {
      why: "a fractional number",
      entry: aNote({ number: 1.5 }),
      refused: "a field number that is not an integer from 0 on"
    },
    {
      why: "a time before 1970",
      entry: aNote({ atMillis: -0.5 }),
      refused: "a field atMillis that is not a number from 0 on"
    },
    {
      why: "a time as text",
      entry: aNote({ atMillis: "5" }),
      refused: "a field atMillis that is not a number from 0 on"
    },
    {
      why: "a negative speed",
      entry: aClock({ speed: -1 }),
      refused: "a field speed that is not a number from 0 on"
    },
    {
      why: "a fractional count of entries",
      entry: anEnd({ entries: 0.5 }),
      refused: "a field entries that is not an integer from 0 on"
    },
    {
      why: "a seed that is a text",
      entry: { ...header, seed: "7" },
      refused: "a field seed that is not an integer"
    },
    {
      why: "charts in a list",
      entry: { ...header, charts: [] },
      refused: "a field charts that is not an object of texts"
    },
    {
      why: "a chart that is no text",
      entry: { ...header, charts: { pod: "<svg/>", node: 7 } },
      refused: "a field charts that is not an object of texts"
    },
    {
      why: "an unknown change of a fault",
      entry: aFault({ change: "GOING" }),
      refused: "a field change that is not one of BEGAN, ENDED"
    },
    {
      why: "an unknown change of an object",
      entry: anObject({}, { change: "BOOKMARK" }),
      refused: "a field change that is not one of ADDED, MODIFIED, DELETED"
    },
    { why: "an object that is text", entry: anObject({}, { object: "pod" }), refused: pageless },
    { why: "an object without an apiVersion", entry: anObject({ apiVersion: 1 }), refused: pageless },
    { why: "an object without a kind", entry: anObject({ kind: leftOut }), refused: pageless },
    { why: "an object without metadata", entry: anObject({ metadata: null }), refused: pageless },
    { why: "a Pod without a name", entry: anObject({ metadata: { uid: "a" } }), refused: pageless },
    { why: "a Pod without a uid", entry: anObject({ metadata: { name: "a" } }), refused: pageless },
    { why: "a Pod without a spec", entry: anObject({ spec: leftOut }), refused: pageless },
    { why: "a Pod whose status is a list", entry: anObject({ status: [] }), refused: pageless },
    { why: "a Node without a status", entry: anObject({ kind: "Node", status: 1 }), refused: pageless },
    { why: "an event about nothing", entry: anObject({ kind: "Event" }), refused: pageless }
  ])("is refused if it has $why", ({ entry, refused }) => {
    expect(refusalOf(entry)).toBe(`has ${refused}`)
  })

  it.each<{ why: string; step: object }>([
    { why: "with a fractional number", step: { number: 0.5 } },
    { why: "without a name", step: { name: leftOut } },
    { why: "whose namespace is a number", step: { namespace: 7 } },
    { why: "from a state that is no text", step: { from: ["a", 7] } },
    { why: "to a text in place of a list", step: { to: "b" } },
    { why: "with a transition without a source", step: { taken: [{ target: "b" }] } },
    { why: "with a guard whose name is no text", step: { taken: [{ source: "a", guard: 7 }] } },
    {
      why: "with a guard whose result is no boolean",
      step: { guards: [{ ...whole.guards[0], holds: "maybe" }] }
    },
    { why: "with a quantity whose name is no text", step: { numbers: [[1, 2]] } },
    { why: "with a quantity that is no number", step: { numbers: [["ready", true]] } },
    { why: "with a quantity that is no pair", step: { numbers: ["ready"] } },
    { why: "with a write without a key", step: { writes: [{ verb: "update", resource: "pods" }] } },
    { why: "with an incomplete cause", step: { because: { type: "MODIFIED" } } },
    { why: "with null as its cause", step: { because: null } }
  ])("is refused if it has a step $why", ({ step }) => {
    expect(refusalOf(aStep(step))).toBe("has a field step that is not the step of an actor")
  })

  it.each(["constructor", "__proto__", "toString"])(
    "may have the kind %s, and is refused with that type",
    (name) => {
      expect(refusalOf(anObject({ kind: name }))).toBeUndefined()
      expect(refusalOf({ ...anEnd({}), type: name })).toBe(`is an entry of an unknown type, "${name}"`)
    }
  )

  it("is refused for its kind, version or type first", () => {
    expect(refusalOf({ type: "header" })).toBe("has no kind")
    expect(refusalOf({ type: "header", kind: "x".repeat(99) })).toBe(
      `has kind "${"x".repeat(59)} and not "Recording"`
    )
    expect(refusalOf({ type: "header", kind: "Recording", version: 3 })).toBe(
      "has apiVersion nothing, and this charthouse reads charthouse.dev/v1. Open it with the charthouse that wrote it"
    )
    expect(refusalOf({ type: ["end"] })).toBe('is an entry of an unknown type, ["end"]')
  })
})
