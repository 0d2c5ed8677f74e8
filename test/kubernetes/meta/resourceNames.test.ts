import { describe, expect, it } from "vitest"
import {
  findKindByName,
  guessResource,
  unknownResourceMessage
} from "../../../src/kubernetes/meta/resourceNames.ts"
import { kindOfResource, resources, type Kind } from "../../../src/kubernetes/meta/kinds.ts"

const replicaSets = kindOfResource(resources.replicaSets)
const rockets = {
  group: "example.com",
  plural: "rockets",
  singular: "rocket",
  shortNames: ["rs", "rk"]
} as unknown as Kind
const customKinds = { custom: () => [rockets] }

describe("a kind is found", () => {
  it.each([
    { by: "its resource", name: "replicasets.apps" },
    { by: "its plural", name: "replicasets" },
    { by: "its singular", name: "replicaset" },
    { by: "its short name", name: "rs" },
    { by: "a name in any case", name: "ReplicaSet" }
  ])("by $by", ({ name }) => {
    expect(findKindByName(name)).toBe(replicaSets)
    expect(guessResource(name)).toBe(resources.replicaSets)
  })

  it("by the name of a custom kind, if no other kind has it", () => {
    expect(findKindByName("rk", customKinds)).toBe(rockets)
    expect(findKindByName("rk")).toBeUndefined()
    expect(findKindByName("rs", customKinds)).toBe(replicaSets)
  })
})

describe("the error of an unknown resource", () => {
  it.each([
    {
      why: "names the nearest one",
      name: "replicasetts",
      kinds: undefined,
      hint: ": did you mean replicasets.apps?"
    },
    { why: "names none that is far", name: "spaceships", kinds: undefined, hint: "" },
    {
      why: "names a custom one",
      name: "rocketts",
      kinds: customKinds,
      hint: ": did you mean rockets.example.com?"
    }
  ])("$why", ({ name, kinds, hint }) => {
    expect(unknownResourceMessage(name, kinds)).toBe(
      `the server doesn't have a resource type "${name}"${hint}`
    )
  })
})
