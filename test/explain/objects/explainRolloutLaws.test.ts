import { expect, it } from "vitest"
import { deploymentManifest } from "../../builders.ts"
import { controllerOf } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { explainRollout } from "../../../src/explain/objects/explainRollout.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../../src/kubernetes/apps/rolloutStatus.ts"
import { normalizeEvent } from "../../../src/kubernetes/meta/normalizeEvent.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { RolloutExplanation } from "../../../src/explain/objects/explainRollout.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const web = (image: string, more: object = {}) =>
  deploymentManifest({
    replicas: 7,
    container: { name: "web", image, readinessProbe: { tcpSocket: { port: 80 } } },
    podSpec: { terminationGracePeriodSeconds: 20 },
    spec: { minReadySeconds: 3, progressDeadlineSeconds: 90, ...more }
  })

const behaviours: ReadonlyArray<Behaviour> = [
  { name: "unpulled", match: { image: "*:unpulled" }, pull: { failures: "forever" } },
  { name: "crashing", match: { image: "*:crashing" }, exit: { code: 3, after: "4s" } },
  { name: "slow", match: { image: "*:slow" }, ready: "35s" }
]

const explained = async (
  cluster: OpenCluster
): Promise<RolloutExplanation & { readonly stateByStatus: string }> => {
  const deployment = await cluster.get({ resource: resources.deployments, name: "web" })
  const [replicaSets, pods] = [await cluster.list(resources.replicaSets), await cluster.list(resources.pods)]
  const owned = replicaSets.items.filter((it) => controllerOf(it)?.uid === deployment.metadata.uid)
  const uids = new Set(owned.map(({ metadata }) => metadata.uid))
  const explanation = explainRollout({
    deployment,
    replicaSets: owned,
    pods: pods.items.filter((it) => uids.has(controllerOf(it)?.uid ?? "")),
    events: (await cluster.events()).map(normalizeEvent),
    namespace: await cluster.get({ resource: resources.namespaces, name: "default" }),
    nowMillis: cluster.now().getTime()
  })
  return { ...explanation, stateByStatus: rolloutStatus(deployment).state }
}

it.each([
  { image: "web:2", more: {} },
  { image: "web:unpulled", more: {} },
  { image: "web:crashing", more: {} },
  { image: "web:slow", more: { strategy: { type: "Recreate" } } },
  { image: "web:slow", more: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "5%" } } } },
  { image: "web:2", more: { replicas: 11, paused: true } },
  { image: "web:2", more: { replicas: 40 } }
])(
  "a rollout of $image with $more has a reason to wait at each second until it is complete",
  async ({ image, more }) => {
    await using cluster = await openCluster({ behaviours, nodes: { count: 2, pods: 12 }, seed: 11 })
    await cluster.apply(web("web:1"))
    await cluster.rollout("web")
    await cluster.apply(web(image, more))
    for (let second = 0; second < 110; second += 1) {
      const { state, sentences, numbers, stateByStatus } = await explained(cluster)
      const result = {
        second,
        isOver: state === "complete",
        hasReason: state === "complete" || sentences.length > 1,
        brokenSentences: sentences.filter((it) => /undefined|NaN|null|\.\.|\?|-\d+ (?:of|old|new)/u.test(it)),
        floor: numbers.availableFloor + numbers.unavailableMax
      }
      const isOver = stateByStatus === "complete"
      expect(result).toEqual({ second, isOver, hasReason: true, brokenSentences: [], floor: numbers.desired })
      await cluster.advance("1s")
    }
  }
)
