import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { isUnreadable } from "../../src/recording/readEntry.ts"
import { readRecording } from "../../src/recording/readRecording.ts"
import { aHeader, aStep } from "./builders.ts"
import { parseRecording, rolledOutWeb } from "./recordedCluster.ts"
import type { RecordingEntry } from "../../src/recording/entry.ts"

let text = ""
let lines: ReadonlyArray<string> = []
beforeAll(async () => {
  await using cluster = await rolledOutWeb()
  cluster.note("done")
  text = await cluster.recording()
  lines = text.trimEnd().split("\n")
})

const refusalOf = (input: string): string | undefined => {
  const found = readRecording(input)
  return isUnreadable(found) ? found.problem : undefined
}

describe("reading a recording", () => {
  it("that is cut off anywhere reads all complete lines, and reports the cut", () => {
    const whole = parseRecording(text)
    const firstLength = lines[0]?.length ?? 0
    let end = -1
    const ends = lines.map((line) => (end += 1 + line.length))
    fc.assert(
      fc.property(fc.nat({ max: text.length - 2 }), (length) => {
        const cut = text.slice(0, length)
        if (length < firstLength) {
          expect(refusalOf(cut)).toBe(length === 0 ? "it is empty" : "it was cut off within its first line")
          return
        }
        const { header, entries, isCutOff } = parseRecording(cut)
        const complete = ends.filter((it) => it <= length)
        expect(isCutOff).toBe(true)
        expect(header).toEqual(whole.header)
        expect(entries).toEqual(whole.entries.slice(0, complete.length - 1))
      }),
      { seed: 7, numRuns: 60 }
    )
  })

  it("accepts a missing last line break and CRLF", () => {
    expect(parseRecording(text.trimEnd())).toEqual(parseRecording(text))
    expect(parseRecording(text.replaceAll("\n", "\r\n"))).toEqual(parseRecording(text))
  })

  it("never throws on damaged lines", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: lines.length - 1 }),
        fc.nat({ max: 4000 }),
        fc.string({ unit: "binary", maxLength: 4 }),
        (at, place, inserted) => {
          const line = lines[at] ?? ""
          const damaged = line.slice(0, place) + inserted + line.slice(place + inserted.length)
          const input = lines.with(at, damaged).join("\n")
          const found = readRecording(input)
          expect(isUnreadable(found) ? found.problem : "").not.toContain("undefined")
        }
      ),
      { seed: 11, numRuns: 60 }
    )
  })

  it("has a repeated step once, in its last version", () => {
    const entries = lines.map((line) => JSON.parse(line) as RecordingEntry)
    const index = entries.findIndex((it) => it.type === "step" && it.step.writes.length > 0)
    const original = entries[index]
    if (original?.type !== "step") throw new Error("no step")
    const first = { ...original, step: { ...original.step, writes: [] } }
    const twice = [...lines.slice(0, -1).with(index, JSON.stringify(first)), lines[index]]
    const found = parseRecording(`${twice.join("\n")}\n`)
    expect(found.entries).toEqual(parseRecording(text).entries)
  })

  /** The recording with one entry changed, by default its header. */
  const withChanged = (change: (entry: RecordingEntry) => object, at = 0): string =>
    lines.with(at, JSON.stringify(change(JSON.parse(lines[at] ?? "") as RecordingEntry))).join("\n")

  it.each([
    { why: "an empty text", input: () => "", refused: "it is empty" },
    { why: "white space", input: () => " \n\n", refused: "it is empty" },
    {
      why: "text that is no JSON",
      input: () => "apiVersion: v1\nkind: Pod\n",
      refused: "its first line is not JSON"
    },
    { why: "a list", input: () => "[]\n", refused: "its first line is no JSON object" },
    { why: "a Pod", input: () => '{"kind":"Pod"}\n', refused: "its first line is no entry of a recording" },
    {
      why: "another kind",
      input: () => withChanged((it) => ({ ...it, kind: "Plan" })),
      refused: 'its first line has kind "Plan" and not "Recording"'
    },
    {
      why: "a newer apiVersion",
      input: () => withChanged((it) => ({ ...it, apiVersion: "charthouse.dev/v2", version: "3.0.0" })),
      refused:
        'its first line has apiVersion "charthouse.dev/v2" (written by charthouse 3.0.0), and this charthouse reads charthouse.dev/v1. Open it with the charthouse that wrote it'
    },
    {
      why: "a header without a title",
      input: () => withChanged(({ ...it }) => ({ ...it, title: undefined })),
      refused: "its first line has no field title, which is to be a text"
    },
    {
      why: "a missing header",
      input: () => lines.slice(1).join("\n"),
      refused: "its first line is no header of a recording"
    },
    {
      why: "a damaged line",
      input: () => lines.with(3, "{").join("\n"),
      refused: "line 4 is not JSON"
    },
    {
      why: "an unknown type of entry",
      input: () => withChanged((it) => ({ ...it, type: "dream" }), 9),
      refused: 'line 10 is an entry of an unknown type, "dream"'
    },
    {
      why: "an object without a uid",
      input: () =>
        withChanged((it) => ({ ...it, object: { kind: "Pod", apiVersion: "v1", metadata: {} } }), 1),
      refused:
        "line 2 has a field object that is not a Kubernetes object with apiVersion, kind, name and uid, and with spec and status where the page needs them"
    },
    {
      why: "swapped lines",
      input: () =>
        lines
          .with(20, lines[25] ?? "")
          .with(25, lines[20] ?? "")
          .join("\n"),
      refused: "line 22 is out of order: number 21 after 25"
    },
    {
      why: "a missing line",
      input: () => lines.toSpliced(30, 1).join("\n"),
      refused: /^its end says that there are (\d+) entries, and there are (\d+)$/
    },
    {
      why: "two recordings in one text",
      input: () => text + text,
      refused: /^line \d+ comes after the end$/
    },
    {
      why: "two recordings that were cut off",
      input: () => [...lines.slice(0, 20), ...lines.slice(0, 20)].join("\n"),
      refused: "line 21 is a header: another recording begins there"
    }
  ])("refuses $why", ({ input, refused }) => {
    if (typeof refused === "string") expect(refusalOf(input())).toBe(refused)
    else expect(refusalOf(input())).toMatch(refused)
  })
})

describe("a recording of a few lines", () => {
  const header = aHeader({ title: "a few lines", number: 2 })
  const clock = (number: number, atMillis = 0): object => ({ type: "clock", number, atMillis, speed: 0 })
  const note = (number: number): object => ({ type: "note", number, atMillis: 0, level: "step", text: "a" })
  const step = (number: number): object => ({
    type: "step",
    number,
    atMillis: 0,
    step: aStep()
  })
  const end = (entries: number): object => ({ type: "end", number: 9, atMillis: 0, entries })
  const textOf = (...entries: ReadonlyArray<object>): string =>
    [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("")

  it.each([
    { why: "that is only a header", input: textOf(), count: 0, isCutOff: true },
    { why: "that is complete", input: textOf(note(3), end(3)), count: 1, isCutOff: false },
    { why: "that has no end", input: textOf(note(3)), count: 1, isCutOff: true },
    { why: "cut off within a line", input: `${textOf(note(3))}{"type":"no`, count: 1, isCutOff: true },
    {
      why: "with clock entries",
      input: textOf(clock(1), clock(1, 5), note(3), clock(3, 7), end(6)),
      count: 4,
      isCutOff: false
    },
    {
      why: "with a repeated step",
      input: textOf(step(3), note(4), step(3)),
      count: 2,
      isCutOff: true
    }
  ])("is read: one $why", ({ input, count, isCutOff }) => {
    const { entries, ...rest } = parseRecording(input)
    expect([entries.length, rest.isCutOff]).toEqual([count, isCutOff])
  })

  it.each([
    {
      why: "a repeated note",
      input: textOf(note(3), note(3)),
      refused: "line 3 is out of order: number 3 after 3"
    },
    {
      why: "time that goes back",
      input: textOf(note(3), clock(2)),
      refused: "line 3 is out of order: number 2 after 3"
    },
    {
      why: "a repeated step with another type's number",
      input: textOf(note(3), note(4), step(3)),
      refused: "line 4 is out of order: number 3 after 4"
    },
    {
      why: "a missing line",
      input: textOf(note(3), end(4)),
      refused: "its end says that there are 4 entries, and there are 3"
    },
    {
      why: "the beginning of a line after its end",
      input: `${textOf(note(3), end(3))}{"ty`,
      refused: "line 4 comes after the end"
    },
    {
      why: "a part of its header",
      input: '{"type":"header","api',
      refused: "it was cut off within its first line"
    },
    {
      why: "the first characters of its header",
      input: '{"ty',
      refused: "it was cut off within its first line"
    },
    { why: "a line of prose", input: "once upon a time", refused: "its first line is not JSON" },
    { why: "a part of a Pod", input: '{"kind":"Pod"', refused: "its first line is not JSON" },
    { why: "an empty first line", input: `\n${textOf()}`, refused: "its first line is not JSON" }
  ])("is refused with $why", ({ input, refused }) => {
    expect(refusalOf(input)).toBe(refused)
  })
})
