import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { openRecordingWriter } from "../../../src/cli/record/recordingWriter.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { parseRecording, rolledOutWeb } from "../../recording/recordedCluster.ts"

let text = ""
beforeAll(async () => {
  await using cluster = await rolledOutWeb()
  text = await cluster.recording()
})

/** The text in pieces, cut at these offsets. */
const cutAt = (whole: string, offsets: ReadonlyArray<number>): ReadonlyArray<string> => {
  const cuts = [...new Set([0, ...offsets, whole.length])].sort((a, b) => a - b)
  return cuts.slice(1).map((cut, index) => whole.slice(cuts[index], cut))
}

describe("the recording writer", () => {
  it("writes the same text, whatever the pieces", async () => {
    const file = join(temporaryFolder(), "web.recording")
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: text.length }), { maxLength: 9 }), async (offsets) => {
        const writer = await openRecordingWriter(file)
        for (const piece of cutAt(text, offsets)) await writer.write(piece)
        await writer.end()
        await writer.close()
        expect(readFileSync(file, "utf8")).toBe(text)
      }),
      { seed: 3, numRuns: 20 }
    )
  })

  it("writes no half line wherever the text is cut off, and an end line once all past entries have arrived", async () => {
    const file = join(temporaryFolder(), "web.recording")
    const { header, entries } = parseRecording(text)
    // The server's clock in the middle: all past entries have arrived.
    const entryLines = text.trimEnd().split("\n").slice(0, -1)
    const before = entryLines.length >> 1
    const { number = 0, atMillis = 0 } = entries[before - 2] ?? {}
    const time = JSON.stringify({ type: "clock", number, atMillis, speed: 0 })
    const followed = `${entryLines.toSpliced(before, 0, time).join("\n")}\n`
    const caughtUpAt = followed.indexOf(time) + time.length + 1
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: followed.indexOf("\n") + 1, max: followed.length }),
        async (length) => {
          rmSync(file, { force: true })
          const writer = await openRecordingWriter(file)
          await writer.write(followed.slice(0, length))
          const last = parseRecording(followed.slice(0, length)).entries.at(-1)?.number ?? 0
          const known = last >= header.number ? { number: last, id: header.id } : undefined
          expect(writer.resumePoint()).toEqual(known)
          await writer.end()
          await writer.close()
          const written = readFileSync(file, "utf8")
          const found = parseRecording(written)
          expect(written.endsWith("\n")).toBe(true)
          expect(found.header).toEqual(header)
          expect(found.isCutOff).toBe(length < caughtUpAt)
          expect(found.entries).toEqual(parseRecording(followed).entries.slice(0, found.entries.length))
        }
      ),
      { seed: 5, numRuns: 40 }
    )
  })

  it("starts again after a beginning that was cut off, and writes no second recording", async () => {
    const file = join(temporaryFolder(), "web.recording")
    const writer = await openRecordingWriter(file)
    const second = text.split("\n", 3).join("\n").length
    await writer.write(text.slice(0, second + 7))
    expect([writer.resumePoint(), existsSync(file)]).toEqual([undefined, false])
    writer.dropPartialLine()
    expect(await writer.write(text)).toBe(true)
    expect(await writer.write(text)).toBe(false)
    await writer.close()
    expect(readFileSync(file, "utf8")).toBe(text)
  })

  it("leaves an earlier file unchanged, and creates none, until a whole line arrives", async () => {
    const [old = "", fresh = ""] = ["old", "fresh"].map((name) => join(temporaryFolder(), name))
    writeFileSync(old, "precious\n")
    for (const file of [old, fresh]) {
      const writer = await openRecordingWriter(file)
      await writer.write('{"type":"hea')
      writer.dropPartialLine()
      await writer.end()
      await writer.close()
    }
    expect(readFileSync(old, "utf8")).toBe("precious\n")
    expect(existsSync(fresh)).toBe(false)
  })

  it("replaces an earlier file once all past entries have arrived, then appends", async () => {
    const file = join(temporaryFolder(), "web.recording")
    const lines = text.trimEnd().split("\n").slice(0, -1)
    const { number = 0, atMillis = 0 } = parseRecording(text).entries.at(-1) ?? {}
    const [time, later] = [0, 1].map(
      (passed) => `${JSON.stringify({ type: "clock", number, atMillis: atMillis + passed, speed: 0 })}\n`
    )
    const all = lines.map((line) => `${line}\n`).join("")
    writeFileSync(file, "precious\n")
    const writer = await openRecordingWriter(file)
    await writer.write(all)
    expect(readFileSync(file, "utf8")).toBe("precious\n")
    await writer.write(time ?? "")
    expect(readFileSync(file, "utf8")).toBe(`${all}${time}`)
    await writer.write(later ?? "")
    expect(readFileSync(file, "utf8")).toBe(`${all}${time}${later}`)
    await writer.close()
    expect(readdirSync(dirname(file))).toEqual(["web.recording"])
  })

  it("leaves an earlier file unchanged if the recording's beginning is incomplete", async () => {
    const file = join(temporaryFolder(), "web.recording")
    writeFileSync(file, "precious\n")
    const writer = await openRecordingWriter(file)
    await writer.write(text.split("\n", 3).join("\n"))
    await writer.close()
    expect([writer.isInPlace(), readFileSync(file, "utf8"), readdirSync(dirname(file))]).toEqual([
      false,
      "precious\n",
      ["web.recording"]
    ])
  })
})
