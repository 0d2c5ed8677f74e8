import { describe, expect, it } from "vitest"
import { annotate, approvedPods, openSteeredShop, setImage, steeredText } from "./steeredShop.ts"

const careful = {
  progressDeadlineSeconds: 600,
  strategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } }
}

describe("a steering controller that was down for longer than the deadline", () => {
  it.each([
    {
      name: "a step of one Pod",
      strategy: "canary: { steps: [{ approve: 1 }, { hold: untilPromoted }] }",
      down: "15m"
    },
    {
      name: "a step of one Pod, for longer than its whole budget",
      strategy: "canary: { steps: [{ approve: 1 }, { hold: untilPromoted }] }",
      down: "2h"
    },
    { name: "a switch", strategy: "blueGreen: { before: [{ hold: untilPromoted }] }", down: "15m" }
  ])("goes on with $name whose Pods came up meanwhile", async ({ strategy, down }) => {
    await using cluster = await openSteeredShop(strategy, { isGated: true, spec: careful })
    await cluster.fault({ fault: "controllerRestarted", controller: "steering", afterWrites: 1 })
    await setImage(cluster, "web:2")
    await cluster.advance("500ms")
    await cluster.fault({ fault: "controllerStopped", controller: "steering", for: down })
    await cluster.advance(down)
    await cluster.advance("1m")
    expect(await steeredText(cluster)).toContain("True Holding: revision 2 (web)")
    await annotate(cluster, { promote: "" })
    await cluster.advance("2m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })
})
