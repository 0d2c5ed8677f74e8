import { expect, it } from "vitest"
import { aPod, aReplicaSet } from "../builders.ts"
import { makePodTallies } from "../../src/store/indexes/podTallies.ts"

it("a Pod that is relabelled and moved all the time is remembered as it is last, beside the others", () => {
  const owner = aReplicaSet()
  const tallies = makePodTallies(() => [])
  tallies.update(undefined, aPod({ name: "other", owner }))
  let former = undefined as ReturnType<typeof aPod> | undefined
  for (let beat = 0; beat < 20; beat += 1) {
    const next = aPod({ name: "web", owner, node: `n${beat}`, labels: { app: "web", beat: String(beat) } })
    tallies.update(former, next)
    former = next
  }
  const [[, brood] = []] = tallies.save()
  expect(brood?.groups.map(({ labels }) => labels)).toEqual([{ app: "web" }, { app: "web", beat: "19" }])
  expect(brood?.activeByNode).toEqual([
    ["n1", 1],
    ["n19", 1]
  ])
})
