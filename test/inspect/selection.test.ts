import { expect, it } from "vitest"
import { parseSelections } from "../../src/inspect/actorSelection.ts"
import { expandInspectArgument } from "../../src/cli/flags/expandInspectArgument.ts"

it.each([
  { given: "deployment/web", ids: ["deployment/default/web"] },
  { given: "deploy/shop/web", ids: ["deployment/shop/web"] },
  { given: "Deployments.apps/web", ids: ["deployment/default/web"] },
  { given: "rs/web-1, po/shop/web-2", ids: ["replicaSet/default/web-1", "pod/shop/web-2"] },
  { given: "pods/web-1", ids: ["pod/default/web-1"] },
  { given: "nodes/n1,no/n2,node/n3", ids: ["node/n1", "node/n2", "node/n3"] }
])("$given are the actors $ids", ({ given, ids }) => {
  expect(parseSelections([given])).toEqual(ids)
})

it.each([
  { line: "up --inspect", words: "up --inspect" },
  { line: "up --inspect -f a.yaml", words: "up --inspect -f a.yaml" },
  {
    line: "up --inspect deployment/web -f a.yaml",
    words: "up --inspect --inspect-only deployment/web -f a.yaml"
  },
  { line: "up --inspect=pod/shop/a,node/n1", words: "up --inspect --inspect-only pod/shop/a,node/n1" },
  { line: "up --inspect false", words: "up --inspect false" },
  { line: "run -f a.yaml -- --inspect b", words: "run -f a.yaml -- --inspect b" },
  { line: "up --inspect-port 7 deployment/web", words: "up --inspect-port 7 deployment/web" }
])("$line is read as $words", ({ line, words }) => {
  expect(expandInspectArgument(line.split(" "))).toEqual(words.split(" "))
})
