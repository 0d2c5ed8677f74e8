import { dequal } from "dequal/lite"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareTexts } from "../../../../src/kubernetes/meta/text/compareTexts.ts"
import { isFields } from "../../../../src/kubernetes/meta/fields.ts"
import { changeTreeNodesMax } from "../../../../src/kubernetes/apply/managedFields/fieldChanges.ts"
import {
  compareFields,
  hasChangedFields
} from "../../../../src/kubernetes/apply/managedFields/compareFields.ts"
import { completeManagedFieldsOf } from "../../../../src/kubernetes/apply/managedFields/completeManagedFields.ts"
import { decodeFieldSet, encodeFieldSet } from "../../../../src/kubernetes/apply/managedFields/fieldsV1.ts"
import {
  emptyFieldSet,
  newFieldSet,
  insertPath,
  type FieldPath
} from "../../../../src/kubernetes/apply/managedFields/fieldSet.ts"
import { ownableParts } from "../../../../src/kubernetes/apply/managedFields/ownableParts.ts"
import {
  pathElementsText,
  fieldPathsOf
} from "../../../../src/kubernetes/apply/managedFields/pathElements.ts"
import {
  partTopology,
  ownershipTopologyOf,
  type OwnershipTopology
} from "../../../../src/kubernetes/apply/managedFields/ownershipTopology.ts"
import { recordUpdate } from "../../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import {
  chainLength,
  trackCreate,
  attachTrackedWrites,
  fieldWriterOf,
  trackedWritesOf,
  trackWrite
} from "../../../../src/kubernetes/apply/managedFields/trackedWrites.ts"
import type { Kind } from "../../../../src/kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../../../src/kubernetes/meta/objects.ts"
import { deployments, deepFrozen, pods } from "../../admission/drafts.ts"
import { someDeployments } from "../workloadArbitraries.ts"

/** The changes that a plain comparison finds, which shares and caches nothing. */
const changesFromScratch = (shape: OwnershipTopology, before: unknown, after: unknown) => {
  const sets = { changed: newFieldSet(), removed: newFieldSet() }
  const visit = (at: OwnershipTopology, oldValue: unknown, newValue: unknown, path: FieldPath): void => {
    const [old, now] = [ownableParts(at, oldValue), ownableParts(at, newValue)]
    if (old === undefined || now === undefined) note(oldValue, newValue, path)
    for (const element of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
      const part = partTopology(at, element).topology
      const isKnown = at.type === "struct" && at.alwaysPresent.has(element.slice(2)) && part.type !== "atomic"
      const absent = isKnown ? (part.type === "listMap" ? [] : {}) : undefined
      const [left, right] = [old?.get(element) ?? [], now?.get(element) ?? []]
      const place = [...path, element]
      if (left.length > 1 || right.length > 1) {
        note(left.length === 0 ? undefined : left, right.length === 0 ? undefined : right, place)
      } else {
        visit(
          part,
          left.length > 0 || oldValue === undefined ? left[0] : absent,
          right.length > 0 || newValue === undefined ? right[0] : absent,
          place
        )
      }
    }
  }
  const note = (oldValue: unknown, newValue: unknown, path: FieldPath): void => {
    if (newValue === undefined) {
      if (oldValue !== undefined) insertPath(sets.removed, path)
    } else if (!dequal(oldValue, newValue)) insertPath(sets.changed, path)
  }
  visit(shape, before, after, [])
  return sets
}

const someConditions = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom("Ready", "Initialized", "PodScheduled"),
    status: fc.constantFrom("True", "False"),
    reason: fc.option(fc.constantFrom("a", "b"), { nil: undefined })
  }),
  { selector: ({ type }) => type, maxLength: 3 }
)

/** With few values, so that statuses are often equal or come back. */
const statusWith = <A>(podIPs: fc.Arbitrary<A>) =>
  fc.record(
    {
      phase: fc.constantFrom("Pending", "Running"),
      conditions: someConditions,
      podIPs,
      containerStatuses: fc.array(fc.record({ name: fc.constantFrom("x", "y"), ready: fc.boolean() }), {
        maxLength: 2
      }),
      hostIP: fc.constantFrom("1.1.1.1", null)
    },
    { requiredKeys: [] }
  )

const someIp = fc.record({ ip: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3") })
/** Also with two elements of one key, which only a client could send. */
const someStatus = statusWith(fc.array(someIp, { maxLength: 2 }))
const validStatus = statusWith(fc.uniqueArray(someIp, { selector: ({ ip }) => ip, maxLength: 2 }))

const podWith = (status: object | undefined, labels: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "shop", uid: "u-1", labels },
  spec: { containers: [{ name: "x", image: "a" }] },
  ...(status === undefined ? {} : { status })
})

const expectSameChanges = (kind: Kind, before: unknown, after: unknown): void => {
  const shape = ownershipTopologyOf(kind)
  const [fromCache, scratch] = [compareFields(shape, before, after), changesFromScratch(shape, before, after)]
  for (const which of ["changed", "removed"] as const) {
    expect(fieldPathsOf(fromCache[which])).toEqual(fieldPathsOf(scratch[which]))
    expect(JSON.stringify(encodeFieldSet(fromCache[which]))).toBe(
      JSON.stringify(encodeFieldSet(scratch[which]))
    )
  }
  expect(hasChangedFields(shape, before, after)).toBe(fieldPathsOf(scratch.changed).length > 0)
}

describe("the changes between two objects", () => {
  it("are the same with and without cached changes", () => {
    const law = fc.property(fc.option(someStatus, { nil: undefined }), someStatus, (before, after) => {
      expectSameChanges(pods, podWith(before), podWith(after))
      expectSameChanges(pods, podWith(after), podWith(before))
    })
    fc.assert(law, { seed: 811, numRuns: 600 })
    const ofSpecs = fc.property(someDeployments, someDeployments, (before, after) =>
      expectSameChanges(deployments, before, after)
    )
    fc.assert(ofSpecs, { seed: 812, numRuns: 200 })
  })

  it("are the same after more changes than the cache holds", () => {
    for (let count = 0; count < changeTreeNodesMax + 10; count += 1) {
      compareFields(
        ownershipTopologyOf(pods),
        podWith(undefined),
        podWith(undefined, { [`label-${count}`]: "x" })
      )
    }
    expectSameChanges(pods, podWith(undefined), podWith({ phase: "Running" }, { "label-1": "x" }))
  })
})

type StatusWrite = readonly [manager: "kubelet" | "scheduler", status: object]
const beginMillis = Date.UTC(2026, 2, 4)

const storedVersion = (object: object, writes: Parameters<typeof attachTrackedWrites>[1]): KubeObject =>
  deepFrozen(attachTrackedWrites({ ...object }, writes)) as KubeObject

/** A Pod whose writes are only tracked, each by a manager and a second after the one before. */
const trackedPod = (writes: ReadonlyArray<StatusWrite>): KubeObject => {
  const first = podWith({ phase: "Pending" })
  let pod = storedVersion(first, trackCreate(fieldWriterOf(pods, "creator"), beginMillis))
  for (const [place, [manager, status]] of writes.entries()) {
    const next = { ...pod, status } as unknown as KubeObject
    const writer = fieldWriterOf(pods, manager, "status")
    pod = storedVersion(next, trackWrite(writer, beginMillis + (place + 1) * 1000, { old: pod, next }))
  }
  return pod
}

describe("managed fields that are computed when a client reads", () => {
  const expectSameEntries = (
    writes: ReadonlyArray<StatusWrite>,
    summaryOf: (entries: ReturnType<typeof completeManagedFieldsOf>) => ReadonlyArray<string>
  ): void => {
    let before = podWith({ phase: "Pending" })
    const record = (manager: string, after: object, subresource: string | undefined, nowMillis: number) =>
      recordUpdate({
        kind: pods,
        before: subresource === undefined ? undefined : before,
        after,
        manager,
        subresource,
        nowMillis,
        resetFields: subresource === undefined ? [["status"]] : [["spec"]]
      })
    const withEntries = (object: object, managedFields: unknown): object =>
      "metadata" in object && isFields(object.metadata)
        ? { ...object, metadata: { ...object.metadata, managedFields } }
        : object
    before = withEntries(before, record("creator", before, undefined, beginMillis))
    for (const [place, [manager, status]] of writes.entries()) {
      const after = { ...before, status }
      before = withEntries(after, record(manager, after, "status", beginMillis + (place + 1) * 1000))
    }
    expect(summaryOf(completeManagedFieldsOf(trackedPod(writes)))).toEqual(
      summaryOf(completeManagedFieldsOf(before as KubeObject))
    )
  }
  // What the creator owns has the defaults as well.
  const fieldsOf = (entries: ReturnType<typeof completeManagedFieldsOf>): ReadonlyArray<string> =>
    entries
      .filter(({ manager }) => manager !== "creator")
      .map(({ manager = "", fieldsV1 }) =>
        [manager, ...fieldPathsOf(decodeFieldSet(fieldsV1) ?? emptyFieldSet).map(pathElementsText)].join(" ")
      )
      .toSorted(compareTexts)

  it("equal those that are computed with every write", () => {
    const someWrites = fc.array(fc.tuple(fc.constantFrom("kubelet", "scheduler"), validStatus), {
      maxLength: 6
    })
    const law = fc.property(someWrites, (writes) => expectSameEntries(writes, fieldsOf))
    fc.assert(law, { seed: 813, numRuns: 400 })
  })

  it("equal them, with their times, where numbers go up and down", () => {
    const someChange = fc.tuple(
      fc.constantFrom("kubelet", "kubelet", "kubelet", "scheduler"),
      fc.constantFrom("a", "b", "c")
    )
    const law = fc.property(fc.array(someChange, { maxLength: 16 }), (changes) => {
      const counts = { a: 1, b: 1, c: 1 }
      const writes = changes.map(([manager, name]): StatusWrite => {
        counts[name as "a"] = 3 - counts[name as "a"]
        return [manager, { a: counts.a, inner: { b: counts.b, c: counts.c } }]
      })
      expectSameEntries(writes, (entries) => [
        ...fieldsOf(entries),
        ...entries.map(({ manager = "", time = "" }) => `${manager} ${time}`)
      ])
    })
    fc.assert(law, { seed: 814, numRuns: 1000 })
  })

  it("need few writes to be tracked where the numbers of one manager go up and down", () => {
    const writes = Array.from({ length: 40 }, (_, place): StatusWrite => {
      const ready = 20 + (place % 2)
      return ["kubelet", { ready, available: ready, updated: place }]
    })
    const first: StatusWrite = ["scheduler", { ready: 20, available: 20, updated: 0 }]
    expect(chainLength(trackedWritesOf(trackedPod([first, ...writes])))).toBeLessThan(6)
    expectSameEntries([first, ...writes], fieldsOf)
  })

  it("need few writes to be tracked where another manager writes other fields in between", () => {
    let [ready, updated, step] = [20, 0, 0]
    const writes = Array.from({ length: 15 }, (_, place): StatusWrite => {
      const isStep = place % 5 === 4
      if (isStep) step += 1
      else [ready, updated] = [41 - ready, updated + 1]
      return [isStep ? "scheduler" : "kubelet", { ready, updated, step }]
    })
    // The create, and one for each time that the other manager writes.
    expect(chainLength(trackedWritesOf(trackedPod(writes)))).toBe(7)
    expectSameEntries(writes, fieldsOf)
  })

  it("have the time of the last write that set a field, not of one that removed some", () => {
    const timeAfterWrites = (writes: ReadonlyArray<StatusWrite>): string | undefined =>
      completeManagedFieldsOf(trackedPod(writes)).find(({ manager }) => manager === "kubelet")?.time
    const timeAfter = (...statuses: ReadonlyArray<object>): string | undefined =>
      timeAfterWrites(statuses.map((status) => ["kubelet", status] as const))
    const both = { phase: "Running", hostIP: "1.1.1.1" }
    expect(timeAfter(both, { phase: "Running" })).toBe("2026-03-04T00:00:01Z")
    expect(timeAfter(both, { phase: "Running" }, { phase: "Running", podIP: "10.0.0.1" })).toBe(
      "2026-03-04T00:00:03Z"
    )
    const running: StatusWrite = ["kubelet", { phase: "Running" }]
    const placed = { phase: "Running", nominatedNodeName: "a" }
    const setAndRemoved: ReadonlyArray<StatusWrite> = [
      ["kubelet", { ...placed, podIP: "10.0.0.1" }],
      ["kubelet", { ...placed }]
    ]
    expect(timeAfterWrites([running, ["scheduler", placed], ...setAndRemoved])).toBe("2026-03-04T00:00:03Z")
    const withConditions = (ready: boolean, ...names: ReadonlyArray<string>) => ({
      conditions: names.map((type) => ({ type, status: String(ready) }))
    })
    expect(timeAfter(withConditions(true, "Ready", "Other"), withConditions(true, "Other"))).toBe(
      "2026-03-04T00:00:01Z"
    )
    expect(timeAfter(withConditions(true, "Ready", "Other"), withConditions(false, "Other"))).toBe(
      "2026-03-04T00:00:02Z"
    )
  })
})
