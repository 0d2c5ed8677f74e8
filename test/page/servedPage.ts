import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { chromium } from "playwright-core"
import { chromiumPath } from "./browser/chromium.ts"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { serve } from "../../src/cluster/serving/serveCluster.ts"
import type { Browser, Locator, Page } from "playwright-core"
import type { Cluster } from "../../src/cluster/cluster.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"

export const token = "a-token-of-the-page"

/** A cluster on a virtual clock with its page served. */
export interface ServedPage {
  readonly cluster: Cluster["Service"]
  /** The page's address, with its token. */
  readonly address: string
  readonly port: number
  readonly web: () => Deployment | undefined
  /** Advances the cluster's clock. */
  readonly pass: (millis: number) => Promise<void>
  /** Ends the server, and the cluster with it. */
  readonly close: () => Promise<void>
}

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)

export const openServedPage = async (
  options: ClusterOptions & { readonly port?: number; readonly tls?: boolean; readonly token?: string } = {}
): Promise<ServedPage> => {
  const { port = 0, tls = false, token: servedToken = token, ...clusterOptions } = options
  const scope = Scope.makeUnsafe()
  const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    run(Effect.provideService(effect, Scope.Scope, scope))
  const cluster = await inScope(makeCluster({ why: true, record: true, ...clusterOptions }))
  const { page: address = "" } = await inScope(serve(cluster, { tls, token: servedToken, port, page: true }))
  return {
    cluster,
    address,
    port: Number(new URL(address).port),
    web: () => cluster.view.get(resources.deployments, "default/web"),
    pass: (millis) => run(cluster.advance(millis)),
    close: () => run(Scope.close(scope, Exit.void))
  }
}

export const openBrowser = (): Promise<Browser> =>
  // Chromium has no sandbox as root in a container.
  chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: ["--no-sandbox"]
  })

/** The page's list of Deployments. */
export const inFleet = (page: Page): Locator => page.getByRole("navigation", { name: "Fleet" })

export const activeOn = (page: Page): Promise<ReadonlyArray<string>> =>
  page.locator("[data-testid=active] code").allTextContents()

/** The innermost states highlighted in the chart. */
export const highlightedOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  const lit = await page
    .locator(".frame [data-state].active")
    .evaluateAll((groups) => groups.map((group) => group.getAttribute("data-state") ?? ""))
  return lit.filter((id) => !lit.some((other) => other.startsWith(`${id}.`)))
}
