import { describe, expect, it } from "vitest"
import {
  withDefinitionStatus,
  withTerminatingCondition
} from "../../../src/kubernetes/customResources/definitionStatus.ts"
import { aTime, startMillis } from "../../builders.ts"
import { aDefinition, aVersion, cronTabNames } from "./definitions.ts"
import type {
  CustomResourceDefinition,
  DefinitionNames
} from "../../../src/kubernetes/customResources/definitions.ts"

const admitted = (
  definition: CustomResourceDefinition,
  others: ReadonlyArray<CustomResourceDefinition> = [],
  seconds = 5
): CustomResourceDefinition =>
  withDefinitionStatus(definition, { others, nowMillis: startMillis + seconds * 1000 })

/** `NamesAccepted False KindConflict: …`, one text a condition. */
const said = ({ status }: CustomResourceDefinition): ReadonlyArray<string> =>
  (status.conditions ?? []).map((it) => `${it.type} ${it.status} ${it.reason}: ${it.message}`)

const fine = [
  "NamesAccepted True NoConflicts: no conflicts found",
  "Established True InitialNamesAccepted: the initial names have been accepted"
]
const refused = "Established False NotAccepted: not all names are accepted"
const named = (names: DefinitionNames, status: CustomResourceDefinition["status"] = {}) =>
  aDefinition({ names }, status)

const held = "customresourcecleanup.apiextensions.k8s.io"

/** Somebody else's, with every sort of name. */
const other = aDefinition({
  names: { plural: "tabs", singular: "tab", kind: "Tab", listKind: "TabList", shortNames: ["t", "tt"] }
})

describe("a definition's names (TestSync of the naming controller)", () => {
  it("are accepted where nobody has them, each that there is", () => {
    const all = { ...cronTabNames, shortNames: ["ct"], categories: ["all"] }
    const first = admitted(named(all), [other])
    expect(said(first)).toEqual(fine)
    expect(first.status.acceptedNames).toStrictEqual(all)
    const few = { plural: "crontabs", kind: "CronTab" }
    expect(admitted(named(few)).status.acceptedNames).toStrictEqual(few)
  })

  it("of another group are nobody's business", () => {
    const abroad = { ...other, spec: { ...other.spec, group: "other.example.com" } }
    expect(said(admitted(named(other.spec.names), [abroad]))).toEqual(fine)
  })

  it("that another wants and has not got are free", () => {
    const waiting = { ...other, status: {} }
    expect(said(admitted(named(other.spec.names), [waiting]))).toEqual(fine)
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
  ])("are not where another of the group has one: $why", ({ names, why, accepted }) => {
    const next = admitted(named({ ...own, ...names }), [other])
    expect(said(next)).toEqual([`NamesAccepted False ${why}`, refused])
    expect(next.status.acceptedNames).toStrictEqual(accepted)
  })

  it("stay what they were, and served, where a new one is another's", () => {
    const before = { ...own, shortNames: ["o"] }
    const wanted: DefinitionNames = {
      plural: "tabs",
      singular: "tab",
      kind: "Tab",
      listKind: "TabList",
      shortNames: ["o", "t"]
    }
    const status = { conditions: [{ type: "Established", status: "True" }], acceptedNames: before }
    const next = admitted(named(wanted, status), [other])
    expect(next.status.acceptedNames).toStrictEqual(before)
    expect(said(next)).toEqual([fine[1], 'NamesAccepted False ListKindConflict: "TabList" is already in use'])
  })

  it("that it has had before another came are its own", () => {
    const mine = { plural: "tabs", singular: "tab", kind: "Tab", listKind: "TabList", shortNames: ["t"] }
    const next = admitted(named(mine, { acceptedNames: mine }), [other])
    expect(said(next)).toEqual(fine)
    const more = { ...mine, shortNames: ["t", "tt"] }
    expect(said(admitted(named(more, { acceptedNames: mine }), [other]))[0]).toBe(
      'NamesAccepted False ShortNamesConflict: "tt" is already in use'
    )
  })

  it("may be as empty as another's", () => {
    const bare: DefinitionNames = { plural: "bare", kind: "Bare" }
    const naked = aDefinition({ names: { plural: "naked", kind: "Naked" } })
    expect(said(admitted(named(bare), [naked]))).toEqual(fine)
    const before = { ...cronTabNames, ...bare }
    expect(said(admitted(named(bare, { acceptedNames: before }), [naked]))).toEqual(fine)
  })
})

describe("what else a server makes of a definition", () => {
  it("is held until its objects are gone, once, and not when it is on its way", () => {
    const finalizersOf = (more: object) => {
      const definition = aDefinition()
      return admitted({ ...definition, metadata: { ...definition.metadata, ...more } }).metadata.finalizers
    }
    expect([
      finalizersOf({}),
      finalizersOf({ finalizers: ["x.io/y"] }),
      finalizersOf({ finalizers: [held] }),
      finalizersOf({ deletionTimestamp: aTime(3) })
    ]).toEqual([[held], ["x.io/y", held], [held], undefined])
  })

  it("remembers every version in which objects have been stored", () => {
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

  it("keeps the time of a condition until its status changes, and conditions that are another's", () => {
    const first = admitted(aDefinition({}, { conditions: [{ type: "Odd", status: "True" }] }), [], 5)
    const taken = aDefinition({ names: { ...cronTabNames, plural: "x" } })
    const second = admitted(first, [taken], 9)
    const times = (definition: CustomResourceDefinition) =>
      (definition.status.conditions ?? []).map((it) => [it.type, it.status, it.lastTransitionTime])
    expect(times(first)).toEqual([
      ["Odd", "True", undefined],
      ["NamesAccepted", "True", aTime(5)],
      ["Established", "True", aTime(5)]
    ])
    // What it has had before is its own, so that it stays accepted, since then.
    expect(times(second)).toEqual(times(first))
    const moved = { ...first, spec: { ...first.spec, names: { ...cronTabNames, plural: "x" } } }
    expect(times(admitted(moved, [taken], 9))).toEqual([
      ["Odd", "True", undefined],
      ["NamesAccepted", "False", aTime(9)],
      ["Established", "True", aTime(5)]
    ])
  })

  it("gives a time to a condition that had none", () => {
    const next = admitted(aDefinition(), [], 7)
    expect(next.status.conditions?.map((it) => it.lastTransitionTime)).toEqual([aTime(7), aTime(7)])
  })

  it("says that it is on its way out, among what it says already", () => {
    const going = withTerminatingCondition(aDefinition(), startMillis + 3000)
    expect(said(going).at(-1)).toBe(
      "Terminating True InstanceDeletionInProgress: CustomResource deletion is in progress"
    )
    expect(going.status.conditions?.map(({ type }) => type)).toEqual(["Established", "Terminating"])
    expect(said(withTerminatingCondition(aDefinition({}, {}), startMillis))).toHaveLength(1)
  })
})
