import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { activeOn, inFleet, litOn, openPageWorld } from "./world.ts"
import { aManifest, begin } from "../cluster/worlds.ts"
import { chromiumPath, skipped } from "./chromium.ts"
import { markup, visitClusterEach, wait } from "./visits.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Browser, Page } from "playwright-core"
import type { Deployment, Draft } from "../../src/kubernetes/meta/objects.ts"
import type { PageWorld } from "./world.ts"

describe.skipIf(chromiumPath === undefined)(`the page${skipped}`, () => {
  let browser: Browser
  let world: PageWorld
  let page: Page

  visitClusterEach([aManifest({ replicas: 4, version: "v1" })], (visit) => {
    ;({ browser, world, page } = visit)
  })

  const look = (name: string) => inFleet(page).getByRole("link", { name, exact: true }).click()
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
  const shown = (id: string) => page.getByTestId(id)
  const said = () => shown("said").textContent()

  const statesOfWeb = async (): Promise<ReadonlyArray<string>> => {
    const { actors } = await Effect.runPromise(world.cluster.why)
    const all = actors() as ReadonlyArray<{ readonly kind: string; readonly states: ReadonlyArray<string> }>
    return all.find(({ kind }) => kind === "Deployment")?.states ?? []
  }

  const setImage = async (image: string): Promise<void> => {
    await field("Image").fill(image)
    await press("Set image")
  }

  it("shows a rolling update to its end: at each phase the chart lights what the Deployment is in", async () => {
    await look("web")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
    await setImage("registry.example/app:v2")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.rollingUpdate.awaitingPods")
    await expect.poll(() => shown("explanation").textContent(), wait).toContain("revision 2")
    for (let second = 0; second < 60 && !(await statesOfWeb()).includes("rollout.complete"); second += 1) {
      await press("+1s")
      await expect.poll(async () => activeOn(page), wait).toEqual(await statesOfWeb())
    }
    // The page may show a step later than the cluster makes it.
    await expect
      .poll(() => activeOn(page), wait)
      .toEqual(expect.arrayContaining(["rollout.complete", "progress.complete"]))
    expect(await litOn(page)).toEqual((await statesOfWeb()).map((state) => `deployment.${state}`))
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    await expect.poll(() => shown("explanation").textContent(), wait).toContain("is rolled out")
  })

  it("says why a rollout waits: which guard did not hold, with its numbers", async () => {
    await look("web")
    await setImage("registry.example/app:v2")
    const last = page.locator(".step").first()
    await expect.poll(() => last.textContent(), wait).toContain("old Pods can be spared")
    expect(await last.locator(".numbers").textContent()).toMatch(/desired4surge1unavailable1floor3/)
    expect(await last.locator("[data-what=no]").count()).toBeGreaterThan(0)
  })

  it("lights the chart as it was after any step that is chosen, and goes back to now", async () => {
    await look("web")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
    await page.locator(".step .head").last().click()
    await expect.poll(() => activeOn(page), wait).toContain("rollout.rollingUpdate.creatingNew")
    expect(await page.locator(".frame .taken").count()).toBeGreaterThan(0)
    await shown("banner").getByRole("button").click()
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
  })

  it("undoes a rollout, and says what was asked for", async () => {
    await look("web")
    await setImage("registry.example/app:v2")
    await expect.poll(() => world.web()?.metadata.generation, wait).toBe(2)
    await world.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=ready]").count(), wait).toBe(4)
    await press("Undo")
    await expect.poll(said, wait).toBe("web goes back to revision 1")
    await world.pass(60_000)
    expect(world.web()?.spec.template.spec?.containers[0]?.image).toBe("registry.example/app:v1")
    await expect.poll(() => page.locator("[data-revision='3'] [data-mark=ready]").count(), wait).toBe(4)
    // What has no Pods is kept, and can be looked at.
    const kept = page.locator(".kept a")
    await expect.poll(() => kept.allTextContents(), wait).toEqual(["revision 2 registry.example/app:v2"])
    await kept.click()
    await expect.poll(() => shown("explanation").textContent(), wait).toContain("wants no Pods, and has none")
  })

  it("undoes a rollout with all that a recording leaves out of it, and not while the rollout is paused", async () => {
    const container = {
      args: ["--port=80"],
      env: [{ name: "LEVEL", value: "warn" }],
      lifecycle: { preStop: { exec: { command: ["/bin/drain"] } } },
      readinessProbe: { exec: { command: ["/bin/check", "-q"] } }
    }
    const api = aManifest({ name: "api", replicas: 2, version: "v1", container })
    const applied = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(api) }
    const key = { resource: resources.deployments, key: "default/api" }
    const first = () => world.cluster.view.get(resources.deployments, "default/api")
    await Effect.runPromise(
      begin(world.cluster, { ...api, metadata: { ...api.metadata, annotations: applied } } as Draft)
    )
    await world.pass(60_000)
    const before = first()?.spec.template
    await look("api")
    await setImage("registry.example/app:v2")
    await expect.poll(() => first()?.metadata.generation, wait).toBe(2)
    await world.pass(60_000)
    const pause = (paused: boolean) =>
      Effect.runPromise(
        world.cluster.modify(key, (live) => ({ ...live, spec: { ...(live as Deployment).spec, paused } }))
      )
    await pause(true)
    await press("Undo")
    await expect.poll(said, wait).toContain("cannot rollback a paused deployment")
    await pause(false)
    await press("Undo")
    await expect.poll(said, wait).toBe("api goes back to revision 1")
    expect(first()?.spec.template).toEqual(before)
    expect(first()?.spec.template.spec?.containers[0]).toMatchObject(container)
    expect(first()?.metadata.annotations).toMatchObject(applied)
  })

  it("scales, pauses and resumes, and says in the server's words what is refused", async () => {
    await look("web")
    await field("Replicas").fill("6")
    await press("Scale")
    await expect.poll(() => world.web()?.spec.replicas, wait).toBe(6)
    await press("Pause")
    await expect.poll(() => world.web()?.spec.paused, wait).toBe(true)
    await press("Resume")
    await expect.poll(() => world.web()?.spec.paused ?? false, wait).toBe(false)
    await field("Replicas").fill("-3")
    await press("Scale")
    await expect.poll(said, wait).toContain("must be greater than or equal to 0")
  })

  it.each([
    { why: "no number", field: "Replicas", button: "Scale", text: "", words: "replicas: Required value" },
    { why: "too few", field: "Replicas", button: "Scale", text: "-3", words: "greater than or equal to 0" },
    { why: "no image", field: "Image", button: "Set image", text: "", words: "image: Required value" }
  ])("changes nothing by what is refused, and leaves it as it was written: $why", async (row) => {
    await look("web")
    const before = world.web()?.spec
    await field(row.field).fill(row.text)
    await press(row.button)
    await expect.poll(said, wait).toContain(row.words)
    expect(await shown("said").getAttribute("data-refused")).toBe("true")
    expect(await field(row.field).inputValue()).toBe(row.text)
    expect(world.web()?.spec).toEqual(before)
  })

  it("shows the speed that the clock has where another is refused", async () => {
    const speed = page.getByLabel("Speed of the cluster's time")
    const before = await speed.inputValue()
    await page.route("**/clock/speed?*", (route) =>
      route.fulfill({ status: 409, json: { message: "the clock is held" } })
    )
    await speed.selectOption("600")
    await expect.poll(said, wait).toBe("the clock is held")
    await expect.poll(() => speed.inputValue(), wait).toBe(before)
  })

  it("leaves in a field what is written while the server is asked for what was there before", async () => {
    await look("web")
    const held = Promise.withResolvers<void>()
    await page.route("**/scale?*", async (route) => {
      await held.promise
      await route.continue()
    })
    await field("Replicas").fill("6")
    await press("Scale")
    await field("Replicas").fill("7")
    held.resolve()
    await expect.poll(said, wait).toBe("web is to have 6 Pods")
    expect(await field("Replicas").inputValue()).toBe("7")
    await press("Scale")
    await expect.poll(said, wait).toBe("web is to have 7 Pods")
    await world.pass(1000)
    await expect.poll(() => field("Replicas").inputValue(), wait).toBe("7")
    await Effect.runPromise(
      world.cluster.modify({ resource: resources.deployments, key: "default/web" }, (live) => ({
        ...live,
        spec: { ...(live as Deployment).spec, replicas: 2 }
      }))
    )
    await expect.poll(() => field("Replicas").inputValue(), wait).toBe("2")
  })

  it("shows a killed Pod as it was at the last, and says that it is gone", async () => {
    await page.locator(".pods .pod").first().click()
    await press("Kill this Pod")
    await expect.poll(() => page.locator("[data-mark=stopping]").count(), wait).toBeGreaterThan(1)
    await world.pass(60_000)
    await expect.poll(() => shown("gone").textContent(), wait).toContain("This Pod is gone")
    expect(await page.locator(".step").count()).toBeGreaterThan(0)
  })

  it("treats what is full of markup as text", async () => {
    await look("web")
    await setImage(markup)
    await expect.poll(() => page.locator("[data-revision='2'] .image").textContent(), wait).toBe(markup)
    await world.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='2'] [data-mark=trouble]").count(), wait).toBe(2)
    expect(await page.locator("img").count()).toBe(0)
    expect(await page.evaluate("window.hurt")).toBeUndefined()
  })

  it("says that its server is lost, keeps what it showed, and goes on when it is there again", async () => {
    await look("web")
    await expect.poll(() => activeOn(page), wait).toContain("rollout.complete")
    await world.close()
    await expect.poll(() => shown("lost").textContent(), wait).toContain("does not answer")
    for (const name of ["Scale", "Undo", "+1s"]) {
      expect(await page.getByRole("button", { name, exact: true }).isDisabled()).toBe(true)
    }
    expect(await page.locator("[data-revision='1'] [data-mark=ready]").count()).toBe(4)
    world = await openPageWorld({ port: world.port })
    onTestFinished(world.close)
    await Effect.runPromise(begin(world.cluster, aManifest({ replicas: 2 })))
    await world.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='1'] [data-mark=ready]").count(), wait).toBe(2)
    expect(await shown("lost").count()).toBe(0)
  })

  it("gives its stream back while its tab is hidden, and takes it up where it left it", async () => {
    await page.locator("[data-deployment=web]").waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    const turn = (state: "hidden" | "visible") =>
      page.evaluate(`{
        Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" })
        document.dispatchEvent(new Event("visibilitychange"))
      }`)
    const lost = page.waitForEvent("requestfailed", (request) => request.url().includes("/recording"))
    await turn("hidden")
    await lost
    await Effect.runPromise(begin(world.cluster, aManifest({ name: "shop", replicas: 3 })))
    await world.pass(60_000)
    expect(await page.locator("[data-deployment=shop]").count()).toBe(0)
    await turn("visible")
    await expect.poll(() => page.locator("[data-deployment=shop] [data-mark=ready]").count(), wait).toBe(3)
    expect(asked.filter((url) => url.includes("/recording"))).toEqual([
      expect.stringMatching(/watch=1&steps=none&since=\d+&id=/)
    ])
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator(".pods .pod").count(), wait).toBe(0)
  })

  it("loses a node and has it back, and shows which are not ready", async () => {
    await page.locator("[data-node=node-2]").click()
    await press("Lose this node")
    await expect.poll(said, wait).toBe("the kubelet of node-2 has stopped")
    await expect.poll(() => page.locator("[data-node=node-2]").textContent(), wait).toBe("▲ node-2 is silent")
    await expect.poll(() => page.locator(".timeline .fault-text").count(), wait).toBe(1)
    expect(await page.getByRole("button", { name: "Lose this node" }).isDisabled()).toBe(true)
    await world.pass(120_000)
    await expect
      .poll(() => page.locator("[data-ready=false]").textContent(), wait)
      .toContain("node-2 is not ready")
    await expect.poll(() => activeOn(page), wait).toContain("kubelet.silent")
    await press("Bring it back")
    await expect.poll(said, wait).toBe("the kubelet of node-2 runs again")
    await world.pass(60_000)
    await expect.poll(() => page.locator("[data-ready=false]").count(), wait).toBe(0)
  })

  it("is walked through with the keyboard", async () => {
    await page.locator("[data-deployment=web]").waitFor()
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

  it("takes the token out of the address, and says what to do where there is none", async () => {
    await page.locator("[data-deployment=web]").waitFor()
    expect(page.url()).toBe(`http://127.0.0.1:${world.port}/charthouse/`)
    await page.reload()
    await page.locator("[data-deployment=web]").waitFor()
    const stranger = await browser.newContext()
    const other = await stranger.newPage()
    await other.goto(page.url())
    expect(await other.getByTestId("no-token").textContent()).toContain("charthouse up")
    await other.goto(`${page.url()}#token=of-another`)
    await expect
      .poll(() => other.getByTestId("lost").textContent(), wait)
      .toContain("token is not this server's")
    await stranger.close()
  })
})
