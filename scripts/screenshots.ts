import { chromium } from "playwright-core"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openOutage, openSickFleet } from "./screenshots/sickFleet.ts"
import { openWorkloads } from "./screenshots/workloads.ts"
import type { Page } from "playwright-core"
import type { OpenCluster } from "../src/cluster/openCluster.ts"

/**
 * Takes pictures of every view of the page, in two widths, light and dark: `node scripts/screenshots.ts FOLDER`, after
 * `npm run build`. The README shows `page-light.webp` and `page-dark.webp`, which are kept in `scripts/screenshots`.
 */

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("usage: node scripts/screenshots.ts FOLDER")
  process.exit(2)
}
const executablePath = [
  process.env["CHARTHOUSE_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser"
].find((path) => path !== "" && existsSync(path))
if (executablePath === undefined) {
  console.error("no Chromium is here: apt-get install chromium")
  process.exit(2)
}
mkdirSync(folder, { recursive: true })

/** The fragment of the page's address, and what is done there. */
interface View {
  readonly fragment?: string
  readonly act?: (page: Page) => Promise<void>
}

const story: View = {
  act: async (page) => {
    await page.keyboard.press("s")
    await page.locator(".sentences li").first().waitFor()
    await page.keyboard.press("s")
    await page.keyboard.press("End")
  }
}
const twoMoments: View = {
  act: async (page) => {
    await page.keyboard.press("Home")
    await page.keyboard.press("m")
    await page.keyboard.press("End")
  }
}
const palette: View = { act: (page) => page.keyboard.press("Control+k") }
const nodes: View = {
  act: async (page) => void (await page.getByLabel("Order of workloads").selectOption("by node"))
}
const fullChart = (fragment: string): View => ({
  fragment,
  act: (page) => page.getByRole("button", { name: "Full screen" }).click()
})

const scenes: ReadonlyArray<{
  readonly scene: string
  readonly open: () => Promise<OpenCluster>
  /** What the fleet shows once the whole recording has arrived. */
  readonly last: string
  readonly views: Readonly<Record<string, View>>
}> = [
  {
    scene: "fleet",
    open: () => openSickFleet({ deployments: 300, replicas: 10 }, { why: true }),
    last: '[data-workload="tills"][data-lead="down"]',
    views: {
      all: {},
      story,
      twoMoments,
      palette,
      nodes,
      deployment: { fragment: "#/Deployment/default/search" },
      chart: fullChart("#/Deployment/default/search"),
      node: { fragment: "#/Node//node-3" }
    }
  },
  {
    scene: "outage",
    open: openOutage,
    last: '[data-workload="shop"][data-lead="down"]',
    views: { all: {}, story, forecast: { fragment: "#/Deployment/default/shop" } }
  },
  {
    scene: "workloads",
    open: openWorkloads,
    last: '[data-workload="db"][data-lead="blocked"]',
    views: {
      all: {},
      statefulSet: { fragment: "#/StatefulSet/default/db" },
      job: { fragment: "#/Job/default/import" },
      cronJob: { fragment: "#/CronJob/default/report" },
      autoscaler: { fragment: "#/HorizontalPodAutoscaler/default/web" }
    }
  }
]

/** The timeline and the charts are drawn at the next frames, and a forecast takes a moment. */
const drawingMillis = 2000

const takePicture = async (page: Page, path: string): Promise<void> => {
  await page.waitForTimeout(drawingMillis)
  await page.screenshot({ path })
  console.log(path)
}

/** The README's picture. */
const takeSmallPicture = async (page: Page, path: string): Promise<void> => {
  await page.waitForTimeout(drawingMillis)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 85 })
  writeFileSync(path, Buffer.from(data, "base64"))
  console.log(path)
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
for (const { scene, open, last, views } of scenes) {
  await using cluster = await open()
  const { page: address = "" } = await cluster.serve({ tls: false, page: true })
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 400]) {
      for (const [view, { fragment = "", act }] of Object.entries(views)) {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
        await page.goto(`${address}${fragment.replace("#", "&")}`)
        await page.locator(last).waitFor({ state: "attached" })
        await act?.(page)
        await takePicture(page, join(folder, `${scene}-${view}-${width}-${colorScheme}.png`))
        await page.close()
      }
    }
    if (scene !== "fleet") continue
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme })
    await page.goto(`${address}&/Deployment/default/search`)
    await page.locator(last).waitFor({ state: "attached" })
    await page.getByTestId("future").waitFor({ state: "attached" })
    await takeSmallPicture(page, join(folder, `page-${colorScheme}.webp`))
    await page.close()
  }
}
await browser.close()
