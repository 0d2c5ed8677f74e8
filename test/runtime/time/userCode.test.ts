import { describe, expect, it } from "vitest"
import { makeUserCode } from "../../../src/runtime/time/userCode.ts"
import type { ClientRequests } from "../../../src/runtime/time/userCode.ts"

const turnsUntilIdle = async (timeStandsStill: boolean, requests: ClientRequests): Promise<number> => {
  const programs = makeUserCode(() => timeStandsStill)
  programs.followRequests(requests)
  programs.run(() => {})
  let turns = 0
  for (; programs.isBusy(); turns += 1) await new Promise((resolve) => setImmediate(resolve))
  return turns
}

const requestsOf = (underWay: number, sleeping: number): ClientRequests => ({
  seen: () => underWay,
  underWay: () => underWay,
  sleeping: () => sleeping
})

describe("a program that is called back", () => {
  it("is waited for some turns, also while its requests wait for the cluster's time", async () => {
    expect(await turnsUntilIdle(true, requestsOf(0, 0))).toBeLessThan(30)
    expect(await turnsUntilIdle(true, requestsOf(3, 3))).toBeLessThan(30)
  })

  it("is waited for a thousand turns and more while a request is not answered, but not for ever", async () => {
    const turns = await turnsUntilIdle(true, requestsOf(3, 2))
    expect(turns).toBeGreaterThan(1000)
    expect(turns).toBeLessThan(20_000)
  })

  it("is not waited for by a clock that runs", async () => {
    expect(await turnsUntilIdle(false, requestsOf(3, 2))).toBeLessThan(5)
  })
})
