import { describe, expect, it } from "vitest"
import { apiVersionOf } from "../../../src/kubernetes/meta/kinds.ts"
import { managedFieldsOf } from "../../../src/kubernetes/apply/managedFields/ownerships.ts"
import { withRecordedManager } from "../../../src/kubernetes/apply/managedFields/recordManager.ts"
import { deployments, kindNamed } from "../admission/drafts.ts"
import { atSecond, ownersText } from "../managedFields/story.ts"
import type { Kind } from "../../../src/kubernetes/meta/kinds.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"

interface Write {
  readonly manager: string
  readonly object: object
}

/** What is stored after several have written a whole object, each with what the one before has left. */
const written = (kind: Kind, writes: ReadonlyArray<Write>): Draft => {
  const metadata = { name: "web", namespace: "shop", uid: "u-7" }
  const typed = { apiVersion: apiVersionOf(kind), kind: kind.kind }
  let stored: Draft | undefined
  for (const [index, { manager, object }] of writes.entries()) {
    const entries = managedFieldsOf(stored)
    const draft: Draft = {
      ...typed,
      metadata: { ...metadata, ...(entries.length === 0 ? {} : { managedFields: [...entries] }) },
      ...object
    }
    stored = withRecordedManager({ kind, before: stored, draft, manager, nowMillis: atSecond(index) })
  }
  return stored ?? { ...typed, metadata }
}

const gadgets: Kind = { ...deployments, group: "example.com", kind: "Gadget", plural: "gadgets" }
const [scale, status] = ["scale", "status"].map((name) =>
  gadgets.subresources.filter((subresource) => subresource.name === name)
)
const reported = { spec: { size: 3 }, status: { ready: 3 } }

describe("who writes a whole object", () => {
  it.each([
    {
      why: "owns what is in it, but not the status that is written apart",
      kind: gadgets,
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .spec.size"]
    },
    {
      why: "owns no status where that alone is written apart",
      kind: { ...gadgets, subresources: status ?? [] },
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .spec.size"]
    },
    {
      why: "owns the status too where only the size is written apart",
      kind: { ...gadgets, subresources: scale ?? [] },
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .status .spec.size .status.ready"]
    },
    {
      why: "owns the status too where nothing is written apart",
      kind: { ...gadgets, subresources: [] },
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .status .spec.size .status.ready"]
    },
    {
      why: "later owns what is new and leaves the rest to who wrote it, whatever becomes of the status",
      kind: gadgets,
      writes: [
        { manager: "a", object: reported },
        { manager: "b", object: { spec: { size: 3, on: true }, status: { ready: 5, seen: 7 } } },
        { manager: "c", object: { spec: { size: 9, on: true } } }
      ],
      owners: ["a Update: .spec", "b Update: .spec.on", "c Update: .spec.size"]
    },
    {
      why: "owns what is filled in, as it is stored",
      kind: kindNamed("PriorityClass"),
      writes: [{ manager: "a", object: { value: 7 } }],
      owners: ["a Update: .preemptionPolicy .value"]
    }
  ])("$why", ({ kind, writes, owners }) => {
    expect(ownersText(managedFieldsOf(written(kind, writes)))).toEqual(owners)
  })

  it("leaves no list of owners where nobody comes to own anything", () => {
    expect(written(kindNamed("ConfigMap"), [{ manager: "a", object: {} }]).metadata).toEqual({
      name: "web",
      namespace: "shop",
      uid: "u-7"
    })
  })

  it("leaves a list of one where one owns all, with when that was written", () => {
    const { metadata } = written(kindNamed("ConfigMap"), [{ manager: "a", object: { data: { k: "v" } } }])
    expect(metadata).toEqual({
      name: "web",
      namespace: "shop",
      uid: "u-7",
      managedFields: [
        {
          manager: "a",
          operation: "Update",
          apiVersion: "v1",
          time: "2026-03-04T05:06:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { ".": {}, "f:k": {} } }
        }
      ]
    })
  })
})
