import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { apiVersionOf } from "../../../../src/kubernetes/meta/kinds.ts"
import { managedFieldsOf } from "../../../../src/kubernetes/apply/managedFields/ownerships.ts"
import { withRecordedManager } from "../../../../src/kubernetes/apply/managedFields/recordManager.ts"
import { deployments } from "../../admission/drafts.ts"
import { atSecond, ownersText } from "./managedObject.ts"
import type { Kind } from "../../../../src/kubernetes/meta/kinds.ts"
import type { Draft } from "../../../../src/kubernetes/meta/objects.ts"

interface Write {
  readonly manager: string
  readonly object: object
}

/** The stored object after several managers wrote it as a whole, each on top of the one before. */
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

describe("a manager that writes a whole object", () => {
  it.each([
    {
      why: "owns its fields without the status subresource",
      kind: gadgets,
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .spec.size"]
    },
    {
      why: "does not own the status when status is the only subresource",
      kind: { ...gadgets, subresources: status ?? [] },
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .spec.size"]
    },
    {
      why: "owns the status when scale is the only subresource",
      kind: { ...gadgets, subresources: scale ?? [] },
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .status .spec.size .status.ready"]
    },
    {
      why: "owns the status when there are no subresources",
      kind: { ...gadgets, subresources: [] },
      writes: [{ manager: "a", object: reported }],
      owners: ["a Update: .spec .status .spec.size .status.ready"]
    },
    {
      why: "takes over only the fields that it changes, and no status",
      kind: gadgets,
      writes: [
        { manager: "a", object: reported },
        { manager: "b", object: { spec: { size: 3, on: true }, status: { ready: 5, seen: 7 } } },
        { manager: "c", object: { spec: { size: 9, on: true } } }
      ],
      owners: ["a Update: .spec", "b Update: .spec.on", "c Update: .spec.size"]
    },
    {
      why: "owns defaults as they are stored",
      kind: kindNamed("PriorityClass"),
      writes: [{ manager: "a", object: { value: 7 } }],
      owners: ["a Update: .preemptionPolicy .value"]
    }
  ])("$why", ({ kind, writes, owners }) => {
    expect(ownersText(managedFieldsOf(written(kind, writes)))).toEqual(owners)
  })

  it("adds no managedFields when it owns nothing", () => {
    expect(written(kindNamed("ConfigMap"), [{ manager: "a", object: {} }]).metadata).toEqual({
      name: "web",
      namespace: "shop",
      uid: "u-7"
    })
  })

  it("adds one entry with its time when it owns everything", () => {
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
