import { describe, expect, it } from "vitest"
import { inWorld, token } from "./world.ts"

const authorization = "/apis/authorization.k8s.io/v1"
const authentication = "/apis/authentication.k8s.io/v1"
const everybody = { username: "charthouse-admin", groups: ["system:masters", "system:authenticated"] }
const getPods = { resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } }

describe("whoever has the token", () => {
  it.each([
    { path: "selfsubjectaccessreviews", spec: getPods, why: "of itself" },
    {
      path: "selfsubjectaccessreviews",
      spec: { nonResourceAttributes: { path: "/version", verb: "get" } },
      why: "path"
    },
    { path: "subjectaccessreviews", spec: { ...getPods, user: "somebody" }, why: "of somebody" },
    {
      path: "namespaces/default/localsubjectaccessreviews",
      spec: { ...getPods, groups: ["all"] },
      why: "in a namespace"
    }
  ])("may do everything when it asks for $why", ({ path, spec }) =>
    inWorld(async ({ request }) => {
      const { code, json } = await request("POST", `${authorization}/${path}`, { body: { spec } })
      expect({ code, spec: json.spec, status: json.status }).toEqual({
        code: 201,
        spec,
        status: { allowed: true }
      })
    })
  )

  it("is told every rule at once, as `kubectl auth can-i --list` asks for them", () =>
    inWorld(async ({ request }) => {
      const body = { spec: { namespace: "default" } }
      const { json } = await request("POST", `${authorization}/selfsubjectrulesreviews`, { body })
      expect(json.status).toMatchObject({
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, {}, {}],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        incomplete: false
      })
    }))

  it("is told who it is, as `kubectl auth whoami` asks for it", () =>
    inWorld(async ({ request }) => {
      const { code, json } = await request("POST", `${authentication}/selfsubjectreviews`, { body: {} })
      expect({ code, kind: json.kind, status: json.status }).toEqual({
        code: 201,
        kind: "SelfSubjectReview",
        status: { userInfo: everybody }
      })
    }))

  it.each([
    { asked: token, status: { authenticated: true, user: everybody } },
    { asked: "another", status: { authenticated: false, user: {}, error: "invalid bearer token" } }
  ])("learns whose a token is: $asked", ({ asked, status }) =>
    inWorld(async ({ request }) => {
      const body = { spec: { token: asked } }
      const { json } = await request("POST", `${authentication}/tokenreviews`, { body })
      expect(json.status).toEqual(status)
    })
  )
})

describe("a question that cannot be answered", () => {
  it.each([
    {
      path: `${authorization}/selfsubjectaccessreviews`,
      body: { spec: {} },
      code: 422,
      says:
        'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: ' +
        "exactly one of nonResourceAttributes or resourceAttributes must be specified"
    },
    {
      path: `${authorization}/subjectaccessreviews`,
      body: { spec: getPods },
      code: 422,
      says:
        'SubjectAccessReview.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user ' +
        "or group must be specified"
    },
    {
      path: `${authorization}/namespaces/kube-system/localsubjectaccessreviews`,
      body: { spec: { ...getPods, user: "somebody" } },
      code: 400,
      says: "spec.resourceAttributes.namespace must match namespace: kube-system"
    },
    {
      path: `${authentication}/tokenreviews`,
      body: { spec: {} },
      code: 422,
      says:
        'TokenReview.authentication.k8s.io "" is invalid: spec.token: Required value: token is required for ' +
        "TokenReview in authentication"
    }
  ])("is refused in the words of Kubernetes: $path", ({ path, body, code, says }) =>
    inWorld(async ({ request }) => {
      const answer = await request("POST", path, { body })
      expect({ code: answer.code, message: answer.json.message }).toEqual({ code, message: says })
    })
  )

  it("can only be asked, not read", () =>
    inWorld(async ({ request }) => {
      expect(await request("GET", `${authorization}/selfsubjectaccessreviews`)).toMatchObject({ code: 405 })
    }))
})
