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

const patch = (path: string, body: Json, type = "strategic-merge-patch") =>
  server.request("PATCH", path, { body, headers: { "content-type": `application/${type}+json` } })

const withNamespace = async (name: string, labels: Json, pods: ReadonlyArray<Json> = []): Promise<string> => {
  const path = `/api/v1/namespaces/${name}`
  await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } })
  for (const draft of pods) expect((await post(`${path}/pods`, draft)).code).toBe(201)
  await patch(path, { metadata: { labels: labelsOf(labels) } })
  return path
}
const labelsOf = (labels: Json): Json =>
  Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, value])
  )

const privileged = { name: "tools", image: "tools", securityContext: { privileged: true } }
const privilegedText = 'privileged (container "tools" must not set securityContext.privileged=true)'

it("refuses an ephemeral container that violates what the Namespace enforces", async () => {
  const path = await withNamespace("debugged", { enforce: "baseline" }, [pod()])
  const ephemeral = (container: Json): Json => ({ spec: { ephemeralContainers: [container] } })
  const refused = await patch(`${path}/pods/app/ephemeralcontainers`, ephemeral(privileged))
  expect([refused.code, refused.json.message]).toEqual([
    403,
    `pods "app" is forbidden: violates PodSecurity "baseline:latest": ${privilegedText}`
  ])
  const added = await patch(
    `${path}/pods/app/ephemeralcontainers`,
    ephemeral({ name: "tools", image: "tools" })
  )
  expect([added.code, added.headers.warning]).toEqual([200, undefined])
})

it("warns of an ephemeral container that violates what the Namespace warns of", async () => {
  const path = await withNamespace("warned", { warn: "baseline" }, [pod()])
  const { code, headers } = await patch(`${path}/pods/app/ephemeralcontainers`, {
    spec: { ephemeralContainers: [privileged] }
  })
  expect([code, headers.warning]).toEqual([
    200,
    `299 - ${JSON.stringify(`would violate PodSecurity "baseline:latest": ${privilegedText}`)}`
  ])
})

it("refuses a new image of a Pod that violates what its Namespace enforces since, and no other update", async () => {
  const path = await withNamespace("enforced", { enforce: "baseline" }, [pod({ hostPID: true })])
  const changes = [
    { metadata: { labels: { color: "red" } } },
    { spec: { activeDeadlineSeconds: 60 } },
    { spec: { containers: [{ name: "app", image: "app:2" }] } },
    { metadata: { annotations: { "container.seccomp.security.alpha.kubernetes.io/app": "unconfined" } } }
  ]
  const codes: Array<number> = []
  for (const change of changes) codes.push((await patch(`${path}/pods/app`, change)).code)
  expect(codes).toEqual([200, 200, 403, 403])
})

it("warns of the Pods that violate what their Namespace newly enforces", async () => {
  const named = (name: string, more: object): Json => ({ ...pod(more), metadata: { name } })
  const path = await withNamespace("tightened", {}, [
    named("c", { hostPID: true }),
    named("b", { hostPID: true }),
    named("a", {}),
    named("d", { hostNetwork: true, containers: [privileged] })
  ])
  const warningsAfter = async (labels: Json): Promise<string | undefined> =>
    (await patch(path, { metadata: { labels: labelsOf(labels) } })).headers.warning as string | undefined
  const baseline = (version: string): ReadonlyArray<string> => [
    `existing pods in namespace "tightened" violate the new PodSecurity enforce level "baseline:${version}"`,
    "b (and 1 other pod): host namespaces",
    "d: host namespaces, privileged"
  ]
  const header = (texts: ReadonlyArray<string>): string =>
    texts.map((text) => `299 - ${JSON.stringify(text)}`).join(", ")
  expect(await warningsAfter({ warn: "restricted" })).toBe(undefined)
  expect(await warningsAfter({ enforce: "baseline" })).toBe(header(baseline("latest")))
  expect(await warningsAfter({ "enforce-version": "v1.30" })).toBe(header(baseline("v1.30")))
  expect(await warningsAfter({ color: "red" })).toBe(undefined)
  expect(await warningsAfter({ enforce: "privileged" })).toBe(undefined)
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
