import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { inFleet } from "../servedPage.ts"
import { visitClusterEach, wait } from "./pageVisits.ts"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

describe.skipIf(chromiumPath === undefined)(`the page's timeline${skippedNote}`, () => {
  let served: ServedPage
  let page: Page

  const manifests = [
    deploymentManifest({ replicas: 4, version: "v1" }),
    deploymentManifest({ name: "api", replicas: 3 })
  ]
  visitClusterEach(manifests, async (visit) => {
    ;({ served, page } = visit)
    await inFleet(page).getByRole("link", { name: "Deployment web" }).click()
    await page.locator("[role=slider][aria-valuetext*='4 of 4 available']").waitFor()
  })

  const slider = () => page.getByRole("slider", { name: "The moment that is shown" })
  const valueText = () => slider().getAttribute("aria-valuetext")
  const isNow = () => slider().getAttribute("data-now")
  const layers = () => page.locator(".timeline .drawing .layer").count()

  const update = async (): Promise<void> => {
    await Effect.runPromise(replaceSpec(served.cluster, deploymentManifest({ replicas: 4, version: "v2" })))
    await served.pass(700)
  }

  it("draws a rolling update in progress, with its floor and ceiling", async () => {
    await expect.poll(layers, wait).toBe(2)
    await update()
    await expect.poll(valueText, wait).toMatch(/, 3 of 4 available, floor 3, ceiling 5$/)
    await expect.poll(layers, wait).toBeGreaterThan(2)
    await expect
      .poll(() => page.getByTestId("readout").textContent(), wait)
      .toMatch(/revision 2: .*revision 1: /)
    await expect
      .poll(() => page.locator(".timeline .flag text").allTextContents(), wait)
      .toEqual(["revision 1", "revision 2"])
  })

  it("is scrubbed with the keyboard: to the beginning, from change to change, and back to now", async () => {
    await update()
    await expect.poll(valueText, wait).toContain("3 of 4")
    await slider().focus()
    await page.keyboard.press("Home")
    await expect.poll(valueText, wait).toMatch(/web is not there yet$/)
    await page.keyboard.press("Shift+ArrowRight")
    await expect.poll(valueText, wait).toMatch(/0 of 4 available/)
    const first = Number(await slider().getAttribute("aria-valuenow"))
    await page.keyboard.press("ArrowRight")
    await expect.poll(async () => Number(await slider().getAttribute("aria-valuenow")), wait).toBe(first + 1)
    await page.keyboard.press("ArrowLeft")
    await expect.poll(async () => Number(await slider().getAttribute("aria-valuenow")), wait).toBe(first)
    expect(await isNow()).toBe("false")
    await page.keyboard.press("End")
    await expect.poll(isNow, wait).toBe("true")
    await expect.poll(valueText, wait).toContain("3 of 4")
  })

  it("is scrubbed by dragging, and the whole page shows the selected moment", async () => {
    await update()
    await expect.poll(() => inFleet(page).locator("[data-revision='2']").count(), wait).toBe(1)
    const box = await page.locator(".timeline .drawing > svg").boundingBox()
    if (box === null) throw new Error("nothing is drawn")
    await page.mouse.move(box.x + box.width * 0.8, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.3, box.y + 70, { steps: 5 })
    await expect.poll(isNow, wait).toBe("false")
    await expect.poll(() => inFleet(page).locator("[data-revision='2']").count(), wait).toBe(0)
    await page.mouse.move(box.x + box.width + 20, box.y + 60, { steps: 5 })
    await page.mouse.up()
    await expect.poll(isNow, wait).toBe("true")
    await expect.poll(() => inFleet(page).locator("[data-revision='2']").count(), wait).toBe(1)
  })

  it("describes a mark on hover and on focus", async () => {
    await page.locator(".timeline .markers.event [data-marker]").first().hover()
    await expect.poll(() => page.getByTestId("tooltip").textContent(), wait).toContain("ScalingReplicaSet")
    await slider().focus()
    await page.keyboard.press("ArrowDown")
    const focused = () => page.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? ''")
    expect(await focused()).toMatch(/^00:00:0\d(\.\d+)? (Progressing|Available) is True/)
    await page.keyboard.press("ArrowDown")
    expect(await focused()).toContain("Pod web-")
    await page.keyboard.press("Enter")
    await expect.poll(isNow, wait).toBe("false")
  })

  it("has a lane with a link for each Deployment while no object is selected", async () => {
    await page.keyboard.press("Escape")
    const lanes = page.locator(".timeline .lane-name")
    await expect.poll(() => lanes.locator("text").allTextContents(), wait).toEqual(["api", "web"])
    await expect.poll(valueText, wait).toContain("7 of 7 available in 2 workloads")
    await lanes.first().click()
    await expect.poll(() => page.getByTestId("timeline").getAttribute("data-of"), wait).toBe("api")
  })

  it("zooms in and shows the whole time again", async () => {
    const ticks = () => page.locator(".timeline .drawing .axis text").allTextContents()
    const whole = await ticks()
    await slider().focus()
    for (const key of ["+", "+", "+"]) await page.keyboard.press(key)
    await expect.poll(ticks, wait).not.toEqual(whole)
    await page.getByRole("button", { name: "all of it" }).click()
    await expect.poll(ticks, wait).toEqual(whole)
  })

  it("prints its legend on paper even if it is closed", async () => {
    const legend = page.getByRole("list", { name: "Legend of the timeline" })
    expect(await legend.count()).toBe(0)
    await page.emulateMedia({ media: "print" })
    expect(await legend.textContent()).toMatch(/new, ready.*available.*floor.*ceiling/)
    await page.emulateMedia({ media: "screen" })
    await page.getByRole("button", { name: "Legend" }).click()
    await expect.poll(() => legend.count(), wait).toBe(1)
  })
})
