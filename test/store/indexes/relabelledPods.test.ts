import { expect, it } from "vitest"
import { aPod, aReplicaSet } from "../../builders.ts"
import { makePodTallies } from "../../../src/store/indexes/podTallies.ts"

it("tallies of a Pod that is relabelled and moved repeatedly keep only its last group beside the others", () => {
  const owner = aReplicaSet()
  const tallies = makePodTallies(() => [])
  tallies.update(undefined, aPod({ name: "other", owner }))
  let former = undefined as ReturnType<typeof aPod> | undefined
  for (let beat = 0; beat < 20; beat += 1) {
    const next = aPod({ name: "web", owner, node: `n${beat}`, labels: { app: "web", beat: String(beat) } })
    tallies.update(former, next)
    former = next
  }
  const [[, podGroup] = []] = tallies.save()
  expect(podGroup?.groups.map(({ labels }) => labels)).toEqual([{ app: "web" }, { app: "web", beat: "19" }])
  expect(podGroup?.activeByNode).toEqual([
    ["n1", 1],
    ["n19", 1]
  ])
})
