import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  parseCountAnnotation,
  revisionHistoryAnnotation,
  maxRevision,
  newestRevisionFirst,
  renumberedAnnotations,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
  uncopiedAnnotations,
  copiedAnnotations
} from "../../../../src/kubernetes/apps/revisions/revisions.ts"
import { planScaling } from "../../../../src/kubernetes/apps/scaling.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../../builders.ts"
import { planText } from "../scalePlanText.ts"

describe("a count in an annotation (TestGetNonNegativeInt32FromAnnotation)", () => {
  it.each([
    { why: "missing", text: undefined, count: undefined },
    { why: "no number", text: "invalid", count: undefined },
    { why: "empty", text: "", count: undefined },
    { why: "negative", text: "-1", count: undefined },
    { why: "with a sign", text: "+1", count: undefined },
    { why: "with a fraction", text: "1.5", count: undefined },
    { why: "with an exponent", text: "1e3", count: undefined },
    { why: "zero", text: "0", count: 0 },
    { why: "thirteen", text: "13", count: 13 },
    { why: "leading zeros", text: "007", count: 7 },
    { why: "the largest", text: "2147483647", count: 2147483647 },
    { why: "out of range", text: "2147483648", count: undefined },
    { why: "far out of range", text: "4294967296", count: undefined }
  ])("of '$text' is $count: $why", ({ text, count }) => {
    const annotations = text === undefined ? {} : { test: text, foo: "2" }
    expect(parseCountAnnotation(aReplicaSet({ annotations }), "test")).toBe(count)
  })
})

describe("the revision of a ReplicaSet", () => {
  it.each([
    { text: undefined, revision: 0n },
    { text: "4", revision: 4n },
    { text: "+4", revision: 4n },
    { text: "-4", revision: -4n },
    { text: "3546343826724305833", revision: 3_546_343_826_724_305_833n },
    { text: "9223372036854775807", revision: 2n ** 63n - 1n },
    { text: "9223372036854775808", revision: undefined },
    { text: "four", revision: undefined },
    { text: "", revision: undefined }
  ])("of '$text' is $revision", ({ text, revision }) => {
    expect(revisionOf(aReplicaSet(text === undefined ? {} : { revision: text }))).toBe(revision)
  })

  it("is at most that of the highest valid one, and 0 without any", () => {
    const sets = ["3", "x", "11", "9"].map((revision) => aReplicaSet({ revision }))
    expect(maxRevision(sets)).toBe(11n)
    expect(maxRevision([...sets.slice(1, 2), aReplicaSet()])).toBe(0n)
    expect(maxRevision([])).toBe(0n)
  })
})

describe("copying annotations to a ReplicaSet (TestAnnotationUtils)", () => {
  const notCopied = {
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
    "deployment.kubernetes.io/revision": "3",
    "deployment.kubernetes.io/revision-history": "1,2",
    "deployment.kubernetes.io/desired-replicas": "3",
    "deployment.kubernetes.io/max-replicas": "4",
    "deprecated.deployment.rollback.to": "1"
  }
  const copied = { "kubernetes.io/change-cause": "because", note: "" }

  it("copies all but those of one object, empty ones included", () => {
    expect(copiedAnnotations({ ...notCopied, ...copied })).toEqual(copied)
    expect(uncopiedAnnotations({ ...notCopied, ...copied })).toEqual(notCopied)
    expect(copiedAnnotations(undefined)).toEqual({})
  })

  it("copies a missing empty annotation once", () => {
    const replicaSet = aReplicaSet({ revision: "1" })
    const deployment = aDeployment({ annotations: { note: "" } })
    const wanted = renumberedAnnotations(deployment, replicaSet, 1n)
    expect(wanted).toEqual({ [revisionAnnotation]: "1", note: "" })
    expect(renumberedAnnotations(deployment, aReplicaSet({ annotations: wanted ?? {} }), 1n)).toBeUndefined()
  })

  it("keeps the former revisions in the history, the newest last", () => {
    let replicaSet = aReplicaSet({ revision: "10" })
    for (let revision = 11n; revision <= 20n; revision += 1n) {
      const annotations = renumberedAnnotations(aDeployment(), replicaSet, revision) ?? {}
      expect(annotations[revisionAnnotation]).toBe(String(revision))
      replicaSet = aReplicaSet({ annotations })
    }
    expect(replicaSet.metadata.annotations?.[revisionHistoryAnnotation]).toBe("10,11,12,13,14,15,16,17,18,19")
  })

  it("leaves an invalid revision and its history alone", () => {
    const replicaSet = aReplicaSet({ revision: "latest" })
    expect(renumberedAnnotations(aDeployment(), replicaSet, 7n)).toBeUndefined()
    expect(renumberedAnnotations(aDeployment({ annotations: { note: "hi" } }), replicaSet, 7n)).toEqual({
      [revisionAnnotation]: "latest",
      note: "hi"
    })
  })

  it("only ever raises the revision", () => {
    expect(renumberedAnnotations(aDeployment(), aReplicaSet({ revision: "7" }), 6n)).toBeUndefined()
    expect(renumberedAnnotations(aDeployment(), aReplicaSet({ revision: "7" }), 7n)).toBeUndefined()
  })
})

describe("the size annotations (TestReplicasAnnotationsNeedUpdate)", () => {
  it("hold desired and maximum replicas", () => {
    expect(sizeAnnotations(10, 11)).toEqual({
      "deployment.kubernetes.io/desired-replicas": "10",
      "deployment.kubernetes.io/max-replicas": "11"
    })
  })
  it.each([
    { why: "none", annotatedSize: undefined, written: true },
    { why: "another size", annotatedSize: { desired: 8, max: 20 }, written: true },
    { why: "another maximum", annotatedSize: { desired: 10, max: 16 }, written: true },
    { why: "both up to date", annotatedSize: { desired: 10, max: 20 }, written: false }
  ])("are updated: $written: $why", ({ annotatedSize, written }) => {
    const upToDate = { desired: 10, max: 20 }
    const seen = anObservation({
      deployment: aDeployment({ version: "v9", replicas: 10, surge: 10 }),
      replicaSets: [
        aReplicaSet({
          version: "v1",
          replicas: 11,
          ...(annotatedSize === undefined ? {} : { annotatedSize })
        }),
        aReplicaSet({ version: "v2", replicas: 9, annotatedSize: upToDate, created: 1 })
      ]
    })
    expect(planText(planScaling(seen))).toBe(written ? "web-v1 11->11" : "nothing")
  })
})

const seed = 20_260_504

describe(`the revision history (seed ${seed})`, () => {
  it.each([
    { why: "keeps 2000 characters", firstLength: 1_994, historyLength: 2_000, dropped: false },
    { why: "drops the oldest above 2000 characters", firstLength: 1_995, historyLength: 5, dropped: true }
  ])("$why", ({ firstLength, historyLength, dropped }) => {
    // The history has two entries, the second of two digits; the added one has two digits as well.
    const entry = "7".repeat(firstLength)
    const replicaSet = aReplicaSet({
      revision: "11",
      annotations: { [revisionHistoryAnnotation]: `${entry},10` }
    })
    const joined = renumberedAnnotations(aDeployment(), replicaSet, 12n)?.[revisionHistoryAnnotation] ?? ""
    expect(joined).toHaveLength(historyLength)
    expect(joined.startsWith(entry)).toBe(!dropped)
  })

  it("never exceeds 2000 characters, has the newest and drops whole entries, oldest first", () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 400 })
    fc.assert(
      fc.property(numbers, (drawn) => {
        const ascending = [...new Set(drawn)].sort((a, b) => a - b)
        let replicaSet = aReplicaSet({ revision: "0" })
        for (const revision of ascending) {
          const annotations = renumberedAnnotations(aDeployment(), replicaSet, BigInt(revision)) ?? {}
          replicaSet = aReplicaSet({ annotations })
        }
        const history = replicaSet.metadata.annotations?.[revisionHistoryAnnotation] ?? ""
        const former = ["0", ...ascending.slice(0, -1).map(String)]
        let expected = former
        while (expected.join(",").length > 2000) expected = expected.slice(1)
        expect(history).toBe(expected.join(","))
      }),
      { seed, numRuns: 60 }
    )
  })
})

it("revisions are ordered newest first, by number, the missing and the invalid last and as they were", () => {
  const revised = ["2", "10", undefined, "nine", "9"].map((revision, index) =>
    aReplicaSet({ name: `rs-${index}`, ...(revision === undefined ? {} : { revision }) })
  )
  const order = [...revised].sort(newestRevisionFirst).map(({ metadata }) => metadata.name)
  expect(order).toEqual(["rs-1", "rs-4", "rs-0", "rs-2", "rs-3"])
  expect([...revised].reverse().sort(newestRevisionFirst)[3]?.metadata.name).toBe("rs-3")
})
