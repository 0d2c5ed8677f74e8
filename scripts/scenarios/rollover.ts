// A third version comes while the second is being rolled out: the second does not finish first. Played with ten
// seeds: npx tsx scripts/scenarios/rollover.ts
import { defineStory, runStory } from "charthouse/scenario"

const image = (version: string) => ({ web: `registry.example/web:${version}` })

export const story = defineStory({
  name: "rollover",
  start: [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 5,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image: "registry.example/web:1.0" }] }
        }
      }
    }
  ],
  steps: [
    { setImage: "deployment/web", images: image("2.0") },
    { after: "1s", expect: "deployment/web updated > 0 and deployment/web existing > updated" },
    { setImage: "deployment/web", images: image("3.0") },
    { waitFor: "deployment/web is complete", within: "1m" },
    { expect: "deployment/web revision = 3 and deployment/web updated = 5 and deployment/web existing = 5" }
  ],
  invariants: ["available >= 4"]
})

if (process.argv[1] === import.meta.filename) {
  for (let seed = 1; seed <= 10; seed += 1) {
    const { outcome, endMillis } = await runStory(story, { seed })
    console.log(`${story.name} with seed ${seed}: ${outcome} after ${endMillis / 1000} seconds`)
  }
}
