import { expect, it } from "vitest"
import { websiteDefinition } from "../builders/customResources.ts"
import { awaitServedKinds } from "../../src/client/remoteKinds.ts"
import type { CustomResourceDefinition } from "../../src/kubernetes/customResources/definitions.ts"

const definition = websiteDefinition() as object as CustomResourceDefinition
const served = {
  resource: "websites.example.com",
  apiVersion: "example.com/v1",
  kind: "Website",
  plural: "websites",
  namespaced: true
}
const { signal } = new AbortController()

it("waits until discovery lists every served version of a definition", async () => {
  const lookedUp: Array<string> = []
  await awaitServedKinds(definition, {
    findType: async ({ apiVersion }) => {
      lookedUp.push(apiVersion)
      return lookedUp.length === 1 ? undefined : served
    },
    read: async () => definition,
    signal
  })
  expect(lookedUp).toEqual(["example.com/v1", "example.com/v1", "example.com/v2"])
})

it("does not wait for a definition whose names are not accepted", async () => {
  const conditions = [{ type: "NamesAccepted", status: "False" }]
  const refused = { ...definition, status: { conditions } }
  const lookedUp: Array<string> = []
  await awaitServedKinds(definition, {
    findType: async ({ apiVersion }) => void lookedUp.push(apiVersion),
    read: async () => refused,
    signal
  })
  expect(lookedUp).toEqual(["example.com/v1"])
})
