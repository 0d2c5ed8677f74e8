import { describe, expect, it } from "vitest"
import { address, imageOf, openSteeredShop, steeredText, steeringEvents } from "./steeredShop.ts"
import { podsFailure } from "../../src/kubernetes/steering/rolloutFailures.ts"
import { steeringObservations } from "../machines/steeringObservations.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const onePerNode = { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }

/** No node has the label that the new template selects, until one gets it. */
const setSelectingTemplate = (cluster: OpenCluster) =>
  cluster.patch(address, {
    spec: {
      template: { spec: { nodeSelector: { pool: "large" }, containers: [{ name: "web", image: "web:2" }] } }
    }
  })

const labelNode = async (cluster: OpenCluster) => {
  const [node] = (await cluster.list("nodes")).items
  await cluster.patch(
    { resource: "nodes", name: node?.metadata.name ?? "" },
    { metadata: { labels: { pool: "large" } } }
  )
}

const openShop = (strategy: string) =>
  openSteeredShop(strategy, { isGated: !strategy.startsWith("automatic"), spec: onePerNode })

describe.each([
  { name: "automaticRollback", settings: "" },
  { name: "canary", settings: "steps: [{ approve: 1 }, { hold: untilPromoted }]" }
])("$name of a revision whose Pods find no node", ({ name, settings }) => {
  const withSettings = (more: string): string =>
    `${name}: { ${[settings, more].filter((text) => text !== "").join(", ")} }`

  it("waits for the whole progress deadline unless its strategy says otherwise", async () => {
    await using cluster = await openShop(withSettings(""))
    await setSelectingTemplate(cluster)
    await cluster.advance("9m50s")
    expect(imageOf(await cluster.get(address))).toBe("web:2")
    await cluster.advance("15s")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
  })

  it("goes back once they have found none for as long as its strategy says", async () => {
    await using cluster = await openShop(withSettings("cannotSchedule: 3m"))
    await setSelectingTemplate(cluster)
    await cluster.advance("2m58s")
    expect(imageOf(await cluster.get(address))).toBe("web:2")
    await cluster.advance("4s")
    const deployment = await cluster.get(address)
    expect(imageOf(deployment)).toBe("web:1")
    expect(deployment.status).toMatchObject({ availableReplicas: 4 })
    expect((await steeringEvents(cluster)).at(-1)).toMatch(
      /^Warning RolledBack: .*: 2 new Pods found no node within 3m \(FailedScheduling: 0\/3 nodes are available: /u
    )
  })

  it("goes on when a node comes within that time", async () => {
    await using cluster = await openShop(withSettings("cannotSchedule: 3m"))
    await setSelectingTemplate(cluster)
    await cluster.advance("2m30s")
    await labelNode(cluster)
    await cluster.advance("30m")
    expect(imageOf(await cluster.get(address))).toBe("web:2")
    expect(await steeringEvents(cluster)).not.toContainEqual(expect.stringContaining("RolledBack"))
  })

  it("gives the rollout up, and leaves its template, with onFailure: hold", async () => {
    await using cluster = await openShop(withSettings("cannotSchedule: 3m, onFailure: hold"))
    await setSelectingTemplate(cluster)
    await cluster.advance("5m")
    const deployment = await cluster.get(address)
    expect(imageOf(deployment)).toBe("web:2")
    expect(deployment.status).toMatchObject({ availableReplicas: 4 })
    expect(await steeredText(cluster)).toMatch(
      /^False Held: .* failed and is not taken back: 2 new Pods found no node/u
    )
  })
})

it("does not count the time at scheduling gates, which the Pod's condition keeps", async () => {
  await using cluster = await openShop("automaticRollback: { cannotSchedule: 3m }")
  await cluster.patch(address, {
    spec: {
      template: {
        spec: {
          schedulingGates: [{ name: "example.com/queue" }],
          nodeSelector: { pool: "large" },
          containers: [{ name: "web", image: "web:2" }]
        }
      }
    }
  })
  await cluster.advance("5m")
  const gated = (await cluster.list("pods")).items.filter(({ spec }) => spec.schedulingGates !== undefined)
  expect(gated).toHaveLength(2)
  for (const { metadata } of gated)
    await cluster.patch({ resource: "pods", name: metadata.name }, { spec: { schedulingGates: null } })
  await cluster.advance("1m")
  await labelNode(cluster)
  await cluster.advance("1s")
  expect(imageOf(await cluster.get(address))).toBe("web:2")
})

it.each([
  { generation: 1, gates: [], isJudged: true },
  { generation: 1, gates: ["example.com/queue"], isJudged: true, because: "none has been removed" },
  { generation: 2, gates: [], isJudged: false, because: "gates of a webhook may have been removed" },
  { generation: undefined, gates: [], isJudged: true },
  { generation: undefined, gates: ["example.com/queue"], isJudged: false, because: "they may have been" }
])(
  "judges a Pod of generation $generation with the gates $gates in its template: $isJudged",
  ({ generation, gates, isJudged }) => {
    const seen = steeringObservations.get("in progress")
    const [pod] = seen?.newPods ?? []
    if (seen?.newReplicaSet === undefined || pod === undefined) throw new Error("there is no new Pod")
    const { spec } = seen.newReplicaSet
    const podSpec = { containers: [], schedulingGates: gates.map((name) => ({ name })) }
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable" } as const
    const { generation: _generation, ...metadata } = pod.metadata
    const failure = podsFailure(
      {
        ...seen,
        newReplicaSet: {
          ...seen.newReplicaSet,
          spec: { ...spec, template: { ...spec.template, spec: podSpec } }
        },
        newPods: [
          {
            ...pod,
            metadata: generation === undefined ? metadata : { ...metadata, generation },
            status: { phase: "Pending", conditions: [condition] }
          }
        ]
      },
      { restarts: 0, startTimeoutMillis: 60_000, scheduleTimeoutMillis: 1000 }
    )
    expect(failure !== undefined).toBe(isJudged)
  }
)

it("judges no Pod of a revision that was complete", async () => {
  await using cluster = await openShop("automaticRollback: { cannotSchedule: 1m }")
  await labelNode(cluster)
  await setSelectingTemplate(cluster)
  await cluster.advance("2m")
  const [node] = (await cluster.list("nodes")).items
  await cluster.patch(
    { resource: "nodes", name: node?.metadata.name ?? "" },
    { metadata: { labels: { pool: null } } }
  )
  await cluster.patch(address, { spec: { replicas: 6 } })
  await cluster.advance("30m")
  expect(imageOf(await cluster.get(address))).toBe("web:2")
  expect(await steeredText(cluster)).toBe("True Complete: revision 2 (web) is complete")
})
