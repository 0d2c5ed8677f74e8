import { describe, expect, it } from "vitest"
import { kindOfResource, resources } from "../../../src/kubernetes/meta/kinds.ts"

describe("the names of a kind (TestShortNames, TestCategories)", () => {
  it.each([
    { resource: resources.deployments, short: ["deploy"], singular: "deployment", categories: ["all"] },
    { resource: resources.replicaSets, short: ["rs"], singular: "replicaset", categories: ["all"] },
    { resource: resources.pods, short: ["po"], singular: "pod", categories: ["all"] },
    { resource: resources.nodes, short: ["no"], singular: "node", categories: [] },
    { resource: resources.namespaces, short: ["ns"], singular: "namespace", categories: [] }
  ])(
    "of $resource are $singular and $short, in categories $categories",
    ({ resource, short, singular, categories }) => {
      expect(kindOfResource(resource)).toMatchObject({ shortNames: short, singular, categories })
    }
  )
})
