import { describe, expect, it } from "vitest"
import {
  revisionHistoryAnnotation,
  parseInt64,
  renumberedAnnotations,
  revisionAnnotation
} from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aDeployment, aReplicaSet } from "../../builders.ts"

describe("an integer may have a sign", () => {
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

describe("a history has room for 2000 characters", () => {
  /** What the history is after the revision `12` was replaced. */
  const after = (history: string): string | undefined =>
    renumberedAnnotations(
      aDeployment(),
      aReplicaSet({ revision: "12", annotations: { [revisionHistoryAnnotation]: history } }),
      13n
    )?.[revisionHistoryAnnotation]

  const filled = (head: string, length: number): string => `${head},${"7".repeat(length - head.length - 1)}`

  it("and takes a revision that fills them", () => {
    const history = filled("1,2,3", 1997)
    expect(after(history)).toBe(`${history},12`)
  })

  it.each([
    { over: 1, dropped: "1,", why: "the oldest gives two characters" },
    { over: 2, dropped: "1,", why: "both are needed" },
    { over: 3, dropped: "1,2,", why: "a third takes the next" },
    { over: 5, dropped: "1,2,345,", why: "a fifth one more" },
    { over: 8, dropped: "1,2,345,", why: "all its characters are counted" },
    { over: 9, dropped: "1,2,345,6,", why: "and no more than those" }
  ])("$over more than that cost $dropped: $why", ({ over, dropped }) => {
    const history = filled("1,2,345,6", 1997 + over)
    expect(after(history)).toBe(`${history.slice(dropped.length)},12`)
  })

  it("even where one entry fills it alone", () => {
    expect(after("7".repeat(1998))).toBe("12")
  })

  it("is begun by the first revision that is replaced", () => {
    const renumbered = renumberedAnnotations(aDeployment(), aReplicaSet({ revision: "12" }), 13n)
    expect(renumbered).toEqual({ [revisionAnnotation]: "13", [revisionHistoryAnnotation]: "12" })
  })
})
