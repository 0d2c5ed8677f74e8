import { describe, expect, it } from "vitest"
import { makeEventCorrelation } from "../../src/kubernetes/core/eventCorrelation.ts"
import { startMillis } from "../builders.ts"
import type { EventOccurrence } from "../../src/kubernetes/core/eventCorrelation.ts"

const minute = 60_000

const happening = (
  message: string,
  source = "kubelet pod-1",
  kind = `${source} Warning Failed`
): EventOccurrence => ({
  source,
  kind,
  message
})

/** A recorder that says in a few words what became of each message. */
const aRecorder = () => {
  const { correlate } = makeEventCorrelation()
  return (it: EventOccurrence, millis = 0): string => {
    const correlated = correlate(it, startMillis + millis)
    return correlated.verdict === "drop" ? "dropped" : correlated.message
  }
}

/** A recorder that writes events under the names `e1`, `e2`, … and says under which a message ended up. */
const aWriter = () => {
  const { correlate } = makeEventCorrelation()
  let written = 0
  return (it: EventOccurrence, millis = 0): string => {
    const correlated = correlate(it, startMillis + millis)
    if (correlated.verdict === "drop") return "dropped"
    if (correlated.before !== undefined) return correlated.before
    written += 1
    correlated.wrote(`e${written}`)
    return `e${written}`
  }
}

const numbers = (count: number, from = 1): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `m${from + index}`)

describe("the same event again is the same stored event (EventCorrelator)", () => {
  it("the same message is the same event, another message, reason or source another", () => {
    const write = aWriter()
    expect(write(happening("a"))).toBe("e1")
    expect(write(happening("b"))).toBe("e2")
    expect(write(happening("a", "kubelet pod-2"))).toBe("e3")
    expect(write(happening("a", "kubelet pod-1", "kubelet pod-1 Normal Pulled"))).toBe("e4")
    expect(write(happening("a"))).toBe("e1")
    expect(write(happening("a", "kubelet pod-2"))).toBe("e3")
  })

  it("is so after a long silence as well", () => {
    const write = aWriter()
    expect(write(happening("a"))).toBe("e1")
    expect(write(happening("a"), 47 * minute)).toBe("e1")
  })
})

describe("many like events are folded into one", () => {
  it("the tenth different message within ten minutes is combined, and so is every later one", () => {
    const record = aRecorder()
    const said = numbers(12).map((message) => record(happening(message)))
    expect(said.slice(0, 9)).toEqual(numbers(9))
    expect(said.slice(9)).toEqual(
      numbers(3, 10).map((message) => `(combined from similar events): ${message}`)
    )
  })

  it("all combined ones are one stored event", () => {
    const write = aWriter()
    const names = numbers(14).map((message) => write(happening(message)))
    expect(names.slice(0, 10)).toEqual(numbers(10).map((message) => message.replace("m", "e")))
    expect(new Set(names.slice(9))).toEqual(new Set(["e10"]))
  })

  it("a message that was told before goes on being counted for itself", () => {
    const record = aRecorder()
    for (const message of numbers(12)) record(happening(message))
    expect(record(happening("m3"))).toBe("m3")
    expect(record(happening("m12"))).toBe("(combined from similar events): m12")
  })

  it("the same message any number of times is never combined", () => {
    const record = aRecorder()
    const said = Array.from({ length: 25 }, () => record(happening("again")))
    expect(new Set(said)).toEqual(new Set(["again"]))
  })

  it("ten minutes without one begin anew, less does not", () => {
    const record = aRecorder()
    for (const message of numbers(11)) record(happening(message))
    expect(record(happening("x"), 10 * minute)).toBe("(combined from similar events): x")
    expect(record(happening("y"), 20 * minute + 1)).toBe("y")
  })

  it("messages of another reason are counted apart", () => {
    const record = aRecorder()
    for (const message of numbers(11)) record(happening(message))
    expect(record(happening("m1", "kubelet pod-1", "kubelet pod-1 Normal Pulled"))).toBe("m1")
  })
})

describe("one source says only so much of one object", () => {
  const spam = (record: ReturnType<typeof aRecorder>, count: number, millis = 0) =>
    Array.from({ length: count }, () => record(happening("again"), millis)).filter((it) => it !== "dropped")
      .length

  it("25 at once, and then one more every five minutes", () => {
    const record = aRecorder()
    expect(spam(record, 40)).toBe(25)
    expect(spam(record, 40, 5 * minute - 1)).toBe(0)
    expect(spam(record, 40, 5 * minute)).toBe(1)
    expect(spam(record, 40, 17 * minute)).toBe(2)
  })

  it("never saves up more than 25", () => {
    const record = aRecorder()
    expect(spam(record, 3)).toBe(3)
    expect(spam(record, 40, 48 * 60 * minute)).toBe(25)
  })

  it("of another object it may say as much again", () => {
    const record = aRecorder()
    expect(spam(record, 30)).toBe(25)
    expect(record(happening("again", "kubelet pod-2"))).toBe("again")
  })
})

describe("what is remembered is bounded", () => {
  it("who was silent for longest is forgotten, and may then say as much again", () => {
    const record = aRecorder()
    const say = (index: number) => record(happening("again", `source ${index}`))
    for (const index of [0, 1]) for (let count = 0; count < 25; count += 1) say(index)
    for (let index = 2; index < 4096; index += 1) say(index)
    expect(say(0)).toBe("dropped")
    say(4096)
    expect([say(0), say(1)]).toEqual(["dropped", "again"])
  })
})
