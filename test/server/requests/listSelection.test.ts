import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aConfigMap, aPod, namesIn, statusSummary } from "../apiObjects.ts"
import { openTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

let server: TestServer
const configMaps = "/api/v1/namespaces/kube-public/configmaps"
const pods = "/api/v1/namespaces/kube-public/pods"

beforeAll(async () => {
  server = await openTestServer()
  const labelled: Readonly<Record<string, object>> = {
    a: { tier: "front", size: "3" },
    b: { tier: "back", size: "11" },
    c: { tier: "front", env: "" },
    d: {}
  }
  for (const [name, labels] of Object.entries(labelled)) {
    await server.request("POST", configMaps, {
      body: aConfigMap(name, {}, { labels: { ours: "yes", ...labels } })
    })
  }
  for (const [name, schedulerName] of [
    ["p", "mine"],
    ["q", "other"]
  ] as const) {
    const body = aPod({ name, pod: { schedulerName, restartPolicy: name === "p" ? "Never" : "Always" } })
    await server.request("POST", pods, { body })
  }
})
afterAll(() => server.close())

const select = (path: string, parameter: "labelSelector" | "fieldSelector", selector: string) =>
  server.request("GET", `${path}?${parameter}=${encodeURIComponent(selector)}`)

describe("a label selector", () => {
  it.each([
    ["tier=front", ["a", "c"]],
    ["tier==front", ["a", "c"]],
    ["tier!=front,ours", ["b", "d"]],
    ["tier in (front, back)", ["a", "b", "c"]],
    ["tier notin (front),ours=yes", ["b", "d"]],
    ["tier,size", ["a", "b"]],
    ["!tier,ours", ["d"]],
    ["size>3", ["b"]],
    ["size<4", ["a"]],
    ["env=", ["c"]],
    ["env in ()", ["c"]],
    ["ours=yes,tier=front,size=3", ["a"]],
    ["ours=no", []]
  ])("selects by %s", async (selector, names) => {
    const reply = await select(configMaps, "labelSelector", selector)
    expect(reply.code).toBe(200)
    expect(namesIn(reply)).toEqual(names)
  })

  it.each([
    "tier in front",
    "tier in (front",
    "tier=front,",
    "a b",
    "=front",
    "!",
    "tier===front",
    "size>many",
    "-x=y",
    "tier=-front-"
  ])("is refused with the reason: %s", async (selector) => {
    const { code, json } = await select(configMaps, "labelSelector", selector)
    expect([code, json.reason]).toEqual([400, "BadRequest"])
    expect(json.message).toMatch(/^unable to parse requirement: |^found '|: Invalid value: /)
  })
})

describe("a field selector", () => {
  it.each([
    [configMaps, "metadata.name=a", ["a"]],
    [configMaps, "metadata.name==a", ["a"]],
    [configMaps, "metadata.name!=a,metadata.name!=kube-root-ca.crt", ["b", "c", "d"]],
    [configMaps, "metadata.name=a,metadata.namespace=kube-public", ["a"]],
    [configMaps, "metadata.namespace=default", []],
    [pods, "spec.schedulerName=mine", ["p"]],
    [pods, "spec.restartPolicy!=Never", ["q"]],
    [pods, "status.phase=Pending", ["p", "q"]],
    [pods, "spec.nodeName=", ["p", "q"]],
    [pods, "spec.nodeName!=", []],
    [pods, "spec.hostNetwork=false", ["p", "q"]],
    ["/api/v1/nodes", "spec.unschedulable=false", ["node-1", "node-2", "node-3"]],
    ["/api/v1/namespaces", "status.phase=Active,metadata.name=default", ["default"]]
  ])("selects at %s by %s", async (path, selector, names) => {
    const reply = await select(path, "fieldSelector", selector)
    expect(reply.code).toBe(200)
    expect(namesIn(reply)).toEqual(names)
  })

  it("selects events by the field names of both their groups", async () => {
    const involvedObject = { kind: "Pod", name: "p", namespace: "kube-public", uid: "uid-p" }
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "seen" },
      involvedObject,
      reason: "Seen"
    }
    const path = "/api/v1/namespaces/kube-public/events"
    await server.request("POST", path, { body: { ...event, type: "Normal", source: { component: "us" } } })
    for (const selector of [
      "involvedObject.name=p,involvedObject.kind=Pod",
      "reason=Seen,type=Normal",
      "involvedObject.uid=uid-p",
      "source=us"
    ]) {
      expect(namesIn(await select(path, "fieldSelector", selector))).toEqual(["seen"])
    }
    const newer = "/apis/events.k8s.io/v1/namespaces/kube-public/events"
    expect(namesIn(await select(newer, "fieldSelector", "regarding.name=p,reason=Seen"))).toEqual(["seen"])
  })

  it.each([
    {
      path: configMaps,
      selector: "data.key=x",
      message: "field label not supported: data.key"
    },
    { path: pods, selector: "spec.image=x", message: "field label not supported: spec.image" },
    {
      path: "/apis/apps/v1/deployments",
      selector: "status.replicas=3",
      message: '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"'
    },
    {
      path: pods,
      selector: "metadata.name",
      message: "invalid selector: 'metadata.name'; can't understand 'metadata.name'"
    },
    {
      path: pods,
      selector: "metadata.name>a",
      message: "invalid selector: 'metadata.name>a'; can't understand 'metadata.name>a'"
    }
  ])("is refused at $path: $selector", async ({ path, selector, message }) => {
    const reply = await select(path, "fieldSelector", selector)
    expect(statusSummary(reply)).toEqual({
      code: 400,
      reason: "BadRequest",
      message:
        path === configMaps ? expect.stringMatching(/is not a known field selector|not supported/) : message
    })
  })

  it("restricts a label selector further", async () => {
    const { json } = await server.request(
      "GET",
      `${configMaps}?labelSelector=tier%3Dfront&fieldSelector=metadata.name%21%3Da`
    )
    expect(json.items.map(({ metadata }: Json) => metadata.name)).toEqual(["c"])
  })
})
