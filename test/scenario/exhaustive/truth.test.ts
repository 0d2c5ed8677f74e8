import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { unpackCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"
import { exploreStates } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { isPodActive, isPodReady, readySinceMillis } from "../../../src/kubernetes/pods/podState.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { revisionOf } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { aManifest, begin, change, inCluster } from "../../cluster/worlds.ts"
import type { Living } from "../../cluster/worlds.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { Deployment, Pod, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { ModelPodCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"

/**
 * A small world leaves out time, nodes, uids and watches. What a real cluster goes through with any seed must be among
 * the states that it finds all the same, down to what is reported.
 */

const key = "default/web"

const textOf = ({
  specReplicas: asked,
  unready,
  ready,
  available,
  stopping,
  reportedPods: toldPods,
  reportedAvailable: toldAvailable
}: ModelPodCounts): string =>
  `asked ${asked}, ${unready}+${ready}+${available} Pods, ${stopping} stopping, told ${toldPods}/${toldAvailable}`

const nobody: ModelPodCounts = {
  specReplicas: 0,
  unready: 0,
  ready: 0,
  available: 0,
  stopping: 0,
  reportedPods: 0,
  reportedAvailable: 0
}

const broodIn = (
  { view, nowMillis }: Living,
  replicaSet: ReplicaSet,
  isStoppingSeen: boolean
): ModelPodCounts => {
  const pods = [...view.controlled(resources.pods, replicaSet.metadata.uid)]
  const active = pods.filter(isPodActive)
  const waitMillis = (replicaSet.spec.minReadySeconds ?? 0) * 1000
  const isAvailable = (pod: Pod): boolean =>
    isPodReady(pod) && (waitMillis === 0 || (readySinceMillis(pod) ?? Infinity) + waitMillis <= nowMillis())
  return {
    specReplicas: replicaSet.spec.replicas,
    unready: active.filter((pod) => !isPodReady(pod)).length,
    ready: active.filter((pod) => isPodReady(pod) && !isAvailable(pod)).length,
    available: active.filter(isAvailable).length,
    stopping: isStoppingSeen ? pods.length - active.length : 0,
    reportedPods: replicaSet.status.replicas,
    reportedAvailable: replicaSet.status.availableReplicas ?? 0
  }
}

/** Both broods of the real Deployment, by their revisions. */
const stateOf = (cluster: Living, isStoppingSeen: boolean): string => {
  const deployment = cluster.view.get(resources.deployments, key)
  const uid = deployment?.metadata.uid ?? ""
  const replicaSets = cluster.view.controlled(resources.replicaSets, uid)
  return [1n, 2n]
    .map((revision) => {
      const replicaSet = replicaSets.find((it) => revisionOf(it) === revision)
      return textOf(replicaSet === undefined ? nobody : broodIn(cluster, replicaSet, isStoppingSeen))
    })
    .join("; ")
}

type Manifest = Parameters<typeof aManifest>[0]

interface Row {
  readonly why: string
  readonly from?: Manifest
  readonly next: Manifest
  /** How many Pods are deleted on the way, when the seed says. */
  readonly failures?: number
  readonly isStoppingSeen?: boolean
}

const amounts = (maxSurge: number, maxUnavailable: number, more: object = {}) => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
  ...more
})
const recreate = { strategy: { type: "Recreate" } }

const rows: ReadonlyArray<Row> = [
  {
    why: "a rolling update",
    from: { replicas: 4, spec: amounts(1, 1) },
    next: { replicas: 4, version: "v2", spec: amounts(1, 1) }
  },
  {
    why: "one that loses Pods on its way",
    from: { replicas: 3, spec: amounts(2, 1) },
    next: { replicas: 3, version: "v2", spec: amounts(2, 1) },
    failures: 2
  },
  {
    why: "one without surge",
    from: { replicas: 3, spec: amounts(0, 2) },
    next: { replicas: 3, version: "v2", spec: amounts(0, 2) },
    failures: 1
  },
  {
    why: "Pods that have to be ready for a while",
    from: { replicas: 3, spec: amounts(1, 1, { minReadySeconds: 3 }) },
    next: { replicas: 3, version: "v2", spec: amounts(1, 1, { minReadySeconds: 3 }) },
    failures: 1
  },
  {
    why: "another size and another version at once",
    from: { replicas: 2, spec: amounts(1, 0) },
    next: { replicas: 5, version: "v2", spec: amounts(1, 0) }
  },
  {
    why: "fewer and another version at once",
    from: { replicas: 5, spec: amounts(2, 1) },
    next: { replicas: 2, version: "v2", spec: amounts(2, 1) },
    failures: 1
  },
  {
    why: "Recreate",
    from: { replicas: 3, spec: recreate },
    next: { replicas: 3, version: "v2", spec: recreate },
    failures: 1,
    isStoppingSeen: true
  },
  { why: "a new Deployment", next: { replicas: 4 }, failures: 1 },
  {
    why: "one that keeps no history",
    from: { replicas: 3, spec: { revisionHistoryLimit: 0 } },
    next: { replicas: 3, version: "v2", spec: { revisionHistoryLimit: 0 } }
  }
]

/** Slow, uneven and in every order. */
const uneven: Behaviour = {
  name: "uneven",
  start: { uniform: ["50ms", "9s"] },
  ready: { uniform: ["0s", "9s"] },
  terminate: { uniform: ["0s", "20s"] }
} as Behaviour

const seeds = Array.from({ length: 8 }, (_, index) => index + 1)

/** What a real rollout goes through, and the Deployments as they were stored. */
const played = ({ from, next, failures = 0, isStoppingSeen = false }: Row, seed: number) =>
  inCluster({ seed, shuffleSeed: seed, behaviour: uneven }, (cluster) =>
    Effect.gen(function* () {
      const deployment = (): Deployment | undefined => cluster.view.get(resources.deployments, key)
      if (from !== undefined) {
        yield* begin(cluster, aManifest(from))
        yield* cluster.settle()
        // Whatever is still on its way out is no part of the beginning.
        yield* cluster.advance(60_000)
      }
      const before = deployment()
      const states = new Set<string>()
      const note = () => states.add(stateOf(cluster, isStoppingSeen))
      cluster.onChange(note)
      yield* from === undefined ? begin(cluster, aManifest(next)) : change(cluster, aManifest(next))
      const asked = deployment()
      for (let lost = 0; lost < failures; lost += 1) {
        yield* cluster.advance(500 + ((seed * 7919 * (lost + 1)) % 15_000))
        const pods = [...cluster.view.all(resources.pods)].filter(isPodActive)
        const pod = pods[seed % Math.max(1, pods.length)]
        if (pod !== undefined) {
          yield* Effect.orDie(
            cluster.delete({ resource: resources.pods, key: `default/${pod.metadata.name}` })
          )
        }
      }
      yield* cluster.settle()
      yield* cluster.advance(60_000)
      note()
      return { before, asked, states, last: stateOf(cluster, isStoppingSeen) }
    })
  )

it.concurrent.each(rows)("every state of a real cluster is among those explored: $why", async (row) => {
  const runs = await Promise.all(seeds.map((seed) => played(row, seed)))
  const { before, asked } = runs[0] ?? {}
  if (asked === undefined) throw new Error("there is no Deployment")
  const { found } = exploreStates({
    ...(before === undefined ? {} : { from: before }),
    next: asked,
    failures: row.failures ?? 0
  })
  const explored = new Set<string>()
  for (let state = 0; state < found.table.count(); state += 1) {
    explored.add(
      [found.table.first(state), found.table.second(state)].map((it) => textOf(unpackCounts(it))).join("; ")
    )
  }
  const strange = runs.flatMap(({ states }, index) =>
    [...states].filter((state) => !explored.has(state)).map((state) => `seed ${seeds[index]}: ${state}`)
  )
  expect(strange).toEqual([])
  expect(new Set(runs.flatMap(({ states }) => [...states])).size).toBeGreaterThan(10)
  const { replicas } = asked.spec
  const whole = {
    ...nobody,
    asked: replicas,
    available: replicas,
    toldPods: replicas,
    toldAvailable: replicas
  }
  const end = (row.from === undefined ? [whole, nobody] : [nobody, whole]).map(textOf).join("; ")
  expect(new Set(runs.map(({ last }) => last))).toEqual(new Set([end]))
  expect(explored).toContain(end)
})
