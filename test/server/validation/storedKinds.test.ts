import { expect, it } from "vitest"
import { patchType } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import { invalid, invalidStatus, required } from "./validationCauses.ts"

const batch = "/apis/batch/v1/namespaces/default/jobs"
const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
const group = "rbac.authorization.k8s.io"

it("a Job whose Pods never end is answered with 422 and its causes, and is not stored", () =>
  withTestServer(async ({ request }) => {
    const podSpec = { containers: [{ name: "pi", image: "perl" }] }
    const body = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "pi" },
      spec: { template: { spec: podSpec } }
    }
    const { code, json } = await request("POST", batch, { body })
    const why = 'valid values: "OnFailure", "Never"'
    expect([code, json]).toEqual([
      422,
      invalidStatus(body, [required("spec.template.spec.restartPolicy", why)])
    ])
    expect((await request("GET", `${batch}/pi`)).code).toBe(404)
  }))

it("the role of a stored RoleBinding cannot be changed by any write", () =>
  withTestServer(async ({ request }) => {
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: "view" }
    const body = {
      apiVersion: `${group}/v1`,
      kind: "RoleBinding",
      metadata: { name: "readers" },
      roleRef,
      subjects: []
    }
    expect((await request("POST", bindings, { body })).code).toBe(201)
    const shown = `{"APIGroup":"${group}","Kind":"ClusterRole","Name":"edit"}`
    const refused = [422, invalidStatus(body, [invalid("roleRef", shown, "cannot change roleRef")])]
    const other = { ...body, roleRef: { ...roleRef, name: "edit" } }
    const put = await request("PUT", `${bindings}/readers`, { body: other })
    const patch = { body: { roleRef: { name: "edit" } }, headers: patchType.merge }
    const patched = await request("PATCH", `${bindings}/readers`, patch)
    expect([
      [put.code, put.json],
      [patched.code, patched.json]
    ]).toEqual([refused, refused])
  }))
