import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { namespaceManifest } from "../../builders.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { readSnapshot, snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, recordChanges } from "../testCluster.ts"
import { randomActions, behaviours, makeChance } from "../../simulation/randomActions.ts"
import type { Scope } from "effect/Scope"
import type { ClusterOptions } from "../../../src/cluster/clusterOptions.ts"
import type { Draft, KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { Snapshot } from "../../../src/cluster/snapshots/snapshot.ts"
import type { ClusterService } from "../testCluster.ts"

/** A cluster with the behaviours of all versions that random actions set. */
export const aCluster = (options: ClusterOptions = {}): Effect.Effect<ClusterService, never, Scope> =>
  Effect.orDie(makeCluster({ behaviours, ...options }))

const draft = (apiVersion: string, kind: string, name: string, rest: object): Draft =>
  ({ apiVersion, kind, metadata: { name, namespace: "default" }, ...rest }) as Draft

/** Objects of every kind that a controller keeps state about. */
const objectsOfEveryKind: ReadonlyArray<Draft> = [
  draft("v1", "Service", "web", {
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], type: "NodePort" }
  }),
  draft("policy/v1", "PodDisruptionBudget", "web", {
    spec: { minAvailable: "60%", selector: { matchLabels: { app: "web" } } }
  }),
  draft("v1", "ResourceQuota", "some", { spec: { hard: { pods: "16", "requests.cpu": "9" } } }),
  draft("v1", "LimitRange", "each", {
    spec: { limits: [{ type: "Container", defaultRequest: { cpu: "200m" }, default: { cpu: "1" } }] }
  }),
  deploymentManifest({
    name: "helped",
    replicas: 3,
    version: "v4",
    spec: { minReadySeconds: 7, progressDeadlineSeconds: 90 },
    podSpec: {
      terminationGracePeriodSeconds: 20,
      initContainers: [
        { name: "first", image: "app:v3" },
        { name: "beside", image: "app:v1", restartPolicy: "Always" }
      ]
    }
  }),
  draft("v1", "Pod", "lone", {
    spec: {
      activeDeadlineSeconds: 75,
      restartPolicy: "OnFailure",
      initContainers: [{ name: "first", image: "app:v1" }],
      containers: [{ name: "app", image: "app:v4" }]
    }
  }),
  deploymentManifest({
    name: "huge",
    replicas: 2,
    container: { resources: { requests: { cpu: "64" }, limits: { cpu: "64" } } }
  })
]

/** Actions beside those on one Deployment. */
const otherActions: Readonly<Record<string, (cluster: ClusterService) => Effect.Effect<unknown, unknown>>> = {
  settle: (cluster) => Effect.forEach(objectsOfEveryKind, (it) => Effect.ignore(cluster.create(it))),
  freeQuota: (cluster) => cluster.delete({ resource: resources.resourceQuotas, name: "some" }),
  dropNode: (cluster) => cluster.delete({ resource: resources.nodes, name: "node-3" }),
  dropService: (cluster) => cluster.delete({ resource: resources.services, name: "web" }),
  orphan: (cluster) =>
    cluster.delete({ resource: resources.deployments, name: "helped" }, { propagationPolicy: "Orphan" }),
  foreground: (cluster) =>
    cluster.delete({ resource: resources.deployments, name: "web" }, { propagationPolicy: "Foreground" }),
  begin: (cluster) => cluster.create(deploymentManifest({ replicas: 5 })),
  town: (cluster) =>
    Effect.andThen(
      cluster.create(namespaceManifest("town")),
      cluster.create(deploymentManifest({ namespace: "town" }))
    ),
  // Faults without duration, whose effects last.
  crash: ({ faultInjector }) => faultInjector.begin({ fault: "crash", pods: { count: 2 } }),
  fail: ({ faultInjector }) => faultInjector.begin({ fault: "fail", pods: { count: 1 } }),
  jump: ({ faultInjector }) => faultInjector.begin({ fault: "clockJump", by: "25s" }),
  restart: ({ faultInjector }) =>
    faultInjector.begin({ fault: "controllerRestarted", controller: "deployment" }),
  restartPods: ({ faultInjector }) =>
    faultInjector.begin({ fault: "controllerRestarted", controller: "pod" }),
  noTown: (cluster) => cluster.delete({ resource: resources.namespaces, name: "town" }),
  taint: (cluster) =>
    cluster.modify(
      { resource: resources.nodes, name: "node-2" },
      (object) =>
        ({
          ...object,
          spec: { taints: [{ key: "odd", effect: "NoExecute" }] }
        }) as Draft
    ),
  untaint: (cluster) =>
    cluster.modify(
      { resource: resources.nodes, name: "node-2" },
      (object) => ({ ...object, spec: {} }) as Draft
    )
}

/** Performs random actions on a cluster, the same for the same seed. */
export const performRandomActions = (
  cluster: ClusterService,
  seed: number,
  ticks: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const chance = makeChance(seed)
    const marks = new Map<string, number>()
    for (let tick = 0; tick < ticks; tick += 1) {
      const isDeed = chance.below(3) === 0
      const otherAction = otherActions[chance.of(Object.keys(otherActions)) ?? ""]
      const act = randomActions[chance.of(Object.keys(randomActions)) ?? ""]
      const done = isDeed ? otherAction?.(cluster) : act?.({ cluster, chance, marks })
      if (done !== undefined) yield* Effect.ignore(done)
      yield* Effect.orDie(cluster.advance(chance.below(9000)))
    }
  })

/** A cluster after random actions. */
export const aStormyCluster = (seed: number, ticks: number, options: ClusterOptions = {}) =>
  Effect.gen(function* () {
    const cluster = yield* aCluster({ seed, ...options })
    yield* Effect.ignore(cluster.create(deploymentManifest({ replicas: 6 })))
    for (const it of objectsOfEveryKind) yield* Effect.ignore(cluster.create(it))
    yield* performRandomActions(cluster, seed, ticks)
    return cluster
  })

/** Every change of the next ten minutes, in full; with a seed, under more random actions. */
export const changesOfTenMinutes = (
  cluster: ClusterService,
  seed?: number
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const log = recordChanges(cluster)
    if (seed !== undefined) yield* performRandomActions(cluster, seed, 12)
    yield* Effect.orDie(cluster.advance(600_000))
    return log
  })

/** Snapshots are refused while a fiber holds a pending write. */
const pendingWrite = /: (a fault delays a write|a controller waits until it sees its own write)/

/** Lets time pass until a snapshot can be taken. */
export const nextSnapshot = (cluster: ClusterService): Effect.Effect<Snapshot | undefined> =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 400; tries += 1) {
      const result = yield* Effect.result(cluster.snapshot)
      if (result._tag === "Success") return result.success
      expect(result.failure.message).toMatch(pendingWrite)
      yield* Effect.orDie(cluster.advance(47))
    }
    return undefined
  })

/** A cluster restored from the text of a snapshot. */
export const fromText = (snapshot: Snapshot): Effect.Effect<ClusterService, never, Scope> =>
  Effect.orDie(makeCluster({ from: readSnapshot(snapshotText(snapshot)) }))

/** Runs a test and closes its clusters. */
export const runScoped = <A>(story: Effect.Effect<A, unknown, Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.orDie(story)))

/** Every stored object, in full. */
export const allObjects = ({ view }: ClusterService): ReadonlyArray<string> =>
  view.kinds
    .served()
    .flatMap(({ group, plural }) => [...view.all(group === "" ? plural : `${plural}.${group}`)])
    .map((object: KubeObject) => JSON.stringify(object))
