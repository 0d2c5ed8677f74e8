import { measureFanOut, compareWithBareServer } from "./http.ts"
import { singleLineMeasure } from "./measure.ts"
import { measureFirstResponse } from "./up.ts"
import { webManifest, openClusterFor } from "./fixtures.ts"
import type { OpenCluster, ServedCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measurement } from "./measure.ts"

/** Serves a ready Deployment without TLS: the server is measured, not the cipher. */
const withServer = async <A>(
  checkout: Checkout,
  pods: number,
  use: (opened: { readonly cluster: OpenCluster; readonly server: ServedCluster }) => Promise<A>
): Promise<A> => {
  const cluster = await openClusterFor(checkout, pods, { behaviour: "instant" })
  await cluster.create(webManifest(pods, "v1"))
  await cluster.rollout("web")
  const server = await cluster.serve({ tls: false })
  const result = await use({ cluster, server })
  await cluster.close()
  return result
}

const ratioMeasurement = ({
  ratio,
  micros
}: {
  readonly ratio: number
  readonly micros: number
}): Measurement => ({
  value: ratio,
  unit: "x",
  bound: 3,
  note: `${micros.toFixed(0)} us each`
})

const deployment = "/apis/apps/v1/namespaces/default/deployments/web"

const getOne = (checkout: Checkout) =>
  withServer(checkout, 1, async ({ server }) =>
    ratioMeasurement(await compareWithBareServer(server, () => ({ path: deployment }), 4000))
  )

const listPods = (checkout: Checkout) =>
  withServer(checkout, 1000, async ({ server }) =>
    ratioMeasurement(await compareWithBareServer(server, () => ({ path: "/api/v1/pods" }), 200))
  )

const patchOne = (checkout: Checkout) =>
  withServer(checkout, 1, async ({ server }) => {
    let count = 0
    const patch = () => {
      count += 1
      const body = JSON.stringify({ metadata: { labels: { count: String(count) } } })
      return { method: "PATCH", path: deployment, body, contentType: "application/merge-patch+json" }
    }
    return ratioMeasurement(await compareWithBareServer(server, patch, 2000))
  })

const watchers = (checkout: Checkout) =>
  withServer(checkout, 1, async ({ cluster, server }) =>
    ratioMeasurement(await measureFanOut(cluster, server, { watchers: 200, changes: 200 }))
  )

export const servedMeasures = [
  singleLineMeasure("up to the first answer", measureFirstResponse, { needsFreshProcess: true }),
  singleLineMeasure("GET one object, against node:http", getOne),
  singleLineMeasure("LIST 1,000 Pods, against node:http", listPods),
  singleLineMeasure("PATCH a Deployment, against node:http", patchOne),
  singleLineMeasure("a change to 200 watchers, against node:http", watchers)
]
