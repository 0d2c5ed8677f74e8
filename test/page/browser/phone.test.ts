import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { createObject, deploymentManifest } from "../../cluster/testCluster.ts"
import { inFleet } from "../servedPage.ts"
import { visitClusterEach, wait } from "./pageVisits.ts"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

const [width, height] = [400, 800]
const longName = `web-${"a".repeat(240)}`

describe.skipIf(chromiumPath === undefined)(`the page on a phone${skippedNote}`, () => {
  let page: Page
  let served: ServedPage

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], async (visit) => {
    ;({ page, served } = visit)
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

  it("hides its controls behind the button when it is held across, too", async () => {
    await page.setViewportSize({ width: height, height: width })
    await inFleet(page).getByRole("link", { name: "Deployment web" }).waitFor(wait)
    expect(await step().isVisible()).toBe(false)
    await page.getByRole("button", { name: "Controls", exact: true }).click()
    await expect.poll(() => step().isVisible(), wait).toBe(true)
  })

  it("gives a long name two lines above the timeline, and the button that closes it no height", async () => {
    const { cluster, pass } = served
    const manifest = deploymentManifest({ name: "long", replicas: 1, version: "v1" })
    await Effect.runPromise(
      createObject(cluster, { ...manifest, metadata: { ...manifest.metadata, name: longName } })
    )
    await pass(10_000)
    await inFleet(page)
      .getByRole("link", { name: `Deployment ${longName}` })
      .click()
    await page.getByTestId("explanation").waitFor(wait)
    const heading = page.locator(".timeline h2")
    await expect.poll(() => heading.getAttribute("title"), wait).toContain(longName)
    expect((await boxOf(".timeline h2"))?.height).toBeLessThan(60)
    expect((await boxOf(".object > header .close"))?.height).toBeLessThan(60)
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
