import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { activeOn, inFleet } from "../servedPage.ts"
import { createObject, deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { untilRecordingRead, untilStepsRead, visitClusterEach, wait } from "./pageVisits.ts"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

describe.skipIf(chromiumPath === undefined)(`the page stays steady${skippedNote}`, () => {
  let served: ServedPage
  let page: Page

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], async (visit) => {
    ;({ served, page } = visit)
    await page.locator("[data-workload=web]").waitFor(wait)
  })

  const openWeb = () => inFleet(page).getByRole("link", { name: "Deployment web" }).click()
  const rollOut = async (version: string, millis: number): Promise<void> => {
    await Effect.runPromise(replaceSpec(served.cluster, deploymentManifest({ replicas: 4, version })))
    await served.pass(millis)
  }
  const readoutTime = () => page.getByTestId("readout").locator("time").textContent()
  const headerTime = async () => (await page.getByTestId("now").textContent())?.split(" ")[1]
  const boxes = () =>
    page
      .locator(".top, .timeline, .player, main")
      .evaluateAll((all) => all.map((it) => JSON.stringify(it.getBoundingClientRect())))

  it("has one clock, in its header, above its timeline and in the banner of a moment", async () => {
    await openWeb()
    await rollOut("v2", 7123)
    await expect.poll(headerTime, wait).toBe("00:01:07.123")
    await expect.poll(readoutTime, wait).toBe("00:01:07.123")
    await untilRecordingRead(page, served)
    await page.keyboard.press("[")
    await page.getByTestId("banner").waitFor(wait)
    const time = await headerTime()
    expect(time).toMatch(/^00:01:0\d\.\d{3}$/)
    expect(await readoutTime()).toBe(time)
    expect(await page.getByTestId("banner").textContent()).toContain(`The state at ${time}.`)
  })

  it("moves nothing when a banner comes, or when its server is lost", async () => {
    await openWeb()
    await page.getByTestId("forecast").waitFor(wait)
    const before = await boxes()
    await page.keyboard.press(",")
    await page.getByTestId("banner").waitFor(wait)
    expect(await boxes()).toEqual(before)
    await page.keyboard.press("End")
    await expect.poll(() => page.getByTestId("banner").count(), wait).toBe(0)
    await served.close()
    await page.getByTestId("lost").waitFor(wait)
    expect(await boxes()).toEqual(before)
  })

  it("follows a link that would be drawn anew while it is pressed", async () => {
    await inFleet(page).getByRole("link", { name: "Deployment web" }).hover()
    await page.mouse.down()
    await page.keyboard.press("Home")
    // The address changes later than the page would be drawn.
    await expect.poll(() => page.url(), wait).toMatch(/@\d+$/)
    expect(await page.locator("[data-workload=web]").count()).toBe(1)
    await page.mouse.up()
    await page.locator("[data-object='Deployment/web']").waitFor(wait)
    await expect.poll(() => page.locator("[data-workload=web]").count(), wait).toBe(0)
  })

  it("draws what was held back when the pointer leaves a pressed link, or the window is left", async () => {
    for (const leave of ["pointercancel", "blur"]) {
      await inFleet(page).getByRole("link", { name: "Deployment web" }).hover()
      await page.mouse.down()
      await page.keyboard.press("Home")
      await expect.poll(() => page.url(), wait).toMatch(/@\d+$/)
      await page.evaluate(`window.dispatchEvent(new Event("${leave}"))`)
      await expect.poll(() => page.locator("[data-workload=web]").count(), wait).toBe(0)
      await page.mouse.up()
      await page.keyboard.press("End")
      await page.locator("[data-workload=web]").waitFor(wait)
    }
  })

  it("draws at once what a press changes that is no click, such as one for a menu", async () => {
    await inFleet(page).getByRole("link", { name: "Deployment web" }).hover()
    await page.mouse.down({ button: "right" })
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator("[data-workload=web]").count(), wait).toBe(0)
  })

  it("holds back drawing until the click of a finger, which is a task after its release", async () => {
    const link = inFleet(page).getByRole("link", { name: "Deployment web" })
    const finger = { bubbles: true, pointerType: "touch" }
    await link.dispatchEvent("pointerdown", finger)
    await page.keyboard.press("Home")
    await expect.poll(() => page.url(), wait).toMatch(/@\d+$/)
    await page.evaluate(`void (window.nextTask = new Promise((resolve) => {
      window.addEventListener("pointerup", () =>
        setTimeout(() => resolve(document.querySelector("[data-workload=web]") !== null), 1), { once: true })
    }))`)
    await link.dispatchEvent("pointerup", finger)
    expect(await page.evaluate("window.nextTask")).toBe(true)
    await expect.poll(() => page.locator("[data-workload=web]").count(), wait).toBe(0)
  })

  it("holds back drawing for the second press of a double tap, although the first is released", async () => {
    const link = inFleet(page).getByRole("link", { name: "Deployment web" })
    await link.dispatchEvent("pointerdown", { bubbles: true, pointerType: "touch" })
    await page.keyboard.press("Home")
    await expect.poll(() => page.url(), wait).toMatch(/@\d+$/)
    const isThereAfterFirstTap = await page.evaluate(`{
      const link = document.querySelector("[data-workload=web] a")
      for (const type of ["pointerup", "pointerdown"])
        link.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: "touch" }))
      new Promise((resolve) => setTimeout(() => resolve(document.querySelector("[data-workload=web]") !== null), 101))
    }`)
    expect(isThereAfterFirstTap).toBe(true)
    await page.evaluate('window.dispatchEvent(new PointerEvent("pointerup", { pointerType: "touch" }))')
    await expect.poll(() => page.locator("[data-workload=web]").count(), wait).toBe(0)
  })

  it("keeps the shape of a mark when the pointer is on it, and says what it is", async () => {
    await Effect.runPromise(
      createObject(
        served.cluster,
        deploymentManifest({ name: "bad", replicas: 1, container: { image: "no image" } })
      )
    )
    await served.pass(10_000)
    const mark = page.locator(".pods [data-mark=trouble]")
    const shape = () =>
      page.evaluate(`{
        const { clipPath, backgroundImage } = getComputedStyle(document.querySelector(".pods [data-mark=trouble]"))
        ;[clipPath, backgroundImage]
      }`)
    await mark.waitFor(wait)
    const before = await shape()
    await mark.hover()
    expect(await shape()).toEqual(before)
    expect(await mark.getAttribute("title")).toMatch(/^Pod bad-.* is in trouble: InvalidImageName$/)
  })

  it("keeps its legend open from object to object until it is closed", async () => {
    const legend = page.getByRole("list", { name: "Legend of the timeline" })
    await page.getByRole("button", { name: "Legend" }).click()
    await openWeb()
    await rollOut("v2", 700)
    await page.keyboard.press("Home")
    await page.keyboard.press("End")
    await page.keyboard.press("Escape")
    await page.locator("[data-object]").waitFor({ state: "detached" })
    expect(await legend.isVisible()).toBe(true)
    await page.getByRole("button", { name: "Legend" }).click()
    await expect.poll(() => legend.isVisible(), wait).toBe(false)
  })

  it("lights the states of the chart in step with the cursor of the timeline", async () => {
    await openWeb()
    await rollOut("v2", 60_000)
    await untilStepsRead(page, served)
    const slider = page.getByRole("slider", { name: "The moment that is shown" })
    await slider.focus()
    const lit: Array<string> = []
    for (let mark = 0; mark < 4; mark += 1) {
      await page.keyboard.press("Shift+ArrowLeft")
      // What the chart lights is where the last step before the moment led.
      const shown = page.locator(".step[aria-current=step] [data-what=went]").last()
      const last = async () => ((await shown.textContent()) ?? "").split(" -> ").at(-1)
      await expect.poll(async () => (await activeOn(page)).includes((await last()) ?? ""), wait).toBe(true)
      lit.push((await activeOn(page)).join(" "))
    }
    expect(new Set(lit).size).toBeGreaterThan(1)
  })

  it("moves nothing by itself for those who want no motion", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" })
    await openWeb()
    await rollOut("v2", 700)
    await page.keyboard.press("Home")
    await page.keyboard.press("End")
    expect(await page.evaluate("document.getAnimations().length")).toBe(0)
  })
})
