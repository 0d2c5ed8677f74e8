// An autoscaler follows the shoppers of a day, through a rollout at the busiest hour. Runs by itself
// (npx tsx scripts/scenarios/autoscaledDay.ts) as well as by `charthouse run`.
import { defineStory, runStory, type StoryWorld } from "charthouse/scenario"

const sizeIn = ({ view }: StoryWorld): number =>
  view.get("deployments.apps", "default/shop")?.spec.replicas ?? 0

const lostShareIn = ({ loads }: StoryWorld): number => {
  const [shoppers] = loads()
  return shoppers === undefined || shoppers.asked === 0 ? 0 : shoppers.lost / shoppers.asked
}

const isUpdated = ({ view }: StoryWorld): boolean => {
  const shop = view.get("deployments.apps", "default/shop")
  return (
    shop?.status.updatedReplicas === shop?.spec.replicas && shop?.status.unavailableReplicas === undefined
  )
}

export const story = defineStory({
  name: "autoscaledDay",
  behaviours: [
    {
      name: "shoppers",
      match: { labels: { app: "shop" } },
      pull: { delay: { uniform: ["2s", "8s"] } },
      ready: "5s",
      load: { perSecond: { low: 60, high: 900, peak: "14:00" }, cpuPerRequest: "4m" }
    }
  ],
  start: [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "shop" } },
        template: {
          metadata: { labels: { app: "shop" } },
          spec: {
            containers: [
              {
                name: "shop",
                image: "registry.example/shop:1",
                resources: { requests: { cpu: "250m" }, limits: { cpu: "500m" } }
              }
            ]
          }
        }
      }
    },
    {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "shop" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
        minReplicas: 2,
        maxReplicas: 30,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } }
          }
        ]
      }
    }
  ],
  steps: [
    { at: "4h", expect: (world) => sizeIn(world) <= 4 },
    { at: "14h", setImage: "deployment/shop", images: { shop: "registry.example/shop:2" } },
    { waitFor: isUpdated, within: "10m" },
    { expect: (world) => sizeIn(world) >= 18 },
    { at: "24h", expect: (world) => sizeIn(world) <= 8 },
    { expect: (world) => lostShareIn(world) < 0.001 }
  ],
  limit: { time: "25h" }
})

if (process.argv[1] === import.meta.filename) {
  const { outcome, endMillis, deployments } = await runStory(story)
  const rows = deployments[0]?.rows ?? []
  const sizeAt = (hour: number) => rows.findLast(({ atMillis }) => atMillis <= hour * 3_600_000)?.desired
  const sizes = Array.from({ length: 25 }, (_, hour) => sizeAt(hour))
  console.log(`replicas by the hour: ${sizes.join(", ")}`)
  console.log(`${story.name}: ${outcome} after ${endMillis / 3_600_000} hours`)
}
