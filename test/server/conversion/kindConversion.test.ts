import { describe, expect, it } from "vitest"
import { patchType } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"

const coreEventsPath = "/api/v1/namespaces/default/events"
const eventsGroupPath = "/apis/events.k8s.io/v1/namespaces/default/events"
const v1Path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
const v2Path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"

const involvedObject = { kind: "Pod", name: "p", namespace: "default" }

describe("an event", () => {
  it("of the core group has the field names of events.k8s.io there", () =>
    withTestServer(async ({ request }) => {
      const body = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "seen" },
        involvedObject,
        reason: "Seen",
        message: "It was seen.",
        type: "Normal",
        count: 7,
        source: { component: "us" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:01:00Z"
      }
      await request("POST", coreEventsPath, { body })
      const { json } = await request("GET", `${eventsGroupPath}/seen`)
      expect(json).toMatchObject({
        kind: "Event",
        apiVersion: "events.k8s.io/v1",
        regarding: involvedObject,
        reason: "Seen",
        note: "It was seen.",
        type: "Normal",
        deprecatedCount: 7,
        deprecatedSource: { component: "us" },
        deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
        deprecatedLastTimestamp: "2026-01-01T00:01:00Z"
      })
      for (const field of ["involvedObject", "message", "count", "source"])
        expect(json).not.toHaveProperty(field)
    }))

  it("of events.k8s.io is shown, patched and deleted in both groups", () =>
    withTestServer(async ({ request }) => {
      const body = {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: "seen" },
        regarding: involvedObject,
        reason: "Seen",
        note: "It was seen.",
        type: "Normal",
        action: "Look",
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "us",
        reportingInstance: "us-1"
      }
      const { code, json } = await request("POST", eventsGroupPath, { body })
      expect([code, json.apiVersion, json.note]).toEqual([201, "events.k8s.io/v1", "It was seen."])
      const { json: old } = await request("GET", `${coreEventsPath}/seen`)
      expect(old).toMatchObject({
        apiVersion: "v1",
        involvedObject,
        message: "It was seen.",
        reportingComponent: "us",
        action: "Look"
      })
      const patched = await request("PATCH", `${eventsGroupPath}/seen`, {
        body: { note: "Again." },
        headers: patchType.merge
      })
      expect(patched.json.note).toBe("Again.")
      expect((await request("GET", `${coreEventsPath}/seen`)).json.message).toBe("Again.")
      await request("DELETE", `${coreEventsPath}/seen`)
      expect((await request("GET", `${eventsGroupPath}/seen`)).code).toBe(404)
    }))

  it("is watched in each group with that group's field names", () =>
    withTestServer(async (server) => {
      const [old, present] = [
        await server.watch(`${coreEventsPath}?watch=1`),
        await server.watch(`${eventsGroupPath}?watch=1`)
      ]
      const body = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "seen" },
        involvedObject,
        message: "Hello."
      }
      await server.request("POST", coreEventsPath, { body })
      const [[first], [second]] = [await old.next(1), await present.next(1)]
      expect([first.object.apiVersion, first.object.message]).toEqual(["v1", "Hello."])
      expect([second.object.apiVersion, second.object.note]).toEqual(["events.k8s.io/v1", "Hello."])
      for (const stream of [old, present]) stream.close()
    }))
})

describe("an autoscaler", () => {
  const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 7 }

  it("of autoscaling/v1 is one with a CPU metric in autoscaling/v2", () =>
    withTestServer(async ({ request }) => {
      const body = {
        apiVersion: "autoscaling/v1",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "web" },
        spec: { ...spec, targetCPUUtilizationPercentage: 80 }
      }
      const { code, json } = await request("POST", v1Path, { body })
      expect([code, json.apiVersion, json.spec.targetCPUUtilizationPercentage]).toEqual([
        201,
        "autoscaling/v1",
        80
      ])
      const { json: second } = await request("GET", `${v2Path}/web`)
      expect(second.apiVersion).toBe("autoscaling/v2")
      expect(second.spec.metrics).toEqual([
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } }
        }
      ])
      expect(second.spec.targetCPUUtilizationPercentage).toBeUndefined()
      const list = await request("GET", v1Path)
      expect([list.json.kind, list.json.apiVersion]).toEqual([
        "HorizontalPodAutoscalerList",
        "autoscaling/v1"
      ])
    }))
})
