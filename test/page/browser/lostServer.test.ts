import { describe, expect, it, onTestFinished } from "vitest"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { setVisibility, visitEach, wait } from "./pageVisits.ts"
import { openServedPage } from "../servedPage.ts"
import type { Page, Request } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

const retries = 4

describe.skipIf(chromiumPath === undefined)(`a page whose server${skippedNote}`, () => {
  let served: ServedPage
  let page: Page
  /** Paths of the requests that failed. */
  let failedPaths: Array<string>
  /** Requests that are not answered yet. */
  let pending: Set<Request>

  visitEach(
    async (newPage) => {
      page = newPage
      failedPaths = []
      pending = new Set()
      const refused = new Set<Request>()
      const fail = (request: Request): void => {
        pending.delete(request)
        // The page may still abort the body of a refusal, when the test lets its timeout pass.
        if (!refused.has(request)) failedPaths.push(new URL(request.url()).pathname)
        refused.add(request)
      }
      page.on("request", (request) => pending.add(request))
      page.on("requestfinished", (request) => pending.delete(request))
      page.on("requestfailed", fail)
      page.on("response", (response) => response.ok() || fail(response.request()))
      served = await openServedPage()
      await page.clock.install()
      await page.goto(served.address)
      await page.locator("[data-connection-state=live]").waitFor()
    },
    () => served.close()
  )

  const standing = () => page.getByTestId("connection").getAttribute("data-connection-state")
  const lost = () => page.getByTestId("lost").textContent()
  const clockPath = "/charthouse/v1/clock"
  const passHour = () => page.clock.fastForward("01:00:00")

  /**
   * The page requests the clock so many times, however much time passes. It may have requested the open stream once
   * more before it knew that the server does not answer.
   */
  const expectRequests = async (times: number): Promise<void> => {
    const clocks = () => failedPaths.filter((path) => path === clockPath).length
    await expect.poll(() => passHour().then(clocks), wait).toBeGreaterThanOrEqual(times)
    for (let hour = 0; hour < 5; hour += 1) await passHour()
    expect(clocks()).toBe(times)
    expect(failedPaths.length - times).toBeLessThanOrEqual(1)
    expect(await page.getByTestId("lost").count()).toBe(1)
  }

  /** Hides and shows the tab, then focuses the window again. */
  const expectOneRequestPerReturn = async (): Promise<void> => {
    await expect.poll(() => pending.size, wait).toBe(0)
    failedPaths = []
    await setVisibility(page, "hidden")
    await setVisibility(page, "visible")
    await expectRequests(1)
    await page.evaluate('window.dispatchEvent(new Event("focus"))')
    await expectRequests(2)
  }

  const expectToGoOn = async (): Promise<void> => {
    const again = await openServedPage({ port: served.port })
    onTestFinished(again.close)
    await page.getByRole("button", { name: "Try again" }).click()
    await expect.poll(standing, wait).toBe("live")
    expect(await page.getByTestId("lost").count()).toBe(0)
  }

  it("has ended shows that once, stops its requests after some retries, and goes on after a click on Try again", async () => {
    failedPaths = []
    await served.close()
    await expect.poll(lost, wait).toContain("does not answer")
    await expectRequests(1 + retries)
    await expectOneRequestPerReturn()
    await expectToGoOn()
  })

  it("rejects its token shows that once, stops its requests, and goes on after a click on Try again", async () => {
    await served.close()
    const other = await openServedPage({ port: served.port, token: "another" })
    await expect.poll(() => passHour().then(lost), wait).toContain("The server refuses the token")
    await expectOneRequestPerReturn()
    await other.close()
    await expectToGoOn()
  })
})
