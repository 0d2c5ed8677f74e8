// With the strategy Recreate two versions never run side by side; the price is a time in which none runs. Runs by itself
// (npx tsx scripts/scenarios/recreate.ts) as well as by `charthouse run`.
import { defineStory, runStory, type StoryWorld } from "charthouse/scenario"

/** Pods that are on their way out run as well. */
const oneVersionAtATime = ({ view }: StoryWorld): boolean => {
  const images = [...view.all("pods")].map(({ spec }) => spec.containers[0]?.image)
  return new Set(images).size <= 1
}

export const story = defineStory({
  name: "recreate",
  start: [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 3,
        strategy: { type: "Recreate" },
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: "registry.example/web:1.0" }] }
        }
      }
    }
  ],
  steps: [
    { setImage: "deployment/web", images: { web: "registry.example/web:2.0" } },
    { waitFor: "deployment/web available = 0", within: "1m" },
    { waitFor: "deployment/web is complete", within: "1m" },
    { expect: "deployment/web updated = 3 and deployment/web existing = 3" }
  ],
  invariants: [oneVersionAtATime, "deployment/web existing <= 3"]
})

if (process.argv[1] === import.meta.filename) {
  const { outcome, endMillis } = await runStory(story)
  console.log(`${story.name}: ${outcome} after ${endMillis / 1000} seconds`)
}
