import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, begin, inCluster } from "../cluster/worlds.ts"
import { openRecordingViewer } from "../../src/recording/recordingViewer.ts"
import { read } from "./worlds.ts"
import type { Living } from "../cluster/worlds.ts"
import type { RecordingViewer, ViewerRequest } from "../../src/recording/recordingViewer.ts"

const everything: ViewerRequest = { watch: true, known: undefined, objects: true, steps: "all" }

/** All that there is for a viewer now, taken so much at a time. */
const drained = (viewer: RecordingViewer, charactersMax: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let text = viewer.takeLines(charactersMax); text !== "" && text !== undefined;) {
    pieces.push(text)
    text = viewer.takeLines(charactersMax)
  }
  return pieces
}

const wantReplicas = (cluster: Living, replicas: number): Effect.Effect<unknown> =>
  Effect.orDie(
    cluster.modify({ resource: "deployments.apps", key: "default/web" }, (object) => {
      const { spec } = object as typeof object & { readonly spec: object }
      return { ...object, spec: { ...spec, replicas } }
    })
  )

const scaled = (cluster: Living, replicas: number): Effect.Effect<unknown> =>
  Effect.andThen(wantReplicas(cluster, replicas), cluster.settle())

const withWeb = Effect.fnUntraced(function* (cluster: Living) {
  yield* begin(cluster, aManifest({ replicas: 3 }))
  yield* cluster.settle()
  return yield* cluster.recording
})

describe("a viewer", () => {
  it("is told the same, however little he takes at a time", () =>
    inCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const whole = recorder.text()
        const wish = { ...everything, watch: false }
        for (const charactersMax of [1, 700, 40_000, 10_000_000]) {
          const pieces = drained(openRecordingViewer(recorder, wish, "x"), charactersMax)
          expect(pieces.join("").replace('-x"', '"')).toBe(whole)
          const longest = Math.max(...pieces.map((piece) => piece.length))
          expect(longest).toBeLessThan(charactersMax + 10_000)
        }
      })
    ))

  it("is told of what happens after he came, each thing once", () =>
    inCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        const texts = [drained(viewer, 5000).join("")]
        for (const replicas of [5, 1, 4]) {
          yield* scaled(cluster, replicas)
          texts.push(drained(viewer, 5000).join(""))
        }
        const told = read(texts.join(""))
        const whole = read(recorder.text())
        expect(
          told.entries.filter(({ number }, index) => told.entries[index - 1]?.number !== number)
        ).toEqual(whole.entries)
        expect(viewer.takeLines(5000)).toBe("")
      })
    ))

  it("is told what there was when he asked, though more has happened until he had taken it", () =>
    inCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const whole = recorder.text()
        const viewer = openRecordingViewer(recorder, { ...everything, watch: false }, "x")
        const first = viewer.takeLines(1000) ?? ""
        yield* scaled(cluster, 5)
        const rest = drained(viewer, 1000).join("")
        expect(`${first}${rest}`.replace('-x"', '"')).toBe(whole)
        expect([viewer.takeLines(1000), viewer.hasLostEntries()]).toEqual([undefined, false])
      })
    ))

  it("is told in order, where more happens while he takes what there was", () =>
    inCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        const first = viewer.takeLines(1000) ?? ""
        yield* scaled(cluster, 5)
        const { entries } = read(first + drained(viewer, 1000).join(""))
        expect(entries.filter(({ number }, index) => entries[index - 1]?.number !== number)).toEqual(
          read(recorder.text()).entries
        )
      })
    ))

  it("who takes nothing while all that he wants is pushed out is lost, and not kept", () =>
    inCluster({ record: { changesMax: 25 } }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        drained(viewer, 5000)
        expect(viewer.hasLostEntries()).toBe(false)
        yield* scaled(cluster, 6)
        expect(viewer.hasLostEntries()).toBe(true)
        expect(viewer.takeLines(5000)).toBeUndefined()
      })
    ))

  it("is told a step once of which is known at once what came of it", () =>
    inCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const text = drained(openRecordingViewer(recorder, everything, "x"), 5000).join("")
        const numbers = [...text.matchAll(/"type":"step","number":(\d+)/g)].map(([, number]) => number)
        expect(numbers.length).toBeGreaterThan(20)
        expect(numbers).toEqual([...new Set(numbers)])
      })
    ))

  it("is told little at a time of what came of many steps too", () =>
    inCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(recorder, everything, "x")
        yield* Effect.orDie(cluster.faults.begin({ fault: "writesSlow", of: "pod", by: "9s", for: "1m" }))
        yield* wantReplicas(cluster, 11)
        yield* Effect.orDie(cluster.advance(8000))
        const numbersOf = (text: string): ReadonlyArray<string> =>
          [...text.matchAll(/"type":"step","number":(\d+)/g)].map(([, number = ""]) => number)
        const first = new Set(numbersOf(drained(viewer, 5000).join("")))
        yield* Effect.orDie(cluster.advance(60_000))
        const pieces = drained(viewer, 1)
        expect(pieces.flatMap(numbersOf).filter((it) => first.has(it)).length).toBeGreaterThan(3)
        expect(pieces.filter((piece) => numbersOf(piece).length > 1)).toEqual([])
      })
    ))

  it("is told of every step that is kept where he wants nothing else, and that it ends there", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const why = yield* cluster.why
        const recorder = yield* withWeb(cluster)
        const wish = { ...everything, objects: false, watch: false }
        const text = drained(openRecordingViewer(recorder, wish, "x"), 5000).join("")
        const numbers = [...text.matchAll(/"type":"step","number":(\d+)/g)].map(([, number]) =>
          Number(number)
        )
        expect(numbers[0]).toBe(1)
        expect(numbers).toEqual(why.since(0).map(({ number }) => number))
        expect(text).not.toContain('"type":"object"')
        expect(text).toMatch(/"type":"end".*\n$/)
      })
    ))

  it("is told a step again when it is known what came of it", () =>
    inCluster({ record: true }, (cluster) =>
      Effect.gen(function* () {
        const recorder = yield* withWeb(cluster)
        const viewer = openRecordingViewer(
          recorder,
          { ...everything, steps: { place: "Deployment default/web" } },
          "x"
        )
        drained(viewer, 5000)
        yield* Effect.orDie(
          cluster.faults.begin({ fault: "writesSlow", of: "deployment", by: "2s", for: "1m" })
        )
        yield* wantReplicas(cluster, 4)
        yield* Effect.orDie(cluster.advance(500))
        const writesIn = (text: string): ReadonlyArray<number> =>
          text.split("\n").flatMap((line) => {
            const entry = line.startsWith('{"type":"step"') ? JSON.parse(line) : undefined
            return entry === undefined ? [] : [entry.step.writes.length]
          })
        expect(writesIn(drained(viewer, 5000).join(""))).toEqual([0])
        yield* cluster.settle()
        const later = drained(viewer, 5000).join("")
        expect(writesIn(later).every((count) => count > 0)).toBe(true)
        const numbers = [...later.matchAll(/"type":"step","number":(\d+)/g)].map(([, number]) =>
          Number(number)
        )
        expect(Math.min(...numbers)).toBeLessThan(Number(/"number":(\d+)/.exec(later)?.[1] ?? 0) + 1)
      })
    ))
})
