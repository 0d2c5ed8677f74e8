import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, withCluster } from "../cluster/testCluster.ts"
import { openRecordingViewer } from "../../src/recording/recordingViewer.ts"
import { parseRecording } from "./recordedCluster.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { RecordingViewer, ViewerRequest } from "../../src/recording/recordingViewer.ts"

const everything: ViewerRequest = { watch: true, resumeAfter: undefined, withObjects: true, steps: "all" }

/** All text for a viewer now, taken in pieces of this size. */
const takeAll = (viewer: RecordingViewer, charactersMax: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let text = viewer.takeLines(charactersMax); text !== "" && text !== undefined;) {
    pieces.push(text)
    text = viewer.takeLines(charactersMax)
  }
  return pieces
}

const setReplicas = (cluster: ClusterService, replicas: number): Effect.Effect<unknown> =>
  Effect.orDie(
    cluster.modify({ resource: "deployments.apps", name: "web" }, (object) => {
      const { spec } = object as typeof object & { readonly spec: object }
      return { ...object, spec: { ...spec, replicas } }
    })
  )

const scaled = (cluster: ClusterService, replicas: number): Effect.Effect<unknown> =>
  Effect.andThen(setReplicas(cluster, replicas), cluster.settle())

const withWeb = Effect.fnUntraced(function* (cluster: ClusterService) {
  yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
  yield* cluster.settle()
  return yield* cluster.clusterRecorder
})

describe("a viewer of a recording", () => {
  it("gets the same text, whatever the size of the pieces", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const whole = recorder.text()
        const request = { ...everything, watch: false }
        for (const charactersMax of [1, 700, 40_000, 10_000_000]) {
          const pieces = takeAll(openRecordingViewer(recorder, request, "x"), charactersMax)
          expect(pieces.join("").replace('-x"', '"')).toBe(whole)
          const longest = Math.max(...pieces.map((piece) => piece.length))
          expect(longest).toBeLessThan(charactersMax + 10_000)
        }
      })
    ))

  it("gets each later entry once", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        const texts = [takeAll(viewer, 5000).join("")]
        for (const replicas of [5, 1, 4]) {
          yield* scaled(cluster, replicas)
          texts.push(takeAll(viewer, 5000).join(""))
        }
        const received = parseRecording(texts.join(""))
        const whole = parseRecording(recorder.text())
        expect(
          received.entries.filter(({ number }, index) => received.entries[index - 1]?.number !== number)
        ).toEqual(whole.entries)
        expect(viewer.takeLines(5000)).toBe("")
      })
    ))

  it("without watch gets the entries of the time of its request only", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const whole = recorder.text()
        const viewer = openRecordingViewer(recorder, { ...everything, watch: false }, "x")
        const first = viewer.takeLines(1000) ?? ""
        yield* scaled(cluster, 5)
        const rest = takeAll(viewer, 1000).join("")
        expect(`${first}${rest}`.replace('-x"', '"')).toBe(whole)
        expect([viewer.takeLines(1000), viewer.hasLostEntries()]).toEqual([undefined, false])
      })
    ))

  it("gets entries in order if more are added meanwhile", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        const first = viewer.takeLines(1000) ?? ""
        yield* scaled(cluster, 5)
        const { entries } = parseRecording(first + takeAll(viewer, 1000).join(""))
        expect(entries.filter(({ number }, index) => entries[index - 1]?.number !== number)).toEqual(
          parseRecording(recorder.text()).entries
        )
      })
    ))

  it("is lost if entries are discarded before it takes them", () =>
    withCluster({ record: { changesMax: 25 } }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        takeAll(viewer, 5000)
        expect(viewer.hasLostEntries()).toBe(false)
        yield* scaled(cluster, 6)
        expect(viewer.hasLostEntries()).toBe(true)
        expect(viewer.takeLines(5000)).toBeUndefined()
      })
    ))

  it("gets a step once if its outcome is known at once", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const text = takeAll(openRecordingViewer(recorder, everything, "x"), 5000).join("")
        const numbers = [...text.matchAll(/"type":"step","number":(\d+)/g)].map(([, number]) => number)
        expect(numbers.length).toBeGreaterThan(20)
        expect(numbers).toEqual([...new Set(numbers)])
      })
    ))

  it("gets the outcomes of many steps in small pieces", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        yield* Effect.orDie(
          cluster.faultInjector.begin({ fault: "writesSlow", of: "pod", by: "9s", for: "1m" })
        )
        yield* setReplicas(cluster, 11)
        yield* Effect.orDie(cluster.advance(8000))
        const numbersOf = (text: string): ReadonlyArray<string> =>
          [...text.matchAll(/"type":"step","number":(\d+)/g)].map(([, number = ""]) => number)
        const first = new Set(numbersOf(takeAll(viewer, 5000).join("")))
        yield* Effect.orDie(cluster.advance(60_000))
        const pieces = takeAll(viewer, 1)
        expect(pieces.flatMap(numbersOf).filter((it) => first.has(it)).length).toBeGreaterThan(3)
        expect(pieces.filter((piece) => numbersOf(piece).length > 1)).toEqual([])
      })
    ))

  it("without objects and watch gets every kept step and the end", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const why = yield* cluster.stepRecorder
        const recorder = yield* withWeb(cluster)
        const request = { ...everything, withObjects: false, watch: false }
        const text = takeAll(openRecordingViewer(recorder, request, "x"), 5000).join("")
        const numbers = [...text.matchAll(/"type":"step","number":(\d+)/g)].map(([, number]) =>
          Number(number)
        )
        expect(numbers[0]).toBe(1)
        expect(numbers).toEqual(why.stepsSince(0).map(({ number }) => number))
        expect(text).not.toContain('"type":"object"')
        expect(text).toMatch(/"type":"end".*\n$/)
      })
    ))

  it("gets a step again when its outcome is known", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(
          recorder,
          { ...everything, steps: { actorPath: "Deployment default/web" } },
          "x"
        )
        takeAll(viewer, 5000)
        yield* Effect.orDie(
          cluster.faultInjector.begin({ fault: "writesSlow", of: "deployment", by: "2s", for: "1m" })
        )
        yield* setReplicas(cluster, 4)
        yield* Effect.orDie(cluster.advance(500))
        const writesIn = (text: string): ReadonlyArray<number> =>
          text.split("\n").flatMap((line) => {
            const entry = line.startsWith('{"type":"step"') ? JSON.parse(line) : undefined
            return entry === undefined ? [] : [entry.step.writes.length]
          })
        expect(writesIn(takeAll(viewer, 5000).join(""))).toEqual([0])
        yield* cluster.settle()
        const later = takeAll(viewer, 5000).join("")
        expect(writesIn(later).every((count) => count > 0)).toBe(true)
        const numbers = [...later.matchAll(/"type":"step","number":(\d+)/g)].map(([, number]) =>
          Number(number)
        )
        expect(Math.min(...numbers)).toBeLessThan(Number(/"number":(\d+)/.exec(later)?.[1] ?? 0) + 1)
      })
    ))

  it.each([
    { why: "finished while it was away", isFinishedBefore: true },
    { why: "finish after it came back", isFinishedBefore: false }
  ])("gets steps again when it reconnects that $why", ({ isFinishedBefore }) =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const request: ViewerRequest = { ...everything, steps: { actorPath: "Deployment default/web" } }
        yield* Effect.orDie(
          cluster.faultInjector.begin({ fault: "writesSlow", of: "deployment", by: "2s", for: "1m" })
        )
        yield* setReplicas(cluster, 4)
        yield* Effect.orDie(cluster.advance(500))
        const lines = takeAll(openRecordingViewer(recorder, request, "x"), 5000).join("")
        const stepsIn = (text: string): ReadonlyArray<{ number: number; step: { writes: Array<unknown> } }> =>
          text.split("\n").flatMap((line) => (line.startsWith('{"type":"step"') ? JSON.parse(line) : []))
        const number = recorder.lastNumber()
        const last = stepsIn(lines).at(-1)
        expect(last?.step.writes).toEqual([])
        if (isFinishedBefore) yield* cluster.settle()
        const resumeAfter = { number, id: `${recorder.header().id}-x` }
        const viewer = openRecordingViewer(recorder, { ...request, resumeAfter }, "x")
        const early = takeAll(viewer, 5000).join("")
        yield* cluster.settle()
        const again = stepsIn(early + takeAll(viewer, 5000).join("")).filter((it) => it.number <= number)
        expect(again.map((it) => it.number)).toEqual([last?.number])
        expect(again[0]?.step.writes.length).toBeGreaterThan(0)
      })
    )
  )

  it("gets no step again when it reconnects that was finished when it was sent", () =>
    withCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const id = `${recorder.header().id}-x`
        for (const { number } of recorder.steps("all").filter(({ commands }) => commands.length === 0)) {
          const request = { ...everything, resumeAfter: { number, id } }
          const text = takeAll(openRecordingViewer(recorder, request, "x"), 1_000_000).join("")
          const numbers = [...text.matchAll(/"type":"\w+","number":(\d+)/g)].map(([, it]) => Number(it))
          expect(numbers.filter((it) => it <= number)).toEqual([])
        }
      })
    ))
})
