import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { inFleet, openBrowser, openServedPage } from "../servedPage.ts"

const deployments = 10
const replicas = 20

describe.skipIf(chromiumPath === undefined)(`a fleet of 200 Pods${skippedNote}`, () => {
  it("is shown completely during a rollout of all Deployments, with one chart open", async () => {
    const served = await openServedPage({ nodes: 20 })
    const names = Array.from({ length: deployments }, (_, index) => `app-${index}`)
    for (const name of names)
      await Effect.runPromise(createObject(served.cluster, deploymentManifest({ name, replicas })))
    await served.pass(60_000)
    const browser = await openBrowser()
    const page = await browser.newPage()
    await page.goto(served.address)
    await inFleet(page).getByRole("link", { name: "Deployment app-3", exact: true }).click()
    const ready = page.locator(".pods [data-mark=ready]")
    await expect.poll(() => ready.count(), { timeout: 60_000 }).toBe(deployments * replicas)
    for (const name of names) {
      await Effect.runPromise(
        replaceSpec(served.cluster, deploymentManifest({ name, replicas, version: "v2" }))
      )
    }
    for (let moment = 0; moment < 10; moment += 1) {
      await served.pass(300)
      await page.locator(".pods [data-mark=starting]").first().waitFor()
    }
    await served.pass(60_000)
    await expect.poll(() => ready.count(), { timeout: 60_000 }).toBe(deployments * replicas)
    expect(await page.locator(".pods [data-mark=starting]").count()).toBe(0)
    await browser.close()
    await served.close()
  }, 240_000)
})
