import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { aManifest, serviceManifest } from "../../builders.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { playStory } from "../../../src/scenario/stories/playing/playStory.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"

const web = deploymentManifest({ replicas: 3 })
const unselecting = aManifest("Service", { name: "web" }, { spec: { ports: [{ port: 80 }] } })
const play = async (steps: Story["steps"]) => {
  const run = await Effect.runPromise(playStory({ name: "again", start: [web, serviceManifest()], steps }, 1))
  expect(run.failures).toEqual([])
  return run
}

/** All Pods hang for 20 of 30 seconds. */
const hung: Story["steps"] = [
  { fault: "hang", pods: { deployment: "web" }, for: "20s" },
  { advance: "30s" },
  { expect: "service/web lost = 2000" }
]
const requestsOf = async (steps: Story["steps"]) => {
  const { services } = await play([...hung, ...steps])
  return services.map(({ lost, requests }) => `${lost} of ${requests}`)
}

it.each<{ readonly why: string; readonly steps: Story["steps"]; readonly requests: string }>([
  { why: "all are counted when it stays", steps: [{ advance: "10s" }], requests: "2000 of 4000" },
  {
    why: "none are sent after its deletion",
    steps: [{ delete: "service/web" }, { advance: "10s" }],
    requests: "2000 of 3000"
  },
  {
    why: "lost ones stay counted when it is created again, and none are sent in between",
    steps: [{ delete: "service/web" }, { advance: "10s" }, { apply: [serviceManifest()] }, { advance: "5s" }],
    // Clients know the new Service a second later.
    requests: "2100 of 3500"
  },
  {
    why: "none are sent when it is created again without a selector",
    steps: [{ delete: "service/web" }, { apply: [unselecting] }, { advance: "5s" }],
    requests: "2000 of 3000"
  },
  {
    why: "lost ones add up each time it is created again",
    steps: [1, 2].flatMap(() => [
      { delete: "service/web" },
      { advance: "10s" },
      { apply: [serviceManifest()] },
      { advance: "5s" }
    ]),
    requests: "2200 of 4000"
  }
])("of the requests to a Service $why", async ({ steps, requests }) => {
  expect(await requestsOf(steps)).toEqual([requests])
})

it("a deleted Deployment desires 0, and the next of its name continues its rows", async () => {
  const { deployments } = await play([
    { advance: "10s" },
    { delete: "deployment/web" },
    { advance: "60s" },
    { apply: [web] },
    { waitFor: "deployment/web is complete" },
    { expect: "deployment/web existing = 3" }
  ])
  expect(deployments.map(({ name }) => name)).toEqual(["web"])
  const rows = deployments.flatMap((it) => it.rows)
  expect(rows[0]).toMatchObject({ atMillis: 0, desired: 3, existing: 3, available: 3 })
  const firstRowAfterDeletion = rows.find(({ atMillis }) => atMillis >= 10_000)
  expect(firstRowAfterDeletion).toMatchObject({ atMillis: 10_000, desired: 0, terminating: 3 })
  expect(rows.findLast(({ atMillis }) => atMillis < 70_000)).toMatchObject({ desired: 0, terminating: 0 })
  expect(rows.at(-1)).toMatchObject({ desired: 3, existing: 3, updated: 3, available: 3, terminating: 0 })
})

it("Pods of a deleted Deployment count as terminating beside those of the next of its name", async () => {
  const { deployments } = await play([
    { delete: "deployment/web" },
    { apply: [web] },
    { waitFor: "deployment/web is complete" }
  ])
  const [rows, reached] = [deployments.flatMap((it) => it.rows), deployments[0]?.reached]
  expect(reached).toMatchObject({ podsMost: 3, podsMostWithTerminating: 6 })
  expect(rows.find(({ existing, terminating }) => existing === 3 && terminating === 3)).toMatchObject({
    updated: 3
  })
})
