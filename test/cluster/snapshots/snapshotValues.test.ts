import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { instant, steady } from "../../../src/behaviours/builtInBehaviours.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { readSnapshot, snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import { deploymentManifest } from "../testCluster.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodLife } from "../../../src/kubernetes/pods/podLife.ts"
import { decodeValue, encodeValue, makePartSharing } from "../../../src/cluster/snapshots/snapshotValues.ts"

const noName = (): undefined => undefined
const throughText = (value: unknown): unknown =>
  decodeValue(JSON.parse(JSON.stringify(encodeValue(value, noName))), makePartSharing(), noName)

const names = fc.constantFrom("a", "spec", "$map", "$object", "$", "labels", "", "0", "__proto__")
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, undefined, true, 0, 1.5, -7, Infinity, -Infinity, "", "text", "$map"),
    fc.bigInt(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie("value")), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
    fc.array(fc.tuple(names, tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((members) => new Set(members))
  )
}))

describe("a value in a snapshot's text", () => {
  it("is decoded as it was encoded, whatever its fields are called", () => {
    fc.assert(
      fc.property(value, (it) => {
        expect(throughText(it)).toEqual(it)
      }),
      { seed: 5, numRuns: 500 }
    )
  })

  it("keeps fields that are undefined", () => {
    expect(Object.keys(throughText({ a: undefined, b: 1 }) as object)).toEqual(["a", "b"])
  })

  it("is shared when several objects have equal specs", () => {
    const read = throughText([{ spec: { of: [1] } }, { spec: { of: [1] } }, { spec: { of: [2] } }])
    const [one, other, third] = read as ReadonlyArray<{ readonly spec: object }>
    expect(one?.spec).toBe(other?.spec)
    expect(one?.spec).not.toBe(third?.spec)
  })

  it("is referred to by name when it is a stored object", () => {
    const pod = { kind: "Pod" }
    const nameOf = (it: object) => (it === pod ? "pods a" : undefined)
    const text = JSON.stringify(encodeValue({ seen: [pod, { kind: "Pod" }] }, nameOf))
    const read = decodeValue(JSON.parse(text), makePartSharing(), (name) =>
      name === "pods a" ? pod : undefined
    )
    const [known, other] = (read as { readonly seen: ReadonlyArray<object> }).seen
    expect(known).toBe(pod)
    expect(other).not.toBe(pod)
    expect(other).toEqual(pod)
  })

  it.each([
    { why: "without options", options: {} },
    {
      why: "with strategies",
      options: { strategies: [{ ...rollingUpdate, type: "Mine", state: "mine" }] }
    },
    {
      why: "with shuffleSeed and livesOf",
      options: { shuffleSeed: 3, livesOf: (_pod: Pod, life: PodLife) => life }
    },
    { why: "with behaviours", options: { behaviour: { ...steady, name: "own" }, behaviours: [instant] } }
  ])("is the same text when it is read and written again: $why", async ({ options }) => {
    await using cluster = await openCluster(options)
    await cluster.apply(deploymentManifest({ replicas: 2 }))
    await cluster.advance("1500ms")
    const text = snapshotText(await cluster.snapshot())
    expect(snapshotText(readSnapshot(text))).toBe(text)
  })

  it("cannot be a function", () => {
    expect(() => throughText({ of: () => 1 })).toThrow("no text for a function")
  })
})
