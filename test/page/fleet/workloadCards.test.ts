import { beforeAll, describe, expect, it } from "vitest"
import { fleetHealth } from "../../../src/page/fleet/fleetHealth.ts"
import { filterFleet } from "../../../src/page/fleet/fleetFilter.ts"
import { healthText } from "../../../src/explain/health/healthText.ts"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { openWorkloads } from "../../../scripts/screenshots/workloads.ts"
import { parseRecording } from "../../recording/recordedCluster.ts"
import type { ClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import type { FleetFilter } from "../../../src/page/fleet/fleetFilter.ts"

let history: ClusterHistory
/** The number of the last entry that changes a DaemonSet. */
let changeOfDaemonSet = 0

beforeAll(async () => {
  await using cluster = await openWorkloads()
  const { header, entries } = parseRecording(await cluster.recording())
  history = makeClusterHistory(header)
  for (const entry of entries) {
    history.add(entry)
    if (entry.type === "object" && entry.object.kind === "DaemonSet") changeOfDaemonSet = entry.number
  }
})

const cards = (filter: Partial<FleetFilter> = {}, moment?: number) =>
  filterFleet(fleetHealth(history.fleetAt(moment)), {
    group: undefined,
    search: "",
    order: "worst first",
    ...filter
  })

describe("the fleet of a cluster with every kind of workload", () => {
  it("has a card for each, the worst first, with the Jobs of a CronJob in its card", () => {
    const texts = cards().map((card) => {
      const { workload, figures, groups, cause = "" } = card
      const rows = groups.map(({ title, pods }) => `${title}: ${pods.size}`)
      return [`${workload.kind} ${workload.metadata.name}`, healthText(card), cause, figures, ...rows]
    })
    expect(texts).toEqual([
      [
        "Job import",
        "✗ failed",
        "Job has reached the specified backoff limit; 4 Pods failed: exit code 3",
        "0 of 8 succeeded",
        ": 4"
      ],
      [
        "StatefulSet db",
        "! blocked",
        "1 Pod cannot pull registry.example/db:broken",
        "2 of 3 available",
        "revision 2: 1",
        "revision 1: 2"
      ],
      [
        "HorizontalPodAutoscaler web",
        "▵ limited",
        "Its metrics ask for more than maxReplicas, 6",
        "6 replicas, 2 to 6",
        "scales Deployment web: 0"
      ],
      ["DaemonSet agent", "… rolling out", "", "3 of 4 available", "revision 2: 1", "revision 1: 3"],
      [
        "CronJob report",
        "– idle",
        "",
        "* * * * *, 0 active",
        expect.stringMatching(/^report-\d+: 1$/u),
        expect.stringMatching(/^report-\d+: 1$/u),
        expect.stringMatching(/^report-\d+: 1$/u)
      ],
      ["Deployment web", "✓ complete", "", "6 of 6 available", "revision 1: 6"]
    ])
  })

  it("judges again only what has changed", () => {
    const moment = changeOfDaemonSet
    const before = new Set(cards({}, moment - 1))
    const changed = cards({}, moment).filter((card) => !before.has(card))
    expect(changed.map(({ workload }) => workload.kind)).toEqual(["DaemonSet"])
  })

  it("is searched by kind, and shows one group alone", () => {
    const names = (filter: Partial<FleetFilter>) =>
      cards(filter).map(({ workload }) => workload.metadata.name)
    expect(names({ search: "statefulset" })).toEqual(["db"])
    expect(names({ search: "web", group: "fine" })).toEqual(["web"])
  })
})
