import { describe, expect, it } from "vitest"
import { orderLanes } from "../../../src/page/timeline/laneOrder.ts"
import type { LaneOrder } from "../../../src/page/timeline/laneOrder.ts"
import type { WorkloadTrack } from "../../../src/page/timeline/series/timelineSeries.ts"

const track = (name: string): WorkloadTrack => ({
  uid: name,
  kind: "Deployment",
  namespace: "default",
  name,
  rows: [],
  events: [],
  moments: []
})
const fine = 9

/** The names of the lanes after each of some moments, which say how badly off workloads are: the lowest is the worst. */
const lanesAfter = (...moments: ReadonlyArray<Readonly<Record<string, number>>>): ReadonlyArray<string> => {
  let order: LaneOrder | undefined
  for (const ranks of moments)
    order = orderLanes(order, Object.keys(ranks).map(track), (uid) => ranks[uid] ?? fine)
  return (order?.lanes ?? []).map(({ name }) => name)
}

describe("lanes of the timeline", () => {
  it("have the worst workload first, and equal ones in the given order", () => {
    expect(lanesAfter({ api: fine, db: 3, shop: 0, web: fine })).toEqual(["shop", "db", "api", "web"])
  })

  it("are put in order again when a workload gets worse, or is new", () => {
    const before = { api: fine, db: 3, web: fine }
    expect(lanesAfter(before, { ...before, web: 0 })).toEqual(["web", "db", "api"])
    expect(lanesAfter(before, { ...before, shop: 1 })).toEqual(["shop", "db", "api", "web"])
  })

  it("stay while workloads recover, and while one crashes again and again", () => {
    const crashed = { api: 2, shop: 0 }
    expect(lanesAfter(crashed, { api: 2, shop: fine }, crashed, { api: 2, shop: fine })).toEqual([
      "shop",
      "api"
    ])
  })
})
