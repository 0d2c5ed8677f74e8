import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  applyConfiguration,
  type ApplyResult
} from "../../../src/kubernetes/apply/managedFields/serverSideApply.ts"
import { compareFields, configuredFields } from "../../../src/kubernetes/apply/managedFields/compareFields.ts"
import { decodeFieldSet } from "../../../src/kubernetes/apply/managedFields/fieldsV1.ts"
import {
  fieldSetDifference,
  emptyFieldSet,
  isEmptyFieldSet,
  fieldSetUnion,
  withoutSubtrees,
  type FieldSet
} from "../../../src/kubernetes/apply/managedFields/fieldSet.ts"
import { pathElementsText, fieldPathsOf } from "../../../src/kubernetes/apply/managedFields/pathElements.ts"
import { topologyOf } from "../../../src/kubernetes/apply/managedFields/topology.ts"
import { unownedFields } from "../../../src/kubernetes/apply/managedFields/recordUpdate.ts"
import { deployments, frozen } from "../admission/drafts.ts"
import { someDeployments } from "../workloadArbitraries.ts"
import { startStory, type Story } from "./story.ts"

const shape = topologyOf(deployments)

/** What someone owns who applies. */
const ownedBy = (story: Story, manager: string): FieldSet => {
  const entry = story.entries().find((it) => it.manager === manager && it.operation === "Apply")
  return decodeFieldSet(entry?.fieldsV1 ?? {}) ?? emptyFieldSet
}

const trackedFieldsIn = (applied: Fields): FieldSet =>
  withoutSubtrees(configuredFields(shape, applied), unownedFields)

/** Two that apply and one that updates, each in its turn. */
const turns = fc.array(
  fc.record({
    who: fc.constantFrom("a", "b", "editor"),
    object: someDeployments,
    force: fc.boolean()
  }),
  { minLength: 1, maxLength: 6 }
)

const storyOf = (list: ReadonlyArray<{ who: string; object: Fields; force: boolean }>): Story => {
  const story = startStory(deployments)
  for (const { who, object, force } of list) {
    if (who === "editor") story.update(who, object)
    else story.apply(who, object, { force })
  }
  return story
}

const law = (seed: number, holds: (story: Story, applied: Fields) => void): void => {
  fc.assert(
    fc.property(turns, someDeployments, (list, applied) => {
      holds(storyOf(list), applied)
    }),
    { seed, numRuns: 120 }
  )
}

const appliedTo = (story: Story, applied: Fields, force: boolean): ApplyResult =>
  applyConfiguration({
    kind: deployments,
    live: story.object(),
    configuration: frozen(applied),
    manager: "a",
    force,
    nowMillis: 0
  })

describe("an apply", () => {
  it("by force never conflicts, and what it says is so", () => {
    law(71, (story, applied) => {
      expect(story.apply("a", applied, { force: true })).toBe(undefined)
      const { changed } = compareFields(shape, story.object(), applied)
      expect(
        fieldPathsOf(changed)
          .map(pathElementsText)
          .filter((path) => !isList(path))
      ).toEqual([])
    })
  })

  it("makes its own every field it says, and no other", () => {
    law(73, (story, applied) => {
      story.apply("a", applied, { force: true })
      const [said, owned] = [trackedFieldsIn(applied), ownedBy(story, "a")]
      expect(fieldPathsOf(fieldSetDifference(said, owned)).map(pathElementsText)).toEqual([])
      expect(fieldPathsOf(fieldSetDifference(owned, said)).map(pathElementsText)).toEqual([])
    })
  })

  it("a second time changes nothing: neither object nor owners", () => {
    law(79, (story, applied) => {
      if (story.apply("a", applied, { force: true }) !== undefined) return
      const [before, entries] = [story.object(), story.entries()]
      const again = appliedTo(story, applied, false)
      expect(again.ok && again.object).toBe(before)
      expect(again.ok && again.managedFields).toEqual(entries)
    })
  })

  it("without conflicts does what it would do by force", () => {
    law(83, (story, applied) => {
      const result = appliedTo(story, applied, false)
      const forced = appliedTo(story, applied, true)
      expect(result.ok ? result : forced).toEqual(forced)
    })
  })

  it("conflicts only about fields that it says or had said", () => {
    law(89, (story, applied) => {
      const result = appliedTo(story, applied, false)
      if (result.ok || result.reason !== "Conflict") return
      const said = fieldPathsOf(fieldSetUnion(configuredFields(shape, applied), ownedBy(story, "a"))).map(
        pathElementsText
      )
      for (const { path } of result.conflicts) {
        const related = said.filter((it) => it.startsWith(path) || path.startsWith(it))
        expect([path, related.length > 0]).toEqual([path, true])
      }
    })
  })

  it("leaves nobody the owner of what is not there", () => {
    law(97, (story, applied) => {
      story.apply("a", applied, { force: true })
      const { changed: present } = compareFields(shape, undefined, story.object())
      for (const { fieldsV1 } of story.entries()) {
        const owned = decodeFieldSet(fieldsV1) ?? emptyFieldSet
        const gone = fieldPathsOf(
          fieldSetDifference(owned, fieldSetUnion(present, configuredFields(shape, applied)))
        )
        // A container has resources even where they are left out.
        expect(gone.map(pathElementsText).filter((path) => !path.endsWith(".resources"))).toEqual([])
        expect(isEmptyFieldSet(owned)).toBe(false)
      }
    })
  })

  it("of nothing takes out all that only it has said", () => {
    fc.assert(
      fc.property(someDeployments, (applied) => {
        const story = startStory(deployments)
        story.apply("a", applied)
        const { apiVersion, kind } = applied
        story.apply("a", { apiVersion, kind, metadata: { name: "web", namespace: "shop" } })
        const { spec: _spec, metadata, ...rest } = story.object()
        expect(story.object()["spec"] ?? {}).toEqual({})
        expect([metadata, rest]).toEqual([
          { name: "web", namespace: "shop" },
          { apiVersion, kind }
        ])
      }),
      { seed: 101, numRuns: 150 }
    )
  })
})

/** An empty list says nothing of what others have put there. */
const isList = (path: string): boolean =>
  /\.(containers|ports|env|volumes|finalizers|ownerReferences)$/.test(path)
