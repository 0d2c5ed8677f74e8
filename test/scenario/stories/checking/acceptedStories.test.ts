import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../../../builders.ts"
import { deploymentManifest } from "../../../cluster/testCluster.ts"
import { defineStory } from "../../../../src/scenario/stories/stories.ts"
import { isStoryText, readStory } from "../../../../src/scenario/stories/reading/readStory.ts"
import type { Story } from "../../../../src/scenario/stories/story.ts"

const web = deploymentManifest({})
const aNode = aManifest("Node", { name: "big" })
const inShop = { ...web, metadata: { name: "web", namespace: "shop" } }

const aStatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db" },
  spec: {
    selector: { matchLabels: { app: "db" } },
    template: {
      metadata: { labels: { app: "db" } },
      spec: { containers: [{ name: "db", image: "postgres" }] }
    }
  }
}

describe("a story is not refused for", () => {
  it.each<readonly [why: string, story: Omit<Story, "name">]>([
    [
      "a Deployment that a step applies",
      { steps: [{ apply: [web] }, { pause: "deployment/web" }, { waitFor: "is paused" }] }
    ],
    [
      "a Deployment that is deleted and applied again",
      {
        start: [web],
        steps: [
          { delete: "deploy/web" },
          { expect: "deployment/web is gone" },
          { apply: [web] },
          { scale: "deployments/web", to: 0 }
        ]
      }
    ],
    [
      "an expected refusal",
      {
        start: [web],
        steps: [
          { pause: "deployment/api", expectRefused: "not found" },
          { pause: "node/node-1", expectRefused: "no" },
          { setImage: "deployment/web", images: { none: "x" }, expectRefused: "unable" },
          { delete: "deployment/web", expectRefused: "no" },
          { pause: "deployment/web" }
        ]
      }
    ],
    [
      "a container that a patch may have added",
      {
        start: [web],
        steps: [
          { patch: "deployment/web", with: {} },
          { setImage: "deployment/web", images: { sidecar: "x" } }
        ]
      }
    ],
    [
      "objects that controllers create",
      {
        start: [web],
        steps: [
          { delete: "pod/web-1" },
          { delete: "replicaset/web-1" },
          { waitFor: "pod/web-1 is gone" },
          { expect: "pod/web-1 is not ready" }
        ]
      }
    ],
    ["the last node", { nodes: 5, steps: [{ fault: "nodeLost", node: "node-5" }] }],
    [
      "the last node of nodes.count",
      {
        nodes: { count: 1 },
        steps: [{ fault: "nodeLost", node: "node-1" }, { expect: "node/node-1 is not ready" }]
      }
    ],
    [
      "the last of the three default nodes",
      { nodes: { pods: 5 }, steps: [{ fault: "nodeFull", node: "node-3" }] }
    ],
    ["a node of the story", { start: [aNode], steps: [{ fault: "nodeDrained", node: "big" }] }],
    [
      "a Deployment in a namespace, named or not",
      {
        start: [inShop],
        steps: [
          { fault: "kill", pods: { deployment: "web" } },
          { fault: "kill", pods: { deployment: "web", namespace: "shop", revision: "old" } },
          { expect: "deployment/shop/web available = 0 and available = 0" }
        ]
      }
    ],
    [
      "two steps at one instant",
      {
        start: [web],
        steps: [
          { advance: "1m" },
          { at: "60s", pause: "deployment/web" },
          { at: "1m", resume: "deployment/web" }
        ]
      }
    ],
    [
      "a time equal to the limit",
      {
        start: [web],
        steps: [{ at: "2m", advance: "0s" }],
        limit: { time: "2m" },
        faults: [{ at: "2m", fault: "kill", pods: {} }]
      }
    ],
    [
      "weather of a short time",
      {
        steps: [],
        weather: {
          every: "1ms",
          from: "59m59s",
          until: "1h",
          faults: [{ fault: "kill", pods: {}, weight: 0.5 }]
        }
      }
    ],
    [
      "a resource by its full name",
      { steps: [{ fault: "writesRefused", of: "clients", code: 429, resource: "deployments.apps" }] }
    ],
    [
      "objects of later manifests in invariants and faults",
      {
        steps: [{ apply: [web] }],
        invariants: ["deployment/web existing <= 5"],
        faults: [{ at: "1s", fault: "kill", pods: { deployment: "web" } }]
      }
    ],
    ["predicates", { steps: [{ when: () => true, expect: () => true }], invariants: [() => false] }],
    [
      "other kinds that can be scaled",
      {
        start: [aStatefulSet],
        steps: [{ scale: "sts/db", to: 3 }]
      }
    ]
  ])("%s", (_why, story) => {
    expect(() => defineStory({ name: "good", ...story })).not.toThrow()
  })
})

it("a missing file is the only problem, not the objects in it", async () => {
  const text = `apiVersion: charthouse.dev/v1
kind: Scenario
metadata: {name: half}
spec:
  start: nowhere.yaml
  steps:
  - pause: deployment/web
  - expect: available > 1
  - fault: kill
    pods: {deployment: web}
`
  const result = await Effect.runPromise(Effect.result(readStory(text, "half.yaml")))
  expect(result._tag === "Success" ? "" : result.failure.message).toBe(
    'half.yaml:5:10: spec.start names the file "nowhere.yaml": it does not exist'
  )
})

it.each([
  ["apiVersion: charthouse.dev/v1\nkind: Scenario\n", true],
  ["kind: 'Scenario' # of the future\napiVersion: charthouse.dev/v7\n", true],
  ['{"apiVersion": "charthouse.dev/v1", "kind": "Scenario"}', true],
  ["apiVersion: v1\nkind: Pod\n", false],
  ["apiVersion: simulation.kube-scheduler-simulator.x-k8s.io/v1\nkind: Scenario\n", false],
  ["apiVersion: charthouse.dev/v1\nkind: Behaviour\n", false]
])("isStory of %j is %s", (text, expected) => {
  expect(isStoryText(text)).toBe(expected)
})
