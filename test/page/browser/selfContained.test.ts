import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../../cli/harness/kubeconfigs.ts"
import { activeOn, inFleet } from "../servedPage.ts"
import { deploymentYaml } from "../../cli/harness/charthouse.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { complete, setImage, storyOf } from "../../cli/harness/storyFiles.ts"
import { planPageOf, storyPageOf } from "../../reports/builtPages.ts"
import { visitEach, wait } from "./pageVisits.ts"
import type { Browser, Page } from "playwright-core"

const markupText = `</script><!--<script>"'\u2028<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>`
const from = deploymentYaml({ replicas: 4 })
const next = deploymentYaml({ replicas: 4, image: "web:2" })
const hostile = storyOf({
  name: markupText,
  steps: [
    setImage,
    complete,
    { patch: "deployment/web", with: { metadata: { annotations: { markupText } } } },
    { setImage: "deployment/web", images: { web: `web:"><img/src=x/onerror=window.hurt=1>` } },
    { advance: "1m" },
    { undo: "deployment/web" }
  ]
})

describe.skipIf(chromiumPath === undefined)(`a self-contained page${skippedNote}`, () => {
  let browser: Browser
  let page: Page
  const folder = temporaryFolder()
  const requestUrls: Array<string> = []
  const consoleMessages: Array<string> = []

  beforeAll(async () => {
    const planned = await planPageOf({ from, next, seeds: [1, 2, 3, 4], assume: "start=1s..30s" })
    writeFileSync(join(folder, "plan.html"), planned)
    writeFileSync(join(folder, "story.html"), await storyPageOf(hostile))
  })

  visitEach(
    (newPage, itsBrowser) => {
      ;[page, browser] = [newPage, itsBrowser]
      requestUrls.length = 0
      consoleMessages.length = 0
      page.on("request", (request) => requestUrls.push(request.url()))
      page.on("console", (message) => consoleMessages.push(message.text()))
    },
    () => {
      // The page requested only itself, and the console is empty.
      const unexpected = requestUrls.filter(
        (url) => !url.startsWith("data:") && !/^file:.*\/(?:plan|story)\.html$/.test(url)
      )
      if (unexpected.length + consoleMessages.length > 0)
        throw new Error([...unexpected, ...consoleMessages].join("\n"))
    }
  )

  const open = (name: string) => page.goto(`file://${join(folder, name)}`)
  const watch = () => page.getByRole("tab", { name: "Watch it" }).click()
  const press = (name: RegExp) => page.getByRole("button", { name }).click()
  const openObject = (name: string) =>
    inFleet(page)
      .getByRole("link", { name: `Deployment ${name}`, exact: true })
      .click()
  const ready = (revision: number) => page.locator(`[data-revision='${revision}'] [data-mark=ready]`)

  it("shows the end of a recording, and its beginning on request", async () => {
    await open("plan.html")
    await watch()
    await expect.poll(() => ready(2).count(), wait).toBe(4)
    await press(/^To the beginning/)
    await expect.poll(() => ready(1).count(), wait).toBe(4)
    expect(await ready(2).count()).toBe(0)
  })

  it("plays a recording to its end", async () => {
    await open("plan.html")
    await watch()
    await press(/^To the beginning/)
    await expect.poll(() => ready(1).count(), wait).toBe(4)
    const speed = page.getByLabel("Speed of playing")
    const speeds = await speed
      .locator("option")
      .evaluateAll((all) => all.map((it) => it.getAttribute("value") ?? ""))
    await speed.selectOption(speeds.at(-1) ?? "")
    await page.locator(".player .play").click()
    await expect.poll(() => ready(2).count(), wait).toBe(4)
  })

  it("highlights an object's states at each moment", async () => {
    await open("plan.html")
    await watch()
    await openObject("web")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
    await expect.poll(() => page.locator(".frame svg [data-state]").count(), wait).toBeGreaterThan(5)
    await press(/^To the beginning/)
    await press(/^When web changes next/)
    await expect.poll(() => activeOn(page), wait).not.toContain("rollout.complete")
  })

  it("has a choice of recordings", async () => {
    await open("plan.html")
    await watch()
    const chosen = page.getByLabel(/recording/i).first()
    const titles = await chosen.locator("option").allTextContents()
    expect(titles[0]).toMatch(/^seed \d+: typical/)
    expect(titles.length).toBeGreaterThan(1)
    await chosen.selectOption({ index: 1 })
    await expect.poll(() => ready(2).count(), wait).toBe(4)
  })

  it("keeps the present recording if the chosen one is damaged, and reports it", async () => {
    await open("plan.html")
    await watch()
    const chosen = page.getByLabel(/recording/i).first()
    const before = await chosen.inputValue()
    await page.evaluate(`document.querySelectorAll("script[type$=recording]")[1].textContent = "%"`)
    await chosen.selectOption({ index: 1 })
    await expect
      .poll(() => page.getByTestId("status-message").textContent(), wait)
      .toContain("incomplete or damaged")
    await expect.poll(() => chosen.inputValue(), wait).toBe(before)
    expect(await ready(2).count()).toBe(4)
  })

  it("shows names, images and annotations full of markup as text", async () => {
    await open("story.html")
    await expect.poll(() => page.locator("#report h1").textContent(), wait).toBe(markupText)
    await watch()
    await expect.poll(() => ready(4).count(), wait).toBe(6)
    await openObject("web")
    await page.locator("[data-object='Deployment/web']").waitFor()
    expect(await page.locator("img").count()).toBe(0)
    expect(await page.evaluate("window.hurt")).toBeUndefined()
  })

  it("opens the moment and object of its address, and reports an invalid address", async () => {
    const text = () => page.getByTestId("status-message").textContent()
    const moment = () => page.getByRole("slider").first().getAttribute("aria-valuenow")
    await open("plan.html#/@70")
    await expect.poll(moment, wait).toBe("70")
    expect(await text()).toBe("")
    await page.goto("about:blank")
    await open("plan.html#/Pod/default/web@123456789")
    await expect
      .poll(text, wait)
      .toBe("The address names a moment that is not in this recording: the latest moment is shown")
    await page.goto("about:blank")
    await open("plan.html#/Pot/default/web")
    await expect.poll(text, wait).toContain("The address names no object")
    expect(await page.getByTestId("status-message").isVisible()).toBe(true)
    await open("plan.html#/Deployment/default/web")
    await expect.poll(text, wait).toBe("")
  })

  it("shows its report without JavaScript", async () => {
    const scriptless = await browser.newContext({ javaScriptEnabled: false })
    const read = await scriptless.newPage()
    await read.goto(`file://${join(folder, "plan.html")}`)
    const heading = read.locator("#report h1")
    expect(await heading.textContent()).toMatch(/^Ship it: /)
    expect((await heading.boundingBox())?.y).toBeLessThan(100)
    await scriptless.close()
    await open("plan.html")
  })
})
