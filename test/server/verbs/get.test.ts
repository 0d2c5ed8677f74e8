import { describe, expect, it } from "vitest"
import { aDeployment, deployments, statusSummary } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"

const web = `${deployments}/web`

describe("GET of an object", () => {
  it("answers with kind, apiVersion and the stored spec", () =>
    withTestServer(async ({ request }) => {
      const { json: made } = await request("POST", `${deployments}?fieldManager=us`, { body: aDeployment() })
      const { code, json } = await request("GET", web)
      expect([code, json.kind, json.apiVersion]).toEqual([200, "Deployment", "apps/v1"])
      expect(json.metadata.uid).toBe(made.metadata.uid)
      expect(json.spec).toEqual(made.spec)
    }))

  it("with resourceVersion waits for a version that the cluster has reached, else times out", () =>
    withTestServer(async ({ request }) => {
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
  ])("$path answers ok in plain text", ({ path, text }) =>
    withTestServer(async ({ request }) => {
      const reply = await request("GET", path)
      expect([reply.code, reply.text]).toEqual([200, text])
      expect(reply.headers["content-type"]).toMatch(/^text\/plain/)
    })
  )

  it("/version is that of the Kubernetes release whose rules hold", () =>
    withTestServer(async ({ request }) => {
      expect((await request("GET", "/version")).json).toMatchObject({
        major: "1",
        minor: "36",
        gitVersion: expect.stringMatching(/^v1\.36\.\d+$/)
      })
    }))

  it("is refused with 401 without the token", () =>
    withTestServer(async ({ request }) => {
      for (const authorization of ["", "Bearer wrong", "Basic abc"]) {
        const reply = await request("GET", web, { headers: { authorization } })
        expect(statusSummary(reply)).toEqual({ code: 401, reason: "Unauthorized", message: "Unauthorized" })
      }
    }))
})

describe("a new cluster has", () => {
  it.each([
    ["/api/v1/namespaces", ["default", "kube-node-lease", "kube-public", "kube-system"]],
    ["/api/v1/nodes", ["node-1", "node-2", "node-3"]],
    ["/api/v1/namespaces/default/serviceaccounts", ["default"]],
    ["/api/v1/namespaces/default/configmaps", ["kube-root-ca.crt"]]
  ])("%s: %j", (path, names) =>
    withTestServer(async ({ request }) => {
      const { json } = await request("GET", path)
      expect(json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(names)
    })
  )
})
