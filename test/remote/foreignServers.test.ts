import { describe, expect, it } from "vitest"
import { openRemote } from "../../src/remote/remoteCluster.ts"
import { answering, sendJson } from "./answering.ts"

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }

describe("a server that is none of ours", () => {
  it("is told of a dry run where it reads it: a body keeps it from reading the query", async () => {
    await using server = await answering((_asked, response) => sendJson(response, 200, configMap))
    const remote = await openRemote(server)
    await remote.delete({ resource: "configmaps", name: "a" }, { dryRun: true, gracePeriodSeconds: 3 })
    remote.close()
    expect(server.heard.at(-1)).toMatchObject({
      method: "DELETE",
      url: "/api/v1/namespaces/default/configmaps/a",
      body: { apiVersion: "v1", kind: "DeleteOptions", dryRun: ["All"], gracePeriodSeconds: 3 }
    })
  })

  it("is asked again what it serves when it could not tell", async () => {
    let isBroken = true
    await using server = await answering(({ url }, response) => {
      if (url !== "/apis/sea.example/v1") sendJson(response, 201, { kind: "Boat" })
      else if (isBroken) response.destroy()
      else sendJson(response, 200, { resources: [{ name: "boats", kind: "Boat", namespaced: true }] })
    })
    const remote = await openRemote(server)
    const boat = { apiVersion: "sea.example/v1", kind: "Boat", metadata: { name: "one" } }
    await expect(remote.create(boat)).rejects.toThrow(/cannot be reached: socket hang up$/)
    isBroken = false
    expect(await remote.create(boat)).toMatchObject({ kind: "Boat" })
    remote.close()
  })
})
