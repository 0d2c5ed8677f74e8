import { describe, expect, it } from "vitest"
import { makeEntryNumbering } from "../../src/recording/entryNumbering.ts"
import { makeClusterRecorder } from "../../src/recording/clusterRecorder.ts"
import { openRecordingViewer } from "../../src/recording/recordingViewer.ts"
import type { RecordingEntry } from "../../src/recording/entry.ts"
import type { RecorderWithInputs } from "../../src/recording/clusterRecorder.ts"
import type { RecordingViewer, ViewerRequest } from "../../src/recording/recordingViewer.ts"

/** A recorder of a cluster in which nothing is but time, which `at` moves. */
const aRecorder = (changesMax = 100) => {
  const time = { nowMillis: 1000, speed: 0 }
  const stirred = new Set<() => void>()
  const recorder: RecorderWithInputs = makeClusterRecorder({
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
      since: () => [],
      onStep: (listener) => {
        stirred.add(listener)
        return () => {}
      }
    },
    view: { all: () => [] },
    lasting: []
  })
  const at = (millis: number, speed = 0): void => void Object.assign(time, { nowMillis: millis, speed })
  const move = (): void => {
    for (const listener of stirred) listener()
  }
  return { recorder, at, move }
}

const everything: ViewerRequest = { watch: true, known: undefined, objects: true, steps: "all" }

/** What a viewer is told now, each as its type, its number and its time. */
const told = (viewer: RecordingViewer, charactersMax = 10_000): ReadonlyArray<string> | undefined =>
  viewer
    .takeLines(charactersMax)
    ?.split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const entry = JSON.parse(line) as RecordingEntry
      return `${entry.type} ${entry.number} at ${entry.atMillis}`
    })

describe("a viewer who follows", () => {
  it("is told at first how late it is, and after that only where time that stands still was moved", () => {
    const { recorder, at } = aRecorder()
    const viewer = openRecordingViewer(recorder, everything, "x")
    expect(told(viewer)).toEqual(["header 1 at 1000", "clock 1 at 1000", "clock 1 at 1000"])
    expect(told(viewer)).toEqual([])
    at(2500)
    expect(told(viewer)).toEqual(["clock 1 at 2500"])
    expect(told(viewer)).toEqual([])
    at(9000, 1)
    expect(told(viewer)).toEqual([])
    recorder.note("step", "later")
    expect(told(viewer)).toEqual(["note 2 at 9000"])
  })

  it("takes no more than he asked for, to the character", () => {
    const { recorder } = aRecorder()
    const wish = { ...everything, watch: false }
    const [header = "", clock = ""] = (
      openRecordingViewer(recorder, wish, "x").takeLines(10_000) ?? ""
    ).split("\n")
    recorder.note("step", "later")
    const viewer = openRecordingViewer(recorder, wish, "x")
    expect(viewer.takeLines(clock.length + 1)).toBe(`${header}\n${clock}\n`)
    expect(told(viewer)).toEqual(["note 2 at 1000", "end 2 at 1000"])
    expect(told(viewer)).toBeUndefined()
    const slow = openRecordingViewer(recorder, wish, "x")
    expect(slow.takeLines(clock.length + 2)).toContain("later")
  })

  const kept = ["note 3 at 1000", "note 4 at 1000"]
  it.each([
    { why: "what he has not been told", known: { number: 2, id: "own" }, first: [] },
    { why: "nothing, where he knows all", known: { number: 4, id: "own" }, first: [] },
    {
      why: "everything, where he knew another recording",
      known: { number: 3, id: "other" },
      first: ["header"]
    },
    { why: "everything, where he knew a later one", known: { number: 5, id: "own" }, first: ["header"] },
    {
      why: "everything, where what comes next is not kept",
      known: { number: 1, id: "own" },
      first: ["header"]
    }
  ])("is told when he comes back $why", ({ known, first }) => {
    const { recorder } = aRecorder(2)
    for (const text of ["a", "b", "c"]) recorder.note("step", text)
    const id = known.id === "own" ? `${recorder.header().id}-x` : known.id
    const viewer = openRecordingViewer(recorder, { ...everything, known: { ...known, id } }, "x")
    const beginning = first.length === 0 ? [] : ["header 2 at 1000", "clock 1 at 1000"]
    const rest = first.length === 0 ? kept.slice(known.number - 2) : kept
    expect(told(viewer)).toEqual([...beginning, ...rest, "clock 4 at 1000"])
  })

  it("is lost where he has missed one, and never who wants no objects or only what there was", () => {
    const { recorder } = aRecorder(2)
    const wishes = [everything, { ...everything, watch: false }, { ...everything, objects: false }]
    const viewers = wishes.map((wish) => openRecordingViewer(recorder, wish, "x"))
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

  it("hears of all that happens, of actors that move and of time that was moved, until he stops", () => {
    const { recorder, move } = aRecorder()
    let stirs = 0
    const stop = openRecordingViewer(recorder, everything, "x").onUpdate(() => (stirs += 1))
    recorder.note("step", "a")
    expect(stirs).toBe(1)
    move()
    expect(stirs).toBe(2)
    recorder.timePassed()
    expect(stirs).toBe(3)
    stop()
    recorder.note("step", "b")
    expect(stirs).toBe(3)
  })
})

describe("a fault that is refused", () => {
  const faultsIn = (recorder: RecorderWithInputs): ReadonlyArray<string> =>
    (recorder.after(1, { objects: true, steps: "none" }) ?? []).flatMap((it) =>
      "type" in it && it.type === "fault" ? [`${it.change} ${it.id}`] : []
    )

  it.each([
    { why: "after another has begun", refused: "fault-1", left: ["BEGAN fault-2"] },
    { why: "while another lasts", refused: "fault-2", left: ["BEGAN fault-1"] },
    { why: "though it never began", refused: "fault-3", left: ["BEGAN fault-1", "BEGAN fault-2"] }
  ])("has not been, and any other has: $why", ({ refused, left }) => {
    const { recorder } = aRecorder()
    for (const id of ["fault-1", "fault-2"]) recorder.recordFault({ change: "BEGAN", id, text: "" })
    recorder.recordFault({ change: "REFUSED", id: refused, text: "" })
    expect(faultsIn(recorder)).toEqual(left)
  })

  it("stays where it was over already", () => {
    const { recorder } = aRecorder()
    for (const change of ["BEGAN", "ENDED", "REFUSED"] as const)
      recorder.recordFault({ change, id: "fault-1", text: "" })
    expect(faultsIn(recorder)).toEqual(["BEGAN fault-1", "ENDED fault-1"])
  })
})
