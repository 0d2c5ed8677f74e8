import { askOften, makeClient } from "./http.ts"
import { linesOf } from "./measure.ts"
import { up } from "./up.ts"
import { manifest, nodesFor } from "./worlds.ts"
import type { Deployment } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measured, MeasuredLines } from "./measure.ts"

/**
 * `charthouse up` under load: the server is a process of its own, and this process is its one client, with connections
 * that it keeps and a bounded number of requests under way. All of it stays on this machine.
 */
type Server = Awaited<ReturnType<typeof up>>
type Client = ReturnType<typeof makeClient>

interface Size {
  readonly deployments: number
  readonly replicas: number
}

const path = "/apis/apps/v1/namespaces/default/deployments"
const patience = 300_000

const start = (checkout: Checkout, { deployments, replicas }: Size): Promise<Server> =>
  up(checkout, ["--behaviour", "instant", "--nodes", String(nodesFor(deployments * replicas))])

const create = async ({ ask }: Client, { deployments, replicas }: Size): Promise<void> => {
  for (let index = 0; index < deployments; index += 1)
    await ask({ method: "POST", path, body: JSON.stringify(manifest(replicas, "v1", `web-${index}`)) })
}

const roll = async ({ ask }: Client, { deployments, replicas }: Size): Promise<void> => {
  for (let index = 0; index < deployments; index += 1) {
    const { spec } = manifest(replicas, "v2", `web-${index}`)
    await ask({
      method: "PATCH",
      path: `${path}/web-${index}`,
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ spec })
    })
  }
}

/** Waits, by a watch, until all Deployments have an image and as many available Pods of it as they ask for, and no others. */
const rolledOut = (client: Client, size: Size, image: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = new Set<string>()
    const tooLong = setTimeout(
      () => reject(new Error(`${done.size} of ${size.deployments} rollouts completed in ${patience} ms`)),
      patience
    )
    const stop = client.watchLines(`${path}?watch=1`, (line) => {
      const { object } = JSON.parse(line) as { readonly object: Deployment }
      if (isRolledOut(object, size, image)) done.add(object.metadata.name)
      if (done.size < size.deployments) return
      clearTimeout(tooLong)
      resolve()
      void stop.then((end) => end())
    })
    stop.catch(reject)
  })

const isRolledOut = ({ metadata, spec, status }: Deployment, { replicas }: Size, image: string) =>
  spec.template.spec?.containers[0]?.image === image &&
  status.observedGeneration === metadata.generation &&
  [status.replicas, status.updatedReplicas, status.availableReplicas].every((count) => count === replicas)

const image = (version: string): string => `registry.example/app:${version}`

/** Serves, and ends the server whatever happens. */
const withServer = async (
  start: () => Promise<Server>,
  use: (server: Server, client: Client) => Promise<MeasuredLines>
): Promise<MeasuredLines> => {
  const server = await start()
  const client = makeClient(server.url, server.token)
  try {
    return await use(server, client)
  } finally {
    client.close()
    await server.end()
  }
}

/** By the clock on the wall, with the server's processor time. */
const timedOf = async (server: Server, work: () => Promise<unknown>) => {
  const begunCpu = server.cpuMillis()
  const begun = performance.now()
  await work()
  const millis = performance.now() - begun
  const cpu = server.cpuMillis()
  return { millis, ...(cpu === undefined || begunCpu === undefined ? {} : { cpuMillis: cpu - begunCpu }) }
}

const most: Size = { deployments: 100, replicas: 100 }

const tenThousand = linesOf(
  ["10,000 Pods created over HTTP", "10,000 Pods created over HTTP, resident memory"],
  (checkout) =>
    withServer(
      () => start(checkout, most),
      async (server, client) => {
        const { millis, ...cpu } = await timedOf(server, () =>
          Promise.all([rolledOut(client, most, image("v1")), create(client, most)])
        )
        return {
          "10,000 Pods created over HTTP": { value: millis / 1000, unit: "s", bound: 3.5, ...cpu },
          "10,000 Pods created over HTTP, resident memory": {
            value: server.residentMegabytes(),
            unit: "MB",
            bound: 400
          }
        }
      }
    )
)

const many: Size = { deployments: 50, replicas: 40 }

const twoThousand = linesOf(
  ["2,000 Pods over HTTP, ready from a cold start", "2,000 Pods over HTTP, rolled"],
  (checkout) => {
    const begun = performance.now()
    return withServer(
      () => start(checkout, many),
      async (server, client) => {
        await Promise.all([rolledOut(client, many, image("v1")), create(client, many)])
        const ready = performance.now() - begun
        const readyCpu = server.cpuMillis()
        const { millis, ...cpu } = await timedOf(server, () =>
          Promise.all([rolledOut(client, many, image("v2")), roll(client, many)])
        )
        return {
          "2,000 Pods over HTTP, ready from a cold start": {
            value: ready / 1000,
            unit: "s",
            bound: 2,
            ...(readyCpu === undefined ? {} : { cpuMillis: readyCpu })
          },
          "2,000 Pods over HTTP, rolled": { value: millis / 1000, unit: "s", bound: 1.6, ...cpu }
        }
      }
    )
  }
)

const some: Size = { deployments: 25, replicas: 40 }

/**
 * Requests a second, once as many have been asked as a tenth of them. How many there are depends on the machine: what is
 * meant is so many times those of an early commit, which only `--against` shows.
 */
const rate = async (
  server: Server,
  ask: () => Promise<unknown>,
  { count, timesOfEarly }: { readonly count: number; readonly timesOfEarly: number }
): Promise<Measured> => {
  await askOften(ask, count / 10)
  const { millis, ...cpu } = await timedOf(server, () => askOften(ask, count))
  const meant = `≥ ${timesOfEarly}x of e25cae5`
  const micros = cpu.cpuMillis === undefined ? undefined : ((cpu.cpuMillis * 1000) / count).toFixed(0)
  return {
    value: (count * 1000) / millis,
    unit: "/s",
    ...cpu,
    note: micros === undefined ? meant : `${meant}; ${micros} us of the server's CPU each`
  }
}

const requests = linesOf(["GET over HTTP", "LIST of 1,000 Pods over HTTP", "PATCH over HTTP"], (checkout) =>
  withServer(
    () => start(checkout, some),
    async (server, client) => {
      await Promise.all([rolledOut(client, some, image("v1")), create(client, some)])
      let count = 0
      const patch = () => {
        count += 1
        return client.ask({
          method: "PATCH",
          path: `${path}/web-${count % some.deployments}`,
          contentType: "application/merge-patch+json",
          body: JSON.stringify({ metadata: { labels: { count: String(count) } } })
        })
      }
      return {
        "GET over HTTP": await rate(server, () => client.ask({ path: `${path}/web-0` }), {
          count: 5000,
          timesOfEarly: 1.3
        }),
        "LIST of 1,000 Pods over HTTP": await rate(server, () => client.ask({ path: "/api/v1/pods" }), {
          count: 200,
          timesOfEarly: 3
        }),
        "PATCH over HTTP": await rate(server, patch, { count: 3000, timesOfEarly: 2.5 })
      }
    }
  )
)

export const loadedMeasures = [tenThousand, twoThousand, requests]
