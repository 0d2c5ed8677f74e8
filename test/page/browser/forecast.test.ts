import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { barriersOn } from "./barriers.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { inFleet } from "../servedPage.ts"
import { visitClusterEach, wait } from "./pageVisits.ts"
import { webDeployment } from "../../steering/steeredShop.ts"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

describe.skipIf(chromiumPath === undefined)(`what happens next, on the page${skippedNote}`, () => {
  let served: ServedPage
  let page: Page

  visitClusterEach([deploymentManifest({ replicas: 4, version: "v1" })], async (visit) => {
    ;({ served, page } = visit)
    await inFleet(page).getByRole("link", { name: "Deployment web" }).click()
  })

  it("is drawn to the right of now, and a cure is pressed with its outcome beside it", async () => {
    const sentence = page.getByTestId("forecast").locator(".first")
    await expect
      .poll(() => sentence.textContent(), wait)
      .toBe("If nothing else is done: it is complete, and stays so.")
    expect(await page.getByTestId("future").count()).toBe(0)

    const said = page.getByTestId("status-message")
    const isPreview = page.getByLabel("only say what would happen")
    await isPreview.check()
    await page.getByLabel("Replicas", { exact: true }).fill("6")
    await page.getByRole("button", { name: "Scale", exact: true }).click()
    await expect
      .poll(() => said.textContent(), wait)
      .toMatch(/^In a copy: web is scaled to 6 Pods\. Then: complete in .*\. The cluster is as it was\.$/)
    await page.getByLabel("Replicas", { exact: true }).fill("-1")
    await page.getByRole("button", { name: "Scale", exact: true }).click()
    await expect.poll(() => said.textContent(), wait).toContain("must be greater than or equal to 0")
    expect(served.web()?.spec.replicas).toBe(4)
    await isPreview.uncheck()

    const next = deploymentManifest({ replicas: 4, version: "v2" })
    await Effect.runPromise(replaceSpec(served.cluster, next))
    await served.pass(500)
    const complete = page.getByTestId("future").locator("[data-text='the rollout is complete']")
    await expect.poll(() => complete.count(), wait).toBe(1)
    const undo = page.getByTestId("forecast").getByRole("listitem").filter({ hasText: "Undo to revision 1" })
    await expect.poll(() => undo.textContent(), wait).toMatch(/complete in [\d.]+m?s/)
    await undo.getByRole("button").click()
    await expect
      .poll(() => page.getByTestId("status-message").textContent(), wait)
      .toContain("Undo to revision 1 (registry.example/app:v1): the server has accepted it")
    await served.pass(60_000)
    await expect.poll(() => page.locator("[data-revision='3'] [data-mark=ready]").count(), wait).toBe(4)

    await page.keyboard.press("Home")
    await expect.poll(() => page.getByTestId("banner").count(), wait).toBe(1)
    expect(await page.getByTestId("forecast").count()).toBe(0)
  })
})

describe.skipIf(chromiumPath === undefined)(`a canary, on the page${skippedNote}`, () => {
  let served: ServedPage
  let page: Page

  const version = (image: string) =>
    webDeployment(
      "canary: { steps: [{ approve: 1 }, { hold: untilPromoted }, { approve: 2 }, { hold: untilPromoted }] }",
      {
        image,
        isGated: true,
        spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
      }
    )

  visitClusterEach([version("web:1")], async (visit) => {
    ;({ served, page } = visit)
    await inFleet(page).getByRole("link", { name: "Deployment web" }).click()
  })

  it("is promoted, held and aborted with buttons, beside its chart", async () => {
    const steering = page.getByRole("region", { name: "Steering", exact: true })
    const stands = (): Promise<string | null> => steering.getAttribute("data-state-of-steering")
    const press = async (name: string, state: string): Promise<void> => {
      await steering.getByRole("button", { name, exact: true }).click()
      // The server has the request: the answer is shown.
      await expect.poll(() => page.getByTestId("status-message").textContent(), wait).toContain(answers[name])
      await served.pass(60_000)
      await expect.poll(stands, wait).toBe(state)
    }
    await expect.poll(stands, wait).toBe("Complete")
    await Effect.runPromise(replaceSpec(served.cluster, version("web:2")))
    await served.pass(60_000)
    await expect.poll(stands, wait).toBe("Holding")
    const active = steering.locator("[data-role=active]").filter({ hasText: "holding" })
    await expect.poll(() => active.count(), wait).toBeGreaterThan(0)
    const preview = page
      .getByTestId("forecast")
      .getByRole("listitem")
      .filter({ hasText: "Promote to the end" })
    await expect.poll(() => preview.textContent(), wait).toMatch(/complete in/)
    expect(await barriersOn(page)).toEqual([])

    const says = (): Promise<string | null> => steering.locator("p").first().textContent()
    await press("Promote", "Holding")
    // Another hold: the state is the same, the text is not.
    await expect.poll(says, wait).toContain("is at step 4 of 4")
    await press("Hold", "HeldByUser")
    expect(await steering.getByRole("button", { name: "Promote" }).count()).toBe(0)
    await press("Go on", "Holding")
    await steering.getByLabel("Reason").fill("too many errors")
    await press("Abort", "RolledBack")
    await expect.poll(says, wait).toContain("its user aborted it: too many errors")
    expect(served.web()?.spec.template.spec?.containers[0]?.image).toBe("web:1")
  })

  const answers: Readonly<Record<string, string>> = {
    Promote: "charthouse.dev/promote=",
    Hold: "charthouse.dev/hold=",
    "Go on": "charthouse.dev/hold-",
    Abort: "charthouse.dev/abort=too many errors"
  }
})
