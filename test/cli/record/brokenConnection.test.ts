import { existsSync, readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { recordingChunks } from "../../../src/cli/record/recordingChunks.ts"
import { charthouse } from "../harness/charthouse.ts"
import { aRecordingServer } from "./recordingServer.ts"
import { parseRecording, rolledOutWeb } from "../../recording/recordedCluster.ts"
import { serving } from "../harness/servingCommand.ts"
import type { RecordingEntry } from "../../../src/recording/entry.ts"

/** The lines that a server sends to a follower: the past, then its clock. */
let lines: ReadonlyArray<string> = []
/** Number of lines of the header and the initial objects. */
let beginning = 0
beforeAll(async () => {
  await using cluster = await rolledOutWeb({ record: { changesMax: 100 } })
  const text = await cluster.recording()
  const { header, entries } = parseRecording(text)
  const last = entries.at(-1)
  const { number = 0, atMillis = 0 } = last ?? {}
  const time: RecordingEntry = { type: "clock", number, atMillis, speed: 0 }
  lines = [...text.trimEnd().split("\n").slice(0, -1), JSON.stringify(time)].map((line) => `${line}\n`)
  beginning = 1 + entries.filter((it) => it.number <= header.number).length
})

const linesAfter = (since: string | null): ReadonlyArray<string> =>
  since === null
    ? lines
    : lines.filter(
        (line) => line === lines.at(-1) || (JSON.parse(line) as RecordingEntry).number > Number(since)
      )

const lengthOf = (count: number): number => lines.slice(0, count).join("").length

describe("a recording whose connection is cut off", () => {
  const cuts = [
    { where: "in the middle of its beginning", at: () => lengthOf(9) + 20, from: [null, null, "n"] },
    { where: "right after its beginning", at: () => lengthOf(beginning), from: [null, "n", "n"] },
    { where: "in the middle of a line", at: () => lengthOf(beginning + 30) + 33, from: [null, "n", "n"] },
    // With a reset connection, unread bytes are lost.
    { where: "by force", at: () => lengthOf(beginning + 31), from: undefined }
  ]
  it.each(cuts)("$where is complete after a reconnect", async ({ at, from }) => {
    const sinceSent: Array<string | null> = []
    await using server = await aRecordingServer(({ connection, since }, response) => {
      sinceSent.push(since)
      if (connection > 0) {
        // The third connection gets only the header: later entries are no longer kept.
        response.end(connection === 1 ? linesAfter(since).join("") : lines[0])
        return
      }
      const sent = lines.join("").slice(0, at())
      if (from === undefined) response.write(sent, () => response.destroy())
      else response.end(sent)
    })
    const { code, stderr } = await charthouse([...server.args, server.file, "-w"])
    const expectedWords = "the server has dropped the entries that follow: the recording ends before them\n"
    expect([code, stderr]).toEqual([0, expectedWords])
    expect(sinceSent.map((since) => since && "n")).toEqual(from ?? expect.anything())
    const written = readFileSync(server.file, "utf8")
    expect(written.slice(0, lengthOf(lines.length))).toBe(lines.join(""))
    expect(parseRecording(written).isCutOff).toBe(false)
  })

  it.each([
    { where: "in its header", at: () => 40, code: 2, expectedWords: () => "nothing was recorded\n", left: 0 },
    {
      where: "in the middle of its beginning",
      at: () => lengthOf(5) + 9,
      code: 1,
      expectedWords: (file: string) => `${file} is cut off: it can be shown as far as it goes\n`,
      left: 5
    }
  ])(
    "$where, without a reconnect, has the received lines and no end",
    async ({ at, code, expectedWords, left }) => {
      await using server = await aRecordingServer((_, response) => {
        response.end(lines.join("").slice(0, at()))
      })
      const ended = await charthouse([...server.args, server.file])
      expect([ended.code, ended.stderr]).toEqual([code, expectedWords(server.file)])
      const written = existsSync(server.file) ? readFileSync(server.file, "utf8") : ""
      expect(written).toBe(lines.slice(0, left).join(""))
    }
  )
})

describe("a recording that is interrupted", () => {
  it.each([[], ["-w"]])("before all past entries have arrived is cut off: %s", async (...watch) => {
    await using server = await aRecordingServer((_, response) => {
      response.write(lines.slice(0, -9).join(""))
    })
    const recording = await serving([...server.args, "-", ...watch], /"type":"object"/)
    expect(await recording.end("SIGINT")).toBe(1)
    expect(recording.printed()).not.toContain('"type":"end"')
    expect(recording.printed()).toContain("the recording is cut off: it can be shown as far as it goes\n")
  })

  it("before the server answers leaves no file", async () => {
    await using server = await aRecordingServer(() => {})
    const recording = await serving([...server.args, server.file, "-w"], /Ctrl-C ends it/)
    await server.requested
    expect(await recording.end("SIGINT")).toBe(2)
    expect(recording.printed()).toBe(`recording into ${server.file}: Ctrl-C ends it\nnothing was recorded\n`)
    expect(existsSync(server.file)).toBe(false)
  })
})

describe("a server", () => {
  const gone = new AbortController().signal

  it("that never answers is given up", async () => {
    await using server = await aRecordingServer(() => {})
    const pieces = recordingChunks(server.access, {
      watch: true,
      resumeAfter: undefined,
      signal: gone,
      answerTimeoutMillis: 5
    })
    await expect(pieces.next()).rejects.toThrow(/does not answer: it sent nothing for a while$/)
  })

  it("that sends something else is reported", async () => {
    const given = ["<html>\n", '{"type":"clock","number":1,"atMillis":1,"speed":0}\n']
    for (const text of given) {
      await using server = await aRecordingServer((_, response) => void response.end(text))
      expect(await charthouse([...server.args, server.file, "-w"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("error: the response is no recording")
      })
    }
  })
})
