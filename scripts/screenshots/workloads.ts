import { openCluster } from "../../src/cluster/openCluster.ts"
import { resources } from "../../src/kubernetes/meta/resources.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const podTemplate = (name: string, { version = "1.0", restartPolicy = "Always", cpu = "100m" } = {}) => ({
  metadata: { labels: { app: name } },
  spec: {
    restartPolicy,
    containers: [
      { name: "app", image: `registry.example/${name}:${version}`, resources: { requests: { cpu } } }
    ]
  }
})
const selector = (name: string) => ({ matchLabels: { app: name } })

const workloads = (): ReadonlyArray<Manifest> => [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas: 4, selector: selector("web"), template: podTemplate("web") }
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 6,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } }
        }
      ]
    }
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: { serviceName: "db", replicas: 3, selector: selector("db"), template: podTemplate("db") }
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent" },
    spec: { selector: selector("agent"), template: podTemplate("agent") }
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "import" },
    spec: {
      completions: 8,
      parallelism: 2,
      backoffLimit: 2,
      template: podTemplate("import", { restartPolicy: "Never" })
    }
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "report" },
    spec: {
      schedule: "* * * * *",
      jobTemplate: { spec: { template: podTemplate("report", { restartPolicy: "Never" }) } }
    }
  }
]

/**
 * A cluster with a workload of every kind: a StatefulSet whose update cannot pull its image, a Job that has failed, a
 * DaemonSet in the middle of an update, a CronJob with its latest Jobs, and an autoscaler at its limit.
 */
export const openWorkloads = async (): Promise<OpenCluster> => {
  const cluster = await openCluster({
    record: true,
    why: true,
    nodes: 4,
    behaviours: [
      {
        name: "web",
        match: { image: "registry.example/web:*" },
        load: { perSecond: 150, cpuPerRequest: "4m" }
      },
      { name: "import", match: { image: "registry.example/import:*" }, exit: { after: "20s", code: 3 } }
    ]
  })
  for (const workload of workloads()) await cluster.apply(workload)
  await cluster.advance("3m")
  const template = (name: string, version: string) => ({ spec: { template: podTemplate(name, { version }) } })
  await cluster.fault({ fault: "pullFails", image: "registry.example/db:broken", error: "manifest unknown" })
  await cluster.patch({ resource: resources.statefulSets, name: "db" }, template("db", "broken"))
  await cluster.advance("1m")
  await cluster.patch({ resource: resources.daemonSets, name: "agent" }, template("agent", "2.0"))
  await cluster.advance("3s")
  return cluster
}
