import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { activeOn, inFleet, openServedPage } from "../servedPage.ts"
import { deploymentManifest, createObject, replaceSpec, withCluster } from "../../cluster/testCluster.ts"
import { temporaryFolder } from "../../cli/harness/kubeconfigs.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { markup, visitEach, wait } from "./pageVisits.ts"
import { markup as written } from "../../../src/reports/markup.ts"
import { pageFile } from "../../../src/reports/pageFile.ts"
import { loadPageAssets } from "../../../src/reports/pageAssets.ts"
import { writeFileSync } from "node:fs"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

/** A recording of a rollout to an image whose name is full of markup. */
const recorded = (title: string): Promise<string> =>
  withCluster({ record: { title } }, (cluster) =>
    Effect.gen(function* () {
      yield* createObject(cluster, deploymentManifest({ replicas: 5, version: "v1" }))
      yield* Effect.orDie(cluster.advance(60_000))
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 5, version: markup }))
      yield* Effect.orDie(cluster.advance(60_000))
      return (yield* cluster.clusterRecorder).text()
    })
  )

describe.skipIf(chromiumPath === undefined)(`a recording on the page${skippedNote}`, () => {
  let served: ServedPage
  let page: Page
  let text: string

  visitEach((fresh) => {
    page = fresh
  })
  beforeAll(async () => {
    text = await recorded("a bad image")
    served = await openServedPage()
    await Effect.runPromise(createObject(served.cluster, deploymentManifest({ name: "living", replicas: 2 })))
  })
  afterAll(() => served.close())

  const shown = (id: string) => page.getByTestId(id)
  const open = (content: string | Buffer, name = "a-file.ndjson") =>
    page
      .locator("input[type=file]")
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) })
  const openWeb = () => inFleet(page).getByRole("link", { name: "Deployment web" }).click()

  it("is opened from a file, gzipped or not, shows any of its moments, and is left for the cluster", async () => {
    await page.goto(served.address)
    await inFleet(page).getByText("living").waitFor(wait)
    for (const content of [text, gzipSync(text)]) {
      await open(content)
      await expect.poll(() => shown("recording").textContent(), wait).toBe("recording a bad image")
      await openWeb()
      await expect.poll(() => page.locator("[data-revision='2'] [data-mark=trouble]").count(), wait).toBe(3)
      await expect.poll(() => shown("explanation").textContent(), wait).toContain("cannot pull")
      await expect.poll(() => activeOn(page), wait).toContain("rollout.rollingUpdate.awaitingPods")
      expect(await page.getByRole("button", { name: "Set image" }).count()).toBe(0)
      await page.locator(".step .head").last().click()
      await expect.poll(() => page.locator(".pods .pod").count(), wait).toBe(0)
      await expect.poll(() => shown("now").textContent(), wait).toBe("2026-01-01 00:00:00")
      await page.keyboard.press("End")
      await expect.poll(() => page.locator("[data-revision='2'] [data-mark=trouble]").count(), wait).toBe(3)
      await page.getByRole("button", { name: "back to the cluster" }).click()
      await inFleet(page).getByText("living").waitFor(wait)
      expect(await shown("recording").count()).toBe(0)
    }
    expect(await page.evaluate("window.hurt")).toBeUndefined()
  })

  it("is opened without a token, by drag and drop", async () => {
    await page.goto(served.address.split("#")[0] ?? "")
    await expect.poll(() => shown("no-token").textContent(), wait).toContain("can be opened without one")
    await page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(text)}], "dropped.ndjson"))
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
    }`)
    await expect.poll(() => shown("recording").textContent(), wait).toContain("a bad image")
    await openWeb()
    await expect.poll(() => page.locator(".frame [data-state].active").count(), wait).toBeGreaterThan(0)
    expect(await page.getByRole("button", { name: "back to the cluster" }).count()).toBe(0)
  })

  it("that is cut off is shown as far as it goes, with a notice", async () => {
    await page.goto(served.address)
    await open(text.slice(0, Math.floor(text.length / 2)))
    await expect.poll(() => shown("notice").textContent(), wait).toContain("is incomplete")
    await expect.poll(() => page.locator(".pods .pod").count(), wait).toBeGreaterThan(0)
  })

  it.each([
    {
      why: "of another version",
      content: () => text.replace("charthouse.dev/v1", "charthouse.dev/v9"),
      expectedMessage: "v9"
    },
    {
      why: "that is no recording",
      content: () => "hello",
      expectedMessage:
        "a-file.ndjson: its first line is not JSON. This is not a recording: charthouse record makes one."
    },
    { why: "with nothing in it", content: () => "", expectedMessage: "it is empty" },
    {
      why: "gzipped and cut off",
      content: () => gzipSync(text).subarray(0, 2000),
      expectedMessage: "compressed file is incomplete or damaged"
    }
  ])(
    "$why is refused with the reason, and the page keeps its content",
    async ({ content, expectedMessage }) => {
      await page.goto(served.address)
      await inFleet(page).getByText("living").waitFor(wait)
      await open(content())
      await expect.poll(() => shown("status-message").textContent(), wait).toContain(expectedMessage)
      expect(await inFleet(page).getByText("living").count()).toBe(1)
    }
  )

  it("with markup in its texts and charts runs no script and violates no security policy", async () => {
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="window.hurt=1"><script>window.hurt=1</script>' +
      '<g data-state="deployment"><rect width="9" height="9" onclick="window.hurt=1" onfocus="window.hurt=1" ' +
      'onblur="window.hurt=1" tabindex="0" fill="url(https://evil.example/x)" rx="2"/></g><foreignObject/>' +
      '<style>@import "https://evil.example/x"</style><rect style="fill: red" id="page"/>' +
      `<a href="javascript:hurt()"><text>out</text></a><image href="https://evil.example/x.png"/></svg>`
    const charts = JSON.stringify({ deployment: drawing })
    await page.addInitScript(`
      window.reports = []
      addEventListener("securitypolicyviolation", (event) => window.reports.push(event.violatedDirective), true)
    `)
    await page.goto(served.address)
    await open(
      text.replace('"charts":{}', `"charts":${charts}`).replace("a bad image", markup.replaceAll('"', "'"))
    )
    await expect.poll(() => shown("recording").textContent(), wait).toContain("<script>")
    await openWeb()
    await expect.poll(() => page.locator(".frame rect").count(), wait).toBe(2)
    type DomElement = { readonly localName: string; getAttributeNames(): ReadonlyArray<string> }
    const drawn = await page
      .locator(".frame *")
      .evaluateAll((all) =>
        (all as unknown as ReadonlyArray<DomElement>).map((it) => [it.localName, ...it.getAttributeNames()])
      )
    expect(drawn).toEqual([
      ["svg", "viewBox", "width", "height"],
      ["g", "data-state", "class"],
      ["rect", "width", "height", "rx"],
      ["rect"]
    ])
    expect(await page.locator("img, body script:not([src])").count()).toBe(0)
    expect(await page.evaluate("[window.hurt, window.reports]")).toEqual([undefined, []])
  })

  it("in a self-contained page, beside others and a report, needs no server", async () => {
    const pageAssets = await loadPageAssets()
    const recordings = [
      { title: "first", text },
      { title: "second", text: text.slice(0, Math.floor(text.length / 2)) }
    ]
    const report = written`<h1>What came of it</h1>`
    const path = resolve(temporaryFolder(), "page.html")
    writeFileSync(path, pageFile({ title: "two", version: "0.1.0", recordings, pageAssets, report }))
    await page.goto(`file://${path}`)
    await page.getByText("What came of it").waitFor(wait)
    expect(await page.locator("main").isVisible()).toBe(false)
    await page.getByRole("tab", { name: "Watch it" }).click()
    await openWeb()
    await expect.poll(() => page.locator(".frame [data-state].active").count(), wait).toBeGreaterThan(0)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=trouble]").count(), wait).toBe(3)
    expect(await page.getByText("What came of it").isVisible()).toBe(false)
    await page.getByLabel("Recording beside it").selectOption("second")
    const sides = shown("compare").locator(".side")
    await expect
      .poll(() => sides.locator("h3").allTextContents(), wait)
      .toEqual([expect.stringMatching(/^second 00:/), expect.stringMatching(/^first 00:02/)])
    expect(await sides.locator(".workload").count()).toBe(2)
    await page.getByRole("button", { name: "Swap" }).click()
    await expect.poll(() => sides.locator("h3").first().textContent(), wait).toContain("first")
    await expect.poll(() => shown("notice").textContent(), wait).toContain("is incomplete")
    await page.keyboard.press("m")
    await expect.poll(() => shown("compare").count(), wait).toBe(0)
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator(".pods .pod").count(), wait).toBe(0)
  })
})
