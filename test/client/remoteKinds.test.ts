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
  const asked: Array<string> = []
  await awaitServedKinds(definition, {
    findType: async ({ apiVersion }) => {
      asked.push(apiVersion)
      return asked.length === 1 ? undefined : served
    },
    read: async () => definition,
    signal
  })
  expect(asked).toEqual(["example.com/v1", "example.com/v1", "example.com/v2"])
})

it("does not wait for a definition whose names are not accepted", async () => {
  const conditions = [{ type: "NamesAccepted", status: "False" }]
  const refused = { ...definition, status: { conditions } }
  const asked: Array<string> = []
  await awaitServedKinds(definition, {
    findType: async ({ apiVersion }) => void asked.push(apiVersion),
    read: async () => refused,
    signal
  })
  expect(asked).toEqual(["example.com/v1"])
})
