import { isFields, type Fields } from "../../src/kubernetes/meta/fields.ts"
import { dequal } from "dequal/lite"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { wireTypeOf, type WireType } from "../../src/kubernetes/admission/decoding/wireTypes.ts"
import { mergeRuleOf, type MergeRule } from "../../src/kubernetes/apply/patches/mergeRules.ts"
import { strategicMergePatch } from "../../src/kubernetes/apply/patches/strategicMerge.ts"
import { wireFieldType, threeWayMerge } from "../../src/kubernetes/apply/patches/threeWayMerge.ts"
import { deployments, frozen } from "./admission/drafts.ts"
import { someDeployments } from "./workloadArbitraries.ts"

/**
 * A patch is made here as a client makes it: what is new and what differs, a null for what goes, and for each list
 * the order wanted of it.
 */
const patchBetween = (type: WireType, from: Fields, to: Fields): Fields => {
  const patch: Record<string, unknown> = {}
  for (const field of Object.keys(from)) if (!(field in to)) patch[field] = null
  for (const [field, wanted] of Object.entries(to)) {
    const live = from[field]
    if (dequal(live, wanted)) continue
    const rule = mergeRuleOf(type, field)
    const inner = wireFieldType(type, field)
    if (isFields(wanted)) {
      const retain = rule?.type === "retainKeys" ? { $retainKeys: Object.keys(wanted) } : {}
      patch[field] = { ...patchBetween(inner, isFields(live) ? live : {}, wanted), ...retain }
    } else if (Array.isArray(wanted) && Array.isArray(live) && rule !== undefined) {
      Object.assign(patch, listPatch(field, inner.slice("list:".length), rule, live, wanted))
    } else patch[field] = wanted
  }
  return patch
}

const listPatch = (
  field: string,
  type: WireType,
  rule: MergeRule,
  live: ReadonlyArray<unknown>,
  wanted: ReadonlyArray<unknown>
): Fields => {
  if (rule.type !== "byKey") {
    return {
      [`$setElementOrder/${field}`]: wanted,
      [`$deleteFromPrimitiveList/${field}`]: live.filter((element) => !wanted.includes(element)),
      [field]: wanted.filter((element) => !live.includes(element))
    }
  }
  const keyOf = (element: unknown): unknown => (isFields(element) ? element[rule.key] : undefined)
  const sameKey = (list: ReadonlyArray<unknown>, element: unknown): unknown =>
    list.find((other) => keyOf(other) === keyOf(element))
  const changes = wanted.filter(isFields).flatMap((element) => {
    const was = sameKey(live, element)
    if (!isFields(was)) return [element]
    const change = patchBetween(type, was, element)
    if (Object.keys(change).length === 0) return []
    const retain = rule.retainKeys ? { $retainKeys: Object.keys(element) } : {}
    return [{ ...change, ...retain, [rule.key]: keyOf(element) }]
  })
  const deletions = live
    .filter((element) => sameKey(wanted, element) === undefined)
    .map((element) => ({ $patch: "delete", [rule.key]: keyOf(element) }))
  return {
    [`$setElementOrder/${field}`]: wanted.map((element) => ({ [rule.key]: keyOf(element) })),
    [field]: [...changes, ...deletions]
  }
}

const patchedValue = (current: unknown, patch: unknown): Fields => {
  const result = strategicMergePatch(deployments, frozen(current), frozen(patch))
  if (!result.ok) throw new Error(result.message)
  return result.value
}

const deploymentPatch = (from: Fields, to: Fields): Fields => patchBetween(wireTypeOf(deployments), from, to)

describe("a strategic merge patch", () => {
  it("made of what an apply wants gives just that", () => {
    fc.assert(
      fc.property(someDeployments, someDeployments, someDeployments, (original, modified, current) => {
        const wanted = threeWayMerge({ kind: deployments, original, modified, current })
        expect(patchedValue(current, deploymentPatch(current, wanted))).toEqual(wanted)
      }),
      { seed: 37, numRuns: 400 }
    )
  })

  it("applied twice does what it did once", () => {
    fc.assert(
      fc.property(someDeployments, someDeployments, someDeployments, (from, to, other) => {
        const patch = deploymentPatch(from, to)
        const once = patchedValue(other, patch)
        expect(patchedValue(once, patch)).toEqual(once)
      }),
      { seed: 41, numRuns: 400 }
    )
  })

  it("leaves no directive and no null behind", () => {
    fc.assert(
      fc.property(someDeployments, someDeployments, someDeployments, (from, to, other) => {
        const text = JSON.stringify(patchedValue(other, deploymentPatch(from, to)))
        expect(text).not.toMatch(/"\$|:null/)
      }),
      { seed: 43, numRuns: 400 }
    )
  })

  it("that says what is already so gives the very same object", () => {
    fc.assert(
      fc.property(someDeployments, (current) => {
        expect(patchedValue(current, structuredClone(current))).toBe(current)
      }),
      { seed: 47, numRuns: 200 }
    )
  })
})
