import { afterEach, describe, expect, it, vi } from "vitest"
import { aHeader } from "../../recording/builders.ts"
import { connectToServer, ServerLost, RequestRefused } from "../../../src/page/source/connection.ts"
import { followRecording, followSteps } from "../../../src/page/source/recordingStream.ts"
import { makeSignal } from "../../../src/page/signal.ts"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { showRecording } from "../../../src/page/source/showRecording.ts"
import { pollTime, moveTime } from "../../../src/page/source/clusterTime.ts"
import type { ActorSummary as Known } from "../../../src/page/source/recordingStream.ts"
import type { ServerConnection, ConnectionState } from "../../../src/page/source/connection.ts"
import type { RecordingHeader } from "../../../src/recording/entry.ts"
import type { ClusterTime } from "../../../src/page/source/clusterTime.ts"
import type { StatusMessage } from "../../../src/page/statusMessage.ts"
import type { OpenedRecording, PageSource } from "../../../src/page/source/pageSource.ts"

const headerOf = (id: string, number = 0): RecordingHeader => aHeader({ id, number })

const clock = (number: number): string => JSON.stringify({ type: "clock", number, atMillis: 0, speed: 1 })

/** A connection whose streams are these, in the order of the requests. */
const serverOf = (streams: ReadonlyArray<(signal: AbortSignal) => AsyncIterable<string>>) => {
  const requestedPaths: Array<string> = []
  const connection: ServerConnection = {
    status: makeSignal<ConnectionState>({ state: "live" }),
    request: () => Promise.resolve({ items: [] }),
    lines: (path, signal) => {
      requestedPaths.push(path)
      return (streams[requestedPaths.length - 1] ?? noLines)(signal)
    }
  }
  return { connection, requestedPaths }
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve())
  })

async function* noLines(signal: AbortSignal): AsyncIterable<string> {
  await until(signal)
  yield* []
}

const sending = (...lines: ReadonlyArray<string>) =>
  async function* (): AsyncIterable<string> {
    yield* lines
    await Promise.resolve()
  }

const failing = (error: Error) =>
  async function* (): AsyncIterable<string> {
    await Promise.reject(error)
    yield ""
  }

describe("a page that follows a live cluster", () => {
  afterEach(() => void vi.useRealTimers())

  const following = (streams: Parameters<typeof serverOf>[0]) => {
    vi.useFakeTimers()
    const { connection, requestedPaths } = serverOf(streams)
    const [living, trouble] = [
      makeSignal(makeClusterHistory(undefined)),
      makeSignal<string | undefined>(undefined)
    ]
    const aborting = new AbortController()
    const done = followRecording(connection, aborting.signal, { liveHistory: living, streamProblem: trouble })
    const end = async () => {
      aborting.abort()
      await done
    }
    return { requestedPaths, living, trouble, end }
  }

  it.each([
    {
      why: "is refused",
      stream: failing(new RequestRefused(404, "Nothing is recorded here.")),
      expectedTrouble: "The recording cannot be read: Nothing is recorded here."
    },
    {
      why: "cannot be read",
      stream: sending("{"),
      expectedTrouble: "The recording cannot be read: a line of the server's recording is not JSON"
    },
    {
      why: "is lost, which the page shows elsewhere",
      stream: failing(new ServerLost("gone")),
      expectedTrouble: undefined
    },
    {
      why: "is for another token, which the page shows elsewhere",
      stream: failing(new RequestRefused(401, "another")),
      expectedTrouble: undefined
    }
  ])("shows whether the recording $why, until it can be followed", async ({ stream, expectedTrouble }) => {
    const { trouble, end } = following([stream, sending(JSON.stringify(headerOf("one")))])
    await vi.advanceTimersByTimeAsync(10)
    expect(trouble.get()).toBe(expectedTrouble)
    await vi.advanceTimersByTimeAsync(1500)
    expect(trouble.get()).toBeUndefined()
    await end()
  })

  it.each([
    { why: "its header", lines: [], query: /steps=none$/ },
    { why: "some initial objects", lines: [clock(3)], query: /since=3&id=one$/ },
    { why: "more than the initial objects", lines: [clock(9), clock(12)], query: /since=12&id=one$/ }
  ])("asks for the rest of a recording that was lost after $why", async ({ lines, query }) => {
    const { requestedPaths, end } = following([sending(JSON.stringify(headerOf("one", 9)), ...lines)])
    await vi.advanceTimersByTimeAsync(1500)
    await end()
    expect(requestedPaths[1]).toMatch(query)
  })

  it("requests the steps of the selected object again when a new recording begins", async () => {
    vi.useFakeTimers()
    const { connection, requestedPaths } = serverOf([noLines, noLines])
    const living = makeSignal(makeClusterHistory(headerOf("one")))
    const aborting = new AbortController()
    const place = { kind: "Deployment", namespace: "default", name: "web" } as const
    const done = followSteps(connection, place, aborting.signal, {
      liveHistory: living,
      actor: makeSignal<Known | undefined>(undefined),
      unknownActorMessage: makeSignal<string | undefined>(undefined)
    })
    await vi.advanceTimersByTimeAsync(5000)
    expect(requestedPaths.length).toBe(1)
    living.set(makeClusterHistory(headerOf("two")))
    await vi.advanceTimersByTimeAsync(10)
    aborting.abort()
    await done
    expect(requestedPaths.length).toBe(2)
  })
})

describe("the time of a cluster on the page", () => {
  afterEach(() => void vi.useRealTimers())

  const at = (minute: number) => ({ now: `2026-01-01T00:0${minute}:00Z`, speed: 0 })
  const rows: ReadonlyArray<{
    readonly why: string
    /** The request that is sent first and answered last. */
    readonly late: "GET" | "POST"
    readonly polled: number
    readonly moved: number
  }> = [
    { why: "a time read before the clock was advanced is dropped", late: "GET", polled: 0, moved: 5 },
    {
      why: "the time after the advance wins over one read meanwhile",
      late: "POST",
      polled: 3,
      moved: 5
    }
  ]
  it.each(rows)("is the latest, whichever answer arrives last: $why", async (row) => {
    vi.useFakeTimers()
    const { late, polled, moved } = row
    const answer = Promise.withResolvers<unknown>()
    const answers = { GET: at(polled), POST: at(moved) }
    const ask = (method: string): Promise<unknown> =>
      method === late ? answer.promise : Promise.resolve(method === "GET" ? answers.GET : answers.POST)
    const connection: ServerConnection = { ...serverOf([]).connection, request: ask }
    const time = makeSignal<ClusterTime | undefined>(undefined)
    const aborting = new AbortController()
    const requests = {
      GET: () => pollTime(connection, aborting.signal, time),
      POST: () => moveTime(connection, time, "advance?by=5m")
    }
    const first = requests[late]()
    await vi.advanceTimersByTimeAsync(1)
    const second = requests[late === "GET" ? "POST" : "GET"]()
    await vi.advanceTimersByTimeAsync(1)
    answer.resolve(answers[late])
    await vi.advanceTimersByTimeAsync(1)
    expect(time.get()).toMatchObject(at(moved))
    aborting.abort()
    await Promise.all([first, second])
  })

  it("has the speed of the last request, also if no time has passed", async () => {
    vi.useFakeTimers()
    const speeds = [0, 60, 0]
    const ask = () => Promise.resolve({ ...at(0), speed: speeds.shift() })
    const connection: ServerConnection = { ...serverOf([]).connection, request: ask }
    const time = makeSignal<ClusterTime | undefined>(undefined)
    const seen: Array<number | undefined> = []
    for (const request of ["pause", "speed?to=60", "pause"]) {
      await moveTime(connection, time, request)
      seen.push(time.get()?.speed)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(seen).toEqual([0, 60, 0])
  })
})

describe("the body of an answer", () => {
  afterEach(() => void vi.unstubAllGlobals())

  const broken = (status: number): Response =>
    new Response(
      new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) }),
      { status }
    )

  it.each([
    { why: "200", status: 200 },
    { why: "409", status: 409 }
  ])("that breaks off with status $why marks the server as lost", async ({ status }) => {
    vi.stubGlobal("fetch", () => Promise.resolve(broken(status)))
    const { request: ask, status: standing } = connectToServer("token")
    await expect(ask("GET", "/x")).rejects.toBeInstanceOf(ServerLost)
    expect(standing.get().state).toBe("lost")
  })

  it("that is not JSON is reported as such", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response("<html>")))
    await expect(connectToServer("token").request("GET", "/x")).rejects.toThrow(/is not JSON/)
  })
})

describe("recordings opened in quick succession", () => {
  const recording = (title: string): OpenedRecording => ({
    type: "recording",
    title,
    history: makeClusterHistory(headerOf(title)),
    notice: undefined
  })
  const pageState = () => ({
    source: makeSignal<PageSource | undefined>({ type: "live" }),
    message: makeSignal<StatusMessage | undefined>(undefined)
  })

  it("leave the last one shown, whichever takes longer to load", async () => {
    const shown = pageState()
    const slow = Promise.withResolvers<OpenedRecording>()
    const first = showRecording(shown, "slow", slow.promise)
    await showRecording(shown, "quick", Promise.resolve(recording("quick")))
    slow.resolve(recording("slow"))
    expect(await first).toBe(false)
    expect(shown.source.get()).toMatchObject({ title: "quick" })
  })

  it("report no unreadable one once something else is shown", async () => {
    const shown = pageState()
    const slow = Promise.withResolvers<OpenedRecording>()
    const first = showRecording(shown, "slow", slow.promise)
    shown.source.set({ type: "live" })
    slow.reject(new Error("is no recording"))
    expect(await first).toBe(false)
    expect(shown.message.get()).toBeUndefined()
  })

  it("report an unreadable one with the reason", async () => {
    const shown = pageState()
    expect(await showRecording(shown, "x", Promise.resolve({ problem: "is not JSON" } as never))).toBe(false)
    expect(shown.message.get()).toEqual({ text: "x: is not JSON", isError: true })
  })
})
