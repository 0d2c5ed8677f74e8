import { createMachine } from "xstate"
import { describe, expect, it } from "vitest"
import { startSideBySide } from "./sideBySide.ts"

const machine = createMachine({ id: "m", initial: "a", states: { a: { on: { go: "b" } }, b: {} } })
const wholeSnapshot = { status: "active", value: "b", context: {}, children: {}, historyValue: {} }

describe("an actor that is restored", () => {
  it.each<{ readonly what: string; readonly snapshot: object }>([
    { what: "of another machine", snapshot: { ...wholeSnapshot, value: { other: "state" } } },
    { what: "of a state that the chart does not have", snapshot: { ...wholeSnapshot, value: "c" } },
    { what: "without children", snapshot: { ...wholeSnapshot, children: undefined } },
    { what: "without a value", snapshot: { ...wholeSnapshot, value: undefined } }
  ])("fails as an interpreted one, and is persisted with its error: $what", ({ snapshot }) => {
    const both = startSideBySide(machine, { snapshot })
    expect(both.snapshot().status).toBe("error")
    expect(both.lines().filter((line) => line.startsWith('["failed"'))).toHaveLength(1)
    expect(both.lines().filter((line) => line.startsWith('["persisted",{"status":"error"'))).toHaveLength(1)
  })

  it.each<{ readonly what: string; readonly snapshot: object }>([
    { what: "whole", snapshot: wholeSnapshot },
    { what: "without history", snapshot: { ...wholeSnapshot, historyValue: undefined } }
  ])("goes on as an interpreted one: $what", ({ snapshot }) => {
    expect(startSideBySide(machine, { snapshot }).snapshot().value).toBe("b")
  })
})
