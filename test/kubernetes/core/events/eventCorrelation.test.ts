import { describe, expect, it } from "vitest"
import { makeEventCorrelation } from "../../../../src/kubernetes/core/eventCorrelation.ts"
import { startMillis } from "../../../builders.ts"
import type { EventOccurrence } from "../../../../src/kubernetes/core/eventCorrelation.ts"

const minute = 60_000

const occurrence = (
  message: string,
  source = "kubelet pod-1",
  typeAndReason = "Warning Failed",
  fieldPath = ""
): EventOccurrence => ({
  source,
  typeAndReason,
  fieldPath,
  message
})

const aRecorder = () => {
  const { correlate } = makeEventCorrelation()
  return (it: EventOccurrence, millis = 0): string => {
    const correlated = correlate(it, startMillis + millis)
    return correlated.type === "drop" ? "dropped" : correlated.message
  }
}

/** A recorder that writes events as `e1`, `e2`, … and returns the name of the event for each message. */
const aWriter = () => {
  const { correlate } = makeEventCorrelation()
  let written = 0
  return (it: EventOccurrence, millis = 0): string => {
    const correlated = correlate(it, startMillis + millis)
    if (correlated.type === "drop") return "dropped"
    if (correlated.existingName !== undefined) return correlated.existingName
    written += 1
    correlated.rememberEventName(`e${written}`)
    return `e${written}`
  }
}

const numbers = (count: number, from = 1): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `m${from + index}`)

describe("a repeated event (EventCorrelator)", () => {
  it("is the same stored event for the same message, reason and source", () => {
    const write = aWriter()
    expect(write(occurrence("a"))).toBe("e1")
    expect(write(occurrence("b"))).toBe("e2")
    expect(write(occurrence("a", "kubelet pod-2"))).toBe("e3")
    expect(write(occurrence("a", "kubelet pod-1", "Normal Pulled"))).toBe("e4")
    expect(write(occurrence("a"))).toBe("e1")
    expect(write(occurrence("a", "kubelet pod-2"))).toBe("e3")
  })

  it("is the same stored event after a long pause as well", () => {
    const write = aWriter()
    expect(write(occurrence("a"))).toBe("e1")
    expect(write(occurrence("a"), 47 * minute)).toBe("e1")
  })

  it("is the same stored event when others were said before the pause", () => {
    const write = aWriter()
    expect([write(occurrence("a")), write(occurrence("b"))]).toEqual(["e1", "e2"])
    expect([write(occurrence("a"), 11 * minute), write(occurrence("b"), 22 * minute)]).toEqual(["e1", "e2"])
  })

  it("is another stored event for another part of the object (getEventKey)", () => {
    const write = aWriter()
    const about = (part: string) => write(occurrence("a", undefined, undefined, part))
    expect(["{app}", "{proxy}", "{app}", "{proxy}"].map(about)).toEqual(["e1", "e2", "e1", "e2"])
  })
})

describe("many similar events", () => {
  it("are combined from the tenth different message within ten minutes on", () => {
    const record = aRecorder()
    const messages = numbers(12).map((message) => record(occurrence(message)))
    expect(messages.slice(0, 9)).toEqual(numbers(9))
    expect(messages.slice(9)).toEqual(
      numbers(3, 10).map((message) => `(combined from similar events): ${message}`)
    )
  })

  it("are combined in one stored event", () => {
    const write = aWriter()
    const names = numbers(14).map((message) => write(occurrence(message)))
    expect(names.slice(0, 10)).toEqual(numbers(10).map((message) => message.replace("m", "e")))
    expect(new Set(names.slice(9))).toEqual(new Set(["e10"]))
  })

  it("leave an earlier message its own event", () => {
    const record = aRecorder()
    for (const message of numbers(12)) record(occurrence(message))
    expect(record(occurrence("m3"))).toBe("m3")
    expect(record(occurrence("m12"))).toBe("(combined from similar events): m12")
  })

  it("are not combined when the message is the same", () => {
    const record = aRecorder()
    const messages = Array.from({ length: 25 }, () => record(occurrence("again")))
    expect(new Set(messages)).toEqual(new Set(["again"]))
  })

  it("start again after ten minutes without one, not earlier", () => {
    const record = aRecorder()
    for (const message of numbers(11)) record(occurrence(message))
    expect(record(occurrence("x"), 10 * minute)).toBe("(combined from similar events): x")
    expect(record(occurrence("y"), 20 * minute + 1)).toBe("y")
  })

  it("are counted anew after a pause", () => {
    const record = aRecorder()
    for (const message of numbers(8)) record(occurrence(message))
    const later = numbers(10, 20).map((message) => record(occurrence(message), 20 * minute))
    expect(later.map((text) => text.startsWith("(combined"))).toEqual([...Array(9).fill(false), true])
  })

  it("are counted together for all parts of the object (EventAggregatorByReasonFunc)", () => {
    const record = aRecorder()
    const about = (part: string, messages: ReadonlyArray<string>) =>
      messages.map((message) => record(occurrence(message, undefined, undefined, part)))
    expect(about("{app}", numbers(5))).toEqual(numbers(5))
    expect(about("{proxy}", numbers(5, 6))).toEqual([...numbers(4, 6), "(combined from similar events): m10"])
    // The same messages of another part are no others.
    expect(about("{proxy}", numbers(5))).toEqual(numbers(5))
  })

  it("are counted separately for each reason", () => {
    const record = aRecorder()
    for (const message of numbers(11)) record(occurrence(message))
    expect(record(occurrence("m1", "kubelet pod-1", "Normal Pulled"))).toBe("m1")
  })
})

describe("the rate limit of one source and object", () => {
  const spam = (record: ReturnType<typeof aRecorder>, count: number, millis = 0) =>
    Array.from({ length: count }, () => record(occurrence("again"), millis)).filter((it) => it !== "dropped")
      .length

  it("is 25 at once, then one every five minutes", () => {
    const record = aRecorder()
    expect(spam(record, 40)).toBe(25)
    expect(spam(record, 40, 5 * minute - 1)).toBe(0)
    expect(spam(record, 40, 5 * minute)).toBe(1)
    expect(spam(record, 40, 17 * minute)).toBe(2)
  })

  it("saves up 25 at most", () => {
    const record = aRecorder()
    expect(spam(record, 3)).toBe(3)
    expect(spam(record, 40, 48 * 60 * minute)).toBe(25)
  })

  it("is separate for each object", () => {
    const record = aRecorder()
    expect(spam(record, 30)).toBe(25)
    expect(record(occurrence("again", "kubelet pod-2"))).toBe("again")
  })
})

describe("a saved correlator", () => {
  const fill = (correlation: ReturnType<typeof makeEventCorrelation>, count: number): string | undefined => {
    let type
    for (let turn = 0; turn < count; turn += 1)
      ({ type } = correlation.correlate(occurrence("again"), startMillis))
    return type
  }

  it("goes on in another one", () => {
    const [before, after] = [makeEventCorrelation(), makeEventCorrelation()]
    fill(before, 25)
    after.restore(before.save())
    expect(fill(after, 1)).toBe("drop")
  })

  it("does not change with the one that saved it, nor with one that restored it", () => {
    const before = makeEventCorrelation()
    fill(before, 24)
    const saved = before.save()
    expect(fill(before, 2)).toBe("drop")
    for (const _turn of [1, 2]) {
      const after = makeEventCorrelation()
      after.restore(saved)
      expect(fill(after, 1)).toBe("write")
      expect(fill(after, 1)).toBe("drop")
    }
  })

  it("keeps the names and the messages that were written", () => {
    const before = makeEventCorrelation()
    const write = (correlation: typeof before, message: string, name: string): string | undefined => {
      const correlated = correlation.correlate(occurrence(message), startMillis)
      if (correlated.type === "drop") return undefined
      correlated.rememberEventName(name)
      return correlated.existingName
    }
    write(before, "a", "e1")
    const saved = before.save()
    write(before, "a", "e2")
    const after = makeEventCorrelation()
    after.restore(saved)
    expect(write(after, "a", "e3")).toBe("e1")
    expect(write(before, "a", "e4")).toBe("e2")
  })

  it("does not change with a name that is noted later", () => {
    const before = makeEventCorrelation()
    const correlated = before.correlate(occurrence("a"), startMillis)
    const saved = before.save()
    if (correlated.type === "write") correlated.rememberEventName("e1")
    const after = makeEventCorrelation()
    after.restore(saved)
    const nextNames = [before, after].map((it) => it.correlate(occurrence("a"), startMillis))
    expect(nextNames).toMatchObject([{ existingName: "e1" }, { existingName: undefined }])
  })

  it("may be one of an older version, whose kinds have the part", () => {
    const similar = (part: string, name: string) => ({
      kind: `Failed Warning ${part}`,
      lastMillis: startMillis,
      said: numbers(5).map((message) => ({ message: `${part} ${message}`, name: `${name}-${message}` })),
      combined: undefined
    })
    const sourceState = {
      tokens: 15,
      lastMillis: startMillis,
      kinds: [similar("{app}", "a"), similar("", "p")]
    }
    const { restore, correlate } = makeEventCorrelation()
    restore(new Map([["kubelet pod-1", sourceState]]) as never)
    const next = (part: string, message: string) =>
      correlate(occurrence(message, undefined, "Failed Warning", part), startMillis)
    expect(next("{app}", "{app} m2")).toMatchObject({ message: "{app} m2", existingName: "a-m2" })
    expect(next("", " m5")).toMatchObject({ existingName: "p-m5" })
    expect(next("", "x")).toMatchObject({ message: "(combined from similar events): x" })
  })
})

describe("the cache of the correlator", () => {
  it("drops the least recently used source, whose limit then starts again", () => {
    const record = aRecorder()
    const say = (index: number) => record(occurrence("again", `source ${index}`))
    for (const index of [0, 1]) for (let count = 0; count < 25; count += 1) say(index)
    for (let index = 2; index < 4096; index += 1) say(index)
    expect(say(0)).toBe("dropped")
    say(4096)
    expect([say(0), say(1)]).toEqual(["dropped", "again"])
  })
})
