// A month of nightly Jobs over the night in which Berlin puts its clock forward: half past two does not come that night,
// and the Jobs after it start an hour earlier by UTC: npx tsx scripts/scenarios/nightlyJobs.ts
import { openCluster } from "charthouse"

const cluster = await openCluster({ nodes: 1, startMillis: Date.UTC(2026, 2, 15) })
const starts: Array<string> = []
cluster.onChange(({ type, resource, object }) => {
  const scheduled = object.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]
  if (type === "ADDED" && resource === "jobs.batch" && scheduled !== undefined) starts.push(scheduled)
})
await cluster.create({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "backup" },
  spec: {
    schedule: "30 2 * * *",
    timeZone: "Europe/Berlin",
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: "OnFailure",
            containers: [{ name: "backup", image: "registry.example/backup:1" }]
          }
        }
      }
    }
  }
})
await cluster.advance("720h")
const { items } = await cluster.list("jobs.batch")
await cluster.close()

for (const start of starts.slice(11, 16)) console.log(start)
const hasSkipped = !starts.some((it) => it.startsWith("2026-03-29"))
const isRight = hasSkipped && starts.length === 29 && items.length === 3
console.log(`nightlyJobs: ${isRight ? "passed" : "failed"} after ${starts.length * 24 + 24} hours`)
