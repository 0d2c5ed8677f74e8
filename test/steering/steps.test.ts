import { describe, expect, it } from "vitest"
import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { address, annotate, openSteeredShop, setImage, steeredText, steeringEvents } from "./steeredShop.ts"

const held = "canary: { steps: [{ approve: 100% }, { hold: untilPromoted }] }"
const careful = { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }
const gate = { readinessGates: [{ conditionType: "charthouse.dev/approved" }] }

describe("a step of a Deployment that is scaled down to the Pods that it has approved, and up again", () => {
  it("holds up no Pods, and says so: Kubernetes has taken the old ones away", async () => {
    const strategy = held.replace("100%", "1")
    await using cluster = await openSteeredShop(strategy, { isGated: true, spec: careful })
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    for (const replicas of [1, 4]) {
      await cluster.patch(address, { spec: { replicas } })
      await cluster.advance("1m")
    }
    const pods = await cluster.list("pods")
    expect(pods.items.map((pod) => [pod.spec.containers[0]?.image, isApproved(pod)])).toEqual(
      Array.from({ length: 4 }, () => ["web:2", true])
    )
    const text = await steeredText(cluster)
    expect(text).toContain(
      "True Holding: revision 2 (web) is at step 2 of 2: holds until it is promoted. To go on:"
    )
    expect(text).toMatch(
      /\. No older Pods are left, as after scaling down: the step holds up none of its Pods$/
    )
  })
})

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
