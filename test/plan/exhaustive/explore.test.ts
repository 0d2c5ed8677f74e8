import { expect, it } from "vitest"
import { aManifest, limitRangeManifest, podManifest, quotaManifest } from "../../builders.ts"
import { explore } from "../../../src/plan/plan.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

const next = deploymentManifest({ replicas: 2, version: "v2" })

it("explore proves the claims of a rollout from manifests", async () => {
  const rollouts = await explore({ from: deploymentManifest({ replicas: 2 }), next, failOn: "available<50%" })
  expect(rollouts).toMatchObject([
    { namespace: "default", name: "web", isNew: false, podsMax: 3, availableMin: 2 }
  ])
  expect(rollouts[0]?.claims.map(({ about, verdict }) => `${about} ${verdict}`)).toEqual([
    "ceiling proved",
    "floor proved",
    "rules proved",
    "end proved",
    "invariant proved"
  ])
})

it("a Deployment of the same name in another namespace is not the one before", async () => {
  const elsewhere = { ...next, metadata: { ...next.metadata, namespace: "kube-system" } }
  const rollouts = await explore({ from: elsewhere, next: [elsewhere, next], failures: 0 })
  expect(rollouts.map(({ namespace, isNew }) => [namespace, isNew])).toEqual([
    ["kube-system", false],
    ["default", true]
  ])
})

const scopedQuota = (pods: string, scope: string) =>
  aManifest("ResourceQuota", { name: "q" }, { spec: { hard: { pods }, scopes: [scope] } })

const otherDeployment = deploymentManifest({
  name: "small",
  replicas: 2,
  spec: { strategy: { type: "Recreate" } },
  container: { resources: { requests: { cpu: "500m" }, limits: { cpu: "500m" } } }
})
it.each([
  {
    why: "3 Pods of 2 cpu exceed a quota of 5",
    world: { beside: [quotaManifest({ "requests.cpu": "5", pods: "9" })] },
    reason:
      "ResourceQuota q allows requests.cpu 5, and the Pods asked for at once take 6: Deployment default/web 3 x 2"
  },
  {
    why: "a quota that fits all Pods",
    world: { beside: [quotaManifest({ "requests.cpu": "6", pods: "3" })] },
    reason: undefined
  },
  {
    why: "a quota of a resource that the Pods do not specify",
    world: { beside: [quotaManifest({ "limits.memory": "9Gi" })] },
    reason: "ResourceQuota q refuses its Pods: must specify limits.memory for: app"
  },
  {
    why: "a quota of other Pods that is too small",
    world: { beside: [scopedQuota("1", "Terminating")] },
    reason: undefined
  },
  {
    why: "a bare Pod that the quota does not cover",
    world: { beside: [scopedQuota("3", "NotBestEffort"), podManifest("p")] },
    reason: undefined
  },
  {
    why: "a bare Pod beside them counts",
    world: {
      beside: [quotaManifest({ pods: "3" }), podManifest("p")]
    },
    reason:
      "ResourceQuota q allows pods 3, and the Pods asked for at once take 4: " +
      "Deployment default/web 3 x 1, Pod default/p 1 x 1"
  },
  {
    why: "another Deployment beside them that fits",
    world: { beside: [quotaManifest({ "requests.cpu": "7" }), otherDeployment] },
    reason: undefined
  },
  {
    why: "another Deployment beside them that does not fit",
    world: { beside: [quotaManifest({ "requests.cpu": "6900m" }), otherDeployment] },
    reason:
      "ResourceQuota q allows requests.cpu 6900m, and the Pods asked for at once take 7: " +
      "Deployment default/web 3 x 2, Deployment default/small 2 x 500m"
  },
  {
    why: "a quota in another namespace",
    world: {
      beside: [{ ...quotaManifest({ pods: "1" }), metadata: { name: "q", namespace: "kube-system" } }]
    },
    reason: undefined
  },
  {
    why: "a quota on ReplicaSets",
    world: { beside: [quotaManifest({ "count/replicasets.apps": "1" })] },
    reason: "ResourceQuota q limits the number of ReplicaSets (count/replicasets.apps)"
  },
  {
    why: "a LimitRange that the Pods exceed",
    world: { beside: [limitRangeManifest({ max: { cpu: "1" } })] },
    reason: "its Pods are refused: maximum cpu usage per Container is 1, but limit is 2"
  },
  {
    why: "nodes with room for two of three Pods",
    world: { nodes: { count: 2, cpu: "3" } },
    reason:
      "up to 3 Pods asked for at once take up to cpu 2, memory 1Gi each, and the nodes have room for 2: " +
      "0/2 nodes are available: 2 Insufficient cpu."
  },
  {
    why: "one node with room for all",
    world: { nodes: { count: 1, cpu: "6" } },
    reason: undefined
  },
  {
    why: "no nodes",
    world: { nodes: 0 },
    reason:
      "up to 3 Pods asked for at once take up to cpu 2, memory 1Gi each, and the nodes have room for 0: " +
      "no nodes available to schedule pods"
  }
])("the end is proved only when all Pods fit: $why", async ({ world, reason }) => {
  const { beside = [], ...nodes } = world as { beside?: Array<Manifest>; nodes?: number }
  const requests = { cpu: "2", memory: "1Gi" }
  const limits = { cpu: "2" }
  const at = (version: string) => [
    ...beside,
    deploymentManifest({ replicas: 2, version, container: { resources: { requests, limits } } })
  ]
  const rollouts = await explore({ from: at("v1"), next: at("v2"), failures: 0, ...nodes })
  const ends = rollouts
    .find(({ name }) => name === "web")
    ?.claims.map((claim) => [claim.about, claim.verdict, claim.because])
  const verdict = reason === undefined ? "proved" : "unproved"
  expect(ends).toEqual([
    ["ceiling", "proved", undefined],
    ["floor", "proved", undefined],
    ["rules", "proved", undefined],
    ["end", verdict, reason]
  ])
})

it("a custom strategy is explored like the built-in ones", async () => {
  const blue = deploymentManifest({ replicas: 2, version: "v2", spec: { strategy: { type: "BlueGreen" } } })
  const [rollout] = await explore({
    from: deploymentManifest({ replicas: 2 }),
    next: blue,
    strategies: [blueGreen]
  })
  expect(rollout?.claims.map(({ about, verdict }) => `${about} ${verdict}`)).toEqual([
    "rules proved",
    "end proved"
  ])
  expect(rollout?.extremes.map(({ availableFewest }) => availableFewest)).toEqual([2, 1])
})

it.each([
  {
    options: { next, strategies: [blueGreen, blueGreen] },
    message: 'the strategy "BlueGreen" is there twice'
  },
  {
    options: { next, strategies: [{ type: "Odd" } as never] },
    message: 'strategies[0] must be a result of defineStrategy, not {"type":"Odd"}'
  },
  { options: { next, failures: 8 }, message: "failures must be an integer from 0 to 7, not 8" },
  { options: { next, nodes: -1 }, message: "nodes must be" },
  { options: { next, failures: 0.5 }, message: "failures must be an integer from 0 to 7" },
  {
    options: { next, failOn: "lost>0" },
    message: "failOn, lost>0: where every order is explored only available and pods can be compared"
  },
  {
    options: { next, failOn: "available<" },
    message: "failOn, column 11: available is compared with a count"
  },
  {
    options: { next: deploymentManifest({ replicas: 13 }) },
    message: "Deployment default/web: it has 13 replicas, and every order can be explored for 12 at the most"
  },
  { options: { next: { ...next, spec: {} } }, message: "spec.selector: Required value" }
])("invalid options are refused: $message", async ({ options, message }) => {
  await expect(explore(options)).rejects.toThrow(message)
})
