import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sendRequests } from "./http.ts"
import {
  createDeployments,
  appImage,
  startServer,
  tenThousandPods,
  timedWithServerCpu,
  watchUntilRolledOut,
  withServer
} from "./loaded.ts"
import { multiLineMeasure } from "./measure.ts"
import { startUp } from "./up.ts"
import type { Checkout } from "./checkout.ts"
import type { Client } from "./loaded.ts"
import type { Measurement } from "./measure.ts"

const levels = ["off", "process", "full"] as const
type Level = (typeof levels)[number]

/** Each with the least part of the rate of `off` that `process` is to reach. */
const clientCounts = [
  [1, 0.5],
  [64, 0.8]
] as const
const writesPerRun = 2000
const warmUpWrites = 200

export const withDirectory = async <A>(use: (directory: string) => Promise<A>): Promise<A> => {
  const directory = mkdtempSync(join(tmpdir(), "charthouse-bench-data-"))
  try {
    return await use(join(directory, "data"))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Writes a second of a ConfigMap of 2 kB, by the number of clients. */
const measureWrites = (checkout: Checkout, level: Level): Promise<ReadonlyMap<number, number>> =>
  withDirectory((directory) =>
    withServer(
      () => startUp(checkout, level === "off" ? [] : ["--data", directory, "--durability", level]),
      async (_server, { send }) => {
        let count = 0
        const write = () => {
          count += 1
          const metadata = { name: `written-${count}` }
          const data = { filler: "x".repeat(1600) }
          const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data })
          return send({ method: "POST", path: "/api/v1/namespaces/default/configmaps", body })
        }
        const rates = new Map<number, number>()
        for (const [clients] of clientCounts) {
          await sendRequests(write, warmUpWrites, clients)
          const startMillis = performance.now()
          await sendRequests(write, writesPerRun, clients)
          rates.set(clients, (writesPerRun * 1000) / (performance.now() - startMillis))
        }
        return rates
      }
    )
  )

const writesLine = (clients: number, level: Level): string =>
  `writes of ${clients} client${clients === 1 ? "" : "s"}, ${level} against off`

const writesMeasure = multiLineMeasure(
  [writesLine(1, "process"), writesLine(64, "process"), writesLine(1, "full"), writesLine(64, "full")],
  async (checkout) => {
    const rates = new Map<Level, ReadonlyMap<number, number>>()
    for (const level of levels) rates.set(level, await measureWrites(checkout, level))
    const rateOf = (level: Level, clients: number): number => rates.get(level)?.get(clients) ?? Number.NaN
    return Object.fromEntries(
      clientCounts.flatMap(([clients, least]) =>
        (["process", "full"] as const).map((level): readonly [string, Measurement] => [
          writesLine(clients, level),
          {
            value: rateOf(level, clients) / rateOf("off", clients),
            unit: "x",
            ...(level === "process" ? { least } : {}),
            note: `${rateOf(level, clients).toFixed(0)} a second, off ${rateOf("off", clients).toFixed(0)}`
          }
        ])
      )
    )
  }
)

const createTenThousandPods = async (client: Client): Promise<void> => {
  await Promise.all([
    watchUntilRolledOut(client, tenThousandPods, appImage("v1")),
    createDeployments(client, tenThousandPods)
  ])
}

/** What a client gets of the resources that 10,000 Pods consist of. */
const objectBytes = async ({ send }: Client): Promise<number> => {
  const paths = ["/api/v1/pods", "/api/v1/events", "/apis/apps/v1/deployments", "/apis/apps/v1/replicasets"]
  const lists = await Promise.all(paths.map((path) => send({ path })))
  return lists.reduce((sum, { length }) => sum + length, 0)
}

const bytesIn = (directory: string): number =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)

const podsLine = "10,000 Pods over HTTP, with data against without"
const startLine = "start on a directory of 10,000 Pods"
const sizeLine = "10,000 Pods on disk, against the objects"
const compactionMillis = 3000

const podsMeasure = multiLineMeasure([podsLine, startLine, sizeLine], async (checkout) => {
  const memoryTimes = await withServer(
    () => startServer(checkout, tenThousandPods),
    (server, client) => timedWithServerCpu(server, () => createTenThousandPods(client))
  )
  return withDirectory(async (directory) => {
    const args = ["--data", directory]
    const durableRun = await withServer(
      () => startServer(checkout, tenThousandPods, args),
      async (server, client) => {
        const times = await timedWithServerCpu(server, () => createTenThousandPods(client))
        const objects = await objectBytes(client)
        // Compaction goes on between requests.
        await new Promise((resolve) => setTimeout(resolve, compactionMillis))
        return { times, objects, bytes: bytesIn(directory) }
      }
    )
    const startMillis = performance.now()
    const started = await withServer(
      () => startUp(checkout, args),
      (server) => Promise.resolve({ millis: performance.now() - startMillis, cpuMillis: server.cpuMillis() })
    )
    const [withSeconds, withoutSeconds] = [durableRun.times.millis / 1000, memoryTimes.millis / 1000]
    return {
      [podsLine]: {
        value: withSeconds / withoutSeconds,
        unit: "x",
        bound: 1.2,
        note: `${withSeconds.toFixed(1)} s, without ${withoutSeconds.toFixed(1)} s; CPU ${cpuText(durableRun.times)}, without ${cpuText(memoryTimes)}`
      },
      [startLine]: { value: started.millis / 1000, unit: "s", bound: 1, ...cpuOf(started) },
      [sizeLine]: {
        value: durableRun.bytes / durableRun.objects,
        unit: "x",
        bound: 2,
        note: `${(durableRun.bytes / 1e6).toFixed(0)} MB, the objects ${(durableRun.objects / 1e6).toFixed(0)} MB`
      }
    }
  })
})

interface WithCpu {
  readonly cpuMillis?: number | undefined
}

const cpuOf = ({ cpuMillis }: WithCpu): Pick<Measurement, "cpuMillis"> =>
  cpuMillis === undefined ? {} : { cpuMillis }
const cpuText = ({ cpuMillis = Number.NaN }: WithCpu): string => `${(cpuMillis / 1000).toFixed(1)} s`

export const durableMeasures = [writesMeasure, podsMeasure]
