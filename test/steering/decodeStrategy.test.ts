import { describe, expect, it } from "vitest"
import { aDeployment } from "../machines/workloadObservations.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { decodeStrategy } from "../../src/steering/decodeStrategy.ts"

const decode = (text: string) => decodeStrategy(text, aDeployment(), builtInSteering)

describe("the annotation charthouse.dev/strategy", () => {
  it.each([
    { text: "automaticRollback", settings: { restarts: 3, cannotStartMillis: 60_000, onFailure: "undo" } },
    { text: "automaticRollback:", settings: { restarts: 3, cannotStartMillis: 60_000, onFailure: "undo" } },
    {
      text: "automaticRollback:\n  restarts: 0\n  cannotStart: 2m30s\n  onFailure: hold\n",
      settings: { restarts: 0, cannotStartMillis: 150_000, onFailure: "hold" }
    }
  ])("is decoded: $text", ({ text, settings }) => {
    expect(decode(text)).toEqual({ strategy: { name: "automaticRollback", settings }, problems: [] })
  })

  it.each([
    { text: "", line: 1, message: "is empty" },
    { text: "[", line: 1, message: /^not readable as YAML/u },
    { text: "- automaticRollback", line: 1, message: "must name one steering chart, with its settings" },
    { text: "canaries: {}", line: 1, message: /is no steering chart/u },
    { text: "constructor: {}", line: 1, message: /is no steering chart/u },
    { text: "a: {}\nb: {}", line: 1, message: "must name one steering chart, with its settings" },
    { text: "a\n---\nb", line: 3, message: "is more than one document" },
    {
      text: "automaticRollback:\n  restart: 3",
      line: 2,
      message: "automaticRollback.restart is not a field here; did you mean restarts?"
    },
    {
      text: "automaticRollback:\n  restarts: -1",
      line: 2,
      message: "automaticRollback.restarts must be a whole number from 0 on"
    },
    { text: "automaticRollback:\n  cannotStart: 5", line: 2, message: /cannotStart/u },
    { text: "automaticRollback:\n  onFailure: abort", line: 2, message: /must be one of undo, hold/u }
  ])("is refused with its line: $text", ({ text, line, message }) => {
    const { strategy, problems } = decode(text)
    expect(strategy).toBeUndefined()
    expect(problems).toHaveLength(1)
    expect(problems[0]?.line).toBe(line)
    expect(problems[0]?.message).toMatch(message)
  })
})
