// Of an Indexed Job every third index fails. With backoffLimitPerIndex the others go on, and the Job tells which
// failed. Runs by itself (npx tsx scripts/scenarios/everyThirdIndexFails.ts) as well as by `charthouse run`.
import { defineStory, runStory } from "charthouse/scenario"

export const story = defineStory({
  name: "everyThirdIndexFails",
  behaviours: [2, 5, 8].map((index) => ({
    name: `broken-${index}`,
    match: { labels: { "batch.kubernetes.io/job-completion-index": String(index) } },
    exit: { after: "2s", code: 3 }
  })),
  start: [
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "sums" },
      spec: {
        completions: 9,
        parallelism: 3,
        completionMode: "Indexed",
        backoffLimitPerIndex: 1,
        template: {
          spec: { restartPolicy: "Never", containers: [{ name: "sum", image: "registry.example/sum:1" }] }
        }
      }
    }
  ],
  steps: [
    {
      waitFor: ({ view }) =>
        (view.get("jobs.batch", "default/sums")?.status.conditions ?? []).some(
          ({ type }) => type === "Failed"
        ),
      within: "10m"
    },
    {
      expect: ({ view }) => {
        const { completedIndexes, failedIndexes, failed } =
          view.get("jobs.batch", "default/sums")?.status ?? {}
        return completedIndexes === "0,1,3,4,6,7" && failedIndexes === "2,5,8" && failed === 6
      }
    }
  ]
})

if (process.argv[1] === import.meta.filename) {
  const { outcome, endMillis } = await runStory(story)
  console.log(`${story.name}: ${outcome} after ${endMillis / 1000} seconds`)
}
