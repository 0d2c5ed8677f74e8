// A database's rolling update goes from the highest ordinal down. A broken template stops it at the first replica, and
// the corrected one does not reach that replica: with OrderedReady it has to be deleted by hand. Runs by itself
// (npx tsx scripts/scenarios/databaseUpdate.ts) as well as by `charthouse run`.
import { defineStory, runStory, type StoryWorld } from "charthouse/scenario"

const imagesOf = ({ view }: StoryWorld): string =>
  [...view.all("pods")]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map(({ spec }) => spec.containers[0]?.image?.split(":").at(-1))
    .join(" ")

const readyCount = ({ view }: StoryWorld): number =>
  view.get("statefulsets.apps", "default/db")?.status.readyReplicas ?? 0

const runs = (images: string) => (world: StoryWorld) => imagesOf(world) === images && readyCount(world) === 3

export const story = defineStory({
  name: "databaseUpdate",
  behaviours: [{ name: "missing", match: { image: "*:broken" }, pull: { failures: "forever" } }],
  start: [
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "db" },
      spec: {
        serviceName: "db",
        replicas: 3,
        selector: { matchLabels: { app: "db" } },
        template: {
          metadata: { labels: { app: "db" } },
          spec: { containers: [{ name: "db", image: "registry.example/db:1" }] }
        },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
          }
        ]
      }
    }
  ],
  steps: [
    { waitFor: runs("1 1 1"), within: "1m" },
    { setImage: "statefulset/db", images: { db: "registry.example/db:2" } },
    { waitFor: runs("2 2 2"), within: "2m" },
    { setImage: "statefulset/db", images: { db: "registry.example/db:broken" } },
    { after: "1m", expect: (world) => imagesOf(world) === "2 2 broken" && readyCount(world) === 2 },
    { setImage: "statefulset/db", images: { db: "registry.example/db:3" } },
    { after: "5m", expect: (world) => imagesOf(world) === "2 2 broken" },
    { delete: "pod/db-2" },
    { waitFor: runs("3 3 3"), within: "2m" }
  ],
  // One replica at a time.
  invariants: [(world) => world.sinceMillis < 60_000 || readyCount(world) >= 2]
})

if (process.argv[1] === import.meta.filename) {
  const { outcome, endMillis } = await runStory(story)
  console.log(`${story.name}: ${outcome} after ${endMillis / 1000} seconds`)
}
