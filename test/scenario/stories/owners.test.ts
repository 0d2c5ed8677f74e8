import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { aManifest } from "../../cluster/worlds.ts"
import { defineStory } from "../../../src/scenario/stories/stories.ts"
import { playStory } from "../../../src/scenario/stories/playing/playStory.ts"

it("what is said of a Pod or a ReplicaSet is told with the Deployment that owns it, and with no other", async () => {
  const shop = aManifest({ replicas: 1 })
  const run = await Effect.runPromise(
    playStory(
      defineStory({
        name: "three",
        start: [
          { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
          aManifest({ replicas: 1 }),
          aManifest({ name: "web-api", replicas: 1 }),
          { ...shop, metadata: { ...shop.metadata, namespace: "shop" } }
        ],
        steps: [
          { scale: "deployment/web", to: 3 },
          { scale: "deployment/web-api", to: 2 },
          { scale: "deployment/shop/web", to: 4 },
          { advance: "1m" },
          { scale: "deployment/web", to: 1 },
          { advance: "1m" },
          { fault: "nodeLost", node: "node-1", for: "2m" },
          { advance: "3m" }
        ]
      })
    )
  )
  const told = (reason: string) =>
    Object.fromEntries(
      Object.entries(Object.groupBy(run.events, (event) => `${event.deployment}`))
        .map(([deployment, events = []]) => [
          deployment,
          events.filter((event) => event.reason === reason).length
        ])
        .filter(([, count]) => count !== 0)
    )
  expect(run.outcome).toBe("passed")
  // Of the Deployments, of their ReplicaSets, and of their Pods.
  expect(told("ScalingReplicaSet")).toEqual({ "default/web": 2, "default/web-api": 1, "shop/web": 1 })
  expect(told("SuccessfulCreate")).toEqual({ "default/web": 2, "default/web-api": 1, "shop/web": 3 })
  expect(told("Scheduled")).toEqual({ "default/web": 2, "default/web-api": 1, "shop/web": 3 })
  expect(told("Killing")).toEqual({ "default/web": 2 })
  // Of a node, which no Deployment owns, and of the Pods on it.
  expect(told("NodeNotReady")).toEqual({
    undefined: 1,
    "default/web": 1,
    "default/web-api": 1,
    "shop/web": 1
  })
})
