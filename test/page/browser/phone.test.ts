import { describe, expect, it } from "vitest"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { inFleet } from "../servedPage.ts"
import { visitClusterEach, wait } from "./pageVisits.ts"
import type { Page } from "playwright-core"

const [width, height] = [400, 800]

describe.skipIf(chromiumPath === undefined)(`the page on a phone${skippedNote}`, () => {
  let page: Page

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], async (visit) => {
    ;({ page } = visit)
    await page.setViewportSize({ width, height })
  })

  const isWiderThanScreen = () => page.evaluate("document.documentElement.scrollWidth > innerWidth")
  const step = () => page.getByRole("button", { name: "Step", exact: true })
  const boxOf = (selector: string) => page.locator(selector).first().boundingBox()

  it("has the first card on the first screen, an object on a screen of its own, and its controls behind a button", async () => {
    await inFleet(page).getByRole("link", { name: "Deployment web" }).waitFor(wait)
    const card = await boxOf(".workload")
    expect((card?.y ?? height) + (card?.height ?? height)).toBeLessThanOrEqual(height)
    expect(await isWiderThanScreen()).toBe(false)
    expect(await step().isVisible()).toBe(false)
    await page.getByRole("button", { name: "Controls", exact: true }).click()
    await expect.poll(() => step().isVisible(), wait).toBe(true)

    await inFleet(page).getByRole("link", { name: "Deployment web" }).click()
    await page.getByTestId("explanation").waitFor(wait)
    expect(await page.locator("nav").first().isVisible()).toBe(false)
    expect(await isWiderThanScreen()).toBe(false)
    const player = await boxOf(".player")
    expect((player?.y ?? 0) + (player?.height ?? 0)).toBe(height)
    await page.getByRole("button", { name: "Close", exact: true }).click()
    await expect.poll(() => page.locator("nav").first().isVisible(), wait).toBe(true)
  })

  it("shows an object from its name on, and after it the list where it was", async () => {
    await page.setViewportSize({ width, height: 300 })
    const link = inFleet(page).getByRole("link", { name: "Deployment web" })
    await link.waitFor(wait)
    const scrolled = () => page.evaluate<number>("window.scrollY")
    await page.evaluate("window.scrollTo(0, 40)")
    expect(await scrolled()).toBe(40)
    await link.dispatchEvent("click")
    await expect.poll(scrolled, wait).toBe(0)
    await page.getByRole("button", { name: "Close", exact: true }).click()
    await expect.poll(scrolled, wait).toBe(40)
  })
})
