import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, aPod, configMaps, deployments, pods, statusSummary } from "../apiObjects.ts"
import { openTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

const namespaces = "/api/v1/namespaces"
const services = "/api/v1/namespaces/default/services"
const owner = (kind: string, more: object = {}): Json => ({
  apiVersion: "v1",
  kind,
  name: kind.toLowerCase(),
  uid: `uid-${kind}`,
  ...more
})
const aNamespace = (name: string): Json => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
const aService = (name: string): Json => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [{ port: 80 }] }
})

describe("metadata is refused", () => {
  it.each([
    {
      path: deployments,
      body: aDeployment({ name: "Web_1" }),
      message: `Deployment.apps "Web_1" is invalid: metadata.name: Invalid value: "Web_1": ${subdomain}`,
      why: "a Deployment's name with capitals"
    },
    {
      path: deployments,
      body: aDeployment({ name: "w".repeat(254) }),
      message: `Deployment.apps "${"w".repeat(254)}" is invalid: metadata.name: Invalid value: "${"w".repeat(254)}": must be no more than 253 characters`,
      why: "a Deployment's name over 253 characters"
    },
    {
      path: namespaces,
      body: aNamespace("my.shop"),
      message:
        'Namespace "my.shop" is invalid: metadata.name: Invalid value: "my.shop": must not contain dots',
      why: "a namespace's name with a dot"
    },
    {
      path: namespaces,
      body: aNamespace("My.Shop"),
      message: `Namespace "My.Shop" is invalid: metadata.name: Invalid value: "My.Shop": ${label}`,
      why: "a namespace's name with a dot and capitals"
    },
    {
      path: namespaces,
      body: aNamespace("n".repeat(64)),
      message: `Namespace "${"n".repeat(64)}" is invalid: [metadata.name: Invalid value: "${"n".repeat(64)}": must be no more than 63 characters, metadata.labels: Invalid value: "${"n".repeat(64)}": must be no more than 63 bytes]`,
      why: "a namespace's name over 63 characters, which is a label value too"
    },
    {
      path: services,
      body: aService("web_a"),
      message: `Service "web_a" is invalid: metadata.name: Invalid value: "web_a": ${label}`,
      why: "a Service's name with an underscore"
    },
    {
      path: configMaps,
      body: aConfigMap("a", {}, { labels: { tier: "-x" } }),
      message: `ConfigMap "a" is invalid: metadata.labels: Invalid value: "-x": ${labelValue}`,
      why: "a label value that begins with a hyphen"
    },
    {
      path: configMaps,
      body: aConfigMap("a", {}, { labels: { tier: "x".repeat(64) } }),
      message: `ConfigMap "a" is invalid: metadata.labels: Invalid value: "${"x".repeat(64)}": must be no more than 63 bytes`,
      why: "a label value over 63 bytes"
    },
    {
      path: configMaps,
      body: aConfigMap("a", {}, { labels: { "-x": "y" } }),
      message: `ConfigMap "a" is invalid: metadata.labels: Invalid value: "-x": ${namePart}`,
      why: "a label key that begins with a hyphen"
    },
    {
      path: configMaps,
      body: aConfigMap("a", {}, { labels: { "Example.com/x": "y" } }),
      message: `ConfigMap "a" is invalid: metadata.labels: Invalid value: "Example.com/x": prefix part ${subdomain}`,
      why: "a label prefix that is no domain"
    },
    {
      path: configMaps,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      why: "an object without name or generateName"
    },
    {
      path: configMaps,
      body: aConfigMap("a", {}, { annotations: { note: "x".repeat(262_141) } }),
      message: 'ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
      why: "annotations over 256 KiB"
    },
    {
      path: configMaps,
      body: aConfigMap(
        "a",
        {},
        {
          ownerReferences: [owner("Pod", { controller: true }), owner("Node", { controller: true })]
        }
      ),
      message: expect.stringMatching(
        /^ConfigMap "a" is invalid: metadata\.ownerReferences: Invalid value: .*: Only one reference can have Controller set to true\. Found "true" in references for Pod\/pod and Node\/node$/
      ),
      why: "two owner references with controller: true"
    },
    {
      path: configMaps,
      body: aConfigMap("a", {}, { ownerReferences: [owner("Pod", { uid: "" })] }),
      message: 'ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      why: "an owner reference without uid"
    },
    {
      path: configMaps,
      body: aConfigMap("a", {}, { finalizers: ["orphan", "foregroundDeletion"] }),
      message:
        'ConfigMap "a" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      why: "the finalizers orphan and foregroundDeletion together"
    }
  ])("$why", async ({ path, body, message }) => {
    const reply = await server.request("POST", path, { body })
    expect(statusSummary(reply)).toEqual({ code: 422, reason: "Invalid", message })
    expect(reply.json.details.name).toBe(body.metadata.name ?? "")
    expect(reply.json.details.causes.length).toBeGreaterThan(0)
  })

  it("warns of a Deployment's name that is no DNS label", async () => {
    const body = aDeployment({ name: "web.v1" })
    const { code, headers } = await server.request("POST", `${deployments}?dryRun=All`, { body })
    expect(code).toBe(201)
    expect(headers.warning).toBe(
      '299 - "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"'
    )
  })
})

describe("a Pod is refused", () => {
  it.each([
    {
      pod: { containers: [{ name: "app", image: " nginx" }] },
      field: "spec.containers[0].image",
      message: 'Invalid value: " nginx": must not have leading or trailing whitespace',
      why: "whose image begins with a space"
    },
    {
      pod: { containers: [{ name: "App", image: "nginx" }] },
      field: "spec.containers[0].name",
      message: `Invalid value: "App": ${label}`,
      why: "whose container name is no DNS label"
    },
    {
      pod: { containers: [{ name: "app", image: "nginx" }], restartPolicy: "Sometimes" },
      field: "spec.restartPolicy",
      message: 'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      why: "with an unknown restartPolicy"
    }
  ])("$why", async ({ pod, field, message }) => {
    const { code, json } = await server.request("POST", pods, { body: aPod({ pod }) })
    expect(code).toBe(422)
    expect(json.details).toMatchObject({ name: "web-1", kind: "Pod", causes: [{ field, message }] })
  })
})

const wrongType = (path: string, body: Json): { readonly path: string; readonly body: Json } => ({
  path,
  body
})
const cannot = (kind: string, version: string, why: string): string =>
  `${kind} in version "${version}" cannot be handled as a ${kind}: json: cannot unmarshal ${why}`

describe("a request body is refused with 400", () => {
  it.each([
    {
      ...wrongType(deployments, aDeployment({ spec: { replicas: "three" } })),
      message: cannot(
        "Deployment",
        "v1",
        "string into Go struct field DeploymentSpec.spec.replicas of type int32"
      ),
      why: "whose replicas is a string"
    },
    {
      ...wrongType(deployments, aDeployment({ spec: { replicas: 1.5 } })),
      message: cannot(
        "Deployment",
        "v1",
        "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32"
      ),
      why: "whose replicas is a fraction"
    },
    {
      ...wrongType(deployments, aDeployment({ spec: { paused: "yes" } })),
      message: cannot(
        "Deployment",
        "v1",
        "string into Go struct field DeploymentSpec.spec.paused of type bool"
      ),
      why: "whose paused is a string"
    },
    {
      ...wrongType(configMaps, aConfigMap("a", { port: 80 })),
      message: cannot("ConfigMap", "v1", "number into Go struct field ConfigMap.data of type string"),
      why: "whose ConfigMap value is a number"
    },
    {
      ...wrongType(deployments, { ...aDeployment(), apiVersion: "apps/v1beta1" }),
      message: "the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)",
      why: "of another API version than the URL's"
    },
    {
      ...wrongType(deployments, { ...aDeployment(), metadata: { name: "web", namespace: "shop" } }),
      message: "the namespace of the provided object does not match the namespace sent on the request",
      why: "of another namespace than the URL's"
    }
  ])("$why", async ({ path, body, message }) => {
    const { code, json } = await server.request("POST", path, { body })
    expect(json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason: "BadRequest",
      code: 400
    })
    expect(code).toBe(400)
  })

  it.each([
    { body: "", why: "that is empty" },
    { body: "{", why: "that ends too early" },
    { body: "[]", why: "that is a list" },
    { body: "17", why: "that is a number" },
    { body: "null", why: "that is null" },
    { body: '{"kind":"Deployment","apiVersion":"apps/v1","metadata":[]}', why: "whose metadata is a list" },
    { body: '{"kind":"Service","apiVersion":"apps/v1"}', why: "of another kind" }
  ])("$why", async ({ body }) => {
    const headers = { "content-type": "application/json" }
    const { code, json } = await server.request("POST", deployments, { body, headers })
    expect([code, json.reason, json.status]).toEqual([400, "BadRequest", "Failure"])
  })

  it("with 413 beyond three mebibytes", async () => {
    const body = aConfigMap("a", { key: "x".repeat(3 * 1024 * 1024) })
    expect(statusSummary(await server.request("POST", configMaps, { body }))).toEqual({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 3145728"
    })
  })
})

describe("a path or object that does not exist is answered with", () => {
  const notFound = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "the server could not find the requested resource",
    reason: "NotFound",
    details: {},
    code: 404
  }

  it.each([
    { path: "/api/v1/foos", why: "an unknown resource" },
    { path: "/apis/apps/v9/deployments", why: "an unknown version" },
    { path: `${deployments}/web/nope`, why: "an unknown subresource" },
    { path: "/api/v1/namespaces/default/nodes/node-1", why: "a node in a namespace" },
    { path: "/apis/apps/v1/deployments/web", why: "a Deployment without a namespace" },
    { path: `${pods}/a/log/b/c`, why: "a path with too many segments" }
  ])("a NotFound Status: $why", async ({ path }) => {
    for (const method of ["GET", "DELETE", "PATCH"]) {
      const { code, json } = await server.request(method, path)
      expect({ code, json }).toEqual({ code: 404, json: notFound })
    }
  })

  it.each(["/foo", "/api/v9/pods", "/apis/nope", "/apis/nope/v1/things", "/apis/nope/v1/things/x"])(
    "a line of text, outside all known groups: %s",
    async (path) => {
      for (const method of ["GET", "POST"]) {
        const { code, text, headers } = await server.request(method, path)
        expect([code, text, headers["content-type"]]).toEqual([
          404,
          "404 page not found\n",
          "text/plain; charset=utf-8"
        ])
      }
    }
  )

  it.each([
    {
      path: `${deployments}/nope`,
      details: { name: "nope", group: "apps", kind: "deployments" },
      message: 'deployments.apps "nope" not found'
    },
    { path: `${pods}/nope`, details: { name: "nope", kind: "pods" }, message: 'pods "nope" not found' },
    {
      path: "/api/v1/nodes/nope",
      details: { name: "nope", kind: "nodes" },
      message: 'nodes "nope" not found'
    }
  ])("a NotFound Status with resource and name: $message", async ({ path, details, message }) => {
    for (const method of ["GET", "DELETE"]) {
      const { json } = await server.request(method, path)
      expect(json).toEqual({ ...notFound, message, details })
    }
  })
})

describe("a method is refused with 405", () => {
  it.each([
    { method: "POST", path: `${deployments}/web`, why: "POST to a named object" },
    { method: "PUT", path: deployments, why: "PUT to a collection" },
    { method: "PATCH", path: deployments, why: "PATCH to a collection" },
    { method: "DELETE", path: "/apis/apps/v1/deployments", why: "DELETE across namespaces" },
    { method: "POST", path: "/apis/apps/v1/deployments", why: "POST across namespaces" },
    { method: "DELETE", path: namespaces, why: "DELETE of all namespaces" },
    { method: "POST", path: `${deployments}/web/status`, why: "POST to /status" },
    { method: "DELETE", path: `${deployments}/web/scale`, why: "DELETE of /scale" },
    { method: "OPTIONS", path: deployments, why: "OPTIONS" },
    { method: "POST", path: "/version", why: "POST to /version" }
  ])("$why", async ({ method, path }) => {
    const { json } = await server.request(method, path)
    expect(json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "the server does not allow this method on the requested resource",
      reason: "MethodNotAllowed",
      details: {},
      code: 405
    })
  })
})
