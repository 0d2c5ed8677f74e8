import { describe, expect, it } from "vitest"
import { address, annotate, openSteeredShop, setImage, steeredText, steeringEvents } from "./steeredShop.ts"

const held = "canary: { steps: [{ approve: 100% }, { hold: untilPromoted }] }"
const careful = { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }
const gate = { readinessGates: [{ conditionType: "charthouse.dev/approved" }] }

describe("steps after the last approval", () => {
  it("are taken though revisionHistoryLimit has deleted the older revisions", async () => {
    await using cluster = await openSteeredShop(held, {
      isGated: true,
      spec: { ...careful, revisionHistoryLimit: 0 }
    })
    await setImage(cluster, "web:2")
    await cluster.advance("5m")
    expect(await steeredText(cluster)).toContain("is at step 2 of 2: holds until it is promoted")
    await annotate(cluster, { abort: "wrong prices" })
    await cluster.advance("1m")
    expect(await steeredText(cluster)).toContain(
      "False Held: revision 2 (web) failed and is not taken back: its user aborted it: wrong prices. No earlier revision"
    )
  })

  it("are taken by the revision that adds the gate to one that serves", async () => {
    await using cluster = await openSteeredShop(held, { spec: careful })
    await cluster.patch(address, {
      spec: { template: { spec: { ...gate, containers: [{ name: "web", image: "web:2" }] } } }
    })
    await cluster.advance("5m")
    expect(await steeredText(cluster)).toContain("is at step 2 of 2: holds until it is promoted")
  })

  it("are taken though their user deletes the ReplicaSet of the complete revision", async () => {
    await using cluster = await openSteeredShop(held.replace("100%", "1"), { isGated: true, spec: careful })
    const [stable] = (await cluster.list("replicasets.apps")).items
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await cluster.delete({ resource: "replicasets.apps", name: stable?.metadata.name ?? "" })
    await cluster.advance("5m")
    expect((await steeringEvents(cluster)).map((it) => it.split(":", 1)[0])).toEqual(["Normal StepCompleted"])
    expect(await steeredText(cluster)).toContain("is at step 2 of 2: holds until it is promoted")
  })
})
