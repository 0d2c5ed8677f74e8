import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { activeOn, inFleet } from "../servedPage.ts"
import { deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { untilStepsRead, visitClusterEach, wait } from "./pageVisits.ts"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

/** What the page shows of Deployment web. */
interface Shown {
  readonly marks: Readonly<Record<string, number>>
  readonly active: ReadonlyArray<string>
  readonly first: string
}

describe.skipIf(chromiumPath === undefined)(`a past moment on the page${skippedNote}`, () => {
  let served: ServedPage
  let page: Page

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], async (visit) => {
    ;({ served, page } = visit)
    await inFleet(page).getByRole("link", { name: "Deployment web" }).click()
    await page.locator("[data-active='rollout.complete']").waitFor(wait)
  })

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
  const text = (id: string) => page.getByTestId(id).textContent()
  const rollOut = (version: string) =>
    Effect.runPromise(replaceSpec(served.cluster, deploymentManifest({ replicas: 4, version })))

  const shown = async (): Promise<Shown> => {
    const marks = await page
      .locator(".pods [data-mark]")
      .evaluateAll((all) => all.map((mark) => mark.getAttribute("data-mark") ?? ""))
    return {
      marks: Object.fromEntries(
        [...Map.groupBy(marks, (mark) => mark)].map(([mark, all]) => [mark, all.length])
      ),
      active: await activeOn(page),
      first: (await page.locator(".explanation p").first().textContent()) ?? ""
    }
  }
  /** What is shown once two looks at it are the same: parts of the page are drawn one after the other. */
  const shownAtRest = async (): Promise<Shown> => {
    let last = await shown()
    await expect
      .poll(async () => {
        const before = JSON.stringify(last)
        last = await shown()
        return JSON.stringify(last) === before
      }, wait)
      .toBe(true)
    return last
  }
  /** The address, once it names a moment. */
  const momentNow = async (): Promise<string> => {
    await expect.poll(() => page.url(), wait).toMatch(/@\d+$/)
    return page.url()
  }
  /** The moment of the address, once it is drawn. */
  const shownMoment = async (): Promise<string> => {
    const moment = (await momentNow()).split("@")[1] ?? ""
    await page.locator(`[data-testid=banner][data-moment="${moment}"]`).waitFor(wait)
    return moment
  }

  it("shows the marks, active states, reasons and time that were shown at that moment", async () => {
    await rollOut("v2")
    const seen: Array<{ readonly url: string; readonly was: Shown; readonly time: string | null }> = []
    for (let second = 0; second < 3; second += 1) {
      await served.pass(700)
      await expect.poll(() => page.locator("[data-revision='2']").count(), wait).toBe(1)
      await untilStepsRead(page, served)
      await page.keyboard.press(",")
      const url = await momentNow()
      await expect.poll(() => page.getByTestId("banner").count(), wait).toBe(1)
      await page.locator(`.explanation[data-moment="${url.split("@")[1]}"]`).waitFor(wait)
      seen.push({ url, was: await shownAtRest(), time: await text("now") })
      await page.keyboard.press("End")
      await expect.poll(() => page.url(), wait).not.toContain("@")
    }
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    for (const { url, was, time } of seen) {
      await page.goto(url)
      await expect.poll(shown, wait).toEqual(was)
      await expect.poll(() => text("now"), wait).toBe(time)
    }
    expect(new Set(seen.map(({ was }) => JSON.stringify(was.marks))).size).toBeGreaterThan(1)
  })

  it("shows its time, disables all commands, stays while the cluster goes on, and leads back to now", async () => {
    await page.keyboard.press("Home")
    await expect.poll(() => text("banner"), wait).toContain("The state at 00:00:00")
    await page.keyboard.press("]")
    await expect.poll(() => text("past"), wait).toContain("go back to now")
    for (const name of ["Pause", "Undo", "Set image"]) {
      expect(await page.getByRole("button", { name, exact: true }).isDisabled()).toBe(true)
    }
    await rollOut("v2")
    await served.pass(60_000)
    expect(await page.locator("[data-revision='2']").count()).toBe(0)
    await page.keyboard.press("Escape")
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    expect(await page.getByTestId("banner").count()).toBe(0)
    expect(await page.locator("[data-object]").count()).toBe(1)
    expect(await page.getByRole("button", { name: "Undo", exact: true }).isEnabled()).toBe(true)
  })

  it("stays selected from object to object, and an object that does not exist then is reported", async () => {
    await rollOut("v2")
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    const now = await page.locator("[data-revision='2'] .pod").first().getAttribute("data-pod")
    const before = page.locator("[data-revision='1'] .pod").first()
    await page.keyboard.press("Home")
    let moment = await shownMoment()
    while ((await before.count()) === 0) {
      const last = page.url()
      await page.keyboard.press("]")
      await expect.poll(() => page.url(), wait).not.toBe(last)
      moment = await shownMoment()
    }
    const was = await before.getAttribute("data-pod")
    await before.click()
    await page.locator(`[data-object='Pod/${was}']`).waitFor(wait)
    expect(page.url()).toMatch(new RegExp(`@${moment}$`))
    await page.goto(`${page.url().split("#")[0]}#/Pod/default/${now}@${moment}`)
    await expect.poll(() => text("unknown"), wait).toBe(`At 00:00:00 there was no Pod "${now}" yet.`)
    await page.goto(`${page.url().split("#")[0]}#/Pod/default/${was}`)
    await expect.poll(() => text("gone"), wait).toContain("This Pod is deleted")
    await page.goto(`${page.url().split("#")[0]}#/Pod/default/absent`)
    await expect.poll(() => text("unknown"), wait).toContain("absent")
  })

  it("is played to now by Space, and is left and reached by single steps from change to change", async () => {
    await rollOut("v2")
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator(".pods .pod").count(), wait).toBe(0)
    await page.keyboard.press(">")
    await page.keyboard.press(">")
    await page.locator("body").press("Space")
    await expect.poll(() => page.getByTestId("banner").count(), wait).toBe(0)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    // The address follows later: it may still have a moment of the play.
    const drawn = () => page.getByTestId("banner").getAttribute("data-moment")
    await press("When web changed before ([)")
    const last = await drawn()
    await press("When web changed before ([)")
    await expect.poll(drawn, wait).not.toBe(last)
    await press("When web changes next (])")
    await expect.poll(drawn, wait).toBe(last)
  })

  it("is selected by a click on a step", async () => {
    await page.locator(".step .head").last().click()
    await expect.poll(() => text("banner"), wait).toContain("00:00:00")
    await expect.poll(() => page.locator(".pods .pod").count(), wait).toBe(0)
    expect(await page.locator("[data-later=true]").count()).toBeGreaterThan(0)
    await page.getByTestId("banner").getByRole("button").click()
    await expect.poll(() => page.locator(".pods .pod").count(), wait).toBe(4)
  })

  it("that never came, because the address is of another cluster, is replaced by now", async () => {
    await page.goto(`${page.url().split("@")[0]}@123456789`)
    await expect.poll(() => page.url(), wait).not.toContain("@")
    expect(await text("status-message")).toBe(
      "The address names a moment that is not in this recording: the latest moment is shown"
    )
    expect(await page.getByTestId("banner").count()).toBe(0)
    expect(await page.getByRole("button", { name: "Restart", exact: true }).isEnabled()).toBe(true)
  })

  it("shows the events until then of an object and of all it controls", async () => {
    const events = page.getByTestId("events")
    await expect
      .poll(() => events.locator("tr", { hasText: "Started" }).textContent(), wait)
      .toContain("4 Pods")
    await page.locator(".step .head").last().click()
    await expect.poll(() => events.locator("tr", { hasText: "Started" }).count(), wait).toBe(0)
  })
})
