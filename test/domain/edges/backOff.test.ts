import { describe, expect, it } from "vitest"
import {
  crashBackOffMillis,
  crashCountAfterRun,
  parseCrashCount,
  crashBackOffMessage,
  goDuration
} from "../../../src/kubernetes/pods/containers/backOff.ts"

const pod = { name: "web-1", namespace: "shop", uid: "u-1" }

describe("the wait after crashes in a row", () => {
  it.each([
    { crashes: 0, seconds: 0, why: "nothing has happened" },
    { crashes: 1, seconds: 0, why: "the first restart is immediate" },
    { crashes: 2, seconds: 10, why: "the second is the first to wait" },
    { crashes: 6, seconds: 160, why: "it doubles" },
    { crashes: 7, seconds: 300, why: "and ends at five minutes" }
  ])("is $seconds s after $crashes: $why", ({ crashes, seconds }) => {
    expect(crashBackOffMillis(crashes)).toBe(seconds * 1000)
  })
})

describe("how often in a row a container has crashed", () => {
  it.each([
    { before: 0, ranMillis: 0, crashes: 1, why: "the first time" },
    { before: 4, ranMillis: 599_999, crashes: 5, why: "nearly ten minutes are not enough" },
    { before: 4, ranMillis: 600_000, crashes: 1, why: "ten minutes forgive all before" },
    { before: 4, ranMillis: 7_200_000, crashes: 1, why: "and so does more" }
  ])("is $crashes after $before and a run of $ranMillis ms: $why", ({ before, ranMillis, crashes }) => {
    expect(crashCountAfterRun(before, ranMillis)).toBe(crashes)
  })
})

describe("a message says how often a container has crashed", () => {
  it.each([2, 3, 4, 5, 6, 7])("that was written after %i crashes", (crashes) => {
    expect(parseCrashCount(crashBackOffMessage("app", crashes, pod), 1)).toBe(crashes)
  })

  it.each([
    { message: "back-off 10s restarting", estimate: 9, crashes: 2, why: "what it says counts" },
    { message: "back-off 2m40s restarting", estimate: 9, crashes: 6, why: "minutes are told as well" },
    { message: "back-off 5m0s restarting", estimate: 19, crashes: 19, why: "the longest wait says no more" },
    { message: "back-off 5m0s restarting", estimate: 3, crashes: 7, why: "but that much it does say" },
    { message: "", estimate: 5, crashes: 5, why: "nothing is said" },
    { message: "waits 10s a little", estimate: 5, crashes: 5, why: "it is somebody else's" }
  ])("$crashes of “$message” where $estimate were thought: $why", ({ message, estimate, crashes }) => {
    expect(parseCrashCount(message, estimate)).toBe(crashes)
  })
})

describe("a duration is written as Go writes it", () => {
  it.each([
    [0, "0s"],
    [1, "1ms"],
    [999, "999ms"],
    [1000, "1s"],
    [1250, "1.25s"],
    [60_000, "1m0s"],
    [160_000, "2m40s"],
    [3_599_000, "59m59s"],
    [3_600_000, "1h0m0s"],
    [3_660_000, "1h1m0s"],
    [7_200_000, "2h0m0s"],
    [7_383_500, "2h3m3.5s"]
  ])("%i ms: %s", (millis, text) => {
    expect(goDuration(millis)).toBe(text)
  })
})
