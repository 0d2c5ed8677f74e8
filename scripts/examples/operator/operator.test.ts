// npx vitest run scripts/examples/operator/operator.test.ts
//
// The operator keeps Websites: a Deployment each, an address that a finalizer gives back, and a check every hour.
import { answerWith, refuse } from "charthouse"
import { test } from "charthouse/vitest"
import { describe, expect } from "vitest"
import { addressBook } from "./reconcileWebsite.ts"
import { startWebsiteOperator } from "./websiteOperator.ts"
import { websiteDefinition, websites } from "./website.ts"
import type { ClusterUnderTest } from "charthouse/testing"

const home = { resource: websites, name: "home" } as const
const homeDeployment = { resource: "deployments.apps", name: "home" } as const
const addresses = { resource: "configmaps", name: addressBook } as const

const manifest = (spec: object) => ({
  apiVersion: "example.com/v1",
  kind: "Website",
  metadata: { name: "home" },
  spec: { html: "<h1>Hello</h1>", ...spec }
})

/** The operator lives in the test's process: no socket, and its timers are those of the cluster. */
const operate = (cluster: ClusterUnderTest) =>
  startWebsiteOperator({ fetch: cluster.fetch, url: "http://cluster", timers: cluster.timers })

describe("a Website", () => {
  test("gets a Deployment, an address and a status", async ({ cluster, object }) => {
    await cluster.apply(websiteDefinition)
    using _operator = operate(cluster)
    await cluster.apply(manifest({ replicas: 3 }))
    await expect(object(home)).toEventuallyMatch({ status: { observedGeneration: 1, readyReplicas: 3 } })
    await expect(object(addresses)).toEventuallyMatch({ data: { home: "https://home.example.com" } })
    const { metadata } = await object(homeDeployment)()
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Website", name: "home", controller: true }])
  })

  test("rolls out when its page changes", async ({ cluster, object }) => {
    await cluster.apply(websiteDefinition)
    using _operator = operate(cluster)
    await cluster.apply(manifest({ replicas: 2 }))
    await expect(object(home)).toEventuallyMatch({ status: { readyReplicas: 2 } })
    await cluster.patch(home, { spec: { html: "<h1>Bye</h1>" } })
    await expect(object(homeDeployment)).toEventuallyMatch({ metadata: { generation: 2 } })
    await expect(cluster).toRollOut("home")
  })

  test("gives its address back before it is deleted", async ({ cluster, object, eventually }) => {
    await cluster.apply(websiteDefinition)
    using _operator = operate(cluster)
    await cluster.apply(manifest({ replicas: 1 }))
    await expect(object(addresses)).toEventuallyMatch({ data: { home: "https://home.example.com" } })
    await cluster.delete(home)
    await eventually(async () => {
      expect((await cluster.list(websites)).items).toEqual([])
      expect((await object(addresses)()).data ?? {}).toEqual({})
      // The garbage collector deletes what the Website owned.
      expect((await cluster.list("deployments.apps")).items).toEqual([])
      expect((await cluster.list("pods")).items).toEqual([])
    })
  })

  test("is checked every hour", async ({ cluster, object }) => {
    await cluster.apply(websiteDefinition)
    using _operator = operate(cluster)
    await cluster.apply(manifest({}))
    await expect(object(home)).toEventuallyMatch({ status: { readyReplicas: 1 } })
    const checkedAt = async (): Promise<number> => Date.parse((await object(home)()).status?.checkedAt ?? "")
    const first = await checkedAt()
    await cluster.advance("59m")
    expect(await checkedAt()).toBe(first)
    await cluster.advance("3h")
    expect(((await checkedAt()) - first) / 3_600_000).toBe(3)
    const requestsIn = async (duration: string): Promise<number> => {
      const before = cluster.requests.seen()
      await cluster.advance(duration)
      return cluster.requests.seen() - before
    }
    // The tenth hour costs what the first did: no timer is left behind.
    const requestsInHour = await requestsIn("1h")
    await cluster.advance("8h")
    expect(await requestsIn("1h")).toBe(requestsInHour)
  })
})

describe("the operator", () => {
  test("reads again after a conflict", async ({ cluster, object }) => {
    await cluster.apply(websiteDefinition)
    cluster.intercept({ verb: "update", resource: websites, times: 2 }, refuse(409))
    using _operator = operate(cluster)
    await cluster.apply(manifest({}))
    await expect(object(home)).toEventuallyMatch({ status: { readyReplicas: 1 } })
    const codes = cluster.requests.all({ verb: "update", resource: websites }).map(({ code }) => code)
    expect(codes.slice(0, 3)).toEqual([409, 409, 200])
  })

  test("lists again after 410 Gone, and misses nothing", async ({ cluster, object }) => {
    await cluster.apply(websiteDefinition)
    const gone = { kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired" }
    cluster.intercept({ verb: "watch", resource: websites, times: 3 }, answerWith(gone, 410))
    using _operator = operate(cluster)
    await cluster.apply(manifest({ replicas: 2 }))
    await expect(object(home)).toEventuallyMatch({ status: { readyReplicas: 2 } })
    await cluster.advance("1m")
    const lists = cluster.requests.all({ verb: "list", resource: websites })
    expect(lists.length).toBeGreaterThanOrEqual(4)
  })

  test("does not give up, nor ask without a pause, while every watch is refused", async ({
    cluster,
    object
  }) => {
    await cluster.apply(websiteDefinition)
    const gone = { kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired" }
    const remove = cluster.intercept({ verb: "watch" }, answerWith(gone, 410))
    using _operator = operate(cluster)
    await cluster.apply(manifest({ replicas: 2 }))
    await expect(object(home)).toEventuallyMatch({ status: { readyReplicas: 2 } })
    remove()
    await cluster.patch(home, { spec: { replicas: 3 } })
    await expect(object(home)).toEventuallyMatch({ status: { readyReplicas: 3 } })
  })

  test("takes back what another client has changed", async ({ cluster, object }) => {
    await cluster.apply(websiteDefinition)
    using _operator = operate(cluster)
    await cluster.apply(manifest({}))
    await expect(object(home)).toEventuallyMatch({ status: { readyReplicas: 1 } })
    const image = { op: "replace", path: "/spec/template/spec/containers/0/image", value: "other:1" }
    await cluster.patch(homeDeployment, [image])
    const containers = [{ image: "nginx:1.29" }]
    await expect(object(homeDeployment)).toEventuallyMatch({ spec: { template: { spec: { containers } } } })
  })

  test("goes on where it was after a restart in the middle", async ({ cluster, object }) => {
    await cluster.apply(websiteDefinition)
    const first = operate(cluster)
    await cluster.apply(manifest({ replicas: 4 }))
    await cluster.requests.next({ verb: "create", resource: "deployments.apps" })
    first.stop()
    await cluster.patch(home, { spec: { replicas: 6 } })
    await cluster.settle()
    expect((await object(homeDeployment)()).spec.replicas).toBe(4)
    using _operator = operate(cluster)
    await expect(object(home)).toEventuallyMatch({ status: { observedGeneration: 2, readyReplicas: 6 } })
  })
})
