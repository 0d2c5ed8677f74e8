import { existsSync } from "node:fs"
import { median } from "./comparisons.ts"
import { CannotMeasure, singleLineMeasure } from "./measure.ts"
import { webManifest, openClusterFor } from "./fixtures.ts"
import type { Page } from "playwright-core"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

const [deployments, replicas] = [30, 100]
const pods = deployments * replicas
const names = Array.from({ length: deployments }, (_, index) => `app-${index}`)

/** The cluster's time passes in steps of this length, at real pace. */
const stepMillis = 100
const rolloutMillis = 10_000
const pollMillis = 50

const chromiumPaths = [
  process.env["CHARTHOUSE_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser"
]

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Opens a browser that shows 3,000 ready Pods of 30 Deployments, with one Deployment selected. */
const withOpenPage = async <A>(
  checkout: Checkout,
  use: (page: Page, roll: () => Promise<void>) => Promise<A>
): Promise<A> => {
  const executablePath = chromiumPaths.find((path) => path !== "" && existsSync(path))
  if (executablePath === undefined) throw new CannotMeasure("no Chromium is here: apt-get install chromium")
  const { chromium } = await import("playwright-core")
  const cluster = await openClusterFor(checkout, pods, { record: true, why: true })
  for (const name of names) await cluster.create(webManifest(replicas, "v1", name))
  await cluster.advance("1m")
  const { page: address = "" } = await cluster.serve({ tls: false, page: true })
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(address)
  await page
    .getByRole("navigation", { name: "Fleet" })
    .getByRole("link", { name: "Deployment app-0", exact: true })
    .click()
  while ((await page.locator(".pods [data-mark=ready]").count()) < pods) await pause(pollMillis)
  const roll = async (): Promise<void> => {
    for (const name of names) {
      await cluster.patch(
        { resource: "deployments.apps", name },
        { spec: webManifest(replicas, "v2", name).spec }
      )
    }
    const startMillis = performance.now()
    for (let passed = 0; passed < rolloutMillis; passed += stepMillis) {
      await cluster.advance(stepMillis)
      await pause(Math.max(0, startMillis + passed + stepMillis - performance.now()))
    }
  }
  const result = await use(page, roll)
  await browser.close()
  await cluster.close()
  return result
}

/** Frames per second while everything is rolled out in real time. */
const measureFrames = (checkout: Checkout): Promise<Measurement> =>
  withOpenPage(checkout, async (page, roll) => {
    await page.evaluate(`{
      globalThis.frames = []
      const draw = (millis) => (frames.push(millis), requestAnimationFrame(draw))
      requestAnimationFrame(draw)
    }`)
    await roll()
    const frameMillis = await page.evaluate<ReadonlyArray<number>>("frames")
    const seconds = Map.groupBy(frameMillis, (millis) => Math.floor(millis / 1000))
    const counts = [...seconds.values()].slice(1, -1).map(({ length }) => length)
    return {
      value: median(counts),
      unit: "frames/s",
      least: 30,
      note: `the worst second ${Math.min(...counts)}`
    }
  })

/** From a move along the timeline until that moment is drawn, over a whole rollout. */
const measureMoves = (checkout: Checkout): Promise<Measurement> =>
  withOpenPage(checkout, async (page, roll) => {
    await roll()
    const durations = await page.evaluate<ReadonlyArray<number>>(`(async () => {
      const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const last = Number(document.querySelector("[role=slider]").getAttribute("aria-valuemax"))
      const durations = []
      for (let part = 99; part > 0; part -= 1) {
        history.replaceState(null, "", "#/Deployment/default/app-0@" + Math.round((last * part) / 100))
        await drawn()
        const startMillis = performance.now()
        dispatchEvent(new PopStateEvent("popstate"))
        await drawn()
        durations.push(performance.now() - startMillis)
      }
      return durations
    })()`)
    return {
      value: median(durations),
      unit: "ms",
      bound: 50,
      note: `the longest ${Math.max(...durations).toFixed(0)} ms`
    }
  })

export const pageMeasures = [
  singleLineMeasure("page", measureFrames, { needsFreshProcess: true }),
  singleLineMeasure("page, a move in time", measureMoves, { needsFreshProcess: true })
]
