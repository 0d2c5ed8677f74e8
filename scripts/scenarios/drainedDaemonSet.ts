// A node is drained while a DaemonSet is updated with a surge: the drain leaves its Pods alone, and every node keeps an
// agent. Runs by itself (npx tsx scripts/scenarios/drainedDaemonSet.ts) as well as by `charthouse run`.
import { defineStory, runStory, type StoryWorld } from "charthouse/scenario"

const agentsOn = ({ view }: StoryWorld, node: string) =>
  [...view.all("pods")].filter(
    ({ spec, status }) =>
      spec.nodeName === node &&
      (status.conditions ?? []).some((it) => it.type === "Ready" && it.status === "True")
  )

const nodes = ["node-1", "node-2", "node-3"]

const isUpdated = (world: StoryWorld): boolean =>
  nodes.every((node) => {
    const agents = agentsOn(world, node)
    return agents.length === 1 && agents[0]?.spec.containers[0]?.image === "registry.example/agent:2"
  })

export const story = defineStory({
  name: "drainedDaemonSet",
  start: [
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "agent" },
      spec: {
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        selector: { matchLabels: { app: "agent" } },
        template: {
          metadata: { labels: { app: "agent" } },
          spec: { containers: [{ name: "agent", image: "registry.example/agent:1" }] }
        }
      }
    }
  ],
  steps: [
    { waitFor: (world) => nodes.every((node) => agentsOn(world, node).length === 1), within: "1m" },
    { fault: "nodeDrained", node: "node-1" },
    { setImage: "daemonset/agent", images: { agent: "registry.example/agent:2" } },
    { waitFor: isUpdated, within: "2m" }
  ],
  invariants: [
    (world) => world.sinceMillis < 10_000 || nodes.every((node) => agentsOn(world, node).length >= 1)
  ]
})

if (process.argv[1] === import.meta.filename) {
  const { outcome, endMillis } = await runStory(story)
  console.log(`${story.name}: ${outcome} after ${endMillis / 1000} seconds`)
}
