import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { activeOn, inFleet } from "../servedPage.ts"
import { deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { visitClusterEach, wait } from "./pageVisits.ts"
import type { Browser, Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

describe.skipIf(chromiumPath === undefined)(`a command on the page${skippedNote}`, () => {
  let browser: Browser
  let served: ServedPage
  let page: Page

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], (visit) => {
    ;({ browser, served, page } = visit)
  })

  const openWeb = () => inFleet(page).getByRole("link", { name: "Deployment web" }).click()
  const messageText = () => page.getByTestId("status-message").textContent()
  const press = (name: string) => page.locator(".actions").getByRole("button", { name, exact: true }).click()
  const palette = () => page.getByRole("combobox", { name: "Command or object" })
  const imageOfWeb = () => served.web()?.spec.template.spec?.containers[0]?.image
  const rollOut = async (version: string, millis: number): Promise<void> => {
    await Effect.runPromise(replaceSpec(served.cluster, deploymentManifest({ replicas: 4, version })))
    await served.pass(millis)
  }
  /** Rolls out v2, which is not complete before v3 replaces it; v1 was. */
  const rollOutThree = async (): Promise<void> => {
    await rollOut("v2", 400)
    await rollOut("v3", 60_000)
    await expect.poll(() => page.locator("[data-revision='3'] [data-mark=ready]").count(), wait).toBe(4)
  }

  it("undoes a rollout to any revision, each with its image and whether it ever was complete, played before", async () => {
    await openWeb()
    await rollOutThree()
    const revisions = page.getByLabel("Revision")
    await expect
      .poll(() => revisions.locator("option").allTextContents(), wait)
      .toEqual(["2: registry.example/app:v2, never complete", "1: registry.example/app:v1, was complete"])
    expect(await revisions.inputValue()).toBe("1")
    await page.getByLabel("only say what would happen").check()
    for (const revision of ["2", "1"]) {
      await revisions.selectOption(revision)
      await press("Undo")
      await expect
        .poll(messageText, wait)
        .toMatch(
          new RegExp(
            `^In a copy: web is rolled back to revision ${revision}\\. Then: complete in .*as it was\\.$`
          )
        )
    }
    expect(imageOfWeb()).toBe("registry.example/app:v3")
    await page.getByLabel("only say what would happen").uncheck()
    await revisions.selectOption("2")
    await press("Undo")
    await expect.poll(messageText, wait).toBe("web is rolled back to revision 2")
    expect(imageOfWeb()).toBe("registry.example/app:v2")
  })

  it("is found by its words, run with Enter, and goes to any object", async () => {
    await openWeb()
    await rollOutThree()
    await page.keyboard.press("Control+k")
    await palette().waitFor(wait)
    await page.keyboard.type("undo web 1")
    await page.keyboard.press("Enter")
    await expect.poll(messageText, wait).toBe("web is rolled back to revision 1")
    expect(imageOfWeb()).toBe("registry.example/app:v1")
    await page.keyboard.press("Control+k")
    await palette().waitFor(wait)
    await page.keyboard.type("node-2")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await page.locator("[data-object='Node/node-2']").waitFor(wait)
    await page.keyboard.press("Control+k")
    await palette().waitFor(wait)
    await page.keyboard.press("Escape")
    await expect.poll(() => palette().count(), wait).toBe(0)
    expect(await page.locator("[data-object='Node/node-2']").count()).toBe(1)
  })

  it("copies a link to the moment with one key, which shows it in another window", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await openWeb()
    await rollOut("v2", 700)
    await expect.poll(() => activeOn(page), wait).toContain("rollout.rollingUpdate.awaitingPods")
    await page.keyboard.press(",")
    await page.getByTestId("banner").waitFor(wait)
    const moment = await page.getByTestId("banner").getAttribute("data-moment")
    await page.keyboard.press("y")
    await expect.poll(messageText, wait).toContain("The link to this moment is copied.")
    const link = await page.evaluate<string>("navigator.clipboard.readText()")
    await served.pass(60_000)
    const stranger = await browser.newContext()
    const other = await stranger.newPage()
    await other.goto(link)
    await other.locator(`[data-testid=banner][data-moment="${moment}"]`).waitFor(wait)
    await other.locator("[data-object='Deployment/web']").waitFor(wait)
    await stranger.close()
  })

  it("that was refused says so until its cause is gone", async () => {
    await openWeb()
    await rollOutThree()
    await press("Pause")
    await expect.poll(() => served.web()?.spec.paused, wait).toBe(true)
    await page.locator(".actions").getByRole("button", { name: "Resume" }).waitFor(wait)
    const refusal = "cannot rollback a paused deployment"
    await press("Undo")
    await expect.poll(messageText, wait).toContain(refusal)
    await page.getByLabel("Image", { exact: true }).fill("registry.example/app:v4")
    await expect.poll(messageText, wait).toBe("")
    await press("Undo")
    await expect.poll(messageText, wait).toContain(refusal)
    await page.keyboard.press("Escape")
    await page.locator(".pods .pod").first().click()
    await expect.poll(messageText, wait).toBe("")
  })
})
