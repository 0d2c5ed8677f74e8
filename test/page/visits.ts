import * as Effect from "effect/Effect"
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest"
import { begin } from "../cluster/worlds.ts"
import { openBrowser, openPageWorld } from "./world.ts"
import type { Browser, Page } from "playwright-core"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { PageWorld } from "./world.ts"

/** So long may a page take until it shows something. */
export const wait = { timeout: 60_000 }

/** Text that would do something where it is read as markup. */
export const markup = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>'

/** Has each test of a group begin with a new page of one browser; one in which that page had any trouble fails. */
export const visitEach = (
  begun: (page: Page, browser: Browser) => Promise<void> | void,
  ended: () => Promise<void> | void = () => undefined
): void => {
  let browser: Browser
  let page: Page
  const troubles: Array<string> = []
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    page = await browser.newPage()
    troubles.length = 0
    page.on("pageerror", (error) => troubles.push(error.message))
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) troubles.push(message.text())
    })
    await begun(page, browser)
  })
  afterEach(async () => {
    await page.close()
    await ended()
    if (troubles.length > 0) throw new Error(troubles.join("\n"))
  })
}

interface Visit {
  readonly page: Page
  readonly browser: Browser
  readonly world: PageWorld
}

/** Has each test of a group begin on the page of a new cluster, in which these Deployments have come up. */
export const visitClusterEach = (
  manifests: ReadonlyArray<Draft>,
  begun: (visit: Visit) => Promise<void> | void
): void => {
  let world: PageWorld | undefined
  visitEach(
    async (page, browser) => {
      world = await openPageWorld()
      for (const manifest of manifests) await Effect.runPromise(begin(world.cluster, manifest))
      await world.pass(60_000)
      await page.goto(world.address)
      await begun({ page, browser, world })
    },
    () => world?.close()
  )
}
