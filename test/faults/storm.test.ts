import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { drawRandomFaults } from "../../src/faults/randomFaults.ts"
import { makeChance } from "../simulation/randomActions.ts"
import { unfinishedRollouts } from "../simulation/invariants.ts"
import { isComplete, setVersion } from "./rollouts.ts"
import { inFaultCluster } from "./faultCluster.ts"
import type { ControllerName } from "../../src/runtime/reconciler/controllerTurnOrder.ts"
import type { Fault } from "../../src/faults/fault.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 30 : 1
const hourMillis = 3_600_000

const names: ReadonlyArray<ControllerName> = [
  "deployment",
  "replicaSet",
  "pod",
  "node",
  "scheduler",
  "endpoints"
]

/** Every fault between a controller and the server, of each controller and of all at once. */
const faults: ReadonlyArray<Fault> = [
  ...names.flatMap((controller): ReadonlyArray<Fault> => [
    { fault: "controllerStopped", controller, for: "9s" },
    { fault: "controllerSlow", controller, by: "300ms", for: "20s" },
    { fault: "controllerRestarted", controller, afterWrites: 1, for: "1m" },
    { fault: "controllerRestarted", controller, afterWrites: 3, for: "1m" }
  ]),
  ...[...names, "controllers" as const].flatMap((of): ReadonlyArray<Fault> => [
    { fault: "writesRefused", of, code: 409, times: 3, for: "10s" },
    { fault: "writesRefused", of, code: 429, times: 3, for: "10s" },
    { fault: "writesRefused", of, code: 500, times: 3, for: "10s" },
    { fault: "writesRefused", of, code: 504, times: 2, for: "10s" },
    { fault: "writesSlow", of, by: "450ms", for: "15s" },
    { fault: "watchLate", of, by: "1700ms", for: "25s" },
    { fault: "watchDropped", of, for: "13s" },
    { fault: "watchRepeated", of, for: "30s" },
    { fault: "staleReads", of, for: "8s" }
  ])
]

/** Overlapping rollouts under random faults; then the faults end and every rollout must complete. */
const storm = (seed: number): Promise<ReadonlyArray<string>> =>
  inFaultCluster({ cluster: { seed }, manifest: { replicas: 4 } }, ({ cluster, beginFault, pass }) =>
    Effect.gen(function* () {
      const chance = makeChance(seed)
      const weather = drawRandomFaults({ every: "4s", until: "3m", faults }, seed)
      let sinceMillis = 0
      for (const { atMillis, fault } of weather) {
        yield* pass((atMillis - sinceMillis) / 1000)
        sinceMillis = atMillis
        yield* beginFault(fault)
        if (chance.below(4) === 0) yield* setVersion(cluster, 1 + chance.below(9), `v${1 + chance.below(4)}`)
      }
      yield* cluster.settle(hourMillis)
      yield* cluster.until(isComplete(cluster), hourMillis)
      yield* cluster.settle(hourMillis)
      const stillActive = cluster.faultInjector.active().map(({ fault }) => `${fault.fault} is still on`)
      return [...unfinishedRollouts(cluster), ...stillActive].map((it) => `seed=${seed} ${it}`)
    })
  )

describe("controllers under random faults", () => {
  it(`complete every rollout once the faults are over, for seeds ${seedFirst} to ${seedFirst + seedsCount - 1}`, async () => {
    const found: Array<string> = []
    for (let seed = seedFirst; seed < seedFirst + seedsCount; seed += 1) {
      const problems = await storm(seed)
      if (problems.length > 0)
        found.push(...problems.slice(0, 3), `replay: SEED=${seed} npx vitest run test/faults/storm`)
    }
    expect(found).toEqual([])
  })
})
