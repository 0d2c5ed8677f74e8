import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { createObject, withCluster } from "../cluster/testCluster.ts"
import { hasPodsToDelete } from "../../src/kubernetes/steering/steeringObservation.ts"
import { makeChance } from "./randomActions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { imageOf, shopBehaviours, webDeployment } from "../steering/steeredShop.ts"
import { steeredCondition } from "../../src/kubernetes/steering/steeringNames.ts"
import { watchSteering } from "./steeredInvariants.ts"
import type { SteeredWatch } from "./steeredInvariants.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { Deployment, Draft } from "../../src/kubernetes/meta/objects.ts"

const seedFirst = Number(process.env["SEED"] ?? "1")
const seedsCount = process.env["SEED"] === undefined ? 25 : 1

const strategies = [
  "automaticRollback",
  "canary: { steps: [{ approve: 1 }, { hold: 20s }, { approve: 50% }, { hold: untilPromoted }] }",
  "canary: { steps: [{ approve: 2 }, { approve: 100% }, { hold: 30s }] }",
  "blueGreen: { before: [{ hold: 20s }], after: [{ hold: 20s }] }"
]
const images = ["web:2", "web:3", "web:4", "web:missing", "web:crash", "web:hangs"]

const web = { resource: "deployments.apps", name: "web" } as const

const edit = (cluster: ClusterService, change: (deployment: Deployment) => object) =>
  cluster.modify(web, (object) => {
    const deployment = object as Deployment
    return { ...deployment, spec: { ...deployment.spec, ...change(deployment) } } as Draft
  })

const setImage = (cluster: ClusterService, image: string) =>
  edit(cluster, ({ spec: { template } }) => ({
    template: { ...template, spec: { ...template.spec, containers: [{ name: "web", image }] } }
  }))

const annotate = (cluster: ClusterService, name: string, value: string | undefined) =>
  cluster.modify(web, (object) => {
    const { [`charthouse.dev/${name}`]: _former, ...annotations } = object.metadata.annotations ?? {}
    const added = value === undefined ? {} : { [`charthouse.dev/${name}`]: value }
    return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...added } } } as Draft
  })

const addressOfWeb = "default/web"

interface SteeredWorld {
  readonly cluster: ClusterService
  readonly chance: ReturnType<typeof makeChance>
  readonly watched: SteeredWatch
}

const setTemplate = ({ cluster, watched }: SteeredWorld, image: string) =>
  Effect.suspend(() => {
    const deployment = cluster.view.get(resources.deployments, addressOfWeb)
    const replicaSets = cluster.view.controlled(resources.replicaSets, deployment?.metadata.uid ?? "")
    if (hasPodsToDelete({ replicaSets })) watched.excuseFloor()
    return Effect.orDie(setImage(cluster, image))
  })

const actions: ReadonlyArray<(world: SteeredWorld) => Effect.Effect<unknown, unknown>> = [
  (world) =>
    Effect.gen(function* () {
      for (let time = 0; time < 3; time += 1) {
        yield* setTemplate(world, world.chance.of(images) ?? "")
        yield* world.cluster.advance(world.chance.of([0, 50, 300, 1500]) ?? 0)
      }
    }),
  (world) => setTemplate(world, world.chance.of(images) ?? ""),
  ({ cluster, chance }) => edit(cluster, () => ({ replicas: 2 + chance.below(9) })),
  ({ cluster, chance }) => annotate(cluster, "promote", chance.of(["", "all"])),
  ({ cluster }) => annotate(cluster, "abort", "by chance"),
  ({ cluster }) => cluster.fault({ fault: "controllerRestarted", controller: "steering" })
]

const waits = [500, 3000, 15_000, 45_000, 150_000]

const webOf = (strategy: string, chance: SteeredWorld["chance"]) =>
  webDeployment(strategy, {
    isGated: strategy !== "automaticRollback",
    replicas: 2 + chance.below(5),
    spec: {
      progressDeadlineSeconds: 120,
      strategy: {
        rollingUpdate: {
          maxSurge: strategy.startsWith("blueGreen") ? "100%" : 1 + chance.below(3),
          maxUnavailable: 0
        }
      }
    }
  })

/** Random actions, then three templates in a row: it must end at the last one, or at its stable revision. */
const simulate = (seed: number): Promise<ReadonlyArray<string>> => {
  const chance = makeChance(seed)
  const shuffled = seed % 3 === 0 ? { shuffleSeed: seed } : {}
  return withCluster({ seed, behaviours: shopBehaviours, ...shuffled }, (cluster) =>
    Effect.gen(function* () {
      let tick = 0
      const strategy = chance.of(strategies) ?? ""
      const watched = watchSteering(cluster, () => `seed=${seed} tick=${tick}`)
      const world: SteeredWorld = { cluster, chance, watched }
      const advance = (millis: number) => Effect.orDie(cluster.advance(millis))
      yield* createObject(cluster, webOf(strategy, chance))
      yield* advance(60_000)
      for (; tick < 15; tick += 1) {
        const act = chance.of([actions[0], actions[0], ...actions])
        if (act !== undefined) yield* Effect.ignore(act(world))
        yield* advance(chance.of(waits) ?? 0)
      }
      const last = chance.of(["web:9", "web:missing", "web:crash"]) ?? ""
      for (const image of ["web:8", "web:7", last]) {
        yield* setTemplate(world, image)
        yield* advance(chance.of([0, 300, 2000]) ?? 0)
      }
      yield* advance(200_000)
      yield* Effect.orDie(annotate(cluster, "promote", ""))
      yield* advance(300_000)
      const end = endOf(cluster.view.get(resources.deployments, addressOfWeb), watched.stableImage(), last)
      return [...watched.violations(), ...(end === undefined ? [] : [`seed=${seed} ${strategy}: ${end}`])]
    })
  )
}

/** Undefined for an end as it should be. */
const endOf = (deployment: Deployment | undefined, stable: string, last: string): string | undefined => {
  if (deployment === undefined) return "it is gone"
  const { spec, status } = deployment
  const { reason = "", message = "" } = conditionOf(status.conditions, steeredCondition) ?? {}
  const image = imageOf(deployment)
  const isWhole = status.availableReplicas === spec.replicas
  const isRight =
    last === "web:9"
      ? image === last && reason === "Complete" && isWhole
      : image === stable
        ? reason === "RolledBack" && isWhole
        : // It was taken back before. Pods that were added meanwhile may be of the failed revision.
          image === last && reason === "Held"
  return isRight ? undefined : `${last} ends at ${image}, ${stable} was complete: ${reason} ${message}`
}

describe("a steered Deployment whose templates come one after another", () => {
  it(`ends at the newest or at its stable revision, for seeds ${seedFirst} to ${seedFirst + seedsCount - 1}`, async () => {
    const found: Array<string> = []
    for (let seed = seedFirst; seed < seedFirst + seedsCount; seed += 1) {
      const failures = await simulate(seed)
      if (failures.length > 0)
        found.push(...failures.slice(0, 3), `replay: SEED=${seed} npx vitest run test/simulation`)
    }
    expect(found).toEqual([])
  })
})
