import { expect, it } from "vitest"
import { makePodAccount } from "../../../src/scenario/ledger/podAccount.ts"
import { aPod } from "../../builders.ts"

const account = () => makePodAccount(() => undefined)

it("adds no row for counts that are back within one instant", () => {
  const pods = account()
  pods.restart(0)
  pods.observePod(aPod({ uid: "a" }), "v1", 1000)
  pods.record(1000)
  pods.observePod(aPod({ uid: "b" }), "v1", 2000)
  pods.record(2000)
  pods.removePod("b")
  pods.record(2000)
  expect(pods.rows().map(({ atMillis, existing }) => [atMillis, existing])).toEqual([
    [0, 0],
    [1000, 1]
  ])
  expect(pods.extremes(2000).podsMost).toBe(2)
})

it("counts the requests of a Pod that is resized in place", () => {
  const pods = account()
  const podWith = (cpu: string) =>
    aPod({
      uid: "a",
      spec: { containers: [{ name: "app", image: "web", resources: { requests: { cpu } } }] }
    })
  pods.restart(0)
  pods.observePod(podWith("100m"), "v1", 1000)
  pods.record(1000)
  pods.observePod(podWith("300m"), "v1", 2000)
  pods.record(2000)
  expect(pods.extremes(1999).requestsMost.cpuMillicores).toBe(100n)
  expect(pods.extremes(2000).requestsMost.cpuMillicores).toBe(300n)
})
