import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { readSnapshot } from "../../../src/cluster/snapshots/snapshotText.ts"
import { openTestServer } from "../testServer.ts"
import type { Json, Reply, TestServer } from "../testServer.ts"

const podsPath = "/api/v1/namespaces/default/pods"
const subresourcePath = `${podsPath}/web/ephemeralcontainers`
const strategicMergePatch = { "content-type": "application/strategic-merge-patch+json" }
const tools = { name: "tools", image: "busybox", targetContainerName: "app" }

const openServer = async (options: Parameters<typeof openTestServer>[0] = {}): Promise<TestServer> => {
  const server = await openTestServer({ behaviour: "steady", ...options })
  const spec = {
    containers: [{ name: "app", image: "a:1" }],
    volumes: [{ name: "data", emptyDir: {} }]
  }
  await server.request("POST", podsPath, { body: { metadata: { name: "web" }, spec } })
  await advance(server)
  return server
}

const advance = (server: TestServer, time = "1m"): Promise<void> =>
  Effect.runPromise(server.cluster.advance(time))

const podOf = async ({ request }: TestServer): Promise<Json> => (await request("GET", `${podsPath}/web`)).json

const addContainers = ({ request }: TestServer, ...containers: ReadonlyArray<object>): Promise<Reply> =>
  request("PATCH", subresourcePath, {
    body: { spec: { ephemeralContainers: containers } },
    headers: strategicMergePatch
  })

const conditionStatuses = (pod: Json): Json =>
  Object.fromEntries(pod.status.conditions.map(({ type, status }: Json) => [type, status]))

describe("an ephemeral container", () => {
  it("runs beside the others when it is added, and changes nothing else of its Pod", async () => {
    await using server = await openServer()
    const before = await podOf(server)
    const { code, json } = await addContainers(server, tools)
    expect([code, json.metadata.generation]).toEqual([200, before.metadata.generation + 1])
    expect(json.spec.ephemeralContainers).toEqual([
      {
        ...tools,
        imagePullPolicy: "Always",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File"
      }
    ])
    await advance(server)
    const after = await podOf(server)
    expect(after.status.ephemeralContainerStatuses).toEqual([
      {
        name: "tools",
        image: "busybox",
        imageID: "busybox",
        containerID: expect.stringMatching(/^containerd:/),
        ready: false,
        restartCount: 0,
        state: { running: { startedAt: expect.any(String) } },
        lastState: {}
      }
    ])
    expect([after.status.phase, conditionStatuses(after)]).toEqual([
      before.status.phase,
      conditionStatuses(before)
    ])
    expect(after.status.containerStatuses).toEqual(before.status.containerStatuses)
    const { json: events } = await server.request("GET", "/api/v1/namespaces/default/events")
    expect(
      events.items
        .filter((it: Json) => it.involvedObject.fieldPath === "spec.ephemeralContainers{tools}")
        .map(({ reason }: Json) => reason)
    ).toEqual(["Pulling", "Pulled", "Created", "Started"])
    expect(
      after.metadata.managedFields.find((it: Json) => it.subresource === "ephemeralcontainers").fieldsV1
    ).toHaveProperty(["f:spec", "f:ephemeralContainers", 'k:{"name":"tools"}', "f:image"])
  })

  it("has a log", async () => {
    await using server = await openServer()
    await addContainers(server, tools)
    await advance(server)
    const log = await server.request("GET", `${podsPath}/web/log?container=tools`)
    expect([log.code, log.text]).toEqual([200, "tools: busybox starts in web\n"])
  })

  it("ends as its behaviour says, and is not started again, while its Pod stays ready", async () => {
    const behaviour = {
      name: "short",
      containers: { tools: { exit: { after: "5s", code: 3, times: "forever" } } }
    } as const
    await using server = await openServer({ behaviour })
    await addContainers(server, tools)
    await advance(server, "5m")
    const pod = await podOf(server)
    const [{ state, restartCount }] = pod.status.ephemeralContainerStatuses
    expect([state.terminated.exitCode, restartCount]).toEqual([3, 0])
    expect([pod.status.phase, conditionStatuses(pod).Ready]).toEqual(["Running", "True"])
  })

  it("ends with its Pod", async () => {
    await using server = await openServer()
    await addContainers(server, tools)
    await advance(server)
    await server.request("DELETE", `${podsPath}/web`)
    await advance(server)
    expect((await server.request("GET", `${podsPath}/web`)).code).toBe(404)
  })

  it("is still there when the kubelet starts again", async () => {
    await using server = await openServer()
    await addContainers(server, tools)
    await advance(server)
    const before = await podOf(server)
    const { json } = await server.request("GET", "/charthouse/v1/snapshot")
    await using restored = await openTestServer({ from: readSnapshot(JSON.stringify(json)) })
    await advance(restored)
    expect((await podOf(restored)).status).toEqual(before.status)
    await addContainers(restored, { ...tools, name: "more" })
    await advance(restored)
    expect(
      (await podOf(restored)).status.ephemeralContainerStatuses.map(({ name, state }: Json) => [
        name,
        Object.keys(state)
      ])
    ).toEqual([
      ["tools", ["running"]],
      ["more", ["running"]]
    ])
  })

  it("can be read, and is added by a PUT to the subresource alone", async () => {
    await using server = await openServer()
    const pod = (await server.request("GET", subresourcePath)).json
    const labels = { color: "red" }
    const changed = {
      ...pod,
      metadata: { ...pod.metadata, labels },
      spec: { ...pod.spec, ephemeralContainers: [tools], hostname: "other" }
    }
    const { code, json } = await server.request("PUT", subresourcePath, { body: changed })
    expect([code, json.metadata.labels, json.spec.hostname]).toEqual([200, undefined, undefined])
    expect(json.spec.ephemeralContainers).toHaveLength(1)
    const { resourceVersion: _version, ...metadata } = json.metadata
    const refused = await server.request("PUT", `${podsPath}/web`, {
      body: { ...json, metadata, spec: { ...json.spec, ephemeralContainers: [] } }
    })
    expect([refused.code, refused.json.message]).toEqual([
      422,
      expect.stringContaining("pod updates may not change fields other than")
    ])
  })

  it.each([
    {
      why: "it has the name of another container",
      container: { ...tools, name: "app" },
      message: 'spec.ephemeralContainers[0].name: Duplicate value: "app"'
    },
    {
      why: "its target is no container of the Pod",
      container: { ...tools, targetContainerName: "none" },
      message: 'spec.ephemeralContainers[0].targetContainerName: Not found: "none"'
    },
    {
      why: "it has ports",
      container: { ...tools, ports: [{ containerPort: 80 }] },
      message: "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container"
    },
    {
      why: "it asks for resources",
      container: { ...tools, resources: { requests: { cpu: "1" } } },
      message: "spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container"
    },
    {
      why: "it has restart rules",
      container: { ...tools, restartPolicyRules: [{ action: "Restart" }] },
      message:
        "spec.ephemeralContainers[0].restartPolicyRules: Forbidden: cannot be set for an Ephemeral Container"
    },
    {
      why: "it has a probe",
      container: { ...tools, livenessProbe: { httpGet: { port: 80 } } },
      message:
        "spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container"
    },
    ...["startupProbe", "lifecycle"].map((field) => ({
      why: `it has an empty ${field}`,
      container: { ...tools, [field]: {} },
      message: expect.stringContaining(
        `spec.ephemeralContainers[0].${field}: Forbidden: cannot be set for an Ephemeral Container`
      )
    })),
    {
      why: "it mounts a part of a volume",
      container: { ...tools, volumeMounts: [{ name: "data", mountPath: "/data", subPath: "part" }] },
      message:
        "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container"
    },
    {
      why: "it has no image",
      container: { name: "tools" },
      message: "spec.ephemeralContainers[0].image: Required value"
    }
  ])("is refused when $why", async ({ container, message }) => {
    await using server = await openServer()
    const { code, json } = await addContainers(server, container)
    expect([code, json.message]).toEqual([
      422,
      typeof message === "string" ? `Pod "web" is invalid: ${message}` : message
    ])
  })

  it("may not be changed or removed once it is there", async () => {
    await using server = await openServer()
    await addContainers(server, tools)
    const changed = await addContainers(server, { ...tools, image: "other" })
    expect(changed.json.message).toMatch(
      /^Pod "web" is invalid: spec\.ephemeralContainers: Forbidden: existing ephemeral containers "tools" may not be changed\n/
    )
    const removed = await server.request("PATCH", subresourcePath, {
      body: [{ op: "remove", path: "/spec/ephemeralContainers/0" }],
      headers: { "content-type": "application/json-patch+json" }
    })
    expect(removed.json.message).toBe(
      'Pod "web" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers "tools" may not be removed\n'
    )
  })

  it("cannot be set when its Pod is created", async () => {
    await using server = await openServer()
    const spec = { containers: [{ name: "app", image: "a:1" }], ephemeralContainers: [tools] }
    const { json } = await server.request("POST", podsPath, { body: { metadata: { name: "new" }, spec } })
    expect(json.message).toBe(
      'Pod "new" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create'
    )
  })
})
