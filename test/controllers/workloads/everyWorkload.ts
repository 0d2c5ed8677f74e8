/** One workload of every kind, with what makes its controller act again and again. */
const labels = (app: string) => ({ matchLabels: { app } })
const template = (app: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "app", image: `${app}:1` }], ...more }
})
const endless = { restartPolicy: "Never" }

export const everyWorkload: ReadonlyArray<{
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: object
}> = [
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: {
      serviceName: "db",
      replicas: 3,
      minReadySeconds: 5,
      selector: labels("db"),
      template: template("db"),
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
        }
      ]
    }
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent" },
    spec: { minReadySeconds: 5, selector: labels("agent"), template: template("agent") }
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "sums" },
    spec: { completions: 6, parallelism: 2, completionMode: "Indexed", template: template("sums", endless) }
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "broken" },
    spec: { backoffLimit: 3, template: template("broken", endless) }
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "minutely" },
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: template("minutely", endless) } } }
  }
]
