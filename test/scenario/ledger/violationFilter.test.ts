import { expect, it } from "vitest"
import { makeViolationFilter } from "../../../src/scenario/ledger/violationFilter.ts"
import type { Violation } from "../../../src/scenario/ledger/violations.ts"

type Kind = Pick<Violation, "rule" | "invariant"> & { readonly mark?: string }
const zeroth: Kind = { rule: "invariant", invariant: 0 }
const first: Kind = { rule: "invariant", invariant: 1 }
const ceiling: Kind = { rule: "ceiling" }
const repeated = (kind: Kind, times: number): ReadonlyArray<Kind> => Array.from({ length: times }, () => kind)

it.each<{
  readonly why: string
  readonly violations: ReadonlyArray<Kind>
  readonly droppedIndexes: ReadonlyArray<number>
}>([
  { why: "twenty of one kind", violations: repeated(zeroth, 20), droppedIndexes: [] },
  { why: "not the twenty-first", violations: repeated(zeroth, 21), droppedIndexes: [20] },
  {
    why: "not the next of several kinds",
    violations: [ceiling, ...repeated(zeroth, 21)],
    droppedIndexes: [20, 21]
  },
  {
    why: "the first of a rule after twenty of an invariant",
    violations: [...repeated(zeroth, 22), ceiling, ceiling],
    droppedIndexes: [20, 21, 23]
  },
  {
    why: "the first of another invariant",
    violations: [...repeated(zeroth, 21), first, zeroth],
    droppedIndexes: [20, 22]
  },
  {
    why: "the first with a mark",
    violations: [...repeated(ceiling, 20), { ...ceiling, mark: "expected" }, ceiling],
    droppedIndexes: [21]
  }
])("the first violations are kept, and the first of each kind: $why", ({ violations, droppedIndexes }) => {
  const isKept = makeViolationFilter()
  const left = violations.flatMap((kind, index) => (isKept(kind, kind.mark) ? [] : [index]))
  expect(left).toEqual(droppedIndexes)
})
