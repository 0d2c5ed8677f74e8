import { beforeAll, describe, expect, it } from "vitest"
import { fleetHealth } from "../../../src/page/fleet/fleetHealth.ts"
import { filterFleet, fleetSections, sharedLabelKeys } from "../../../src/page/fleet/fleetFilter.ts"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { openCluster } from "../../../src/index.ts"
import { parseRecording } from "../../recording/recordedCluster.ts"
import type { FleetHealth } from "../../../src/page/fleet/fleetHealth.ts"
import type { FleetOrder } from "../../../src/page/fleet/fleetFilter.ts"

const deployment = (name: string, labels: Record<string, string>, namespace = "default") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace, labels },
  spec: {
    // Only `front` has a Pod, whose node is full: it is not complete.
    replicas: name === "front" ? 1 : 0,
    selector: { matchLabels: { run: name } },
    template: {
      metadata: { labels: { run: name } },
      spec: {
        containers: [
          { name: "app", image: "registry.example/app:v1", resources: { requests: { cpu: "900" } } }
        ]
      }
    }
  }
})

let health: FleetHealth

beforeAll(async () => {
  await using cluster = await openCluster({ record: true })
  await cluster.apply([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "billing" } },
    deployment("cart", { app: "cart", team: "shop" }),
    deployment("front", { app: "front", team: "shop" }),
    deployment("ledger", { app: "ledger", team: "money" }, "billing"),
    deployment("cron", { app: "cron" }, "billing")
  ])
  await cluster.settle()
  const { header, entries } = parseRecording(await cluster.recording())
  const history = makeClusterHistory(header)
  for (const entry of entries) history.add(entry)
  health = fleetHealth(history.fleetAt(undefined))
})

const sections = (order: FleetOrder): ReadonlyArray<string> =>
  fleetSections(filterFleet(health, { group: undefined, search: "", order }), order).map(
    ({ heading = "-", cards }) =>
      `${heading}: ${cards.map(({ workload }) => workload.metadata.name).join(" ")}`
  )

describe("the cards of a fleet", () => {
  it.each<{ why: string; order: FleetOrder; expected: ReadonlyArray<string> }>([
    { why: "the one that is stuck leads", order: "worst first", expected: ["-: front cron ledger cart"] },
    {
      why: "in order of namespaces, then of names",
      order: "by name",
      expected: ["-: cron ledger cart front"]
    },
    {
      why: "the worst first in each namespace",
      order: "by namespace",
      expected: ["billing: cron ledger", "default: front cart"]
    },
    {
      why: "those without the label come last",
      order: "by label team",
      expected: ["team=money: ledger", "team=shop: front cart", "no label team: cron"]
    }
  ])("stand in sections $order: $why", ({ order, expected }) => {
    expect(sections(order)).toEqual(expected)
  })

  it("are offered in sections only by labels that several share", () => {
    expect(sharedLabelKeys(health)).toEqual(["team"])
  })
})
