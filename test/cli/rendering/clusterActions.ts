import * as Effect from "effect/Effect"
import { deploymentManifest, quotaManifest } from "../../builders.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { isRolloutResource, makeRolloutTracker } from "../../../src/cli/rendering/rolloutTracker.ts"
import { plainPalette } from "../../../src/cli/terminal/palette.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { undoRollout } from "../../../src/kubernetes/apps/revisions/undoRollout.ts"
import type { Cluster } from "../../../src/cluster/cluster.ts"
import type { Deployment, Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { WorkloadNews } from "../../../src/cli/rendering/workloadNews.ts"
import type { RolloutTracker } from "../../../src/cli/rendering/rolloutTracker.ts"
import type { RendererContext } from "../../../src/cli/rendering/renderers.ts"

export type ClusterService = Cluster["Service"]

export const deployment = (name: string, replicas: number) =>
  deploymentManifest({ name, replicas, container: { name: "web", image: `${name}:1` } })

/** A write or a wait of a client. */
export type ClusterAction = (cluster: ClusterService) => Effect.Effect<unknown, unknown>

export const change =
  (name: string, changed: (deployment: Deployment) => Draft): ClusterAction =>
  (cluster) =>
    cluster.modify({ resource: resources.deployments, name }, (it) => changed(it as Deployment))

export const spec = (name: string, fields: Partial<Deployment["spec"]>): ClusterAction =>
  change(name, (it) => ({ ...it, spec: { ...it.spec, ...fields } }))

export const image = (name: string, tag: string): ClusterAction =>
  change(name, (it) => {
    const { template } = it.spec
    const containers = [{ name: "web", image: tag }]
    return { ...it, spec: { ...it.spec, template: { ...template, spec: { ...template.spec, containers } } } }
  })

export const restart = (name: string): ClusterAction =>
  change(name, (it) => {
    const { template } = it.spec
    const annotations = { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:09Z" }
    const metadata = { ...template.metadata, annotations }
    return { ...it, spec: { ...it.spec, template: { ...template, metadata } } }
  })

export const undo =
  (name: string): ClusterAction =>
  (cluster) =>
    change(name, (it) => {
      const back = undoRollout(it, cluster.view.controlled(resources.replicaSets, it.metadata.uid))
      return "refusal" in back ? it : back.updatedObject
    })(cluster)

export const remove =
  (name: string): ClusterAction =>
  (cluster) =>
    cluster.delete({ resource: resources.deployments, name })

export const create =
  (name: string, replicas: number): ClusterAction =>
  (cluster) =>
    cluster.create(deployment(name, replicas))

export const wait =
  (millis: number): ClusterAction =>
  (cluster) =>
    cluster.advance(millis)

export const rolledOut =
  (name: string): ClusterAction =>
  (cluster) =>
    cluster.rollout(name)

const behaviours = [{ name: "gone", match: { image: "*:broken" }, pull: { failures: "forever" } }] as const

export const losePod: ClusterAction = (cluster) =>
  Effect.gen(function* () {
    const [pod] = cluster.view.all(resources.pods)
    yield* cluster.delete({ resource: resources.pods, name: pod?.metadata.name ?? "" })
    yield* cluster.advance(60_000)
  })

export const loseReplicaSet: ClusterAction = (cluster) =>
  Effect.gen(function* () {
    const [replicaSet] = cluster.view.all(resources.replicaSets)
    yield* cluster.delete({
      resource: resources.replicaSets,
      name: replicaSet?.metadata.name ?? ""
    })
    yield* cluster.advance(60_000)
  })

export const threePodsAtMost: ClusterAction = (cluster) =>
  cluster.create(quotaManifest({ pods: "3" }, "three"))

/** Creates Deployment web and waits until its rollout is complete. */
export const createAndRollOut = [create("web", 3), rolledOut("web")]

export const withCluster = <A>(play: (cluster: ClusterService) => Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(makeCluster({ behaviours }), (cluster) => play(cluster))))

/** Tracks rollouts as the command does. */
export const trackRollouts = (
  cluster: ClusterService,
  onNews: (news: WorkloadNews) => void
): RolloutTracker => {
  const startMillis = cluster.nowMillis()
  const rollouts = makeRolloutTracker({ view: cluster.view, nowMillis: cluster.nowMillis, onNews })
  cluster.onChange((it) => {
    if (isRolloutResource(it.resource)) rollouts.onChange(it, cluster.nowMillis() - startMillis)
  })
  return rollouts
}

export const stageOf = (cluster: ClusterService, print: (line: string) => void): RendererContext => ({
  cluster,
  startMillis: cluster.nowMillis(),
  settings: { version: "0", seed: 1, clock: "virtual", nodes: 3, startTime: "" },
  palette: plainPalette,
  print,
  printLazily: (makeLine) => print(makeLine())
})

export const singleSpaced = (line: string): string => line.trim().replaceAll(/ +/g, " ")
