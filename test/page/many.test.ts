import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, begin, change } from "../cluster/worlds.ts"
import { chromiumPath, skipped } from "./chromium.ts"
import { inFleet, openBrowser, openPageWorld } from "./world.ts"

const deployments = 20
const replicas = 100

describe.skipIf(chromiumPath === undefined)(`a fleet of 2,000 Pods${skipped}`, () => {
  it("is shown whole, and stays so while all of it is rolled out and one chart is looked at", async () => {
    const world = await openPageWorld({ nodes: 200 })
    const names = Array.from({ length: deployments }, (_, index) => `app-${index}`)
    for (const name of names) await Effect.runPromise(begin(world.cluster, aManifest({ name, replicas })))
    await world.pass(60_000)
    const browser = await openBrowser()
    const page = await browser.newPage()
    await page.goto(world.address)
    await inFleet(page).getByRole("link", { name: "app-3", exact: true }).click()
    const ready = page.locator(".pods [data-mark=ready]")
    await expect.poll(() => ready.count(), { timeout: 60_000 }).toBe(deployments * replicas)
    for (const name of names) {
      await Effect.runPromise(change(world.cluster, aManifest({ name, replicas, version: "v2" })))
    }
    for (let moment = 0; moment < 10; moment += 1) {
      await world.pass(300)
      await page.locator("[data-mark=starting]").first().waitFor()
    }
    await world.pass(60_000)
    await expect.poll(() => ready.count(), { timeout: 60_000 }).toBe(deployments * replicas)
    expect(await page.locator(".pods [data-mark=starting]").count()).toBe(0)
    await browser.close()
    await world.close()
  }, 240_000)
})
