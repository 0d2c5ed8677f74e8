import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { failingPodsOf } from "../../../src/plan/live/failingPods.ts"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { makeSeedPlayer } from "../../../src/plan/seeds/playSeed.ts"
import { measureBehaviour } from "../../../src/plan/live/measuredPods.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { livePodsOf, livePlanDrafts } from "../../../src/plan/live/livePlanDrafts.ts"
import type { ObjectOf } from "../../../src/kubernetes/meta/resourceTypes.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { GroupResource } from "../../../src/kubernetes/meta/kinds.ts"
import type { LiveObjects } from "../../../src/plan/live/liveObjects.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

/** Behaviours of versions with problems. */
const behaviours: ReadonlyArray<Behaviour> = [
  { name: "slow", match: { image: "*slow*" }, ready: "45s" },
  { name: "crash", match: { image: "*crash*" }, ready: "10s", exit: { after: "3s", code: 1 } },
  { name: "nowhere", match: { image: "*nowhere*" }, pull: { failures: "forever" } }
]
const versions = ["fine", "slow", "crash", "nowhere"]
const strategies = [
  { type: "Recreate" },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } }
]

/** Without a probe a plan takes Pods for ready at once. */
const container = { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 1 } }

const listItems = async <R extends GroupResource>(
  cluster: OpenCluster,
  resource: R
): Promise<ReadonlyArray<ObjectOf<R>>> => (await cluster.list(resource)).items

const liveObjectsOf = async (cluster: OpenCluster): Promise<LiveObjects> => ({
  readMillis: cluster.now().getTime(),
  deployments: await listItems(cluster, "deployments.apps"),
  replicaSets: await listItems(cluster, "replicasets.apps"),
  workloadsWithRevisions: [],
  controllerRevisions: [],
  pods: await listItems(cluster, "pods"),
  nodes: await listItems(cluster, "nodes"),
  services: [],
  quotas: [],
  limitRanges: [],
  budgets: [],
  otherObjects: []
})

const seeds = Array.from({ length: 24 }, (_, index) => 4100 + index)

it.each(seeds)(
  "a plan starts from the state of a live cluster, also in the middle of a rollout (seed %i)",
  async (seed) => {
    const chance = xoroshiro128plus(seed)
    const between = (least: number, most: number): number => uniformInt(chance, least, most)
    const oneOf = <A>(items: ReadonlyArray<A>): A | undefined => items[between(0, items.length - 1)]
    const strategy = oneOf(strategies)
    await using cluster = await openCluster({ seed, behaviours, nodes: { count: 2, pods: between(8, 40) } })
    const steps: Array<string> = []
    for (let turn = 0; turn < between(2, 4); turn += 1) {
      const manifest = {
        replicas: between(0, 12),
        version: `${oneOf(versions)}-${turn}`,
        container,
        spec: { strategy, ...(between(0, 5) === 0 ? { paused: true } : {}) }
      }
      const seconds = between(1, oneOf([15, 900]) ?? 1)
      steps.push(`${manifest.version} of ${manifest.replicas} for ${seconds}s`)
      await cluster.apply(deploymentManifest(manifest))
      await cluster.advance(`${seconds}s`)
    }
    const live = await liveObjectsOf(cluster)
    const [deployment] = live.deployments
    const replicas = deployment?.spec.replicas ?? 0
    const play = makeSeedPlayer({
      from: readManifestObjects(livePlanDrafts(live)).documents,
      livePods: livePodsOf(live),
      next: readManifestObjects([
        deploymentManifest({ replicas, version: "next", container, spec: { strategy } })
      ]).documents,
      nodes: 0,
      behaviours: [
        ...live.replicaSets.flatMap((it) => failingPodsOf(it, live)?.behaviour ?? []),
        ...live.deployments.flatMap((it) => measureBehaviour(it, live.pods ?? [])?.behaviour ?? [])
      ]
    })
    const { rollouts, violations } = await Effect.runPromise(play(seed, { undo: true }))
    const { desired, available } = rollouts.get("Deployment default/web")?.before ?? {}
    expect({ desired, available, violations }).toEqual({
      desired: replicas,
      available: deployment?.status.availableReplicas ?? 0,
      violations: []
    })
  }
)
