import * as Effect from "effect/Effect"
import { hasPodsToDelete } from "../../src/kubernetes/steering/steeringObservation.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { webDeployment } from "../steering/steeredShop.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { Deployment, Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Chance } from "./randomActions.ts"
import type { SecondController } from "./secondController.ts"
import type { SteeredWatch } from "./steeredInvariants.ts"

const addressOfWeb = "default/web"

const web = { resource: "deployments.apps", name: "web" } as const

export interface SteeredWorld {
  readonly cluster: ClusterService
  readonly chance: Chance
  readonly watched: SteeredWatch
  readonly second: SecondController
}

export const advance = ({ cluster }: SteeredWorld, millis: number) => Effect.orDie(cluster.advance(millis))

export const strategies = [
  "automaticRollback",
  "canary: { steps: [{ approve: 1 }, { hold: 20s }, { approve: 50% }, { hold: untilPromoted }] }",
  "canary: { steps: [{ approve: 2 }, { approve: 100% }, { hold: 30s }] }",
  "blueGreen: { before: [{ hold: 20s }], after: [{ hold: 20s }] }",
  "canary: { steps: [{ approve: 1 }, { run: smoke }, { approve: 100% }, { analyse: calm }], hooks: { smoke: { job: smoke, timeout: 40s } }, analyses: { calm: { pods: restarts, max: 0, count: 3, interval: 10s } } }",
  "blueGreen: { preview: web-preview, before: [{ run: smoke }], after: [{ hold: 20s }], hooks: { smoke: { job: smoke } } }"
] as const

/** With a chart of the user, an invalid strategy, and none. */
const allStrategies = [...strategies, "firstCrash", "canary: { steps: [] }", undefined]

const images = ["web:2", "web:3", "web:4", "web:missing", "web:crash", "web:hangs"]

type Spec = Deployment["spec"]

const edit = (cluster: ClusterService, change: (spec: Spec) => object) =>
  cluster.modify(web, (object) => {
    const deployment = object as Deployment
    return { ...deployment, spec: { ...deployment.spec, ...change(deployment.spec) } } as Draft
  })

export const annotate = (cluster: ClusterService, name: string, value: string | undefined) =>
  cluster.modify(web, (object) => {
    const { [`charthouse.dev/${name}`]: _former, ...annotations } = object.metadata.annotations ?? {}
    const added = value === undefined ? {} : { [`charthouse.dev/${name}`]: value }
    return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...added } } } as Draft
  })

const withGate = (template: Spec["template"], isGated: boolean): Spec["template"] => {
  const { readinessGates: _former, ...spec } = template.spec ?? { containers: [] }
  const gate = { readinessGates: [{ conditionType: "charthouse.dev/approved" }] }
  return { ...template, spec: { ...spec, ...(isGated ? gate : {}) } }
}

export const needsGate = (strategy: string): boolean =>
  strategy.startsWith("canary") || strategy.startsWith("blue")

/** A template that changes while Pods are still being deleted may cost Kubernetes its floor. */
const editTemplate = ({ cluster, watched }: SteeredWorld, change: (spec: Spec) => object) =>
  Effect.suspend(() => {
    const deployment = cluster.view.get(resources.deployments, addressOfWeb)
    const replicaSets = cluster.view.controlled(resources.replicaSets, deployment?.metadata.uid ?? "")
    if (hasPodsToDelete({ replicaSets })) watched.excuseFloor()
    return edit(cluster, change)
  })

export const setTemplate = (world: SteeredWorld, image: string, isGated?: boolean) =>
  editTemplate(world, ({ template }) => {
    const changed = { ...template, spec: { ...template.spec, containers: [{ name: "web", image }] } }
    return { template: isGated === undefined ? changed : withGate(changed, isGated) }
  })

export const setStrategy = (world: SteeredWorld, strategy: string | undefined, setsGate: boolean) =>
  Effect.gen(function* () {
    yield* annotate(world.cluster, "strategy", strategy)
    if (setsGate && strategy !== undefined)
      yield* editTemplate(world, ({ template }) => ({ template: withGate(template, needsGate(strategy)) }))
  })

export const webOf = (strategy: string, chance: SteeredWorld["chance"]) =>
  webDeployment(strategy, {
    isGated: needsGate(strategy),
    replicas: 2 + chance.below(5),
    spec: {
      progressDeadlineSeconds: 120,
      revisionHistoryLimit: chance.below(4),
      strategy: {
        rollingUpdate: {
          maxSurge: strategy.startsWith("blueGreen") ? "100%" : (chance.of([1, 2, 3, "100%"]) ?? 1),
          maxUnavailable: 0
        }
      }
    }
  })

/** Removes what holds a rollout up, and sets a strategy that can be followed. */
export const recover = (world: SteeredWorld, strategy: string) =>
  Effect.gen(function* () {
    const { cluster, watched } = world
    watched.excuseFloor()
    for (const name of ["hold", "promote", "abort"]) yield* annotate(cluster, name, undefined)
    yield* setStrategy(world, strategy, true)
    yield* edit(cluster, ({ replicas, strategy: { rollingUpdate } }) => ({
      paused: false,
      replicas: Math.max(2, replicas),
      revisionHistoryLimit: 2,
      ...(strategy.startsWith("blueGreen")
        ? { strategy: { type: "RollingUpdate", rollingUpdate: { ...rollingUpdate, maxSurge: "100%" } } }
        : {})
    }))
  })

type SteeredAction = (world: SteeredWorld) => Effect.Effect<unknown, unknown>

export const steeredActions: Readonly<Record<string, SteeredAction>> = {
  templates: (world) =>
    Effect.gen(function* () {
      for (let time = 0; time < 3; time += 1) {
        yield* setTemplate(world, world.chance.of(images) ?? "")
        yield* advance(world, world.chance.of([0, 50, 300, 1500]) ?? 0)
      }
    }),
  template: (world) => setTemplate(world, world.chance.of(images) ?? ""),
  scale: ({ cluster, chance }) => edit(cluster, () => ({ replicas: 2 + chance.below(9) })),
  scaleToZero: (world) =>
    Effect.gen(function* () {
      const { cluster, chance } = world
      const replicas = cluster.view.get(resources.deployments, addressOfWeb)?.spec.replicas ?? 4
      yield* edit(cluster, () => ({ replicas: 0 }))
      yield* advance(world, chance.of([0, 300, 20_000, 150_000]) ?? 0)
      yield* edit(cluster, () => ({ replicas: Math.max(2, replicas) }))
    }),
  pause: ({ cluster }) => edit(cluster, () => ({ paused: true })),
  resume: ({ cluster }) => edit(cluster, () => ({ paused: false })),
  hold: ({ cluster }) => annotate(cluster, "hold", ""),
  goOn: ({ cluster }) => annotate(cluster, "hold", undefined),
  promote: ({ cluster, chance }) => annotate(cluster, "promote", chance.of(["", "all"])),
  abort: ({ cluster }) => annotate(cluster, "abort", "by chance"),
  historyLimit: ({ cluster, chance }) => edit(cluster, () => ({ revisionHistoryLimit: chance.below(3) })),
  strategy: (world) => setStrategy(world, world.chance.of(allStrategies), world.chance.below(2) === 0),
  deletion: (world) =>
    Effect.gen(function* () {
      const { cluster, chance, watched } = world
      const isOrphaning = chance.below(2) === 0
      watched.noteDeletion(isOrphaning)
      yield* cluster.delete(web, { propagationPolicy: isOrphaning ? "Orphan" : "Background" })
      yield* advance(world, chance.of([0, 300, 20_000]) ?? 0)
      yield* cluster.create(webOf(chance.of(strategies) ?? "", chance))
    }),
  restart: ({ cluster }) => cluster.fault({ fault: "controllerRestarted", controller: "steering" }),
  crash: ({ cluster, chance }) =>
    cluster.fault({
      fault: "controllerRestarted",
      controller: "steering",
      afterWrites: 1 + chance.below(4)
    }),
  lateWatch: ({ cluster, chance }) =>
    cluster.fault({ fault: "watchLate", of: "steering", by: `${1 + chance.below(4)}s`, for: "20s" }),
  secondLeads: ({ second, chance, cluster }) =>
    Effect.gen(function* () {
      second.lead(chance.of([-25_000, 0, 25_000]))
      const by = chance.of(["10ms", "1s", "5s"]) ?? ""
      yield* cluster.fault({ fault: "controllerSlow", controller: "steering", by, for: "3m" })
    }),
  secondEnds: ({ second }) => Effect.sync(() => second.lead(undefined))
}
