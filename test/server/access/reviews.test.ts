import { describe, expect, it } from "vitest"
import { withTestServer, token } from "../testServer.ts"

const authorization = "/apis/authorization.k8s.io/v1"
const authentication = "/apis/authentication.k8s.io/v1"
const adminUser = { username: "charthouse-admin", groups: ["system:masters", "system:authenticated"] }
const getPods = { resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } }

describe("a client with the token", () => {
  it.each([
    { path: "selfsubjectaccessreviews", spec: getPods, why: "for itself" },
    {
      path: "selfsubjectaccessreviews",
      spec: { nonResourceAttributes: { path: "/version", verb: "get" } },
      why: "for a path"
    },
    { path: "subjectaccessreviews", spec: { ...getPods, user: "jane" }, why: "for another user" },
    {
      path: "namespaces/default/localsubjectaccessreviews",
      spec: { ...getPods, groups: ["all"] },
      why: "in a namespace"
    }
  ])("is allowed everything in an access review $why", ({ path, spec }) =>
    withTestServer(async ({ request }) => {
      const { code, json } = await request("POST", `${authorization}/${path}`, { body: { spec } })
      expect({ code, spec: json.spec, status: json.status }).toEqual({
        code: 201,
        spec,
        status: { allowed: true }
      })
    })
  )

  it("may send the empty metadata of Go's clients", () =>
    withTestServer(async ({ request }) => {
      const body = { metadata: { creationTimestamp: null, labels: {} }, spec: getPods }
      expect(await request("POST", `${authorization}/selfsubjectaccessreviews`, { body })).toMatchObject({
        code: 201
      })
    }))

  it("gets all rules in a rules review, as `kubectl auth can-i --list` requests", () =>
    withTestServer(async ({ request }) => {
      const body = { spec: { namespace: "default" } }
      const { json } = await request("POST", `${authorization}/selfsubjectrulesreviews`, { body })
      expect(json.status).toMatchObject({
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, {}, {}],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        incomplete: false
      })
    }))

  it("gets its user in a SelfSubjectReview, as `kubectl auth whoami` requests", () =>
    withTestServer(async ({ request }) => {
      const { code, json } = await request("POST", `${authentication}/selfsubjectreviews`, { body: {} })
      expect({ code, kind: json.kind, status: json.status }).toEqual({
        code: 201,
        kind: "SelfSubjectReview",
        status: { userInfo: adminUser }
      })
    }))

  it.each([
    { reviewed: token, status: { authenticated: true, user: adminUser } },
    { reviewed: "another", status: { authenticated: false, user: {}, error: "invalid bearer token" } }
  ])("gets the user of a token in a TokenReview: $reviewed", ({ reviewed, status }) =>
    withTestServer(async ({ request }) => {
      const body = { spec: { token: reviewed } }
      const { json } = await request("POST", `${authentication}/tokenreviews`, { body })
      expect(json.status).toEqual(status)
    })
  )
})

describe("an invalid review", () => {
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
      body: { spec: { ...getPods, user: "jane" } },
      code: 422,
      says:
        'LocalSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid ' +
        'value: "default": must match metadata.namespace'
    },
    {
      path: `${authorization}/namespaces/default/localsubjectaccessreviews`,
      body: {
        metadata: { name: "mine" },
        spec: { nonResourceAttributes: { path: "/version" }, user: "jane" }
      },
      code: 422,
      says:
        'LocalSubjectAccessReview.authorization.k8s.io "" is invalid: [metadata: Invalid value: ' +
        '{"name":"mine","namespace":"default"}: must be empty except for namespace, spec.nonResourceAttributes: ' +
        'Invalid value: {"path":"/version"}: disallowed on this kind of request]'
    },
    {
      path: `${authorization}/selfsubjectaccessreviews`,
      body: { metadata: { labels: { app: "web" } }, spec: getPods },
      code: 422,
      says:
        'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: metadata: Invalid value: ' +
        '{"labels":{"app":"web"}}: must be empty'
    },
    {
      path: `${authentication}/tokenreviews`,
      body: { spec: {} },
      code: 422,
      says:
        'TokenReview.authentication.k8s.io "" is invalid: spec.token: Required value: token is required for ' +
        "TokenReview in authentication"
    }
  ])("is refused with Kubernetes' message: $path", ({ path, body, code, says }) =>
    withTestServer(async ({ request }) => {
      const answer = await request("POST", path, { body })
      expect({ code: answer.code, message: answer.json.message }).toEqual({ code, message: says })
    })
  )

  it("is refused with 405 for GET", () =>
    withTestServer(async ({ request }) => {
      expect(await request("GET", `${authorization}/selfsubjectaccessreviews`)).toMatchObject({ code: 405 })
    }))
})
