import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { openWorkloads } from "../../../scripts/screenshots/workloads.ts"
import { barriersOn } from "./barriers.ts"
import { visitEach, wait } from "./pageVisits.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { Page } from "playwright-core"
import type { StatefulSet } from "../../../src/kubernetes/apps/statefulSets/statefulSetTypes.ts"

describe.skipIf(chromiumPath === undefined)(`a cluster with every kind of workload${skippedNote}`, () => {
  let cluster: OpenCluster
  let address = ""
  let page: Page

  beforeAll(async () => {
    cluster = await openWorkloads()
    address = (await cluster.serve({ tls: false, page: true })).page ?? ""
  })
  afterAll(() => cluster[Symbol.asyncDispose]())
  visitEach(async (newPage) => {
    page = newPage
    await page.goto(address)
  })

  it("shows the chart, the explanation and the timeline of a chosen StatefulSet", async () => {
    const card = page.locator("[data-kind=StatefulSet]")
    await expect.poll(() => card.locator("[data-revision='1'] [data-mark=ready]").count(), wait).toBe(2)
    await card.getByRole("link", { name: "StatefulSet db" }).click()
    const shown = page.locator("[data-object='StatefulSet/db']")
    await expect
      .poll(() => shown.locator("[data-active]").getAttribute("data-active"), wait)
      .toBe("keeping.awaitingPod.waiting")
    await expect
      .poll(() => shown.getByTestId("explanation").textContent(), wait)
      .toContain("1 Pod cannot pull registry.example/db:broken: manifest unknown")
    expect(await page.getByTestId("readout").textContent()).toMatch(/2 of 3 available, floor 2, ceiling 3/u)
  })

  it("tells the story that was asked for before the view of stories was loaded", async () => {
    const request = Promise.withResolvers<undefined>()
    await page.route("**/page-*.js", async (route) => {
      const response = await route.fetch()
      if ((await response.text()).includes("Tell the story")) await request.promise
      await route.fulfill({ response })
    })
    await page.reload({ waitUntil: "commit" })
    await page.locator("[data-kind=StatefulSet]").waitFor()
    await page.keyboard.press("s")
    request.resolve(undefined)
    await expect.poll(() => page.locator(".sentences li").count(), wait).toBeGreaterThan(0)
  })

  it("has no view in which axe-core finds a barrier, in light and dark", async () => {
    const problems: Array<string> = []
    const check = async (view: string): Promise<void> => {
      for (const problem of await barriersOn(page)) problems.push(`${view}, light: ${problem}`)
      await page.emulateMedia({ colorScheme: "dark" })
      // Only colours differ.
      for (const problem of await barriersOn(page, ["color-contrast"]))
        problems.push(`${view}, dark: ${problem}`)
      await page.emulateMedia({ colorScheme: "light" })
    }
    await page.locator("[data-kind=StatefulSet]").waitFor()
    await page.keyboard.press("s")
    await page.locator(".sentences li").first().waitFor()
    await page.keyboard.press("s")
    await page.keyboard.press("m")
    await page.getByTestId("compare").waitFor()
    await check("the fleet with its story beside a pinned moment")
    await page.keyboard.press("m")
    // A later sentence of the story, when all workloads are there.
    for (let sentence = 0; sentence < 8; sentence += 1) await page.keyboard.press("n")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Command or object" }).waitFor()
    await check("the palette")
    await page.keyboard.type("StatefulSet db")
    await page.keyboard.press("Enter")
    await page.locator("[data-object='StatefulSet/db']").waitFor()
    await check("a StatefulSet at a past moment")
    await page.keyboard.press("End")
    await page.getByTestId("small-chart").waitFor()
    await check("a StatefulSet as it is now")
    await page.keyboard.press("Escape")
    await page.getByLabel("Order of workloads").selectOption("by node")
    await page.locator("[data-node-card]").first().waitFor()
    await check("the nodes")
    await page.keyboard.press("?")
    await check("the keys")
    expect(problems).toEqual([])
  })

  it("has buttons that change, scale, restart, undo, suspend and resume workloads, but not a finished Job", async () => {
    const open = async (kind: string, name: string): Promise<void> => {
      await page.keyboard.press("Escape")
      await page
        .locator(`[data-kind=${kind}]`)
        .getByRole("link", { name: `${kind} ${name}`, exact: true })
        .click()
      await page.locator(`[data-object='${kind}/${name}']`).waitFor()
    }
    const press = async (button: string, status: string): Promise<void> => {
      await page.getByRole("button", { name: button, exact: true }).click()
      await expect.poll(() => page.getByTestId("status-message").textContent(), wait).toBe(status)
    }
    const imageOf = async (resource: string, name: string): Promise<unknown> => {
      const { spec } = (await cluster.get({ resource, name })) as StatefulSet
      return spec.template.spec?.containers[0]?.image
    }
    const containers = [{ name: "app", image: "registry.example/index:1.0" }]
    const jobTemplate = { spec: { restartPolicy: "Never", containers } }
    await cluster.create({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "index" },
      spec: { template: jobTemplate }
    })
    await open("StatefulSet", "db")
    await press("Undo", "db is rolled back to revision 1")
    expect(await imageOf("statefulsets.apps", "db")).toBe("registry.example/db:1.0")
    await page.getByLabel("Replicas", { exact: true }).fill("2")
    await press("Scale", "db is scaled to 2 Pods")
    await page.getByLabel("Image", { exact: true }).fill("registry.example/db:2.0")
    await press("Set image", "container app of db gets the image registry.example/db:2.0")
    await press("Restart", "db is restarted")
    await open("DaemonSet", "agent")
    await page.getByLabel("Image", { exact: true }).fill("registry.example/agent:3.0")
    await press("Set image", "container app of agent gets the image registry.example/agent:3.0")
    // Revision 2 was never complete.
    await press("Undo", "agent is rolled back to revision 1")
    expect(await imageOf("daemonsets.apps", "agent")).toBe("registry.example/agent:1.0")
    await press("Restart", "agent is restarted")
    await open("CronJob", "report")
    await press("Suspend", "report is suspended")
    await press("Resume", "report is resumed")
    await open("Job", "index")
    await press("Suspend", "index is suspended")
    await press("Resume", "index is resumed")
    await open("Job", "import")
    await page.getByTestId("explanation").waitFor()
    expect(await page.getByRole("button", { name: "Suspend" }).count()).toBe(0)
  })
})
