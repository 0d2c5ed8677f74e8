import { describe, expect, it } from "vitest"
import { makeEntryNumbering } from "../../src/recording/entryNumbering.ts"
import { makeClusterRecorder } from "../../src/recording/clusterRecorder.ts"
import { openRecordingViewer } from "../../src/recording/recordingViewer.ts"
import type { RecordingEntry } from "../../src/recording/entry.ts"
import type { WritableClusterRecorder } from "../../src/recording/clusterRecorder.ts"
import type { RecordingViewer, ViewerRequest } from "../../src/recording/recordingViewer.ts"

/** A recorder of an empty cluster; `at` sets its time. */
const aRecorder = (changesMax = 100) => {
  const time = { nowMillis: 1000, speed: 0 }
  const moveListeners = new Set<() => void>()
  const recorder: WritableClusterRecorder = makeClusterRecorder({
    version: "0.1.0",
    seed: 3,
    charts: {},
    changesMax,
    nowMillis: () => time.nowMillis,
    speed: () => time.speed,
    numbering: makeEntryNumbering(),
    steps: {
      observer: {} as never,
      knows: () => false,
      steps: () => [],
      follow: () => () => {},
      actors: () => [],
      stepsSince: () => [],
      onStep: (listener) => {
        moveListeners.add(listener)
        return () => {}
      }
    },
    view: { all: () => [] },
    activeFaults: []
  })
  const at = (millis: number, speed = 0): void => void Object.assign(time, { nowMillis: millis, speed })
  const move = (): void => {
    for (const listener of moveListeners) listener()
  }
  return { recorder, at, move }
}

const everything: ViewerRequest = { watch: true, resumeAfter: undefined, withObjects: true, steps: "all" }

/** The entries that a viewer takes now, as type, number and time. */
const takenBy = (viewer: RecordingViewer, charactersMax = 10_000): ReadonlyArray<string> | undefined =>
  viewer
    .takeLines(charactersMax)
    ?.split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const entry = JSON.parse(line) as RecordingEntry
      return `${entry.type} ${entry.number} at ${entry.atMillis}`
    })

describe("a viewer that follows", () => {
  it("gets the clock at first, then only when a paused clock was advanced", () => {
    const { recorder, at } = aRecorder()
    const viewer = openRecordingViewer(recorder, everything, "x")
    expect(takenBy(viewer)).toEqual(["header 1 at 1000", "clock 1 at 1000", "clock 1 at 1000"])
    expect(takenBy(viewer)).toEqual([])
    at(2500)
    expect(takenBy(viewer)).toEqual(["clock 1 at 2500"])
    expect(takenBy(viewer)).toEqual([])
    at(9000, 1)
    expect(takenBy(viewer)).toEqual([])
    recorder.note("step", "later")
    expect(takenBy(viewer)).toEqual(["note 2 at 9000"])
  })

  it("takes no more characters than requested", () => {
    const { recorder } = aRecorder()
    const request = { ...everything, watch: false }
    const [header = "", clock = ""] = (
      openRecordingViewer(recorder, request, "x").takeLines(10_000) ?? ""
    ).split("\n")
    recorder.note("step", "later")
    const viewer = openRecordingViewer(recorder, request, "x")
    expect(viewer.takeLines(clock.length + 1)).toBe(`${header}\n${clock}\n`)
    expect(takenBy(viewer)).toEqual(["note 2 at 1000", "end 2 at 1000"])
    expect(takenBy(viewer)).toBeUndefined()
    const slow = openRecordingViewer(recorder, request, "x")
    expect(slow.takeLines(clock.length + 2)).toContain("later")
  })

  const keptNotes = ["note 3 at 1000", "note 4 at 1000"]
  it.each([
    { why: "the entries after its last one", resumeAfter: { number: 2, id: "own" }, first: [] },
    { why: "nothing if it has all entries", resumeAfter: { number: 4, id: "own" }, first: [] },
    {
      why: "all entries if it followed another recording",
      resumeAfter: { number: 3, id: "other" },
      first: ["header"]
    },
    {
      why: "all entries if its number is later than the last",
      resumeAfter: { number: 5, id: "own" },
      first: ["header"]
    },
    {
      why: "all entries if the next one is no longer kept",
      resumeAfter: { number: 1, id: "own" },
      first: ["header"]
    }
  ])("gets $why when it reconnects", ({ resumeAfter, first }) => {
    const { recorder } = aRecorder(2)
    for (const text of ["a", "b", "c"]) recorder.note("step", text)
    const id = resumeAfter.id === "own" ? `${recorder.header().id}-x` : resumeAfter.id
    const viewer = openRecordingViewer(recorder, { ...everything, resumeAfter: { ...resumeAfter, id } }, "x")
    const beginning = first.length === 0 ? [] : ["header 2 at 1000", "clock 1 at 1000"]
    const rest = first.length === 0 ? keptNotes.slice(resumeAfter.number - 2) : keptNotes
    expect(takenBy(viewer)).toEqual([...beginning, ...rest, "clock 4 at 1000"])
  })

  it("is lost once it has missed an entry, unless it requested no objects or only the past", () => {
    const { recorder } = aRecorder(2)
    const requests = [everything, { ...everything, watch: false }, { ...everything, withObjects: false }]
    const viewers = requests.map((request) => openRecordingViewer(recorder, request, "x"))
    const areLost = () => viewers.map((viewer) => viewer.hasLostEntries())
    const states: Array<ReadonlyArray<boolean>> = []
    for (const text of ["a", "b", "c", "d"]) {
      recorder.note("step", text)
      states.push(areLost())
    }
    const [none, first] = [
      [false, false, false],
      [true, false, false]
    ]
    expect(states).toEqual([none, none, first, first])
  })

  it("is notified of entries, moving actors and advanced time until it unsubscribes", () => {
    const { recorder, move } = aRecorder()
    let notifications = 0
    const stop = openRecordingViewer(recorder, everything, "x").onUpdate(() => (notifications += 1))
    recorder.note("step", "a")
    expect(notifications).toBe(1)
    move()
    expect(notifications).toBe(2)
    recorder.notifyTimePassed()
    expect(notifications).toBe(3)
    stop()
    recorder.note("step", "b")
    expect(notifications).toBe(3)
  })
})

describe("a fault that is refused", () => {
  const faultsIn = (recorder: WritableClusterRecorder): ReadonlyArray<string> =>
    (recorder.after(1, { withObjects: true, steps: "none" }) ?? []).flatMap((it) =>
      "type" in it && it.type === "fault" ? [`${it.change} ${it.id}`] : []
    )

  it.each([
    { why: "after another has begun", refused: "fault-1", remaining: ["BEGAN fault-2"] },
    { why: "while another lasts", refused: "fault-2", remaining: ["BEGAN fault-1"] },
    { why: "without having begun", refused: "fault-3", remaining: ["BEGAN fault-1", "BEGAN fault-2"] }
  ])("is removed from the recording, and no other fault: $why", ({ refused, remaining }) => {
    const { recorder } = aRecorder()
    for (const id of ["fault-1", "fault-2"]) recorder.recordFault({ change: "BEGAN", id, text: "" })
    recorder.recordFault({ change: "REFUSED", id: refused, text: "" })
    expect(faultsIn(recorder)).toEqual(remaining)
  })

  it("stays in the recording if it had ended", () => {
    const { recorder } = aRecorder()
    for (const change of ["BEGAN", "ENDED", "REFUSED"] as const)
      recorder.recordFault({ change, id: "fault-1", text: "" })
    expect(faultsIn(recorder)).toEqual(["BEGAN fault-1", "ENDED fault-1"])
  })
})
