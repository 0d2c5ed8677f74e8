import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { readSnapshot, snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, logOf } from "../cluster/worlds.ts"
import { acts, behaviours, makeChance } from "../simulation/weather.ts"
import type { Scope } from "effect/Scope"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { Snapshot } from "../../src/cluster/snapshots/snapshot.ts"
import type { Living } from "../cluster/worlds.ts"

/** A cluster with a behaviour for every version of the image that the weather brings. */
export const aCluster = (options: ClusterOptions = {}): Effect.Effect<Living, never, Scope> =>
  Effect.orDie(makeCluster({ behaviours, ...options }))

const draft = (apiVersion: string, kind: string, name: string, rest: object): Draft =>
  ({ apiVersion, kind, metadata: { name, namespace: "default" }, ...rest }) as Draft

/** Something of everything that a controller keeps a note of. */
const settlers: ReadonlyArray<Draft> = [
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
  aManifest({
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
  aManifest({
    name: "huge",
    replicas: 2,
    container: { resources: { requests: { cpu: "64" }, limits: { cpu: "64" } } }
  })
]

/** What else people do, beside what they do to one Deployment. */
const deeds: Readonly<Record<string, (cluster: Living) => Effect.Effect<unknown, unknown>>> = {
  settle: (cluster) => Effect.forEach(settlers, (it) => Effect.ignore(cluster.create(it))),
  freeQuota: (cluster) => cluster.delete({ resource: resources.resourceQuotas, key: "default/some" }),
  dropNode: (cluster) => cluster.delete({ resource: resources.nodes, key: "node-3" }),
  dropService: (cluster) => cluster.delete({ resource: resources.services, key: "default/web" }),
  orphan: (cluster) =>
    cluster.delete(
      { resource: resources.deployments, key: "default/helped" },
      { propagationPolicy: "Orphan" }
    ),
  foreground: (cluster) =>
    cluster.delete(
      { resource: resources.deployments, key: "default/web" },
      { propagationPolicy: "Foreground" }
    ),
  begin: (cluster) => cluster.create(aManifest({ replicas: 5 })),
  town: (cluster) =>
    Effect.andThen(
      cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "town" } }),
      cluster.create({ ...aManifest({}), metadata: { name: "web", namespace: "town" } } as Draft)
    ),
  // Faults that are deeds: done at once, and something of them stays.
  crash: ({ faults }) => faults.begin({ fault: "crash", pods: { count: 2 } }),
  fail: ({ faults }) => faults.begin({ fault: "fail", pods: { count: 1 } }),
  jump: ({ faults }) => faults.begin({ fault: "clockJump", by: "25s" }),
  restart: ({ faults }) => faults.begin({ fault: "controllerRestarted", controller: "deployment" }),
  restartPods: ({ faults }) => faults.begin({ fault: "controllerRestarted", controller: "pod" }),
  noTown: (cluster) => cluster.delete({ resource: resources.namespaces, key: "town" }),
  taint: (cluster) =>
    cluster.modify(
      { resource: resources.nodes, key: "node-2" },
      (object) =>
        ({
          ...object,
          spec: { taints: [{ key: "odd", effect: "NoExecute" }] }
        }) as Draft
    ),
  untaint: (cluster) =>
    cluster.modify(
      { resource: resources.nodes, key: "node-2" },
      (object) => ({ ...object, spec: {} }) as Draft
    )
}

/** Lets a number of things befall a cluster, the same ones for the same seed. */
export const storm = (cluster: Living, seed: number, ticks: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const chance = makeChance(seed)
    const marks = new Map<string, number>()
    for (let tick = 0; tick < ticks; tick += 1) {
      const isDeed = chance.below(3) === 0
      const deed = deeds[chance.of(Object.keys(deeds)) ?? ""]
      const act = acts[chance.of(Object.keys(acts)) ?? ""]
      const done = isDeed ? deed?.(cluster) : act?.({ cluster, chance, marks })
      if (done !== undefined) yield* Effect.ignore(done)
      yield* Effect.orDie(cluster.advance(chance.below(9000)))
    }
  })

/** A cluster that much has befallen. */
export const aStormyCluster = (seed: number, ticks: number, options: ClusterOptions = {}) =>
  Effect.gen(function* () {
    const cluster = yield* aCluster({ seed, ...options })
    yield* Effect.ignore(cluster.create(aManifest({ replicas: 6 })))
    for (const it of settlers) yield* Effect.ignore(cluster.create(it))
    yield* storm(cluster, seed, ticks)
    return cluster
  })

/** What becomes of a cluster in ten minutes, with or without anybody's doing: every change, in full. */
export const future = (cluster: Living, seed?: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const log = logOf(cluster)
    if (seed !== undefined) yield* storm(cluster, seed, 12)
    yield* Effect.orDie(cluster.advance(600_000))
    return log
  })

/** What is refused for a moment: a fiber alone knows how it goes on. */
const halfWay = /: (a write is half way|a controller waits to see what it has written)/

/** Lets time pass until there is a snapshot to be had. */
export const nextSnapshot = (cluster: Living): Effect.Effect<Snapshot | undefined> =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 400; tries += 1) {
      const taken = yield* Effect.result(cluster.snapshot)
      if (taken._tag === "Success") return taken.success
      expect(taken.failure.message).toMatch(halfWay)
      yield* Effect.orDie(cluster.advance(47))
    }
    return undefined
  })

/** A cluster that goes on from the text of a snapshot. */
export const fromText = (snapshot: Snapshot): Effect.Effect<Living, never, Scope> =>
  Effect.orDie(makeCluster({ from: readSnapshot(snapshotText(snapshot)) }))

/** Tells a story to its end and closes all clusters of it. */
export const run = <A>(story: Effect.Effect<A, unknown, Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.orDie(story)))

/** Everything that is stored, in full. */
export const everything = ({ view }: Living): ReadonlyArray<string> =>
  view.kinds
    .served()
    .flatMap(({ group, plural }) => [...view.all(group === "" ? plural : `${plural}.${group}`)])
    .map((object: KubeObject) => JSON.stringify(object))
