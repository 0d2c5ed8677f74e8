import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { activeOn, inFleet, highlightedOn, openServedPage } from "../servedPage.ts"
import { deploymentManifest, createObject } from "../../cluster/testCluster.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { markup, setVisibility, untilRecordingRead, visitClusterEach, wait } from "./pageVisits.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { Browser, Page } from "playwright-core"
import type { Deployment, Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { ServedPage } from "../servedPage.ts"

describe.skipIf(chromiumPath === undefined)(`the page${skippedNote}`, () => {
  let browser: Browser
  let served: ServedPage
  let page: Page

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], (visit) => {
    ;({ browser, served, page } = visit)
  })

  const openObject = (name: string) =>
    inFleet(page)
      .getByRole("link", { name: `Deployment ${name}`, exact: true })
      .click()
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
  const shown = (id: string) => page.getByTestId(id)
  const statusText = () => shown("status-message").textContent()

  const statesOfWeb = async (): Promise<ReadonlyArray<string>> => {
    const { actors } = await Effect.runPromise(served.cluster.stepRecorder)
    const all = actors() as ReadonlyArray<{ readonly kind: string; readonly states: ReadonlyArray<string> }>
    return all.find(({ kind }) => kind === "Deployment")?.states ?? []
  }

  const setImage = async (image: string): Promise<void> => {
    await field("Image").fill(image)
    await press("Set image")
  }

  it("highlights the states of the Deployment at each phase of a rolling update", async () => {
    await openObject("web")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
    await setImage("registry.example/app:v2")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.rollingUpdate.awaitingPods")
    await expect.poll(() => shown("explanation").textContent(), wait).toContain("revision 2")
    for (let second = 0; second < 60 && !(await statesOfWeb()).includes("rollout.complete"); second += 1) {
      await press("+1s")
      await expect.poll(async () => activeOn(page), wait).toEqual(await statesOfWeb())
    }
    // The page may lag behind the cluster.
    await expect
      .poll(() => activeOn(page), wait)
      .toEqual(expect.arrayContaining(["rollout.complete", "progress.complete"]))
    expect(await highlightedOn(page)).toEqual((await statesOfWeb()).map((state) => `deployment.${state}`))
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    await expect.poll(() => shown("explanation").textContent(), wait).toContain("is rolled out")
  })

  it("explains why a rollout waits: the guard that did not hold, with its numbers", async () => {
    await openObject("web")
    await setImage("registry.example/app:v2")
    const last = page.locator(".step").first()
    await expect.poll(() => last.textContent(), wait).toContain("old Pods can be spared")
    expect(await last.locator(".numbers").textContent()).toMatch(/desired4surge1unavailable1floor3/)
    expect(await last.locator("[data-what=no]").count()).toBeGreaterThan(0)
  })

  it("highlights the states after a selected step, and goes back to now", async () => {
    await openObject("web")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
    await page.locator(".step .head").last().click()
    await expect.poll(() => activeOn(page), wait).toContain("rollout.rollingUpdate.creatingNew")
    expect(await page.locator(".frame .taken").count()).toBeGreaterThan(0)
    await shown("banner").getByRole("button").click()
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
  })

  it("undoes a rollout, and reports the request", async () => {
    await openObject("web")
    await setImage("registry.example/app:v2")
    await expect.poll(() => served.web()?.metadata.generation, wait).toBe(2)
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    const offered = page.getByLabel("Revision").locator("option")
    await expect
      .poll(() => offered.allTextContents(), wait)
      .toEqual(["1: registry.example/app:v1, was complete"])
    await press("Undo")
    await expect.poll(statusText, wait).toBe("web is rolled back to revision 1")
    await served.pass(60_000)
    expect(served.web()?.spec.template.spec?.containers[0]?.image).toBe("registry.example/app:v1")
    await expect.poll(() => page.locator("[data-revision='3'] [data-mark=ready]").count(), wait).toBe(4)
    // A revision without Pods is listed with a link.
    const kept = page.locator(".inactive-revisions a")
    await expect.poll(() => kept.allTextContents(), wait).toEqual(["revision 2 registry.example/app:v2"])
    await kept.click()
    await expect.poll(() => shown("explanation").textContent(), wait).toContain("wants no Pods, and has none")
  })

  it("undoes a rollout including fields that recordings leave out, and not while the rollout is paused", async () => {
    const container = {
      args: ["--port=80"],
      env: [{ name: "LEVEL", value: "warn" }],
      lifecycle: { preStop: { exec: { command: ["/bin/drain"] } } },
      readinessProbe: { exec: { command: ["/bin/check", "-q"] } }
    }
    const api = deploymentManifest({ name: "api", replicas: 2, version: "v1", container })
    const applied = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(api) }
    const deployment = { resource: resources.deployments, name: "api" }
    const first = () => served.cluster.view.get(resources.deployments, "default/api")
    await Effect.runPromise(
      createObject(served.cluster, { ...api, metadata: { ...api.metadata, annotations: applied } } as Draft)
    )
    await served.pass(60_000)
    const before = first()?.spec.template
    await openObject("api")
    await setImage("registry.example/app:v2")
    await expect.poll(() => first()?.metadata.generation, wait).toBe(2)
    await served.pass(60_000)
    const pause = (paused: boolean) =>
      Effect.runPromise(
        served.cluster.modify(deployment, (live) => ({
          ...live,
          spec: { ...(live as Deployment).spec, paused }
        }))
      )
    await pause(true)
    await press("Undo")
    await expect.poll(statusText, wait).toContain("cannot rollback a paused deployment")
    await pause(false)
    await press("Undo")
    await expect.poll(statusText, wait).toBe("api is rolled back to revision 1")
    expect(first()?.spec.template).toEqual(before)
    expect(first()?.spec.template.spec?.containers[0]).toMatchObject(container)
    expect(first()?.metadata.annotations).toMatchObject(applied)
  })

  it("scales, pauses and resumes, and shows the server's error message", async () => {
    await openObject("web")
    await field("Replicas").fill("6")
    await press("Scale")
    await expect.poll(() => served.web()?.spec.replicas, wait).toBe(6)
    await press("Pause")
    await expect.poll(() => served.web()?.spec.paused, wait).toBe(true)
    await press("Resume")
    await expect.poll(() => served.web()?.spec.paused ?? false, wait).toBe(false)
    await field("Replicas").fill("-3")
    await press("Scale")
    await expect.poll(statusText, wait).toContain("must be greater than or equal to 0")
  })

  it.each([
    {
      why: "no number",
      field: "Replicas",
      button: "Scale",
      text: "",
      expectedText: "replicas: Required value"
    },
    {
      why: "too few",
      field: "Replicas",
      button: "Scale",
      text: "-3",
      expectedText: "greater than or equal to 0"
    },
    { why: "no image", field: "Image", button: "Set image", text: "", expectedText: "image: Required value" }
  ])("leaves the input unchanged when a request is refused: $why", async (row) => {
    await openObject("web")
    const before = served.web()?.spec
    await field(row.field).fill(row.text)
    await press(row.button)
    await expect.poll(statusText, wait).toContain(row.expectedText)
    expect(await shown("status-message").getAttribute("data-refused")).toBe("true")
    expect(await field(row.field).inputValue()).toBe(row.text)
    expect(served.web()?.spec).toEqual(before)
  })

  it("shows the actual speed of the clock when another speed is refused", async () => {
    const speed = page.getByLabel("Speed of the cluster's clock")
    const before = await speed.inputValue()
    await page.route("**/clock/speed?*", (route) =>
      route.fulfill({ status: 409, json: { message: "the clock is held" } })
    )
    await speed.selectOption("600")
    await expect.poll(statusText, wait).toBe("the clock is held")
    await expect.poll(() => speed.inputValue(), wait).toBe(before)
  })

  it("keeps an input that is typed while an earlier request is pending", async () => {
    await openObject("web")
    const held = Promise.withResolvers<void>()
    await page.route("**/scale?*", async (route) => {
      await held.promise
      await route.continue()
    })
    await field("Replicas").fill("6")
    await press("Scale")
    await field("Replicas").fill("7")
    held.resolve()
    await expect.poll(statusText, wait).toBe("web is scaled to 6 Pods")
    expect(await field("Replicas").inputValue()).toBe("7")
    await press("Scale")
    await expect.poll(statusText, wait).toBe("web is scaled to 7 Pods")
    await served.pass(1000)
    await expect.poll(() => field("Replicas").inputValue(), wait).toBe("7")
    await Effect.runPromise(
      served.cluster.modify({ resource: resources.deployments, name: "web" }, (live) => ({
        ...live,
        spec: { ...(live as Deployment).spec, replicas: 2 }
      }))
    )
    await expect.poll(() => field("Replicas").inputValue(), wait).toBe("2")
  })

  it("shows the last version of a killed Pod, and that it is gone", async () => {
    await page.locator(".pods .pod").first().click()
    await press("Kill this Pod")
    await expect.poll(() => page.locator("[data-mark=stopping]").count(), wait).toBeGreaterThan(1)
    await served.pass(60_000)
    await expect.poll(() => shown("gone").textContent(), wait).toContain("This Pod is deleted")
    expect(await page.locator(".step").count()).toBeGreaterThan(0)
  })

  it("shows an image name full of markup as text", async () => {
    await openObject("web")
    await setImage(markup)
    await expect.poll(() => page.locator("[data-revision='2'] .image").textContent(), wait).toBe(markup)
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=trouble]").count(), wait).toBe(2)
    expect(await page.locator("img").count()).toBe(0)
    expect(await page.evaluate("window.hurt")).toBeUndefined()
  })

  it("shows that its server is lost, keeps its content, and goes on when the server is back", async () => {
    await openObject("web")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
    await served.close()
    await expect.poll(() => shown("lost").textContent(), wait).toContain("does not answer")
    for (const name of ["Scale", "Undo", "+1s"]) {
      expect(await page.getByRole("button", { name, exact: true }).isDisabled()).toBe(true)
    }
    expect(await page.locator("[data-revision='1'] [data-mark=ready]").count()).toBe(4)
    served = await openServedPage({ port: served.port })
    onTestFinished(served.close)
    await Effect.runPromise(createObject(served.cluster, deploymentManifest({ replicas: 2 })))
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='1'] [data-mark=ready]").count(), wait).toBe(2)
    expect(await shown("lost").count()).toBe(0)
  })

  it("closes its stream while its tab is hidden, and resumes it afterwards", async () => {
    await page.locator("[data-workload=web]").waitFor()
    const requestUrls: Array<string> = []
    page.on("request", (request) => requestUrls.push(request.url()))
    const lost = page.waitForEvent("requestfailed", (request) => request.url().includes("/recording"))
    await setVisibility(page, "hidden")
    await lost
    await Effect.runPromise(createObject(served.cluster, deploymentManifest({ name: "shop", replicas: 3 })))
    await served.pass(60_000)
    expect(await page.locator("[data-workload=shop]").count()).toBe(0)
    await setVisibility(page, "visible")
    await expect.poll(() => page.locator("[data-workload=shop] [data-mark=ready]").count(), wait).toBe(3)
    expect(requestUrls.filter((url) => url.includes("/recording"))).toEqual([
      expect.stringMatching(/watch=1&steps=none&since=\d+&id=/)
    ])
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator(".pods .pod").count(), wait).toBe(0)
  })

  it("stops and starts a node's kubelet, and shows which nodes are not ready", async () => {
    await page.locator("[data-node=node-2]").click()
    await press("Lose this node")
    await expect.poll(statusText, wait).toBe("the kubelet of node-2 has stopped")
    await expect.poll(() => page.locator("[data-node=node-2]").textContent(), wait).toBe("▲ node-2 is silent")
    await expect.poll(() => page.locator(".timeline .fault-text").count(), wait).toBe(1)
    expect(await page.getByRole("button", { name: "Lose this node" }).isDisabled()).toBe(true)
    await served.pass(120_000)
    await expect
      .poll(() => page.locator("[data-ready=false]").textContent(), wait)
      .toContain("node-2 is not ready")
    await expect.poll(() => activeOn(page), wait).toContain("kubelet.silent")
    await press("Bring it back")
    await expect.poll(statusText, wait).toBe("the kubelet of node-2 runs again")
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-ready=false]").count(), wait).toBe(0)
  })

  it("can be navigated with the keyboard", async () => {
    // An arrow key chooses among the elements that are drawn already.
    await untilRecordingRead(page, served)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.locator("[data-object='Deployment/web']").waitFor()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await page.locator("[data-object^='Pod/web-']").waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByRole("dialog").count(), wait).toBe(0)
    await page.keyboard.press("Escape")
    await expect.poll(() => page.locator("[data-object]").count(), wait).toBe(0)
    expect(page.url()).not.toContain("#")
  })

  it("removes the token from the address, and explains what to do without one", async () => {
    await page.locator("[data-workload=web]").waitFor()
    expect(page.url()).toBe(`http://127.0.0.1:${served.port}/charthouse/`)
    await page.reload()
    await page.locator("[data-workload=web]").waitFor()
    const stranger = await browser.newContext()
    const other = await stranger.newPage()
    await other.goto(page.url())
    expect(await other.getByTestId("no-token").textContent()).toContain("charthouse up")
    await other.goto(`${page.url()}#token=of-another`)
    await expect
      .poll(() => other.getByTestId("lost").textContent(), wait)
      .toContain("The server refuses the token")
    await stranger.close()
  })
})
