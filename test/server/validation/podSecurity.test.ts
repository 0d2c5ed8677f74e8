import { afterAll, beforeAll, expect, it } from "vitest"
import { openTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  const labels = {
    "pod-security.kubernetes.io/enforce": "baseline",
    "pod-security.kubernetes.io/warn": "restricted"
  }
  await post("/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "safe", labels }
  })
})
afterAll(() => server.close())

const post = (path: string, body: Json) => server.request("POST", path, { body })

const spec = (more: object = {}) => ({ containers: [{ name: "app", image: "app" }], ...more })
const pod = (more: object = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "app" },
  spec: spec(more)
})
const labels = { app: "web" }
const deployment = (replicas: number): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: spec() } }
})

const restricted =
  'allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "app" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "app" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "app" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
const warning = `299 - ${JSON.stringify(`would violate PodSecurity "restricted:latest": ${restricted}`)}`

it("refuses a Pod that violates what its Namespace enforces", async () => {
  const { code, json } = await post("/api/v1/namespaces/safe/pods", pod({ hostPID: true }))
  expect({ code, message: json.message, reason: json.reason }).toEqual({
    code: 403,
    message:
      'pods "app" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    reason: "Forbidden"
  })
})

it("warns of what a Pod and a workload would violate, on create and on update", async () => {
  const pods = await post("/api/v1/namespaces/safe/pods", pod())
  const created = await post("/apis/apps/v1/namespaces/safe/deployments", deployment(1))
  const updated = await server.request("PUT", "/apis/apps/v1/namespaces/safe/deployments/web", {
    body: deployment(2)
  })
  expect([pods, created, updated].map(({ code, headers }) => [code, headers.warning])).toEqual([
    [201, warning],
    [201, warning],
    [200, warning]
  ])
})

it("refuses a Namespace with a level that does not exist, unless it had one before", async () => {
  const namespace = (level: string): Json => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "other", labels: { "pod-security.kubernetes.io/enforce": level } }
  })
  const { code, json } = await post("/api/v1/namespaces", namespace("strict"))
  expect({ code, message: json.message }).toEqual({
    code: 422,
    message:
      'Namespace "other" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted'
  })
  expect((await post("/api/v1/namespaces", namespace("baseline"))).code).toBe(201)
  const update = await server.request("PUT", "/api/v1/namespaces/other", { body: namespace("strict") })
  expect(update.code).toBe(422)
})

it("cuts each of many long warnings, and leaves the last ones out", async () => {
  const containers = Array.from({ length: 40 }, (_, index) => ({
    name: `app-${index}`,
    image: "app",
    ports: [{ containerPort: 80, hostIP: "127.0.0.1", name: "x".repeat(15) }]
  }))
  const { code, headers } = await post("/api/v1/namespaces/default/pods", pod({ containers }))
  const text = String(headers.warning)
  expect({ code, isCut: text.length > 3000 && text.length < 5000 }).toEqual({ code: 201, isCut: true })
})
