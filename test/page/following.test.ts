import { afterEach, describe, expect, it, vi } from "vitest"
import { aHeader } from "../recording/headers.ts"
import { connectToServer, ServerLost, RequestRefused } from "../../src/page/source/connection.ts"
import { followRecording, followSteps } from "../../src/page/source/recordingStream.ts"
import { makeSignal } from "../../src/page/signal.ts"
import { makeClusterHistory } from "../../src/page/history/clusterHistory.ts"
import { showRecording } from "../../src/page/source/showRecording.ts"
import { pollTime, moveTime } from "../../src/page/source/clusterTime.ts"
import type { ActorSummary as Known } from "../../src/page/source/recordingStream.ts"
import type { ServerConnection, ConnectionState } from "../../src/page/source/connection.ts"
import type { RecordingHeader } from "../../src/recording/entry.ts"
import type { ClusterTime } from "../../src/page/source/clusterTime.ts"
import type { StatusMessage } from "../../src/page/statusMessage.ts"
import type { PageSource } from "../../src/page/source/pageSource.ts"

const headerOf = (id: string, number = 0): RecordingHeader => aHeader({ id, number })

const clock = (number: number): string => JSON.stringify({ type: "clock", number, atMillis: 0, speed: 1 })

/** A server that answers each stream that is asked for with the next of these. */
const serverOf = (streams: ReadonlyArray<(signal: AbortSignal) => AsyncIterable<string>>) => {
  const asked: Array<string> = []
  const connection: ServerConnection = {
    status: makeSignal<ConnectionState>({ state: "live" }),
    request: () => Promise.resolve({ items: [] }),
    lines: (path, signal) => {
      asked.push(path)
      return (streams[asked.length - 1] ?? silence)(signal)
    }
  }
  return { connection, asked }
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve())
  })

async function* silence(signal: AbortSignal): AsyncIterable<string> {
  await until(signal)
  yield* []
}

const telling = (...lines: ReadonlyArray<string>) =>
  async function* (): AsyncIterable<string> {
    yield* lines
    await Promise.resolve()
  }

const failing = (error: Error) =>
  async function* (): AsyncIterable<string> {
    await Promise.reject(error)
    yield ""
  }

describe("a page that follows a living cluster", () => {
  afterEach(() => void vi.useRealTimers())

  const following = (streams: Parameters<typeof serverOf>[0]) => {
    vi.useFakeTimers()
    const { connection, asked } = serverOf(streams)
    const [living, trouble] = [
      makeSignal(makeClusterHistory(undefined)),
      makeSignal<string | undefined>(undefined)
    ]
    const looking = new AbortController()
    const done = followRecording(connection, looking.signal, { living, trouble })
    const end = async () => {
      looking.abort()
      await done
    }
    return { asked, living, trouble, end }
  }

  it.each([
    {
      why: "is refused",
      stream: failing(new RequestRefused(404, "Nothing is recorded here.")),
      said: "What happens cannot be shown: Nothing is recorded here."
    },
    {
      why: "cannot be read",
      stream: telling("{"),
      said: "What happens cannot be shown: a line of what the server tells is not JSON"
    },
    { why: "is lost, which stands elsewhere", stream: failing(new ServerLost("gone")), said: undefined },
    {
      why: "is for another token, which stands elsewhere",
      stream: failing(new RequestRefused(401, "another")),
      said: undefined
    }
  ])("says so where a recording $why, and no more once it can be followed", async ({ stream, said }) => {
    const { trouble, end } = following([stream, telling(JSON.stringify(headerOf("one")))])
    await vi.advanceTimersByTimeAsync(10)
    expect(trouble.get()).toBe(said)
    await vi.advanceTimersByTimeAsync(1500)
    expect(trouble.get()).toBeUndefined()
    await end()
  })

  it.each([
    { why: "its header", lines: [], query: /steps=none$/ },
    { why: "a part of its beginning", lines: [clock(3)], query: /since=3&id=one$/ },
    { why: "more than its beginning", lines: [clock(9), clock(12)], query: /since=12&id=one$/ }
  ])("that has got $why when it is lost asks for the rest", async ({ lines, query }) => {
    const { asked, end } = following([telling(JSON.stringify(headerOf("one", 9)), ...lines)])
    await vi.advanceTimersByTimeAsync(1500)
    await end()
    expect(asked[1]).toMatch(query)
  })

  it("asks for the steps of what is looked at again at once where the recording begins anew", async () => {
    vi.useFakeTimers()
    const { connection, asked } = serverOf([silence, silence])
    const living = makeSignal(makeClusterHistory(headerOf("one")))
    const looking = new AbortController()
    const place = { kind: "Deployment", namespace: "default", name: "web" } as const
    const done = followSteps(connection, place, looking.signal, {
      living,
      actorSummary: makeSignal<Known | undefined>(undefined),
      refused: makeSignal<string | undefined>(undefined)
    })
    await vi.advanceTimersByTimeAsync(5000)
    expect(asked.length).toBe(1)
    living.set(makeClusterHistory(headerOf("two")))
    await vi.advanceTimersByTimeAsync(10)
    looking.abort()
    await done
    expect(asked.length).toBe(2)
  })
})

describe("the time of a cluster", () => {
  afterEach(() => void vi.useRealTimers())

  const at = (minute: number) => ({ now: `2026-01-01T00:0${minute}:00Z`, speed: 0 })
  const rows: ReadonlyArray<{
    readonly why: string
    /** What is answered later than what was asked for after it. */
    readonly late: "GET" | "POST"
    readonly polled: number
    readonly moved: number
  }> = [
    { why: "it is not as it was before it was moved", late: "GET", polled: 0, moved: 5 },
    {
      why: "it has come as far as it was moved, though it was seen on its way",
      late: "POST",
      polled: 3,
      moved: 5
    }
  ]
  it.each(rows)("is the latest that was told, whatever is answered last: $why", async (row) => {
    vi.useFakeTimers()
    const { late, polled, moved } = row
    const answer = Promise.withResolvers<unknown>()
    const answers = { GET: at(polled), POST: at(moved) }
    const ask = (method: string): Promise<unknown> =>
      method === late ? answer.promise : Promise.resolve(method === "GET" ? answers.GET : answers.POST)
    const connection: ServerConnection = { ...serverOf([]).connection, request: ask }
    const time = makeSignal<ClusterTime | undefined>(undefined)
    const looking = new AbortController()
    const deeds = {
      GET: () => pollTime(connection, looking.signal, time),
      POST: () => moveTime(connection, time, "advance?by=5m")
    }
    const first = deeds[late]()
    await vi.advanceTimersByTimeAsync(1)
    const second = deeds[late === "GET" ? "POST" : "GET"]()
    await vi.advanceTimersByTimeAsync(1)
    answer.resolve(answers[late])
    await vi.advanceTimersByTimeAsync(1)
    expect(time.get()).toMatchObject(at(moved))
    looking.abort()
    await Promise.all([first, second])
  })

  it("goes as was said last, though no time has passed since it went otherwise", async () => {
    vi.useFakeTimers()
    const speeds = [0, 60, 0]
    const ask = () => Promise.resolve({ ...at(0), speed: speeds.shift() })
    const connection: ServerConnection = { ...serverOf([]).connection, request: ask }
    const time = makeSignal<ClusterTime | undefined>(undefined)
    const seen: Array<number | undefined> = []
    for (const wish of ["pause", "speed?to=60", "pause"]) {
      await moveTime(connection, time, wish)
      seen.push(time.get()?.speed)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(seen).toEqual([0, 60, 0])
  })
})

describe("an answer", () => {
  afterEach(() => void vi.unstubAllGlobals())

  const broken = (status: number): Response =>
    new Response(
      new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) }),
      { status }
    )

  it.each([
    { why: "an answer", status: 200 },
    { why: "a refusal", status: 409 }
  ])("is lost where $why breaks off in its body, and the page says so", async ({ status }) => {
    vi.stubGlobal("fetch", () => Promise.resolve(broken(status)))
    const { request: ask, status: standing } = connectToServer("token")
    await expect(ask("GET", "/x")).rejects.toBeInstanceOf(ServerLost)
    expect(standing.get().state).toBe("lost")
  })

  it("that is no JSON is said to be none", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response("<html>")))
    await expect(connectToServer("token").request("GET", "/x")).rejects.toThrow(/is no JSON/)
  })
})

describe("recordings that are opened one soon after the other", () => {
  const recording = (title: string): PageSource => ({
    type: "recording",
    title,
    history: makeClusterHistory(headerOf(title)),
    notice: undefined
  })
  const world = () => ({
    source: makeSignal<PageSource | undefined>({ type: "living" }),
    message: makeSignal<StatusMessage | undefined>(undefined)
  })

  it("leave the last that was chosen, whichever takes longer", async () => {
    const shown = world()
    const slow = Promise.withResolvers<PageSource>()
    const first = showRecording(shown, "slow", slow.promise)
    await showRecording(shown, "quick", Promise.resolve(recording("quick")))
    slow.resolve(recording("slow"))
    expect(await first).toBe(false)
    expect(shown.source.get()).toMatchObject({ title: "quick" })
  })

  it("say nothing of one that cannot be read where another is shown by then, or the cluster is", async () => {
    const shown = world()
    const slow = Promise.withResolvers<PageSource>()
    const first = showRecording(shown, "slow", slow.promise)
    shown.source.set({ type: "living" })
    slow.reject(new Error("is no recording"))
    expect(await first).toBe(false)
    expect(shown.message.get()).toBeUndefined()
  })

  it("say what is the matter with one that is none", async () => {
    const shown = world()
    expect(await showRecording(shown, "x", Promise.resolve({ refused: "is not JSON" } as never))).toBe(false)
    expect(shown.message.get()).toEqual({ text: "x: is not JSON", refused: true })
  })
})
