import { expect, it } from "vitest"
import { parseSelections } from "../../src/inspect/actorSelection.ts"
import { expandInspectArgument } from "../../src/cli/flags/expandInspectArgument.ts"

it.each([
  { argument: "deployment/web", ids: ["deployment/default/web"] },
  { argument: "deploy/shop/web", ids: ["deployment/shop/web"] },
  { argument: "Deployments.apps/web", ids: ["deployment/default/web"] },
  { argument: "rs/web-1, po/shop/web-2", ids: ["replicaSet/default/web-1", "pod/shop/web-2"] },
  { argument: "pods/web-1", ids: ["pod/default/web-1"] },
  { argument: "nodes/n1,no/n2,node/n3", ids: ["node/n1", "node/n2", "node/n3"] }
])("$argument selects the actors $ids", ({ argument, ids }) => {
  expect(parseSelections([argument])).toEqual(ids)
})

it.each([
  { line: "up --inspect", expanded: "up --inspect" },
  { line: "up --inspect -f a.yaml", expanded: "up --inspect -f a.yaml" },
  {
    line: "up --inspect deployment/web -f a.yaml",
    expanded: "up --inspect --inspect-only deployment/web -f a.yaml"
  },
  { line: "up --inspect=pod/shop/a,node/n1", expanded: "up --inspect --inspect-only pod/shop/a,node/n1" },
  { line: "up --inspect false", expanded: "up --inspect false" },
  { line: "run -f a.yaml -- --inspect b", expanded: "run -f a.yaml -- --inspect b" },
  { line: "up --inspect-port 7 deployment/web", expanded: "up --inspect-port 7 deployment/web" }
])("$line expands to $expanded", ({ line, expanded }) => {
  expect(expandInspectArgument(line.split(" "))).toEqual(expanded.split(" "))
})
