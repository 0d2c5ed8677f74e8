import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import {
  address,
  annotate,
  imageOf,
  openSteeredShop,
  setImage,
  shopBehaviours,
  steeredText,
  steeringEvents,
  webDeployment
} from "./steeredShop.ts"

describe("automaticRollback", () => {
  it.each([
    { image: "web:missing", within: "2m", why: '2 new Pods could not start container "web"' },
    { image: "web:crash", within: "5m", why: "containers of new Pods restarted 4 times, 3 are allowed" },
    { image: "web:hangs", within: "11m", why: "it made no progress within 600 seconds" }
  ])("takes $image back, and says why", async ({ image, why, within }) => {
    await using cluster = await openSteeredShop("automaticRollback")
    expect(await steeredText(cluster)).toBe("True Complete: revision 1 (web) is complete")
    await setImage(cluster, image)
    await cluster.advance(within)
    const deployment = await cluster.get(address)
    expect(imageOf(deployment)).toBe("web:1")
    expect(deployment.status).toMatchObject({ updatedReplicas: 4, availableReplicas: 4, replicas: 4 })
    expect(await steeredText(cluster)).toContain(
      `False RolledBack: revision 3 (web) is what the rollout went back to: ${why}`
    )
    expect(await steeringEvents(cluster)).toEqual([
      expect.stringContaining(
        `Warning RolledBack: Went back from revision 2 (web) to revision 1 (web): ${why}`
      )
    ])
  })

  it("waits with a Pod that cannot start until its budget is over", async () => {
    await using cluster = await openSteeredShop("automaticRollback: { cannotStart: 5m }")
    await setImage(cluster, "web:missing")
    await cluster.advance("4m58s")
    expect(await steeredText(cluster)).toBe(
      "True Watching: revision 2 (web) is rolled out, and taken back if it fails"
    )
    await cluster.advance("5s")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
  })

  it("takes the same revision back once, and then leaves it", async () => {
    await using cluster = await openSteeredShop("automaticRollback")
    for (const expected of ["web:1", "web:missing"]) {
      await setImage(cluster, "web:missing")
      await cluster.advance("3m")
      expect(imageOf(await cluster.get(address))).toBe(expected)
    }
    expect(await steeredText(cluster)).toContain("It was taken back once and applied again.")
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    expect(await steeredText(cluster)).toBe("True Complete: revision 5 (web) is complete")
  })

  it("goes back to the revision that was last complete, not to one that was applied again after it", async () => {
    await using cluster = await openSteeredShop("automaticRollback")
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    for (const image of ["web:1", "web:crash"]) {
      await setImage(cluster, image)
      await cluster.advance("200ms")
    }
    await cluster.advance("5m")
    expect(imageOf(await cluster.get(address))).toBe("web:2")
  })

  it("leaves a first revision that fails, as there is nothing to go back to", async () => {
    await using cluster = await openSteeredShop("automaticRollback", { image: "web:missing" })
    await cluster.advance("2m")
    expect(await steeredText(cluster)).toMatch(
      /^False Held: .* No earlier revision that was complete is left/u
    )
  })

  it("does not go back to Pods with a readiness gate that it does not open", async () => {
    await using cluster = await openSteeredShop("canary: { steps: [{ approve: 100% }] }", {
      isGated: true,
      spec: { strategy: { rollingUpdate: { maxUnavailable: 0 } } }
    })
    await cluster.patch(address, {
      metadata: { annotations: { "charthouse.dev/strategy": "automaticRollback" } },
      spec: {
        template: { spec: { readinessGates: [], containers: [{ name: "web", image: "web:missing" }] } }
      }
    })
    await cluster.advance("5m")
    const deployment = await cluster.get(address)
    expect(imageOf(deployment)).toBe("web:missing")
    expect(deployment.status).toMatchObject({ availableReplicas: 4 })
    expect(await steeredText(cluster)).toMatch(
      /^False Held: .* The Pods of revision 1 \(web\) have the readiness gate charthouse\.dev\/approved, which/u
    )
  })

  it("goes back once, though kubectl rollout undo brings back a record from before", async () => {
    await using cluster = await openSteeredShop("automaticRollback")
    await setImage(cluster, "web:missing")
    await cluster.advance("5m")
    const { items } = await cluster.list("replicasets.apps")
    const failed = items.find(({ spec }) => spec.template.spec?.containers[0]?.image === "web:missing")
    await cluster.patch(address, {
      metadata: { annotations: failed?.metadata.annotations ?? {} },
      spec: { template: { spec: { containers: [{ name: "web", image: "web:missing" }] } } }
    })
    await cluster.advance("5m")
    expect(await steeredText(cluster)).toMatch(/^False Held: .* It was taken back once and applied again\./u)
  })

  it("does not judge a paused rollout by its deadline", async () => {
    await using cluster = await openSteeredShop("automaticRollback")
    await setImage(cluster, "web:hangs")
    await cluster.patch(address, { spec: { paused: true } })
    await cluster.advance("30m")
    expect(imageOf(await cluster.get(address))).toBe("web:hangs")
  })

  it.each([1, 2, 3, 4, 5, 6])(
    "goes on after its controller was restarted, %i times in all",
    async (times) => {
      await using cluster = await openSteeredShop("automaticRollback")
      await setImage(cluster, "web:crash")
      for (let restart = 0; restart < times; restart += 1) {
        await cluster.advance("11s")
        await cluster.fault({ fault: "controllerRestarted", controller: "steering" })
      }
      await cluster.advance("5m")
      expect(imageOf(await cluster.get(address))).toBe("web:1")
      expect((await steeringEvents(cluster)).length).toBe(1)
    }
  )

  it("is aborted by its user, who says why", async () => {
    await using cluster = await openSteeredShop("automaticRollback")
    await setImage(cluster, "web:hangs")
    await cluster.advance("1m")
    await annotate(cluster, { abort: "too many errors" })
    await cluster.advance("1m")
    const deployment = await cluster.get(address)
    expect(imageOf(deployment)).toBe("web:1")
    expect(deployment.metadata.annotations).not.toHaveProperty("charthouse.dev/abort")
    expect(await steeredText(cluster)).toContain("its user aborted it: too many errors")
  })

  it.each([
    { request: "promote", seconds: 1, because: "there are no steps to promote" },
    { request: "abort", seconds: 60, because: "the rollout is complete" }
  ])("removes a request to $request, since $because, and says so", async ({ request, seconds }) => {
    await using cluster = await openSteeredShop("automaticRollback")
    await setImage(cluster, "web:2")
    await cluster.advance(`${seconds}s`)
    await annotate(cluster, { [request]: "" })
    await cluster.advance("1m")
    const deployment = await cluster.get(address)
    expect(imageOf(deployment)).toBe("web:2")
    expect(Object.keys(deployment.metadata.annotations ?? {})).not.toContain(`charthouse.dev/${request}`)
    expect((await steeringEvents(cluster)).at(-1)).toBe(
      "Warning RequestDismissed: revision 2 (web) is complete: there is nothing to promote or to abort"
    )
  })

  it("ends with the annotation: condition and record go, the template stays", async () => {
    await using cluster = await openSteeredShop("automaticRollback")
    await cluster.patch(address, { metadata: { annotations: { "charthouse.dev/strategy": null } } })
    await setImage(cluster, "web:missing")
    await cluster.advance("5m")
    const { metadata } = await cluster.get(address)
    expect(metadata.annotations).not.toHaveProperty("charthouse.dev/steering")
    expect(await steeredText(cluster)).toBe("none")
    expect(imageOf(await cluster.get(address))).toBe("web:missing")
  })

  it("touches nothing for an invalid annotation, and says how to correct it", async () => {
    await using cluster = await openSteeredShop("automaticRolback")
    await setImage(cluster, "web:missing")
    await cluster.advance("5m")
    const message =
      'charthouse.dev/strategy is not followed: "automaticRolback" is no steering chart; did you mean automaticRollback?'
    expect(await steeredText(cluster)).toBe(`False InvalidStrategy: ${message}`)
    expect(await steeringEvents(cluster)).toEqual([`Warning InvalidStrategy: ${message}`])
    const { metadata } = await cluster.get(address)
    expect(metadata.annotations).not.toHaveProperty("charthouse.dev/steering")
  })

  it("costs a cluster without a strategy no actor", async () => {
    await using cluster = await openCluster({ seed: 7, behaviours: shopBehaviours })
    await cluster.create(webDeployment(undefined))
    await cluster.advance("1m")
    expect(await steeredText(cluster)).toBe("none")
    const { items } = await cluster.list("replicasets.apps")
    expect(items[0]?.metadata.annotations).not.toHaveProperty("charthouse.dev/completed")
  })
})
