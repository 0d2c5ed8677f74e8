import { fanOut, makeClient, ratioOf } from "./http.ts"
import { up, upMillis } from "./up.ts"
import { manifest, nodesFor, open } from "./worlds.ts"
import type { Measure, Measured } from "./measures.ts"

/** A ready Deployment of so many Pods, served without TLS: what is measured is the server, not the cipher. */
const served = async <A>(
  pods: number,
  use: (world: {
    readonly cluster: Awaited<ReturnType<typeof open>>
    readonly server: Awaited<ReturnType<Awaited<ReturnType<typeof open>>["serve"]>>
  }) => Promise<A>
): Promise<A> => {
  const cluster = await open(pods, { behaviour: "instant" })
  await cluster.create(manifest(pods, "v1"))
  await cluster.rollout("web")
  const server = await cluster.serve({ tls: false })
  const result = await use({ cluster, server })
  await cluster.close()
  return result
}

const against = ({ ratio, micros }: { readonly ratio: number; readonly micros: number }): Measured => ({
  value: ratio,
  unit: "x",
  bound: 3,
  note: `${micros.toFixed(0)} us each`
})

const deployment = "/apis/apps/v1/namespaces/default/deployments/web"

const getOne = () =>
  served(1, async ({ server }) => against(await ratioOf(server, () => ({ path: deployment }), 4000)))

const listPods = () =>
  served(1000, async ({ server }) => against(await ratioOf(server, () => ({ path: "/api/v1/pods" }), 200)))

const patchOne = () =>
  served(1, async ({ server }) => {
    let count = 0
    const patch = () => {
      count += 1
      const body = JSON.stringify({ metadata: { labels: { count: String(count) } } })
      return { method: "PATCH", path: deployment, body, contentType: "application/merge-patch+json" }
    }
    return against(await ratioOf(server, patch, 2000))
  })

const watchers = () =>
  served(1, async ({ cluster, server }) =>
    against(await fanOut(cluster, server, { watchers: 200, changes: 200 }))
  )

/** 10,000 Pods of 100 Deployments created over HTTP, until all are ready. */
const overHttp = async (): Promise<Measured> => {
  const [deployments, replicas] = [100, 100]
  const nodes = nodesFor(deployments * replicas)
  const server = await up(["--behaviour", "instant", "--nodes", String(nodes)])
  const client = makeClient(server.url, server.token)
  const path = "/apis/apps/v1/namespaces/default/deployments"
  const begun = performance.now()
  for (let index = 0; index < deployments; index += 1) {
    await client.ask({ method: "POST", path, body: JSON.stringify(manifest(replicas, "v1", `web-${index}`)) })
  }
  while (!(await areReady(client, path, replicas)))
    await new Promise((resolve) => setTimeout(resolve, lookMillis))
  const value = (performance.now() - begun) / 1000
  const megabytes = server.residentMegabytes()
  client.close()
  await server.end()
  return { value, unit: "s", bound: 15, note: `${megabytes.toFixed(0)} MB resident (<= 400)` }
}

const lookMillis = 100

const areReady = async ({ ask }: ReturnType<typeof makeClient>, path: string, replicas: number) => {
  const { items } = JSON.parse(String(await ask({ path }))) as DeploymentList
  return items.every(({ status }) => status.availableReplicas === replicas)
}

interface DeploymentList {
  readonly items: ReadonlyArray<{ readonly status: { readonly availableReplicas?: number } }>
}

export const servedMeasures: Readonly<Record<string, Measure>> = {
  "up to the first answer": {
    take: async () => ({ value: await upMillis(), unit: "ms", bound: 400 }),
    alone: true
  },
  "GET one object, against node:http": { take: getOne },
  "LIST 1,000 Pods, against node:http": { take: listPods },
  "PATCH a Deployment, against node:http": { take: patchOne },
  "a change to 200 watchers, against node:http": { take: watchers },
  "10,000 Pods created over HTTP": { take: overHttp, alone: true }
}
