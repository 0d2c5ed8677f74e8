import { describe, expect, it } from "vitest"
import {
  crashBackOffMillis,
  crashCountAfterRun,
  parseCrashCount,
  crashBackOffMessage,
  goDuration
} from "../../../../src/kubernetes/pods/containers/backOff.ts"

const pod = { name: "web-1", namespace: "shop", uid: "u-1" }

describe("the back-off after consecutive crashes", () => {
  it.each([
    { crashes: 0, seconds: 0, why: "no crash" },
    { crashes: 1, seconds: 0, why: "the first restart is immediate" },
    { crashes: 2, seconds: 10, why: "the second restart is the first to wait" },
    { crashes: 6, seconds: 160, why: "it doubles" },
    { crashes: 7, seconds: 300, why: "the limit is five minutes" }
  ])("is $seconds s after $crashes: $why", ({ crashes, seconds }) => {
    expect(crashBackOffMillis(crashes)).toBe(seconds * 1000)
  })
})

describe("the number of consecutive crashes", () => {
  it.each([
    { before: 0, ranMillis: 0, crashes: 1, why: "the first crash" },
    { before: 4, ranMillis: 599_999, crashes: 5, why: "just below ten minutes do not reset it" },
    { before: 4, ranMillis: 600_000, crashes: 1, why: "ten minutes reset it" },
    { before: 4, ranMillis: 7_200_000, crashes: 1, why: "more than ten minutes reset it" }
  ])("is $crashes after $before and a run of $ranMillis ms: $why", ({ before, ranMillis, crashes }) => {
    expect(crashCountAfterRun(before, ranMillis)).toBe(crashes)
  })
})

describe("the number of crashes read from a back-off message", () => {
  it.each([2, 3, 4, 5, 6, 7])("is %i for the message of as many", (crashes) => {
    expect(parseCrashCount(crashBackOffMessage("app", crashes, pod), 1)).toBe(crashes)
  })

  it.each([
    { message: "back-off 10s restarting", estimate: 9, crashes: 2, why: "the message decides" },
    { message: "back-off 2m40s restarting", estimate: 9, crashes: 6, why: "a message with minutes" },
    {
      message: "back-off 5m0s restarting",
      estimate: 19,
      crashes: 19,
      why: "at the longest wait the estimate decides"
    },
    {
      message: "back-off 5m0s restarting",
      estimate: 3,
      crashes: 7,
      why: "at the longest wait there were 7 at least"
    },
    { message: "", estimate: 5, crashes: 5, why: "no message" },
    { message: "waits 10s a little", estimate: 5, crashes: 5, why: "a message of another writer" }
  ])("is $crashes of “$message” with an estimate of $estimate: $why", ({ message, estimate, crashes }) => {
    expect(parseCrashCount(message, estimate)).toBe(crashes)
  })
})

describe("a duration as Go writes it", () => {
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
