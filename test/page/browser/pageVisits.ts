import * as Effect from "effect/Effect"
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest"
import { createObject } from "../../cluster/testCluster.ts"
import { openBrowser, openServedPage } from "../servedPage.ts"
import type { Browser, Page } from "playwright-core"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { ServedPage } from "../servedPage.ts"

/** Timeout for the page to show something. */
export const wait = { timeout: 60_000 }

/** Text that runs a script if it is parsed as markup. */
export const markup = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>'

/** Gives each test a new page of one browser; errors on the page fail the test. */
export const visitEach = (
  onBegin: (page: Page, browser: Browser) => Promise<void> | void,
  onEnd: () => Promise<void> | void = () => undefined
): void => {
  let browser: Browser
  let page: Page
  const pageErrors: Array<string> = []
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    page = await browser.newPage()
    pageErrors.length = 0
    page.on("pageerror", (error) => pageErrors.push(error.message))
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) pageErrors.push(message.text())
    })
    await onBegin(page, browser)
  })
  afterEach(async () => {
    await page.close()
    await onEnd()
    if (pageErrors.length > 0) throw new Error(pageErrors.join("\n"))
  })
}

interface Visit {
  readonly page: Page
  readonly browser: Browser
  readonly served: ServedPage
}

/** Gives each test the page of a new cluster in which these Deployments are rolled out. */
export const visitClusterEach = (
  manifests: ReadonlyArray<Draft>,
  onBegin: (visit: Visit) => Promise<void> | void
): void => {
  let served: ServedPage | undefined
  visitEach(
    async (page, browser) => {
      served = await openServedPage()
      for (const manifest of manifests) await Effect.runPromise(createObject(served.cluster, manifest))
      await served.pass(60_000)
      await page.goto(served.address)
      await onBegin({ page, browser, served })
    },
    () => served?.close()
  )
}

/** Waits until the page has read all that the cluster has recorded until now. */
export const untilRecordingRead = async (page: Page, { cluster }: ServedPage): Promise<void> => {
  const recorder = await Effect.runPromise(cluster.clusterRecorder)
  const entries = recorder.after(recorder.startNumber(), { withObjects: true, steps: "none" }) ?? []
  const endShown = async () => Number(await page.locator(".player").getAttribute("data-end"))
  await expect.poll(endShown, wait).toBeGreaterThanOrEqual(entries.at(-1)?.number ?? 0)
}

/** As `untilRecordingRead`, and the steps of Deployment web, which arrive over a connection of their own. */
export const untilStepsRead = async (page: Page, served: ServedPage): Promise<void> => {
  await untilRecordingRead(page, served)
  const { steps } = await Effect.runPromise(served.cluster.stepRecorder)
  const last = steps({ kind: "Deployment", namespace: "default", name: "web" }).at(-1)?.number
  await page.locator(`.step[data-step="${last}"]`).waitFor(wait)
}

/** Tells the page that its tab is hidden or visible. */
export const setVisibility = (page: Page, state: "hidden" | "visible"): Promise<unknown> =>
  page.evaluate(`{
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" })
    document.dispatchEvent(new Event("visibilitychange"))
  }`)
