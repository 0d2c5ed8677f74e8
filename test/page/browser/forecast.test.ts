import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { inFleet } from "../servedPage.ts"
import { visitClusterEach, wait } from "./pageVisits.ts"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

describe.skipIf(chromiumPath === undefined)(`what happens next, on the page${skippedNote}`, () => {
  let served: ServedPage
  let page: Page

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], async (visit) => {
    ;({ served, page } = visit)
    await inFleet(page).getByRole("link", { name: "Deployment web" }).click()
  })

  it("is drawn to the right of now, and a cure is pressed with its outcome beside it", async () => {
    const sentence = page.getByTestId("forecast").locator(".first")
    await expect
      .poll(() => sentence.textContent(), wait)
      .toBe("If nothing else is done: it is complete, and stays so.")
    expect(await page.getByTestId("future").count()).toBe(0)

    const next = deploymentManifest({ replicas: 4, version: "v2" })
    await Effect.runPromise(replaceSpec(served.cluster, next))
    await served.pass(500)
    const complete = page.getByTestId("future").locator("[data-text='the rollout is complete']")
    await expect.poll(() => complete.count(), wait).toBe(1)
    const undo = page.getByTestId("forecast").getByRole("listitem").filter({ hasText: "Undo to revision 1" })
    await expect.poll(() => undo.textContent(), wait).toMatch(/complete in [\d.]+m?s/)
    await undo.getByRole("button").click()
    await expect
      .poll(() => page.getByTestId("said").textContent(), wait)
      .toContain("Undo to revision 1 (registry.example/app:v1): the server has accepted it")
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='3'] [data-mark=ready]").count(), wait).toBe(4)

    await page.keyboard.press("Home")
    await expect.poll(() => page.getByTestId("banner").count(), wait).toBe(1)
    expect(await page.getByTestId("forecast").count()).toBe(0)
  })
})
