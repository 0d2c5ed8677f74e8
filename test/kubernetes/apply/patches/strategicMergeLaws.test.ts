import { isFields, type Fields } from "../../../../src/kubernetes/meta/fields.ts"
import { dequal } from "dequal/lite"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { wireTypeOf, type WireType } from "../../../../src/kubernetes/admission/decoding/wireTypes.ts"
import { mergeRuleOf, type MergeRule } from "../../../../src/kubernetes/apply/patches/mergeRules.ts"
import { strategicMergePatch } from "../../../../src/kubernetes/apply/patches/strategicMerge.ts"
import { wireFieldType } from "../../../../src/kubernetes/apply/patches/patchedTypes.ts"
import { threeWayMerge } from "../../../../src/kubernetes/apply/patches/threeWayMerge.ts"
import { deployments, deepFrozen } from "../../admission/drafts.ts"
import { someDeployments } from "../workloadArbitraries.ts"

/**
 * Makes a patch as a client does: new and changed values, null for removed fields, and the wanted order of each
 * list.
 */
const patchBetween = (type: WireType, before: Fields, after: Fields): Fields => {
  const patch: Record<string, unknown> = {}
  for (const field of Object.keys(before)) if (!(field in after)) patch[field] = null
  for (const [field, target] of Object.entries(after)) {
    const live = before[field]
    if (dequal(live, target)) continue
    const rule = mergeRuleOf(type, field)
    const inner = wireFieldType(type, field)
    if (isFields(target)) {
      const retain = rule?.type === "retainKeys" ? { $retainKeys: Object.keys(target) } : {}
      patch[field] = { ...patchBetween(inner, isFields(live) ? live : {}, target), ...retain }
    } else if (Array.isArray(target) && Array.isArray(live) && rule !== undefined) {
      Object.assign(patch, listPatch(field, inner.slice("list:".length), rule, live, target))
    } else patch[field] = target
  }
  return patch
}

const listPatch = (
  field: string,
  type: WireType,
  rule: MergeRule,
  live: ReadonlyArray<unknown>,
  target: ReadonlyArray<unknown>
): Fields => {
  if (rule.type !== "byKey") {
    return {
      [`$setElementOrder/${field}`]: target,
      [`$deleteFromPrimitiveList/${field}`]: live.filter((element) => !target.includes(element)),
      [field]: target.filter((element) => !live.includes(element))
    }
  }
  const keyOf = (element: unknown): unknown => (isFields(element) ? element[rule.key] : undefined)
  const sameKey = (list: ReadonlyArray<unknown>, element: unknown): unknown =>
    list.find((other) => keyOf(other) === keyOf(element))
  const changes = target.filter(isFields).flatMap((element) => {
    const liveElement = sameKey(live, element)
    if (!isFields(liveElement)) return [element]
    const change = patchBetween(type, liveElement, element)
    if (Object.keys(change).length === 0) return []
    const retain = rule.retainKeys ? { $retainKeys: Object.keys(element) } : {}
    return [{ ...change, ...retain, [rule.key]: keyOf(element) }]
  })
  const deletions = live
    .filter((element) => sameKey(target, element) === undefined)
    .map((element) => ({ $patch: "delete", [rule.key]: keyOf(element) }))
  return {
    [`$setElementOrder/${field}`]: target.map((element) => ({ [rule.key]: keyOf(element) })),
    [field]: [...changes, ...deletions]
  }
}

const patchedValue = (current: unknown, patch: unknown): Fields => {
  const result = strategicMergePatch(deployments, deepFrozen(current), deepFrozen(patch))
  if (!result.ok) throw new Error(result.message)
  return result.value
}

const deploymentPatch = (before: Fields, after: Fields): Fields =>
  patchBetween(wireTypeOf(deployments), before, after)

describe("a strategic merge patch", () => {
  it("from live to merged gives the merged object", () => {
    fc.assert(
      fc.property(someDeployments, someDeployments, someDeployments, (original, modified, current) => {
        const target = threeWayMerge({ kind: deployments, original, modified, current })
        expect(patchedValue(current, deploymentPatch(current, target))).toEqual(target)
      }),
      { seed: 37, numRuns: 400 }
    )
  })

  it("is idempotent", () => {
    fc.assert(
      fc.property(someDeployments, someDeployments, someDeployments, (before, after, other) => {
        const patch = deploymentPatch(before, after)
        const once = patchedValue(other, patch)
        expect(patchedValue(once, patch)).toEqual(once)
      }),
      { seed: 41, numRuns: 400 }
    )
  })

  it("leaves no directive and no null in the result", () => {
    fc.assert(
      fc.property(someDeployments, someDeployments, someDeployments, (before, after, other) => {
        const text = JSON.stringify(patchedValue(other, deploymentPatch(before, after)))
        expect(text).not.toMatch(/"\$|:null/)
      }),
      { seed: 43, numRuns: 400 }
    )
  })

  it("returns the same object when nothing changes", () => {
    fc.assert(
      fc.property(someDeployments, (current) => {
        expect(patchedValue(current, structuredClone(current))).toBe(current)
      }),
      { seed: 47, numRuns: 200 }
    )
  })
})
