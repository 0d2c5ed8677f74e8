import { existsSync, readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { recordingChunks } from "../../src/cli/record/recordingChunks.ts"
import { charthouse } from "./charthouse.ts"
import { aRecordingServer } from "./recordingServer.ts"
import { read, rolledWeb } from "../recording/worlds.ts"
import { serving } from "./serving.ts"
import type { RecordingEntry } from "../../src/recording/entry.ts"

/** As a server gives it to one who follows: told until now, and that this is so. */
let lines: ReadonlyArray<string> = []
/** So many lines are the header and what was there at its beginning. */
let beginning = 0
beforeAll(async () => {
  await using cluster = await rolledWeb({ record: { changesMax: 100 } })
  const text = await cluster.recording()
  const { header, entries } = read(text)
  const last = entries.at(-1)
  const { number = 0, atMillis = 0 } = last ?? {}
  const time: RecordingEntry = { type: "clock", number, atMillis, speed: 0 }
  lines = [...text.trimEnd().split("\n").slice(0, -1), JSON.stringify(time)].map((line) => `${line}\n`)
  beginning = 1 + entries.filter((it) => it.number <= header.number).length
})

const after = (since: string | null): ReadonlyArray<string> =>
  since === null
    ? lines
    : lines.filter(
        (line) => line === lines.at(-1) || (JSON.parse(line) as RecordingEntry).number > Number(since)
      )

const lengthOf = (count: number): number => lines.slice(0, count).join("").length

describe("a recording whose connection is cut", () => {
  const cuts = [
    { where: "in the middle of its beginning", at: () => lengthOf(9) + 20, from: [null, null, "n"] },
    { where: "right after its beginning", at: () => lengthOf(beginning), from: [null, "n", "n"] },
    { where: "in the middle of a line", at: () => lengthOf(beginning + 30) + 33, from: [null, "n", "n"] },
    // What of it has come nobody knows: what had not been read is lost.
    { where: "by force", at: () => lengthOf(beginning + 31), from: undefined }
  ]
  it.each(cuts)("$where is whole when it was taken up again", async ({ at, from }) => {
    const froms: Array<string | null> = []
    await using server = await aRecordingServer(({ connection, since }, response) => {
      froms.push(since)
      if (connection > 0) {
        // Of what comes after that nothing is kept: it is over.
        response.end(connection === 1 ? after(since).join("") : lines[0])
        return
      }
      const told = lines.join("").slice(0, at())
      if (from === undefined) response.write(told, () => response.destroy())
      else response.end(told)
    })
    const { code, stderr } = await charthouse([...server.words, server.file, "-w"])
    const words = "what came next is no longer kept: the recording ends before it\n"
    expect([code, stderr]).toEqual([0, words])
    expect(froms.map((since) => since && "n")).toEqual(from ?? expect.anything())
    const written = readFileSync(server.file, "utf8")
    expect(written.slice(0, lengthOf(lines.length))).toBe(lines.join(""))
    expect(read(written).isCutOff).toBe(false)
  })

  it.each([
    { where: "in its header", at: () => 40, code: 2, words: () => "nothing was recorded\n", left: 0 },
    {
      where: "in the middle of its beginning",
      at: () => lengthOf(5) + 9,
      code: 1,
      words: (file: string) => `${file} is cut off: it can be shown as far as it goes\n`,
      left: 5
    }
  ])("$where, and wanted no longer, has what came and no end", async ({ at, code, words, left }) => {
    await using server = await aRecordingServer((_, response) => {
      response.end(lines.join("").slice(0, at()))
    })
    const ended = await charthouse([...server.words, server.file])
    expect([ended.code, ended.stderr]).toEqual([code, words(server.file)])
    const written = existsSync(server.file) ? readFileSync(server.file, "utf8") : ""
    expect(written).toBe(lines.slice(0, left).join(""))
  })
})

describe("a recording that is stopped", () => {
  it.each([[], ["-w"]])("in the middle of what there was is cut off: %s", async (...watch) => {
    await using server = await aRecordingServer((_, response) => {
      response.write(lines.slice(0, -9).join(""))
    })
    const recording = await serving([...server.words, "-", ...watch], /"type":"object"/)
    expect(await recording.end("SIGINT")).toBe(1)
    expect(recording.printed()).not.toContain('"type":"end"')
    expect(recording.printed()).toContain("the recording is cut off: it can be shown as far as it goes\n")
  })

  it("while nobody answers is none, and nothing is left of it", async () => {
    await using server = await aRecordingServer(() => {})
    const recording = await serving([...server.words, server.file, "-w"], /Ctrl-C ends it/)
    await server.asked
    expect(await recording.end("SIGINT")).toBe(2)
    expect(recording.printed()).toBe(`recording into ${server.file}: Ctrl-C ends it\nnothing was recorded\n`)
    expect(existsSync(server.file)).toBe(false)
  })
})

describe("a server", () => {
  const gone = new AbortController().signal

  it("that takes a question and never answers is given up", async () => {
    await using server = await aRecordingServer(() => {})
    const pieces = recordingChunks(server.lent, { watch: true, known: undefined, gone, answerMillis: 5 })
    await expect(pieces.next()).rejects.toThrow(/does not answer: nothing has come for a while$/)
  })

  it("that sends something else is told so", async () => {
    const given = ["<html>\n", '{"type":"clock","number":1,"atMillis":1,"speed":0}\n']
    for (const text of given) {
      await using server = await aRecordingServer((_, response) => void response.end(text))
      expect(await charthouse([...server.words, server.file, "-w"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("error: what comes is no recording")
      })
    }
  })
})
