import { describe, expect, it } from "vitest"
import { aDeployment, deployments, told } from "./drafts.ts"
import { inWorld } from "./world.ts"

const web = `${deployments}/web`

describe("one object", () => {
  it("says of which kind it is, and is what was answered when it was made", () =>
    inWorld(async ({ request }) => {
      const { json: made } = await request("POST", `${deployments}?fieldManager=us`, { body: aDeployment() })
      const { code, json } = await request("GET", web)
      expect([code, json.kind, json.apiVersion]).toEqual([200, "Deployment", "apps/v1"])
      expect(json.metadata.uid).toBe(made.metadata.uid)
      expect(json.spec).toEqual(made.spec)
    }))

  it("may be asked for at a version it has reached, and not at one it has not", () =>
    inWorld(async ({ request }) => {
      await request("POST", deployments, { body: aDeployment() })
      for (const version of ["0", "1", ""]) {
        expect((await request("GET", `${web}?resourceVersion=${version}`)).code).toBe(200)
      }
      const { code, json } = await request("GET", `${web}?resourceVersion=999999`)
      expect([code, json.reason]).toEqual([504, "Timeout"])
      expect((await request("GET", `${web}?resourceVersion=abc`)).code).toBe(400)
    }))

  it.each([
    { path: "/healthz", text: "ok" },
    { path: "/livez", text: "ok" },
    { path: "/readyz", text: "ok" },
    { path: "/readyz/ping", text: "ok" }
  ])("$path is no object, and says that all is well", ({ path, text }) =>
    inWorld(async ({ request }) => {
      const reply = await request("GET", path)
      expect([reply.code, reply.text]).toEqual([200, text])
      expect(reply.headers["content-type"]).toMatch(/^text\/plain/)
    })
  )

  it("the version is that of the release whose rules hold", () =>
    inWorld(async ({ request }) => {
      expect((await request("GET", "/version")).json).toMatchObject({
        major: "1",
        minor: "36",
        gitVersion: expect.stringMatching(/^v1\.36\.\d+$/)
      })
    }))

  it("is shown to nobody who does not know the token", () =>
    inWorld(async ({ request }) => {
      for (const authorization of ["", "Bearer wrong", "Basic abc"]) {
        const reply = await request("GET", web, { headers: { authorization } })
        expect(told(reply)).toEqual({ code: 401, reason: "Unauthorized", message: "Unauthorized" })
      }
    }))
})

describe("what every cluster has", () => {
  it.each([
    ["/api/v1/namespaces", ["default", "kube-node-lease", "kube-public", "kube-system"]],
    ["/api/v1/nodes", ["node-1", "node-2", "node-3"]],
    ["/api/v1/namespaces/default/serviceaccounts", ["default"]],
    ["/api/v1/namespaces/default/configmaps", ["kube-root-ca.crt"]]
  ])("%s: %j", (path, names) =>
    inWorld(async ({ request }) => {
      const { json } = await request("GET", path)
      expect(json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(names)
    })
  )
})
