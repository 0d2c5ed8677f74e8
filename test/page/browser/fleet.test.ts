import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { chromiumPath, skippedNote } from "./chromium.ts"
import { inFleet } from "../servedPage.ts"
import { visitClusterEach, wait } from "./pageVisits.ts"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import type { ServedPage } from "../servedPage.ts"

const onPort = { container: { ports: [{ containerPort: 80, hostPort: 8080 }] } }
const noneUnavailable = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
const webOf = (version: string) =>
  deploymentManifest({ replicas: 3, version, ...onPort, spec: { strategy: noneUnavailable } })

describe.skipIf(chromiumPath === undefined)(`the card of a Deployment${skippedNote}`, () => {
  let served: ServedPage
  let page: Page

  visitClusterEach([webOf("v1")], (visit) => {
    ;({ served, page } = visit)
  })

  it("says that a rollout waits for itself, in the words of its explanation", async () => {
    await Effect.runPromise(replaceSpec(served.cluster, webOf("v2")))
    await served.pass(10_000)
    const card = page.locator("[data-workload=web]")
    await expect.poll(() => card.locator(".badge").textContent(), wait).toBe("! blocked")
    const cause = (await card.locator(".cause").textContent()) ?? ""
    expect(cause).toMatch(/^This rollout waits for itself: hostPort 8080 keeps its new Pods from/)
    await inFleet(page).getByRole("link", { name: "Deployment web" }).click()
    await expect.poll(() => page.getByTestId("explanation").textContent(), wait).toContain(cause)
  })

  it("does not say so of a Deployment whose first Pods find no node", async () => {
    const other = deploymentManifest({ name: "other", replicas: 1, ...onPort, version: "v1" })
    await Effect.runPromise(createObject(served.cluster, other))
    await served.pass(10_000)
    const card = page.locator("[data-workload=other]")
    await expect.poll(() => card.locator(".badge").textContent(), wait).toBe("▼ down, blocked")
    expect(await card.locator(".cause").textContent()).toBe("1 Pod finds no node.")
  })
})
