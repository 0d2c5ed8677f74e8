// A month of nightly Jobs over the night in which Berlin puts its clock forward: half past two does not come that
// night, and the Jobs after it start an hour earlier by UTC. Runs by itself (npx tsx scripts/scenarios/nightlyJobs.ts)
// as well as by `charthouse run`.
import { defineStory, runStory, type StoryWorld } from "charthouse/scenario"

/** The times of the Jobs that are kept, on the clock of Berlin. */
const startsIn = ({ view }: StoryWorld): ReadonlyArray<string> =>
  [...view.all("jobs.batch")]
    .map(({ metadata }) => metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "")
    .sort()

const haveStarted =
  (...times: ReadonlyArray<string>) =>
  (world: StoryWorld): boolean =>
    startsIn(world).join() === times.join()

export const story = defineStory({
  name: "nightlyJobs",
  nodes: 1,
  startTime: "2026-03-15T00:00:00Z",
  start: [
    {
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
    }
  ],
  steps: [
    // The history keeps three Jobs: of the nights from the 27th to the 30th, the 29th has none.
    {
      at: "361h",
      expect: haveStarted(
        "2026-03-27T02:30:00+01:00",
        "2026-03-28T02:30:00+01:00",
        "2026-03-30T02:30:00+02:00"
      )
    },
    {
      at: "720h",
      expect: haveStarted(
        "2026-04-11T02:30:00+02:00",
        "2026-04-12T02:30:00+02:00",
        "2026-04-13T02:30:00+02:00"
      )
    }
  ],
  limit: { time: "721h", steps: 1_000_000 }
})

if (process.argv[1] === import.meta.filename) {
  const { outcome, endMillis } = await runStory(story)
  console.log(`${story.name}: ${outcome} after ${endMillis / 3_600_000} hours`)
}
