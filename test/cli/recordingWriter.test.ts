import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { openRecordingWriter } from "../../src/cli/recordingWriter.ts"
import { aFolder } from "./kubeconfigs.ts"
import { read, rolledWeb } from "../recording/worlds.ts"

let text = ""
beforeAll(async () => {
  await using cluster = await rolledWeb()
  text = await cluster.recording()
})

/** The text in pieces, cut at these places. */
const piecesAt = (whole: string, places: ReadonlyArray<number>): ReadonlyArray<string> => {
  const cuts = [...new Set([0, ...places, whole.length])].sort((a, b) => a - b)
  return cuts.slice(1).map((cut, index) => whole.slice(cuts[index], cut))
}

describe("what is written of a recording", () => {
  it("is what came, in whatever pieces", async () => {
    const file = join(aFolder(), "web.recording")
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: text.length }), { maxLength: 9 }), async (places) => {
        const writer = await openRecordingWriter(file)
        for (const piece of piecesAt(text, places)) await writer.write(piece)
        await writer.end()
        await writer.close()
        expect(readFileSync(file, "utf8")).toBe(text)
      }),
      { seed: 3, numRuns: 20 }
    )
  })

  it("has its end and no half line wherever it is told that it is enough", async () => {
    const file = join(aFolder(), "web.recording")
    const { header, entries } = read(text)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: text.indexOf("\n") + 1, max: text.length }), async (length) => {
        const writer = await openRecordingWriter(file)
        await writer.write(text.slice(0, length))
        await writer.end()
        await writer.close()
        const found = read(readFileSync(file, "utf8"))
        expect([found.header, found.isCutOff]).toEqual([header, false])
        expect(found.entries).toEqual(entries.slice(0, found.entries.length))
        const number = found.entries.at(-1)?.number ?? header.number
        expect(writer.known()).toEqual({ number, id: header.id })
      }),
      { seed: 5, numRuns: 20 }
    )
  })

  it("leaves what was there before until something comes, and nothing where there was nothing", async () => {
    const [old = "", fresh = ""] = ["old", "fresh"].map((name) => join(aFolder(), name))
    writeFileSync(old, "precious\n")
    for (const file of [old, fresh]) {
      const writer = await openRecordingWriter(file)
      await writer.write('{"type":"hea')
      await writer.end()
      await writer.close()
    }
    expect(readFileSync(old, "utf8")).toBe("precious\n")
    expect(existsSync(fresh)).toBe(false)
  })
})
