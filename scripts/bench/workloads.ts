import { multiLineMeasure, timed } from "./measure.ts"
import type { Draft, OpenCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { Measurement, MeasurementsByLine } from "./measure.ts"

const template = (version: string, restartPolicy: "Always" | "Never") => ({
  metadata: { labels: { app: "x" } },
  spec: { restartPolicy, containers: [{ name: "app", image: `registry.example/app:${version}` }] }
})

type WithSpec = Draft & { readonly spec: object }

const daemonSet = (version: string): WithSpec => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "x", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "x" } },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
    template: template(version, "Always")
  }
})

const statefulSet = (version: string): WithSpec => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "x", namespace: "default" },
  spec: {
    replicas: 100,
    serviceName: "x",
    selector: { matchLabels: { app: "x" } },
    template: template(version, "Always")
  }
})

const job: WithSpec = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "x", namespace: "default" },
  spec: { completions: 1000, parallelism: 50, template: template("v1", "Never") }
}

const cronJob: WithSpec = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "x", namespace: "default" },
  spec: { schedule: "0 3 * * *", jobTemplate: { spec: { template: template("v1", "Never") } } }
}

const lines = [
  "DaemonSet: 1,000 Pods on 1,000 nodes",
  "DaemonSet: all of them replaced, 100 at a time",
  "StatefulSet: 100 Pods, one after the other",
  "StatefulSet: all of them replaced",
  "Job: 1,000 completions, 50 at a time",
  "CronJob: a month of nights"
] as const

type Line = (typeof lines)[number]

/** Targets in seconds of CPU time, on code that has not run before. */
const bounds: Readonly<Record<Line, number>> = {
  "DaemonSet: 1,000 Pods on 1,000 nodes": 5,
  "DaemonSet: all of them replaced, 100 at a time": 12,
  "StatefulSet: 100 Pods, one after the other": 1,
  "StatefulSet: all of them replaced": 1,
  "Job: 1,000 completions, 50 at a time": 8,
  "CronJob: a month of nights": 6
}

const rollOut = async (cluster: OpenCluster, name: string): Promise<void> => {
  const { outcome, message } = await cluster.rollout(name, { limit: "24h" })
  if (outcome !== "complete") throw new Error(message)
}

const measureWorkloads = async (checkout: Checkout): Promise<MeasurementsByLine> => {
  const { openCluster } = await checkout.library()
  const measured: Record<string, Measurement> = {}
  const measure = async (line: Line, work: () => Promise<void>): Promise<void> => {
    const { cpuMillis } = await timed(work)
    measured[line] = { value: cpuMillis / 1000, unit: "s", bound: bounds[line], cpuMillis, note: "CPU time" }
  }
  const replaceTemplate = async (
    cluster: OpenCluster,
    resource: string,
    { spec }: WithSpec
  ): Promise<void> => {
    await cluster.patch({ resource, name: "x" }, { spec })
  }
  {
    await using cluster = await openCluster({ nodes: 1000 })
    await measure(lines[0], async () => {
      await cluster.create(daemonSet("v1"))
      await rollOut(cluster, "daemonset/x")
    })
    await measure(lines[1], async () => {
      await replaceTemplate(cluster, "daemonsets.apps", daemonSet("v2"))
      await rollOut(cluster, "daemonset/x")
    })
  }
  {
    await using cluster = await openCluster()
    await measure(lines[2], async () => {
      await cluster.create(statefulSet("v1"))
      await rollOut(cluster, "statefulset/x")
    })
    await measure(lines[3], async () => {
      await replaceTemplate(cluster, "statefulsets.apps", statefulSet("v2"))
      await rollOut(cluster, "statefulset/x")
    })
  }
  {
    await using cluster = await openCluster({ nodes: 10 })
    await measure(lines[4], async () => {
      await cluster.create(job)
      await rollOut(cluster, "job/x")
    })
  }
  {
    // Most of a quiet month is the heartbeats of nodes.
    await using cluster = await openCluster({ nodes: 1 })
    await measure(lines[5], async () => {
      await cluster.create(cronJob)
      await cluster.advance("744h")
    })
  }
  return measured
}

export const workloadMeasures = [multiLineMeasure(lines, measureWorkloads)]
