import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { imageOf } from "../steering/steeredShop.ts"
import { isSteeredAs, openSteeredNamespace } from "./steeredNamespace.ts"
import { openSteerTarget, upstreamKubeconfig } from "./steerTarget.ts"
import type { SteerTarget } from "./steerTarget.ts"

const canary = (steps: string): string => `canary:\n  steps: [${steps}]\n`
const gated = { replicas: 4, isGated: true, spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } }

describe(`steering of ${upstreamKubeconfig === undefined ? "a served cluster" : "a real cluster"}`, () => {
  let target: SteerTarget
  beforeAll(async () => {
    target = await openSteerTarget()
  })
  afterAll(() => target.close())

  it("rolls a canary out by steps, and waits for its promotion", async () => {
    await using place = await openSteeredNamespace(target)
    await place.steer()
    await place.create(canary("{ approve: 1 }, { hold: untilPromoted }, { approve: 2 }"), gated)
    await place.until("the first revision is complete", isSteeredAs("Complete", "revision 1"))
    const seen = place.observe()
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding"))
    await place.annotate("promote", "")
    const done = await place.until("it is complete", isSteeredAs("Complete", "revision 2"))
    expect(imageOf(done)).toBe("web:2")
    expect(seen.readyMin()).toBe(4)
  })
})
