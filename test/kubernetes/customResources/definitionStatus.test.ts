import { describe, expect, it } from "vitest"
import {
  withDefinitionStatus,
  withTerminatingCondition
} from "../../../src/kubernetes/customResources/definitionStatus.ts"
import { aTime, startMillis } from "../../builders.ts"
import { aDefinition, aVersion, cronTabNames } from "./definitionFixtures.ts"
import type {
  CustomResourceDefinition,
  DefinitionNames
} from "../../../src/kubernetes/customResources/definitions.ts"

const admitted = (
  definition: CustomResourceDefinition,
  others: ReadonlyArray<CustomResourceDefinition> = [],
  seconds = 5
): CustomResourceDefinition =>
  withDefinitionStatus(definition, { otherDefinitions: others, nowMillis: startMillis + seconds * 1000 })

/** `NamesAccepted False KindConflict: …`, one text for each condition. */
const conditionTexts = ({ status }: CustomResourceDefinition): ReadonlyArray<string> =>
  (status.conditions ?? []).map((it) => `${it.type} ${it.status} ${it.reason}: ${it.message}`)

const acceptedConditions = [
  "NamesAccepted True NoConflicts: no conflicts found",
  "Established True InitialNamesAccepted: the initial names have been accepted"
]
const notEstablished = "Established False NotAccepted: not all names are accepted"
const definitionWithNames = (names: DefinitionNames, status: CustomResourceDefinition["status"] = {}) =>
  aDefinition({ names }, status)

const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

const otherDefinition = aDefinition({
  names: { plural: "tabs", singular: "tab", kind: "Tab", listKind: "TabList", shortNames: ["t", "tt"] }
})

describe("the names of a CustomResourceDefinition (TestSync of the naming controller)", () => {
  it("are accepted when they are free, whichever are given", () => {
    const all = { ...cronTabNames, shortNames: ["ct"], categories: ["all"] }
    const first = admitted(definitionWithNames(all), [otherDefinition])
    expect(conditionTexts(first)).toEqual(acceptedConditions)
    expect(first.status.acceptedNames).toStrictEqual(all)
    const few = { plural: "crontabs", kind: "CronTab" }
    expect(admitted(definitionWithNames(few)).status.acceptedNames).toStrictEqual(few)
  })

  it("do not conflict with those of another group", () => {
    const abroad = { ...otherDefinition, spec: { ...otherDefinition.spec, group: "other.example.com" } }
    expect(conditionTexts(admitted(definitionWithNames(otherDefinition.spec.names), [abroad]))).toEqual(
      acceptedConditions
    )
  })

  it("do not conflict with names that were never accepted", () => {
    const waiting = { ...otherDefinition, status: {} }
    expect(conditionTexts(admitted(definitionWithNames(otherDefinition.spec.names), [waiting]))).toEqual(
      acceptedConditions
    )
  })

  const own = { plural: "own", singular: "own", kind: "Own", listKind: "OwnList" }
  it.each<{ names: Partial<DefinitionNames>; why: string; accepted: object }>([
    {
      names: { plural: "tabs" },
      why: 'PluralConflict: "tabs" is already in use',
      accepted: { ...own, plural: "" }
    },
    {
      names: { plural: "tab" },
      why: 'PluralConflict: "tab" is already in use',
      accepted: { ...own, plural: "" }
    },
    {
      names: { singular: "t" },
      why: 'SingularConflict: "t" is already in use',
      accepted: { plural: "own", kind: "Own", listKind: "OwnList" }
    },
    {
      names: { shortNames: ["o", "tt"] },
      why: 'ShortNamesConflict: "tt" is already in use',
      accepted: own
    },
    {
      names: { shortNames: ["t", "tabs"] },
      why: 'ShortNamesConflict: ["t" is already in use, "tabs" is already in use]',
      accepted: own
    },
    { names: { kind: "Tab" }, why: 'KindConflict: "Tab" is already in use', accepted: { ...own, kind: "" } },
    {
      names: { kind: "TabList" },
      why: 'KindConflict: "TabList" is already in use',
      accepted: { ...own, kind: "" }
    },
    {
      names: { listKind: "Tab" },
      why: 'ListKindConflict: "Tab" is already in use',
      accepted: { plural: "own", singular: "own", kind: "Own" }
    },
    {
      names: { plural: "tabs", kind: "Tab" },
      why: 'KindConflict: "Tab" is already in use',
      accepted: { ...own, plural: "", kind: "" }
    }
  ])("conflict with those of another definition in the group: $why", ({ names, why, accepted }) => {
    const next = admitted(definitionWithNames({ ...own, ...names }), [otherDefinition])
    expect(conditionTexts(next)).toEqual([`NamesAccepted False ${why}`, notEstablished])
    expect(next.status.acceptedNames).toStrictEqual(accepted)
  })

  it("stay accepted and served when the new names conflict", () => {
    const before = { ...own, shortNames: ["o"] }
    const newNames: DefinitionNames = {
      plural: "tabs",
      singular: "tab",
      kind: "Tab",
      listKind: "TabList",
      shortNames: ["o", "t"]
    }
    const status = { conditions: [{ type: "Established", status: "True" }], acceptedNames: before }
    const next = admitted(definitionWithNames(newNames, status), [otherDefinition])
    expect(next.status.acceptedNames).toStrictEqual(before)
    expect(conditionTexts(next)).toEqual([
      acceptedConditions[1],
      'NamesAccepted False ListKindConflict: "TabList" is already in use'
    ])
  })

  it("stay accepted when another definition comes later", () => {
    const ownNames = { plural: "tabs", singular: "tab", kind: "Tab", listKind: "TabList", shortNames: ["t"] }
    const next = admitted(definitionWithNames(ownNames, { acceptedNames: ownNames }), [otherDefinition])
    expect(conditionTexts(next)).toEqual(acceptedConditions)
    const more = { ...ownNames, shortNames: ["t", "tt"] }
    expect(
      conditionTexts(admitted(definitionWithNames(more, { acceptedNames: ownNames }), [otherDefinition]))[0]
    ).toBe('NamesAccepted False ShortNamesConflict: "tt" is already in use')
  })

  it("may be missing in two definitions", () => {
    const bare: DefinitionNames = { plural: "bare", kind: "Bare" }
    const naked = aDefinition({ names: { plural: "naked", kind: "Naked" } })
    expect(conditionTexts(admitted(definitionWithNames(bare), [naked]))).toEqual(acceptedConditions)
    const before = { ...cronTabNames, ...bare }
    expect(conditionTexts(admitted(definitionWithNames(bare, { acceptedNames: before }), [naked]))).toEqual(
      acceptedConditions
    )
  })
})

describe("the status and finalizers of a CustomResourceDefinition", () => {
  it("get the clean-up finalizer once, unless the definition is being deleted", () => {
    const finalizersOf = (more: object) => {
      const definition = aDefinition()
      return admitted({ ...definition, metadata: { ...definition.metadata, ...more } }).metadata.finalizers
    }
    expect([
      finalizersOf({}),
      finalizersOf({ finalizers: ["x.io/y"] }),
      finalizersOf({ finalizers: [cleanupFinalizer] }),
      finalizersOf({ deletionTimestamp: aTime(3) })
    ]).toEqual([[cleanupFinalizer], ["x.io/y", cleanupFinalizer], [cleanupFinalizer], undefined])
  })

  it("list every version in which objects have been stored", () => {
    const versions = [aVersion({ name: "v1", storage: false }), aVersion({ name: "v2" })]
    const storedOf = (storedVersions?: ReadonlyArray<string>) =>
      admitted(aDefinition({ versions }, storedVersions === undefined ? {} : { storedVersions })).status
        .storedVersions
    expect([storedOf(), storedOf(["v1"]), storedOf(["v2", "v1"])]).toEqual([
      ["v2"],
      ["v1", "v2"],
      ["v2", "v1"]
    ])
  })

  it("keep the transition time until the status changes, and other conditions", () => {
    const first = admitted(aDefinition({}, { conditions: [{ type: "Odd", status: "True" }] }), [], 5)
    const conflicting = aDefinition({ names: { ...cronTabNames, plural: "x" } })
    const second = admitted(first, [conflicting], 9)
    const times = (definition: CustomResourceDefinition) =>
      (definition.status.conditions ?? []).map((it) => [it.type, it.status, it.lastTransitionTime])
    expect(times(first)).toEqual([
      ["Odd", "True", undefined],
      ["NamesAccepted", "True", aTime(5)],
      ["Established", "True", aTime(5)]
    ])
    // The names were accepted before, so the condition keeps its time.
    expect(times(second)).toEqual(times(first))
    const moved = { ...first, spec: { ...first.spec, names: { ...cronTabNames, plural: "x" } } }
    expect(times(admitted(moved, [conflicting], 9))).toEqual([
      ["Odd", "True", undefined],
      ["NamesAccepted", "False", aTime(9)],
      ["Established", "True", aTime(5)]
    ])
  })

  it("set a missing transition time", () => {
    const next = admitted(aDefinition(), [], 7)
    expect(next.status.conditions?.map((it) => it.lastTransitionTime)).toEqual([aTime(7), aTime(7)])
  })

  it("add the condition Terminating to the present ones", () => {
    const going = withTerminatingCondition(aDefinition(), startMillis + 3000)
    expect(conditionTexts(going).at(-1)).toBe(
      "Terminating True InstanceDeletionInProgress: CustomResource deletion is in progress"
    )
    expect(going.status.conditions?.map(({ type }) => type)).toEqual(["Established", "Terminating"])
    expect(conditionTexts(withTerminatingCondition(aDefinition({}, {}), startMillis))).toHaveLength(1)
  })
})
