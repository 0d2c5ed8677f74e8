import { expect, it } from "vitest"
import { makeViolationFilter } from "../../src/scenario/ledger/violationFilter.ts"
import type { Violation } from "../../src/scenario/ledger/violations.ts"

type Kind = Pick<Violation, "rule" | "invariant"> & { readonly mark?: string }
const zeroth: Kind = { rule: "invariant", invariant: 0 }
const first: Kind = { rule: "invariant", invariant: 1 }
const ceiling: Kind = { rule: "ceiling" }
const often = (kind: Kind, times: number): ReadonlyArray<Kind> => Array.from({ length: times }, () => kind)

it.each<{
  readonly why: string
  readonly broken: ReadonlyArray<Kind>
  readonly untold: ReadonlyArray<number>
}>([
  { why: "twenty of one kind are", broken: often(zeroth, 20), untold: [] },
  { why: "the next is not", broken: often(zeroth, 21), untold: [20] },
  { why: "nor the next of several kinds", broken: [ceiling, ...often(zeroth, 21)], untold: [20, 21] },
  {
    why: "a rule is, though an invariant was broken twenty times before it",
    broken: [...often(zeroth, 22), ceiling, ceiling],
    untold: [20, 21, 23]
  },
  {
    why: "one invariant is not taken for the other",
    broken: [...often(zeroth, 21), first, zeroth],
    untold: [20, 22]
  },
  {
    why: "what somebody marks is not taken for what nobody does",
    broken: [...often(ceiling, 20), { ...ceiling, mark: "expected" }, ceiling],
    untold: [21]
  }
])("of rules that were broken the first are told, and the first of each: $why", ({ broken, untold }) => {
  const isTold = makeViolationFilter()
  const left = broken.flatMap((kind, index) => (isTold(kind, kind.mark) ? [] : [index]))
  expect(left).toEqual(untold)
})
