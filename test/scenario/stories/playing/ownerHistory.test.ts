import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { namespaceManifest } from "../../../builders.ts"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { defineStory } from "../../../../src/scenario/stories/stories.ts"
import { playStory } from "../../../../src/scenario/stories/playing/playStory.ts"

it("events of Pods and ReplicaSets are listed with the Deployment that owns them", async () => {
  const shop = deploymentManifest({ replicas: 1 })
  const run = await Effect.runPromise(
    playStory(
      defineStory({
        name: "three",
        start: [
          namespaceManifest("shop"),
          deploymentManifest({ replicas: 1 }),
          deploymentManifest({ name: "web-api", replicas: 1 }),
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
  const countsByDeployment = (reason: string) =>
    Object.fromEntries(
      Object.entries(Object.groupBy(run.events, (event) => `${event.deployment}`))
        .map(([deployment, events = []]) => [
          deployment,
          events.filter((event) => event.reason === reason).length
        ])
        .filter(([, count]) => count !== 0)
    )
  expect(run.outcome).toBe("passed")
  // Events of Deployments, ReplicaSets and Pods.
  expect(countsByDeployment("ScalingReplicaSet")).toEqual({
    "default/web": 2,
    "default/web-api": 1,
    "shop/web": 1
  })
  expect(countsByDeployment("SuccessfulCreate")).toEqual({
    "default/web": 2,
    "default/web-api": 1,
    "shop/web": 3
  })
  expect(countsByDeployment("Scheduled")).toEqual({ "default/web": 2, "default/web-api": 1, "shop/web": 3 })
  expect(countsByDeployment("Killing")).toEqual({ "default/web": 2 })
  // Events of the node, without a Deployment, and of its Pods.
  expect(countsByDeployment("NodeNotReady")).toEqual({
    undefined: 1,
    "default/web": 1,
    "default/web-api": 1,
    "shop/web": 1
  })
})
