import { sendRequests, makeClient } from "./http.ts"
import { multiLineMeasure } from "./measure.ts"
import { startUp } from "./up.ts"
import { webManifest, nodesFor } from "./fixtures.ts"
import type { Deployment } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measurement, MeasurementsByLine } from "./measure.ts"

/** Server and client are processes of their own on this machine; a bounded number of requests is in flight. */
export type Server = Awaited<ReturnType<typeof startUp>>
export type Client = ReturnType<typeof makeClient>

export interface Size {
  readonly deployments: number
  readonly replicas: number
}

const path = "/apis/apps/v1/namespaces/default/deployments"
const timeoutMillis = 300_000

export const startServer = (
  checkout: Checkout,
  { deployments, replicas }: Size,
  args: ReadonlyArray<string> = []
): Promise<Server> =>
  startUp(checkout, ["--behaviour", "instant", "--nodes", String(nodesFor(deployments * replicas)), ...args])

export const createDeployments = async (
  { send }: Client,
  { deployments, replicas }: Size,
  draftOf: (name: string) => object = (name) => webManifest(replicas, "v1", name)
): Promise<void> => {
  for (let index = 0; index < deployments; index += 1)
    await send({ method: "POST", path, body: JSON.stringify(draftOf(`web-${index}`)) })
}

const rollDeployments = async ({ send }: Client, { deployments, replicas }: Size): Promise<void> => {
  for (let index = 0; index < deployments; index += 1) {
    const { spec } = webManifest(replicas, "v2", `web-${index}`)
    await send({
      method: "PATCH",
      path: `${path}/web-${index}`,
      contentType: "application/merge-patch+json",
      body: JSON.stringify({ spec })
    })
  }
}

/** Watches until each Deployment has the image and, of it alone, as many available Pods as it asks for. */
export const watchUntilRolledOut = (client: Client, size: Size, image: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = new Set<string>()
    const timeout = setTimeout(
      () =>
        reject(new Error(`${done.size} of ${size.deployments} rollouts completed in ${timeoutMillis} ms`)),
      timeoutMillis
    )
    const stop = client.watchLines(`${path}?watch=1`, (line) => {
      const { object } = JSON.parse(line) as { readonly object: Deployment }
      if (isRolledOut(object, size, image)) done.add(object.metadata.name)
      if (done.size < size.deployments) return
      clearTimeout(timeout)
      resolve()
      void stop.then((end) => end())
    })
    stop.catch(reject)
  })

const isRolledOut = ({ metadata, spec, status }: Deployment, { replicas }: Size, image: string) =>
  spec.template.spec?.containers[0]?.image === image &&
  status.observedGeneration === metadata.generation &&
  [status.replicas, status.updatedReplicas, status.availableReplicas].every((count) => count === replicas)

export const appImage = (version: string): string => `registry.example/app:${version}`

/** Ends the server even after an error. */
export const withServer = async <A = MeasurementsByLine>(
  start: () => Promise<Server>,
  use: (server: Server, client: Client) => Promise<A>
): Promise<A> => {
  const server = await start()
  const client = makeClient(server.url, server.token)
  try {
    return await use(server, client)
  } finally {
    client.close()
    await server.end()
  }
}

/** Wall-clock time, with the server's CPU time. */
export const timedWithServerCpu = async (server: Server, work: () => Promise<unknown>) => {
  const cpuBefore = server.cpuMillis()
  const startMillis = performance.now()
  await work()
  const millis = performance.now() - startMillis
  const cpuAfter = server.cpuMillis()
  return {
    millis,
    ...(cpuAfter === undefined || cpuBefore === undefined ? {} : { cpuMillis: cpuAfter - cpuBefore })
  }
}

export const tenThousandPods: Size = { deployments: 100, replicas: 100 }

const tenThousandPodsMeasure = multiLineMeasure(
  ["10,000 Pods created over HTTP", "10,000 Pods created over HTTP, resident memory"],
  (checkout) =>
    withServer(
      () => startServer(checkout, tenThousandPods),
      async (server, client) => {
        const { millis, ...cpu } = await timedWithServerCpu(server, () =>
          Promise.all([
            watchUntilRolledOut(client, tenThousandPods, appImage("v1")),
            createDeployments(client, tenThousandPods)
          ])
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

const twoThousandPods: Size = { deployments: 50, replicas: 40 }

const twoThousandPodsMeasure = multiLineMeasure(
  ["2,000 Pods over HTTP, ready from a cold start", "2,000 Pods over HTTP, rolled"],
  (checkout) => {
    const startMillis = performance.now()
    return withServer(
      () => startServer(checkout, twoThousandPods),
      async (server, client) => {
        await Promise.all([
          watchUntilRolledOut(client, twoThousandPods, appImage("v1")),
          createDeployments(client, twoThousandPods)
        ])
        const readyMillis = performance.now() - startMillis
        const readyCpu = server.cpuMillis()
        const { millis, ...cpu } = await timedWithServerCpu(server, () =>
          Promise.all([
            watchUntilRolledOut(client, twoThousandPods, appImage("v2")),
            rollDeployments(client, twoThousandPods)
          ])
        )
        return {
          "2,000 Pods over HTTP, ready from a cold start": {
            value: readyMillis / 1000,
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

const thousandPods: Size = { deployments: 25, replicas: 40 }

/**
 * Requests per second, after a warm-up of a tenth of them. The rate depends on the machine: the target is a multiple of
 * the rate of an early commit, which only `--against` shows.
 */
const measureRate = async (
  server: Server,
  send: () => Promise<unknown>,
  { count, timesOfEarly }: { readonly count: number; readonly timesOfEarly: number }
): Promise<Measurement> => {
  await sendRequests(send, count / 10)
  const { millis, ...cpu } = await timedWithServerCpu(server, () => sendRequests(send, count))
  const target = `≥ ${timesOfEarly}x of e25cae5`
  const micros = cpu.cpuMillis === undefined ? undefined : ((cpu.cpuMillis * 1000) / count).toFixed(0)
  return {
    value: (count * 1000) / millis,
    unit: "/s",
    ...cpu,
    note: micros === undefined ? target : `${target}; ${micros} us of the server's CPU each`
  }
}

const requestMeasures = multiLineMeasure(
  ["GET over HTTP", "LIST of 1,000 Pods over HTTP", "PATCH over HTTP"],
  (checkout) =>
    withServer(
      () => startServer(checkout, thousandPods),
      async (server, client) => {
        await Promise.all([
          watchUntilRolledOut(client, thousandPods, appImage("v1")),
          createDeployments(client, thousandPods)
        ])
        let count = 0
        const patch = () => {
          count += 1
          return client.send({
            method: "PATCH",
            path: `${path}/web-${count % thousandPods.deployments}`,
            contentType: "application/merge-patch+json",
            body: JSON.stringify({ metadata: { labels: { count: String(count) } } })
          })
        }
        return {
          "GET over HTTP": await measureRate(server, () => client.send({ path: `${path}/web-0` }), {
            count: 5000,
            timesOfEarly: 1.3
          }),
          "LIST of 1,000 Pods over HTTP": await measureRate(
            server,
            () => client.send({ path: "/api/v1/pods" }),
            {
              count: 200,
              timesOfEarly: 3
            }
          ),
          "PATCH over HTTP": await measureRate(server, patch, { count: 3000, timesOfEarly: 2.5 })
        }
      }
    )
)

export const loadedMeasures = [tenThousandPodsMeasure, twoThousandPodsMeasure, requestMeasures]
