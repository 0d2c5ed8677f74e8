import { describe, expect, it } from "vitest"
import {
  revisionHistoryAnnotation,
  parseInt64,
  renumberedAnnotations,
  revisionAnnotation
} from "../../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, aReplicaSet } from "../../../builders.ts"

describe("parsing an integer with a sign", () => {
  it.each([
    { text: "+5", integer: 5n },
    { text: "-5", integer: -5n },
    { text: "+", integer: undefined },
    { text: "9223372036854775807", integer: 2n ** 63n - 1n },
    { text: "9223372036854775808", integer: undefined }
  ])("$text is $integer", ({ text, integer }) => {
    expect(parseInt64(text)).toBe(integer)
  })
})

describe("the revision history of 2000 characters", () => {
  /** The history after revision `12` was replaced. */
  const after = (history: string): string | undefined =>
    renumberedAnnotations(
      aDeployment(),
      aReplicaSet({ revision: "12", annotations: { [revisionHistoryAnnotation]: history } }),
      13n
    )?.[revisionHistoryAnnotation]

  const historyOfLength = (head: string, length: number): string =>
    `${head},${"7".repeat(length - head.length - 1)}`

  it("takes a revision that fills it", () => {
    const history = historyOfLength("1,2,3", 1997)
    expect(after(history)).toBe(`${history},12`)
  })

  it.each([
    { excess: 1, dropped: "1,", why: "the oldest frees two characters" },
    { excess: 2, dropped: "1,", why: "the oldest frees exactly enough" },
    { excess: 3, dropped: "1,2,", why: "the next has to go as well" },
    { excess: 5, dropped: "1,2,345,", why: "the third has to go as well" },
    { excess: 8, dropped: "1,2,345,", why: "the third frees exactly enough" },
    { excess: 9, dropped: "1,2,345,6,", why: "the fourth has to go as well" }
  ])("drops $dropped for $excess characters too many: $why", ({ excess, dropped }) => {
    const history = historyOfLength("1,2,345,6", 1997 + excess)
    expect(after(history)).toBe(`${history.slice(dropped.length)},12`)
  })

  it("drops a single entry that fills it", () => {
    expect(after("7".repeat(1998))).toBe("12")
  })

  it("starts with the first replaced revision", () => {
    const renumbered = renumberedAnnotations(aDeployment(), aReplicaSet({ revision: "12" }), 13n)
    expect(renumbered).toEqual({ [revisionAnnotation]: "13", [revisionHistoryAnnotation]: "12" })
  })
})
