import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { unpackCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"
import { exploreStates } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { isPodActive, isPodReady, readySinceMillis } from "../../../src/kubernetes/pods/podState.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { revisionOf } from "../../../src/kubernetes/apps/revisions/revisions.ts"
import { deploymentManifest, createObject, replaceSpec, withCluster } from "../../cluster/testCluster.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { Deployment, Pod, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { ModelPodCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"

/**
 * The model leaves out time, nodes, uids and watches. Every state of a played cluster must still be one of its states.
 */

const key = "default/web"

const textOf = ({
  specReplicas,
  unready,
  ready,
  available,
  stopping,
  reportedPods,
  reportedAvailable
}: ModelPodCounts): string =>
  `spec.replicas ${specReplicas}, ${unready}+${ready}+${available} Pods, ${stopping} stopping, reported ${reportedPods}/${reportedAvailable}`

const noPods: ModelPodCounts = {
  specReplicas: 0,
  unready: 0,
  ready: 0,
  available: 0,
  stopping: 0,
  reportedPods: 0,
  reportedAvailable: 0
}

const podCountsOf = (
  { view, nowMillis }: ClusterService,
  replicaSet: ReplicaSet,
  countsTerminating: boolean
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
    stopping: countsTerminating ? pods.length - active.length : 0,
    reportedPods: replicaSet.status.replicas,
    reportedAvailable: replicaSet.status.availableReplicas ?? 0
  }
}

/** The Pod counts of both revisions of the played Deployment. */
const stateOf = (cluster: ClusterService, countsTerminating: boolean): string => {
  const deployment = cluster.view.get(resources.deployments, key)
  const uid = deployment?.metadata.uid ?? ""
  const replicaSets = cluster.view.controlled(resources.replicaSets, uid)
  return [1n, 2n]
    .map((revision) => {
      const replicaSet = replicaSets.find((it) => revisionOf(it) === revision)
      return textOf(replicaSet === undefined ? noPods : podCountsOf(cluster, replicaSet, countsTerminating))
    })
    .join("; ")
}

type Manifest = Parameters<typeof deploymentManifest>[0]

interface Row {
  readonly why: string
  readonly from?: Manifest
  readonly next: Manifest
  /** How many Pods are deleted during the rollout, at times by seed. */
  readonly failures?: number
  readonly countsTerminating?: boolean
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
    why: "a rolling update that loses Pods",
    from: { replicas: 3, spec: amounts(2, 1) },
    next: { replicas: 3, version: "v2", spec: amounts(2, 1) },
    failures: 2
  },
  {
    why: "a rolling update without surge",
    from: { replicas: 3, spec: amounts(0, 2) },
    next: { replicas: 3, version: "v2", spec: amounts(0, 2) },
    failures: 1
  },
  {
    why: "minReadySeconds",
    from: { replicas: 3, spec: amounts(1, 1, { minReadySeconds: 3 }) },
    next: { replicas: 3, version: "v2", spec: amounts(1, 1, { minReadySeconds: 3 }) },
    failures: 1
  },
  {
    why: "a larger size and another version at once",
    from: { replicas: 2, spec: amounts(1, 0) },
    next: { replicas: 5, version: "v2", spec: amounts(1, 0) }
  },
  {
    why: "a smaller size and another version at once",
    from: { replicas: 5, spec: amounts(2, 1) },
    next: { replicas: 2, version: "v2", spec: amounts(2, 1) },
    failures: 1
  },
  {
    why: "Recreate",
    from: { replicas: 3, spec: recreate },
    next: { replicas: 3, version: "v2", spec: recreate },
    failures: 1,
    countsTerminating: true
  },
  { why: "a new Deployment", next: { replicas: 4 }, failures: 1 },
  {
    why: "revisionHistoryLimit 0",
    from: { replicas: 3, spec: { revisionHistoryLimit: 0 } },
    next: { replicas: 3, version: "v2", spec: { revisionHistoryLimit: 0 } }
  }
]

/** Slow, with random durations. */
const uneven: Behaviour = {
  name: "uneven",
  start: { uniform: ["50ms", "9s"] },
  ready: { uniform: ["0s", "9s"] },
  terminate: { uniform: ["0s", "20s"] }
} as Behaviour

const seeds = Array.from({ length: 8 }, (_, index) => index + 1)

/** The states of a played rollout, and the stored Deployments. */
const playRollout = ({ from, next, failures = 0, countsTerminating = false }: Row, seed: number) =>
  withCluster({ seed, shuffleSeed: seed, behaviour: uneven }, (cluster) =>
    Effect.gen(function* () {
      const deployment = (): Deployment | undefined => cluster.view.get(resources.deployments, key)
      if (from !== undefined) {
        yield* createObject(cluster, deploymentManifest(from))
        yield* cluster.settle()
        // Terminating Pods are no part of the initial state.
        yield* cluster.advance(60_000)
      }
      const beforeDeployment = deployment()
      const states = new Set<string>()
      const note = () => states.add(stateOf(cluster, countsTerminating))
      cluster.onChange(note)
      yield* from === undefined
        ? createObject(cluster, deploymentManifest(next))
        : replaceSpec(cluster, deploymentManifest(next))
      const afterDeployment = deployment()
      for (let lost = 0; lost < failures; lost += 1) {
        yield* cluster.advance(500 + ((seed * 7919 * (lost + 1)) % 15_000))
        const pods = [...cluster.view.all(resources.pods)].filter(isPodActive)
        const pod = pods[seed % Math.max(1, pods.length)]
        if (pod !== undefined) {
          yield* Effect.orDie(cluster.delete({ resource: resources.pods, name: pod.metadata.name }))
        }
      }
      yield* cluster.settle()
      yield* cluster.advance(60_000)
      note()
      return { beforeDeployment, afterDeployment, states, last: stateOf(cluster, countsTerminating) }
    })
  )

it.concurrent.each(rows)("every state of a played cluster is explored: $why", async (row) => {
  const runs = await Promise.all(seeds.map((seed) => playRollout(row, seed)))
  const { beforeDeployment, afterDeployment } = runs[0] ?? {}
  if (afterDeployment === undefined) throw new Error("there is no Deployment")
  const { result } = exploreStates({
    ...(beforeDeployment === undefined ? {} : { from: beforeDeployment }),
    next: afterDeployment,
    failuresMax: row.failures ?? 0
  })
  const explored = new Set<string>()
  for (let state = 0; state < result.table.count(); state += 1) {
    explored.add(
      [result.table.olderCounts(state), result.table.newerCounts(state)]
        .map((it) => textOf(unpackCounts(it)))
        .join("; ")
    )
  }
  const unexplored = runs.flatMap(({ states }, index) =>
    [...states].filter((state) => !explored.has(state)).map((state) => `seed ${seeds[index]}: ${state}`)
  )
  expect(unexplored).toEqual([])
  expect(new Set(runs.flatMap(({ states }) => [...states])).size).toBeGreaterThan(10)
  const { replicas } = afterDeployment.spec
  const allAvailable = {
    ...noPods,
    specReplicas: replicas,
    available: replicas,
    reportedPods: replicas,
    reportedAvailable: replicas
  }
  const end = (row.from === undefined ? [allAvailable, noPods] : [noPods, allAvailable])
    .map(textOf)
    .join("; ")
  expect(new Set(runs.map(({ last }) => last))).toEqual(new Set([end]))
  expect(explored).toContain(end)
})
