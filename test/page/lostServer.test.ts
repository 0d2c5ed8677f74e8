import { describe, expect, it, onTestFinished } from "vitest"
import { chromiumPath, skipped } from "./chromium.ts"
import { visitEach, wait } from "./visits.ts"
import { openPageWorld } from "./world.ts"
import type { Page } from "playwright-core"
import type { PageWorld } from "./world.ts"

const retries = 4

describe.skipIf(chromiumPath === undefined)(`a page whose server${skipped}`, () => {
  let world: PageWorld
  let page: Page
  /** The paths of the requests to the API that the server has not granted. */
  let asked: Array<string>

  visitEach(
    async (fresh) => {
      page = fresh
      asked = []
      page.on("requestfailed", (request) => asked.push(new URL(request.url()).pathname))
      page.on("response", (response) => response.ok() || asked.push(new URL(response.url()).pathname))
      world = await openPageWorld()
      await page.clock.install()
      await page.goto(world.address)
      await page.locator("[data-standing=live]").waitFor()
    },
    () => world.close()
  )

  const standing = () => page.getByTestId("standing").getAttribute("data-standing")
  const lost = () => page.getByTestId("lost").textContent()
  const clockPath = "/charthouse/v1/clock"
  const passHour = () => page.clock.fastForward("01:00:00")

  /**
   * The server is asked for its clock so many times, however much time passes in the page. The stream that was open may
   * have been asked for once more before it was known that the server does not answer.
   */
  const expectAsked = async (times: number): Promise<void> => {
    const clocks = () => asked.filter((path) => path === clockPath).length
    await expect.poll(() => passHour().then(clocks), wait).toBeGreaterThanOrEqual(times)
    for (let hour = 0; hour < 5; hour += 1) await passHour()
    expect(clocks()).toBe(times)
    expect(asked.length - times).toBeLessThanOrEqual(1)
    expect(await page.getByTestId("lost").count()).toBe(1)
  }

  const turn = (state: "hidden" | "visible") =>
    page.evaluate(`{
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" })
      document.dispatchEvent(new Event("visibilitychange"))
    }`)

  /** Looks away and back at the tab, then at another window and back. */
  const expectOneRequestForEachLook = async (): Promise<void> => {
    asked = []
    await turn("hidden")
    await turn("visible")
    await expectAsked(1)
    await page.evaluate('window.dispatchEvent(new Event("focus"))')
    await expectAsked(2)
  }

  const expectToGoOn = async (): Promise<void> => {
    const again = await openPageWorld({ port: world.port })
    onTestFinished(again.close)
    await page.getByRole("button", { name: "Try again" }).click()
    await expect.poll(standing, wait).toBe("live")
    expect(await page.getByTestId("lost").count()).toBe(0)
  }

  it("is gone says so once, stops asking after some retries, and goes on when it is told to try again", async () => {
    asked = []
    await world.close()
    await expect.poll(lost, wait).toContain("does not answer")
    await expectAsked(1 + retries)
    await expectOneRequestForEachLook()
    await expectToGoOn()
  })

  it("no longer takes its token says so once, stops asking, and goes on when it is told to try again", async () => {
    await world.close()
    const other = await openPageWorld({ port: world.port, token: "another" })
    await expect.poll(() => passHour().then(lost), wait).toContain("token is not this server's")
    await expectOneRequestForEachLook()
    await other.close()
    await expectToGoOn()
  })
})
