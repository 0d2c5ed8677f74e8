import { promisify } from "node:util"
import { runInNewContext } from "node:vm"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeObservers } from "../../../src/runtime/observers.ts"
import { makeProgramTimers } from "../../../src/runtime/time/programTimers.ts"
import { makeTimeline } from "../../../src/runtime/time/timeline.ts"
import { makeUserCalls } from "../../../src/runtime/time/userCalls.ts"

const startMillis = Date.UTC(2026, 0, 1)
const minute = 60_000

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const makeProgram = () => {
  const timeline = makeTimeline({ clock: "virtual", startMillis })
  const observers = makeObservers()
  const userCalls = makeUserCalls({ timeline, timeMoved: () => {}, observers })
  const notes: Array<string> = []
  const note = (what: string): void => {
    notes.push(`${timeline.kernel.nowMillis() - startMillis} ${what}`)
  }
  return {
    ...makeProgramTimers({ timeline, observers, isClosed: () => userCalls.closedMillis() !== undefined }),
    kernel: timeline.kernel,
    advance: (millis: number) => Effect.runPromise(userCalls.until(() => false, millis)),
    call: () => Effect.runPromise(userCalls.runNow(Effect.void)),
    load: (loading: () => Promise<void>) => Effect.runPromise(userCalls.importModule(loading)),
    close: () => {
      userCalls.close()
      timeline.close()
    },
    notes,
    note
  }
}

describe("timers of a program", () => {
  it("call back at their instants, those of one instant in the order in which they were set", async () => {
    const { timers, at, advance, notes, note } = makeProgram()
    timers.setTimeout(note, 3 * minute, "c")
    timers.setTimeout(note, minute, "a1")
    at(startMillis + minute, () => note("a2"))
    timers.setInterval(note, minute, "a3")
    timers.setTimeout(note, 2 * minute, "b")
    expect(notes).toEqual([])
    await advance(3 * minute)
    expect(notes).toEqual([
      "60000 a1",
      "60000 a2",
      "60000 a3",
      "120000 b",
      "120000 a3",
      "180000 c",
      "180000 a3"
    ])
  })

  it("call back when the controllers have nothing left to do at the instant", async () => {
    const { timers, kernel, advance, notes, note } = makeProgram()
    timers.setTimeout(note, minute, "program")
    kernel.after(minute, 60, () => {
      note("controller")
      kernel.post(10, () => note("another controller"))
    })
    await advance(minute)
    expect(notes).toEqual(["60000 controller", "60000 another controller", "60000 program"])
  })

  it("call back after the promises of an earlier callback have gone on", async () => {
    const { timers, advance, notes, note } = makeProgram()
    const act = async (name: string): Promise<void> => {
      note(`${name} begins`)
      await turns(5)
      note(`${name} ends`)
    }
    timers.setTimeout(act, minute, "first")
    timers.setTimeout(act, minute, "second")
    await advance(minute)
    expect(notes).toEqual([
      "60000 first begins",
      "60000 first ends",
      "60000 second begins",
      "60000 second ends"
    ])
  })

  it("hold time back while their programs go on calling the cluster", async () => {
    const { timers, advance, call, notes, note } = makeProgram()
    timers.setTimeout(async () => {
      for (let count = 0; count < 50; count += 1) {
        await call()
        await turns(1)
      }
      note("first")
    }, minute)
    timers.setTimeout(note, minute + 1, "second")
    await advance(2 * minute)
    expect(notes).toEqual(["60000 first", "60001 second"])
  })

  it("hold time back while their programs load a part of the library", async () => {
    const { timers, advance, load, notes, note } = makeProgram()
    timers.setTimeout(async () => {
      await load(() => turns(100))
      await turns(10)
      note("first")
    }, minute)
    timers.setTimeout(note, minute + 1, "second")
    await advance(2 * minute)
    expect(notes).toEqual(["60000 first", "60001 second"])
  })

  it.each([
    { delay: undefined, millis: 1, why: "as Node's" },
    { delay: 0, millis: 1, why: "a millisecond is the least" },
    { delay: -5, millis: 1, why: "a millisecond is the least" },
    { delay: Number.NaN, millis: 1, why: "it is no number" },
    { delay: Number.POSITIVE_INFINITY, millis: 1, why: "it is not finite" },
    { delay: "7", millis: 7, why: "text is converted" },
    { delay: 2.9, millis: 2, why: "fractions are cut off" },
    {
      delay: 30 * 24 * 60 * minute,
      millis: 30 * 24 * 60 * minute,
      why: "a cluster's clock has no longest delay"
    }
  ])("wait $millis ms for a delay of $delay: $why", async ({ delay, millis }) => {
    const { timers, advance, notes, note } = makeProgram()
    timers.setTimeout(note, delay as number, "over")
    await advance(millis - 1)
    expect(notes).toEqual([])
    await advance(1)
    expect(notes).toEqual([`${millis} over`])
  })

  it("are cleared by their handle, its number or its text, also when they are due already", async () => {
    const { timers, advance, notes, note } = makeProgram()
    const handles = ["handle", "number", "text"].map((name) => timers.setTimeout(note, minute, name))
    timers.clearTimeout(handles[0])
    timers.clearTimeout(Number(handles[1]))
    timers.clearInterval(`${Number(handles[2])}`)
    timers.setTimeout(() => timers.clearTimeout(later), 2 * minute)
    const later = timers.setTimeout(note, 2 * minute, "cleared at its instant")
    await advance(3 * minute)
    expect(notes).toEqual([])
  })

  it("ignore what is no timer of theirs when it is cleared", async () => {
    const { timers, advance, notes, note } = makeProgram()
    timers.setTimeout(note, minute, "kept")
    for (const other of [undefined, null, 99, "99", {}, "x", Symbol("s")]) {
      timers.clearTimeout(other as undefined)
      timers.clearInterval(other as undefined)
    }
    await advance(minute)
    expect(notes).toEqual(["60000 kept"])
  })

  it("repeat until they are cleared, also by their own callback", async () => {
    const { timers, advance, notes, note } = makeProgram()
    let count = 0
    const interval = timers.setInterval(() => {
      count += 1
      note(`${count}`)
      if (count === 3) timers.clearInterval(interval)
    }, minute)
    await advance(10 * minute)
    expect(notes).toEqual(["60000 1", "120000 2", "180000 3"])
  })

  it("have the handle of Node's timers", async () => {
    const { timers, advance, notes, note } = makeProgram()
    const handle = timers.setTimeout(function (this: unknown) {
      note(String(this === handle))
    }, 2 * minute)
    expect([handle.hasRef(), handle.unref().hasRef(), handle.ref().hasRef()]).toEqual([true, false, true])
    await advance(minute)
    handle.refresh()
    await advance(minute)
    expect(notes).toEqual([])
    await advance(minute)
    expect(notes).toEqual(["180000 true"])
    handle.refresh()
    await advance(2 * minute)
    expect(notes).toEqual(["180000 true", "300000 true"])
    {
      using disposed = timers.setTimeout(note, minute, "disposed")
      expect(disposed.hasRef()).toBe(true)
    }
    timers.setTimeout(note, minute, "closed").close().refresh()
    await advance(minute)
    expect(notes).toHaveLength(2)
  })

  it("take the place of the global functions, by their types and as promises", async () => {
    const { timers, advance, note, notes } = makeProgram()
    const program = async ({
      setTimeout
    }: Pick<typeof globalThis, "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval" | "Date">) =>
      note(await promisify(setTimeout)(minute, "slept"))
    const running = program(timers)
    await advance(2 * minute)
    await running
    expect(notes).toEqual(["60000 slept"])
  })

  it("refuse what is no function, as Node does", () => {
    const { timers, at } = makeProgram()
    const code = "ERR_INVALID_ARG_TYPE"
    const none = undefined as unknown as () => void
    expect(() => timers.setTimeout(none, 1)).toThrow(expect.objectContaining({ code, name: "TypeError" }))
    expect(() => timers.setInterval(none, 1)).toThrow(expect.objectContaining({ code }))
    expect(() => at(0, none)).toThrow(expect.objectContaining({ code }))
  })

  it("never call back after the cluster is closed, whenever they were set", async () => {
    const { timers, at, close, advance, notes, note } = makeProgram()
    const interval = timers.setInterval(note, minute, "interval")
    at(startMillis, () => note("due"))
    close()
    timers.setTimeout(() => note("set after close"), 1)
    timers.setInterval(() => note("set after close"), 1)
    expect(() => at(0, () => {})).toThrow("the cluster is closed")
    timers.clearInterval(interval)
    await expect(advance(minute)).rejects.toThrow("the cluster is closed")
    await turns(3)
    expect(notes).toEqual([])
    expect(timers.Date.now()).toBe(startMillis)
  })
})

describe("a callback at a time", () => {
  it.each([
    { time: new Date(startMillis + minute), form: "a Date" },
    { time: runInNewContext(`new Date(${startMillis + minute})`) as Date, form: "a Date of another realm" },
    { time: startMillis + minute, form: "Unix milliseconds" },
    { time: "2026-01-01T00:01:00Z", form: "RFC 3339 text" },
    { time: "2026-01-01T02:01:00.000+02:00", form: "RFC 3339 text with an offset" }
  ])("given as $form is made then, unless it is cancelled", async ({ time }) => {
    const { at, advance, notes, note } = makeProgram()
    at(time, () => note("called"))
    const cancel = at(time, () => note("cancelled"))
    cancel()
    cancel()
    await advance(minute - 1)
    expect(notes).toEqual([])
    await advance(minute)
    expect(notes).toEqual(["60000 called"])
  })

  it("that has passed is made at the present instant, after the program's turn", async () => {
    const { at, advance, notes, note } = makeProgram()
    await advance(minute)
    at("2025-01-01T00:00:00Z", () => note("called"))
    const cancel = at(0, () => note("cancelled"))
    cancel()
    expect(notes).toEqual([])
    await advance(0)
    expect(notes).toEqual(["60000 called"])
  })

  const noTimes = ["tomorrow", "2026-01-01", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", ""]
  it.each([...noTimes, Number.NaN, new Date("none"), undefined, null, {}])(
    "is refused for %o, which is no time",
    (time) => {
      const { at } = makeProgram()
      expect(() => at(time as string, () => {})).toThrow(TypeError)
      expect(() => at(time as string, () => {})).toThrow("time must be a Date, RFC 3339 text such as")
    }
  )
})

describe("the Date of a program", () => {
  it("gives the cluster's time", async () => {
    const { timers, advance } = makeProgram()
    await advance(90 * minute)
    const at = "2026-01-01T01:30:00.000Z"
    expect(new timers.Date().toISOString()).toBe(at)
    expect(timers.Date.now()).toBe(Date.parse(at))
    expect(timers.Date()).toBe(new Date(at).toString())
    expect(timers.performance.now()).toBe(90 * minute)
  })

  it("is Date in all else", () => {
    const { Date: ClusterDate } = makeProgram().timers
    const date = new ClusterDate()
    expect(date).toBeInstanceOf(Date)
    expect(new Date()).toBeInstanceOf(ClusterDate)
    expect(new ClusterDate(0)).toStrictEqual(new Date(0))
    expect(new ClusterDate(2026, 3, 1, 12)).toStrictEqual(new Date(2026, 3, 1, 12))
    expect(new ClusterDate("2026-05-01")).toStrictEqual(new Date("2026-05-01"))
    expect(ClusterDate.parse("2026-05-01")).toBe(Date.parse("2026-05-01"))
    expect(ClusterDate.UTC(2026, 4)).toBe(Date.UTC(2026, 4))
    expect([ClusterDate.name, ClusterDate.length]).toEqual(["Date", 7])
    class Stamp extends ClusterDate {
      text(): string {
        return this.toISOString()
      }
    }
    expect(new Stamp().text()).toBe("2026-01-01T00:00:00.000Z")
    expect(structuredClone(date)).toEqual(new Date(startMillis))
  })
})
