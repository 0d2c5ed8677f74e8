import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  advance,
  annotate,
  needsGate,
  recover,
  setTemplate,
  steeredActions,
  strategies,
  webOf
} from "./steeredActions.ts"
import { createObject, withCluster } from "../cluster/testCluster.ts"
import { firstCrash } from "../steering/firstCrash.ts"
import { hookJob, shopBehaviours } from "../steering/steeredShop.ts"
import { makeChance } from "./randomActions.ts"
import { makeSecondController } from "./secondController.ts"
import { problemsAtEnd } from "./steeredEnd.ts"
import { watchSteering } from "./steeredInvariants.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { SteeredWorld } from "./steeredActions.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = Number(process.env["SEEDS"] ?? (process.env["SEED"] === undefined ? "16" : "1"))

const waits = [500, 3000, 15_000, 45_000, 150_000]

const behaviours: ReadonlyArray<Behaviour> = [
  ...shopBehaviours,
  { name: "smoke", match: { image: "smoke:*" }, exit: { after: "10s", code: 0 } }
]

const previewService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web-preview" },
  spec: { publishNotReadyAddresses: true, selector: { app: "web" }, ports: [{ port: 80 }] }
}

/** Templates are changed most often. */
const actionNames = ["templates", "templates", "template", ...Object.keys(steeredActions)]

/** Random actions, then three templates in a row: it must end at the last one, or at its stable revision. */
const simulate = (seed: number) => {
  const chance = makeChance(seed)
  const shuffled = seed % 3 === 0 ? { shuffleSeed: seed } : {}
  return withCluster({ seed, behaviours, steering: [firstCrash], ...shuffled }, (cluster) =>
    Effect.gen(function* () {
      let tick = 0
      const watched = watchSteering(cluster, () => `seed=${seed} tick=${tick}`)
      const second = makeSecondController(cluster, makeChance(seed + 1_000_000))
      const world: SteeredWorld = { cluster, chance, watched, second }
      for (const manifest of [previewService, hookJob("smoke:1"), webOf(chance.of(strategies) ?? "", chance)])
        yield* createObject(cluster, manifest)
      yield* advance(world, 60_000)
      for (; tick < 15; tick += 1) {
        const act = steeredActions[chance.of(actionNames) ?? ""]
        if (act !== undefined) yield* Effect.ignore(act(world))
        yield* advance(world, chance.of(waits) ?? 0)
      }
      const strategy = chance.of(strategies) ?? ""
      yield* Effect.orDie(recover(world, strategy))
      yield* advance(world, chance.of([0, 300, 2000, 200_000]) ?? 0)
      const last = chance.of(["web:9", "web:missing", "web:crash"]) ?? ""
      for (const image of ["web:8", "web:7", last]) {
        yield* Effect.orDie(setTemplate(world, image, needsGate(strategy)))
        yield* advance(world, chance.of([0, 300, 2000]) ?? 0)
      }
      yield* advance(world, 200_000)
      for (let time = 0; time < 3; time += 1) {
        yield* Effect.orDie(annotate(cluster, "promote", ""))
        yield* advance(world, 300_000)
      }
      const atEnd = problemsAtEnd(cluster.view, { last, stable: watched.stableImage() })
      return {
        writes: second.writes(),
        problems: [...watched.violations(), ...atEnd.map((problem) => `seed=${seed} ${strategy}: ${problem}`)]
      }
    })
  )
}

describe("a steered Deployment under random actions, of its user and of a second controller", () => {
  it(`ends at the newest or at its stable revision, for seeds ${seedFirst} to ${seedFirst + seedsCount - 1}`, async () => {
    const found: Array<string> = []
    let writes = 0
    for (let seed = seedFirst; seed < seedFirst + seedsCount; seed += 1) {
      const run = await simulate(seed)
      writes += run.writes
      if (run.problems.length > 0)
        found.push(...run.problems.slice(0, 3), `replay: SEED=${seed} npx vitest run test/simulation`)
    }
    expect(found).toEqual([])
    if (seedsCount > 1) expect(writes).toBeGreaterThan(10)
  })
})
