import * as Effect from "effect/Effect"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { objectKeyOf } from "../../src/kubernetes/meta/objects.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../src/kubernetes/apps/rolloutStatus.ts"
import { steady } from "../../src/behaviours/builtInBehaviours.ts"
import { addressOf } from "../cluster/testCluster.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { Deployment, Draft } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

/** Behaviours by version of the image: v3 to v6 have problems. */
export const behaviours: ReadonlyArray<Behaviour> = [
  {
    ...steady,
    name: "crashing",
    match: { image: "*:v3" },
    exit: { after: { uniform: ["100ms", "4s"] }, times: 2 }
  },
  { ...steady, name: "looping", match: { image: "*:v4" }, exit: { after: "1s" } },
  { ...steady, name: "broken", match: { image: "*:v5" }, pull: { delay: "500ms", failures: "forever" } },
  { ...steady, name: "flapping", match: { image: "*:v6" }, flap: { ready: "5s", unready: "2s", times: 3 } }
]

const healthyVersion = "v9"

/** Situations that some run must meet, or the simulation tests nothing. */
export type Marks = Map<string, number>
const countMark = (marks: Marks, name: string): void => void marks.set(name, (marks.get(name) ?? 0) + 1)

export interface Chance {
  readonly below: (count: number) => number
  readonly of: <A>(items: ReadonlyArray<A>) => A | undefined
}

export const makeChance = (seed: number): Chance => {
  const generator = xoroshiro128plus(seed)
  const below = (count: number): number => uniformInt(generator, 0, count - 1)
  return { below, of: (items) => items[below(Math.max(1, items.length))] }
}

type RandomAction = (world: {
  readonly cluster: ClusterService
  readonly chance: Chance
  readonly marks: Marks
}) => Effect.Effect<unknown, unknown>

const web = { resource: resources.deployments, key: "default/web" }

const edit = (
  cluster: ClusterService,
  change: (deployment: Deployment) => object
): Effect.Effect<unknown, unknown> =>
  cluster.modify(addressOf(web), (object) => {
    const deployment = object as Deployment
    return { ...deployment, spec: { ...deployment.spec, ...change(deployment) } } as Draft
  })

const isRolling = ({ view }: ClusterService): boolean => {
  const deployment = view.get(web.resource, web.key)
  return deployment !== undefined && rolloutStatus(deployment).state === "waiting"
}

const setVersion = (cluster: ClusterService, version: string): Effect.Effect<unknown, unknown> =>
  edit(cluster, ({ spec: { template } }) => ({
    template: {
      ...template,
      spec: { ...template.spec, containers: [{ name: "app", image: `app:${version}` }] }
    }
  }))

/** Random actions on a Deployment, its Pods and nodes. */
export const randomActions: Readonly<Record<string, RandomAction>> = {
  roll: ({ cluster, chance, marks }) => {
    if (isRolling(cluster)) countMark(marks, "a rollout over a rollout")
    return setVersion(cluster, `v${1 + chance.below(7)}`)
  },
  scale: ({ cluster, chance, marks }) => {
    if (isRolling(cluster)) countMark(marks, "scaled in mid-rollout")
    return edit(cluster, () => ({ replicas: chance.below(12) }))
  },
  pause: ({ cluster, marks }) => {
    if (isRolling(cluster)) countMark(marks, "paused in mid-rollout")
    return edit(cluster, () => ({ paused: true }))
  },
  resume: ({ cluster }) => edit(cluster, () => ({ paused: false })),
  strategy: ({ cluster, chance, marks }) => {
    countMark(marks, "another strategy")
    const rolling = {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: chance.below(4), maxUnavailable: "40%" }
    }
    return edit(cluster, () => ({ strategy: chance.below(2) === 0 ? { type: "Recreate" } : rolling }))
  },
  killPod: ({ cluster, chance, marks }) => {
    const pod = chance.of([...cluster.view.all(resources.pods)])
    if (pod === undefined) return Effect.void
    countMark(marks, "a Pod killed")
    return cluster.delete(addressOf({ resource: resources.pods, key: objectKeyOf(pod) }))
  },
  relabelPod: ({ cluster, chance, marks }) => {
    const pod = chance.of([...cluster.view.all(resources.pods)])
    if (pod === undefined) return Effect.void
    countMark(marks, "a Pod released")
    return cluster.modify(addressOf({ resource: resources.pods, key: objectKeyOf(pod) }), (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { app: "another" } }
    }))
  },
  deleteReplicaSet: ({ cluster, chance, marks }) => {
    const replicaSet = chance.of([...cluster.view.all(resources.replicaSets)])
    if (replicaSet === undefined) return Effect.void
    countMark(marks, "a ReplicaSet deleted")
    return cluster.delete(addressOf({ resource: resources.replicaSets, key: objectKeyOf(replicaSet) }))
  },
  loseNode: ({ cluster, chance, marks }) => {
    countMark(marks, "a node lost")
    return cluster.setKubelet(`node-${1 + chance.below(3)}`, "stopped")
  },
  regainNode: ({ cluster, chance }) => cluster.setKubelet(`node-${1 + chance.below(3)}`, "running"),
  longSilence: ({ cluster, marks }) =>
    Effect.andThen(
      cluster.advance(650_000),
      Effect.sync(() => {
        const deployment = cluster.view.get(web.resource, web.key)
        if (deployment !== undefined && rolloutStatus(deployment).state === "failed")
          countMark(marks, "a deadline missed")
      })
    )
}

/** Brings every node back, resumes the Deployment and sets a version that works. */
export const recoverCluster = (cluster: ClusterService): Effect.Effect<unknown, unknown> =>
  Effect.gen(function* () {
    for (const node of ["node-1", "node-2", "node-3"]) yield* cluster.setKubelet(node, "running")
    yield* setVersion(cluster, healthyVersion)
    yield* edit(cluster, () => ({ paused: false }))
  })
