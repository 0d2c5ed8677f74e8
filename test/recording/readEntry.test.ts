import { describe, expect, it } from "vitest"
import { isUnreadable, readRecordingEntry } from "../../src/recording/readEntry.ts"
import { aHeader } from "./headers.ts"
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

const left = { why: "left out", value: undefined }

describe("a line of a recording", () => {
  it.each<{ why: string; entry: object }>([
    { why: "a header", entry: header },
    { why: "a header of no charts", entry: { ...header, charts: {} } },
    { why: "a Pod", entry: anObject({}) },
    { why: "an object that changed", entry: anObject({}, { change: "MODIFIED" }) },
    { why: "an object that went", entry: anObject({}, { change: "DELETED" }) },
    { why: "a Node, which needs no spec", entry: anObject({ kind: "Node", spec: undefined }) },
    {
      why: "an event, which has neither",
      entry: anObject({ kind: "Event", spec: undefined, status: undefined, involvedObject: {} })
    },
    { why: "a kind of which a page shows nothing", entry: anObject({ kind: "Service", spec: 1, status: 2 }) },
    { why: "a step", entry: aStep({}) },
    {
      why: "a step of what has no namespace, and no cause",
      entry: aStep({
        namespace: undefined,
        because: undefined,
        taken: [{ source: "a" }],
        guards: [{ state: "a", name: "isBound", holds: true, text: "" }],
        numbers: []
      })
    },
    { why: "a fault that began", entry: aFault({}) },
    { why: "a fault that is over", entry: aFault({ change: "ENDED" }) },
    { why: "a clock that stands still", entry: aClock({}) },
    { why: "a clock that is slower than the machine's", entry: aClock({ speed: 0.25 }) },
    { why: "a step of a story", entry: aNote({ step: 3 }) },
    { why: "a step of no story", entry: aNote({}) },
    { why: "a broken rule", entry: aNote({ level: "failure" }) },
    { why: "an end", entry: anEnd({}) }
  ])("is read as it was written: $why", ({ entry }) => {
    expect(readRecordingEntry(JSON.stringify(entry))).toEqual(JSON.parse(JSON.stringify(entry)))
  })

  const refusalOf = (entry: unknown): string | undefined => {
    const found = readRecordingEntry(JSON.stringify(entry))
    return isUnreadable(found) ? found.refused : undefined
  }

  const pageless = "a field object that is not a Kubernetes object with what a page shows of it"
  it.each<{ why: string; entry: object; refused: string }>([
    { why: "no text", entry: aNote({ text: 7 }), refused: "a field text that is not a text" },
    { why: "no text at all", entry: aNote({ text: left.value }), refused: "a field text that is not a text" },
    {
      why: "another level",
      entry: aNote({ level: "x" }),
      refused: "a field level that is not one of step, failure"
    },
    {
      why: "a level in a list",
      entry: aNote({ level: ["step"] }),
      refused: "a field level that is not one of step, failure"
    },
    {
      why: "a step in words",
      entry: aNote({ step: "3" }),
      refused: "a field step that is not an integer from 0 on"
    },
    {
      why: "a number below 0",
      entry: aNote({ number: -1 }),
      refused: "a field number that is not an integer from 0 on"
    },
    {
      why: "half a number",
      entry: aNote({ number: 1.5 }),
      refused: "a field number that is not an integer from 0 on"
    },
    {
      why: "a time before 1970",
      entry: aNote({ atMillis: -0.5 }),
      refused: "a field atMillis that is not a number from 0 on"
    },
    {
      why: "a time in words",
      entry: aNote({ atMillis: "5" }),
      refused: "a field atMillis that is not a number from 0 on"
    },
    {
      why: "a clock that runs back",
      entry: aClock({ speed: -1 }),
      refused: "a field speed that is not a number from 0 on"
    },
    {
      why: "half an entry",
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
      why: "one chart that is none",
      entry: { ...header, charts: { pod: "<svg/>", node: 7 } },
      refused: "a field charts that is not an object of texts"
    },
    {
      why: "a fault that is under way",
      entry: aFault({ change: "GOING" }),
      refused: "a field change that is not one of BEGAN, ENDED"
    },
    {
      why: "an object that was seen",
      entry: anObject({}, { change: "BOOKMARK" }),
      refused: "a field change that is not one of ADDED, MODIFIED, DELETED"
    },
    { why: "an object that is none", entry: anObject({}, { object: "pod" }), refused: pageless },
    { why: "an object of no version", entry: anObject({ apiVersion: 1 }), refused: pageless },
    { why: "an object of no kind", entry: anObject({ kind: left.value }), refused: pageless },
    { why: "an object that is nobody", entry: anObject({ metadata: null }), refused: pageless },
    { why: "a Pod without a name", entry: anObject({ metadata: { uid: "a" } }), refused: pageless },
    { why: "a Pod without a uid", entry: anObject({ metadata: { name: "a" } }), refused: pageless },
    { why: "a Pod without a spec", entry: anObject({ spec: left.value }), refused: pageless },
    { why: "a Pod whose status is a list", entry: anObject({ status: [] }), refused: pageless },
    { why: "a Node without a status", entry: anObject({ kind: "Node", status: 1 }), refused: pageless },
    { why: "an event about nothing", entry: anObject({ kind: "Event" }), refused: pageless }
  ])("is refused where it has $why", ({ entry, refused }) => {
    expect(refusalOf(entry)).toBe(`has ${refused}`)
  })

  it.each<{ why: string; step: object }>([
    { why: "whose number is half one", step: { number: 0.5 } },
    { why: "of nobody", step: { name: left.value } },
    { why: "whose namespace is a number", step: { namespace: 7 } },
    { why: "from one state that is no text", step: { from: ["a", 7] } },
    { why: "to a text, and no list of them", step: { to: "b" } },
    { why: "with a transition from nowhere", step: { taken: [{ target: "b" }] } },
    { why: "with a guard of no name", step: { taken: [{ source: "a", guard: 7 }] } },
    { why: "with a guard that may hold", step: { guards: [{ ...whole.guards[0], holds: "maybe" }] } },
    { why: "with a number that has no name", step: { numbers: [[1, 2]] } },
    { why: "with a number that is none", step: { numbers: [["ready", true]] } },
    { why: "with a number that is no pair", step: { numbers: ["ready"] } },
    { why: "with a write of nothing", step: { writes: [{ verb: "update", resource: "pods" }] } },
    { why: "because of no one knows what", step: { because: { type: "MODIFIED" } } },
    { why: "because of nothing", step: { because: null } }
  ])("is refused where it has a step $why", ({ step }) => {
    expect(refusalOf(aStep(step))).toBe("has a field step that is not the step of an actor")
  })

  it.each(["constructor", "__proto__", "toString"])(
    "may call a kind or a type %s, and is answered",
    (word) => {
      expect(refusalOf(anObject({ kind: word }))).toBeUndefined()
      expect(refusalOf({ ...anEnd({}), type: word })).toBe(
        `is an entry of a type that nobody knows here, "${word}"`
      )
    }
  )

  it("is told of another kind or form before anything else, however strange that is", () => {
    expect(refusalOf({ type: "header" })).toBe("begins a nothing, and no Recording")
    expect(refusalOf({ type: "header", kind: "x".repeat(99) })).toBe(
      `begins a "${"x".repeat(59)}, and no Recording`
    )
    expect(refusalOf({ type: "header", kind: "Recording", version: 3 })).toBe(
      "has the form nothing: charthouse.dev/v1 is read here. Open it with the charthouse that wrote it"
    )
    expect(refusalOf({ type: ["end"] })).toBe('is an entry of a type that nobody knows here, ["end"]')
  })
})
