import { chromium } from "playwright-core"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { openOutage, openSickFleet } from "./screenshots/sickFleet.ts"
import { openWorkloads } from "./screenshots/workloads.ts"
import type { OpenCluster } from "../src/cluster/openCluster.ts"

/** Takes pictures of the page: `node scripts/screenshots.ts FOLDER`, after `npm run build`. */

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

const scenes: ReadonlyArray<{
  readonly scene: string
  readonly open: () => Promise<OpenCluster>
  /** The fragment of the page's address for each view. */
  readonly views: Readonly<Record<string, string>>
}> = [
  {
    scene: "fleet",
    open: () => openSickFleet({ deployments: 300, replicas: 10 }, { why: true }),
    views: { all: "", deployment: "#/Deployment/default/search", node: "#/Node//node-3" }
  },
  {
    scene: "outage",
    open: openOutage,
    views: { all: "", deployment: "#/Deployment/default/shop" }
  },
  {
    scene: "workloads",
    open: openWorkloads,
    views: {
      all: "",
      statefulSet: "#/StatefulSet/default/db",
      job: "#/Job/default/import",
      cronJob: "#/CronJob/default/report",
      autoscaler: "#/HorizontalPodAutoscaler/default/web"
    }
  }
]

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
for (const { scene, open, views } of scenes) {
  await using cluster = await open()
  const { page: address = "" } = await cluster.serve({ tls: false, page: true })
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 400]) {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
      await page.goto(address)
      await page.locator("[data-workload]").first().waitFor()
      for (const [view, fragment] of Object.entries(views)) {
        if (fragment !== "") await page.goto(`${address.split("#")[0] ?? ""}${fragment}`)
        // The timeline and the charts are drawn at the next frames.
        await page.waitForTimeout(2000)
        const path = join(folder, `${scene}-${view}-${width}-${colorScheme}.png`)
        await page.screenshot({ path })
        console.log(path)
      }
      await page.close()
    }
  }
}
await browser.close()
