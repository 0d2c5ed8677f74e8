import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  applyConfiguration,
  type ApplyResult
} from "../../../../src/kubernetes/apply/managedFields/serverSideApply.ts"
import {
  compareFields,
  configuredFields
} from "../../../../src/kubernetes/apply/managedFields/compareFields.ts"
import { decodeFieldSet } from "../../../../src/kubernetes/apply/managedFields/fieldsV1.ts"
import {
  fieldSetDifference,
  emptyFieldSet,
  isEmptyFieldSet,
  fieldSetUnion,
  withoutSubtrees,
  type FieldSet
} from "../../../../src/kubernetes/apply/managedFields/fieldSet.ts"
import {
  pathElementsText,
  fieldPathsOf
} from "../../../../src/kubernetes/apply/managedFields/pathElements.ts"
import { ownershipTopologyOf } from "../../../../src/kubernetes/apply/managedFields/ownershipTopology.ts"
import { unownedFields } from "../../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import { deployments, deepFrozen } from "../../admission/drafts.ts"
import { someDeployments } from "../workloadArbitraries.ts"
import { startManagedObject, type ManagedObject } from "./managedObject.ts"

const shape = ownershipTopologyOf(deployments)

const ownedBy = (managed: ManagedObject, manager: string): FieldSet => {
  const entry = managed.entries().find((it) => it.manager === manager && it.operation === "Apply")
  return decodeFieldSet(entry?.fieldsV1 ?? {}) ?? emptyFieldSet
}

const trackedFieldsIn = (applied: Fields): FieldSet =>
  withoutSubtrees(configuredFields(shape, applied), unownedFields)

const turns = fc.array(
  fc.record({
    writer: fc.constantFrom("a", "b", "editor"),
    object: someDeployments,
    force: fc.boolean()
  }),
  { minLength: 1, maxLength: 6 }
)

const managedObjectOf = (
  list: ReadonlyArray<{ writer: string; object: Fields; force: boolean }>
): ManagedObject => {
  const managed = startManagedObject(deployments)
  for (const { writer, object, force } of list) {
    if (writer === "editor") managed.update(writer, object)
    else managed.apply(writer, object, { force })
  }
  return managed
}

const law = (seed: number, holds: (managed: ManagedObject, applied: Fields) => void): void => {
  fc.assert(
    fc.property(turns, someDeployments, (list, applied) => {
      holds(managedObjectOf(list), applied)
    }),
    { seed, numRuns: 120 }
  )
}

const appliedTo = (managed: ManagedObject, applied: Fields, force: boolean): ApplyResult =>
  applyConfiguration({
    kind: deployments,
    live: managed.object(),
    configuration: deepFrozen(applied),
    manager: "a",
    force,
    nowMillis: 0
  })

describe("an apply", () => {
  it("with force never conflicts, and sets what it says", () => {
    law(71, (managed, applied) => {
      expect(managed.apply("a", applied, { force: true })).toBe(undefined)
      const { changed } = compareFields(shape, managed.object(), applied)
      expect(
        fieldPathsOf(changed)
          .map(pathElementsText)
          .filter((path) => !isList(path))
      ).toEqual([])
    })
  })

  it("makes the manager the owner of exactly its fields", () => {
    law(73, (managed, applied) => {
      managed.apply("a", applied, { force: true })
      const [appliedFields, owned] = [trackedFieldsIn(applied), ownedBy(managed, "a")]
      expect(fieldPathsOf(fieldSetDifference(appliedFields, owned)).map(pathElementsText)).toEqual([])
      expect(fieldPathsOf(fieldSetDifference(owned, appliedFields)).map(pathElementsText)).toEqual([])
    })
  })

  it("repeated changes neither object nor owners", () => {
    law(79, (managed, applied) => {
      if (managed.apply("a", applied, { force: true }) !== undefined) return
      const [before, entries] = [managed.object(), managed.entries()]
      const again = appliedTo(managed, applied, false)
      expect(again.ok && again.object).toBe(before)
      expect(again.ok && again.managedFields).toEqual(entries)
    })
  })

  it("without conflicts does the same as with force", () => {
    law(83, (managed, applied) => {
      const result = appliedTo(managed, applied, false)
      const forced = appliedTo(managed, applied, true)
      expect(result.ok ? result : forced).toEqual(forced)
    })
  })

  it("conflicts only in fields that the manager applies or applied", () => {
    law(89, (managed, applied) => {
      const result = appliedTo(managed, applied, false)
      if (result.ok || result.reason !== "Conflict") return
      const appliedFields = fieldPathsOf(
        fieldSetUnion(configuredFields(shape, applied), ownedBy(managed, "a"))
      ).map(pathElementsText)
      for (const { path } of result.conflicts) {
        const related = appliedFields.filter((it) => it.startsWith(path) || path.startsWith(it))
        expect([path, related.length > 0]).toEqual([path, true])
      }
    })
  })

  it("leaves no owner of a missing field", () => {
    law(97, (managed, applied) => {
      managed.apply("a", applied, { force: true })
      const { changed: present } = compareFields(shape, undefined, managed.object())
      for (const { fieldsV1 } of managed.entries()) {
        const owned = decodeFieldSet(fieldsV1) ?? emptyFieldSet
        const ownerless = fieldPathsOf(
          fieldSetDifference(owned, fieldSetUnion(present, configuredFields(shape, applied)))
        )
        // A container always has resources, even when they are left out.
        expect(ownerless.map(pathElementsText).filter((path) => !path.endsWith(".resources"))).toEqual([])
        expect(isEmptyFieldSet(owned)).toBe(false)
      }
    })
  })

  it("of nothing removes every field that only this manager applied", () => {
    fc.assert(
      fc.property(someDeployments, (applied) => {
        const managed = startManagedObject(deployments)
        managed.apply("a", applied)
        const { apiVersion, kind } = applied
        managed.apply("a", { apiVersion, kind, metadata: { name: "web", namespace: "shop" } })
        const { spec: _spec, metadata, ...rest } = managed.object()
        expect(managed.object()["spec"] ?? {}).toEqual({})
        expect([metadata, rest]).toEqual([
          { name: "web", namespace: "shop" },
          { apiVersion, kind }
        ])
      }),
      { seed: 101, numRuns: 150 }
    )
  })
})

/** An empty list does not remove elements of other managers. */
const isList = (path: string): boolean =>
  /\.(containers|ports|env|volumes|finalizers|ownerReferences)$/.test(path)
