import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { openSickFleet } from "../../../scripts/screenshots/sickFleet.ts"
import { visitEach, wait } from "./pageVisits.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { Page } from "playwright-core"

describe.skipIf(chromiumPath === undefined)(`four sick Deployments among twelve${skippedNote}`, () => {
  let cluster: OpenCluster
  let address = ""
  let page: Page

  beforeAll(async () => {
    cluster = await openSickFleet({ deployments: 12, replicas: 4 })
    address = (await cluster.serve({ tls: false, page: true })).page ?? ""
  })
  afterAll(() => cluster[Symbol.asyncDispose]())
  visitEach(async (newPage) => {
    page = newPage
    await page.goto(address)
    await page.locator("[data-workload=tills]").waitFor()
  })

  const cards = () => page.locator("[data-workload]")
  const names = () => cards().evaluateAll((all) => all.map((it) => it.getAttribute("data-workload")))
  const counter = (name: string) => page.getByRole("button", { name, exact: true })

  it("come first, with the root of what is wrong", async () => {
    await expect.poll(async () => (await names()).slice(0, 3), wait).toEqual(["ledger", "tills", "search"])
    const cardTexts = await cards().evaluateAll((all) =>
      all.slice(0, 3).map((it) => [".badge", ".cause"].map((part) => it.querySelector(part)?.textContent))
    )
    expect(cardTexts).toEqual([
      ["▼ down", "node-3 is lost, with 4 Pods."],
      ["▼ down", "4 Pods crash: OOMKilled."],
      ["! blocked", "2 Pods cannot pull registry.example/search:broken."]
    ])
  })

  it("are counted, and shown alone when their counter is pressed", async () => {
    await counter("2 down").click()
    await expect.poll(names, wait).toEqual(["ledger", "tills"])
    await counter("2 down").click()
    await counter("1 paused").click()
    await expect.poll(names, wait).toEqual(["quotes"])
    expect(await counter("1 paused").getAttribute("aria-pressed")).toBe("true")
    await page.keyboard.press("/")
    await page.keyboard.type("nothing-like-it")
    await page.getByRole("button", { name: "Show all" }).click()
    await expect.poll(() => cards().count(), wait).toBe(12)
  })

  it("are found by name and image, and stand in the alphabet when asked to", async () => {
    await page.keyboard.press("/")
    await page.keyboard.type("search:BROKEN")
    await expect.poll(names, wait).toEqual(["search"])
    await page.getByRole("searchbox").fill("")
    await page.getByRole("combobox", { name: "Order of workloads" }).selectOption("by name")
    await expect.poll(async () => (await names())[0], wait).toBe("app-000")
  })

  it("have the first lanes of the timeline", async () => {
    const lanes = page.getByTestId("timeline").locator(".lane-name text")
    const first = async () => (await lanes.allTextContents()).slice(0, 4)
    await expect.poll(first, wait).toEqual(["ledger", "tills", "search", "quotes"])
  })
})
