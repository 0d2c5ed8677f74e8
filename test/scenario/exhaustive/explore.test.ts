import { expect, it } from "vitest"
import { explore } from "../../../src/plan/plan.ts"
import { blueGreen } from "../../machines/blueGreen.ts"
import { aManifest } from "../../cluster/worlds.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

const next = aManifest({ replicas: 2, version: "v2" })

it("every order of a rollout is explored from manifests, as the server would store them", async () => {
  const rollouts = await explore({ from: aManifest({ replicas: 2 }), next, failOn: "available<50%" })
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

it("the end of a Deployment that was there before in another namespace is no beginning of this one", async () => {
  const elsewhere = { ...next, metadata: { ...next.metadata, namespace: "kube-system" } }
  const rollouts = await explore({ from: elsewhere, next: [elsewhere, next], failures: 0 })
  expect(rollouts.map(({ namespace, isNew }) => [namespace, isNew])).toEqual([
    ["kube-system", false],
    ["default", true]
  ])
})

const quotaOf = (hard: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "q" },
  spec: { hard }
})
const limitsOf = (limit: Record<string, unknown>) => ({
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "l" },
  spec: { limits: [{ type: "Container", ...limit }] }
})
const small = aManifest({
  name: "small",
  replicas: 2,
  spec: { strategy: { type: "Recreate" } },
  container: { resources: { requests: { cpu: "500m" }, limits: { cpu: "500m" } } }
})
it.each([
  {
    why: "two and a surge are three, and three times 2 are more than 5",
    world: { beside: [quotaOf({ "requests.cpu": "5", pods: "9" })] },
    because:
      "ResourceQuota q allows requests.cpu 5, and the Pods asked for at once take 6: Deployment default/web 3 x 2"
  },
  {
    why: "what is enough for all of them stands in nobody's way",
    world: { beside: [quotaOf({ "requests.cpu": "6", pods: "3" })] },
    because: undefined
  },
  {
    why: "whoever must say how much and does not is never let in",
    world: { beside: [quotaOf({ "limits.memory": "9Gi" })] },
    because: "ResourceQuota q refuses its Pods: must specify limits.memory for: app"
  },
  {
    why: "a bare Pod takes its part",
    world: {
      beside: [
        quotaOf({ pods: "3" }),
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "p" },
          spec: { containers: [{ name: "a", image: "a" }] }
        }
      ]
    },
    because:
      "ResourceQuota q allows pods 3, and the Pods asked for at once take 4: " +
      "Deployment default/web 3 x 1, Pod default/p 1 x 1"
  },
  {
    why: "a small one beside them takes no more than it asks for",
    world: { beside: [quotaOf({ "requests.cpu": "7" }), small] },
    because: undefined
  },
  {
    why: "and no less: six and twice a half are seven",
    world: { beside: [quotaOf({ "requests.cpu": "6900m" }), small] },
    because:
      "ResourceQuota q allows requests.cpu 6900m, and the Pods asked for at once take 7: " +
      "Deployment default/web 3 x 2, Deployment default/small 2 x 500m"
  },
  {
    why: "another namespace has quotas of its own",
    world: { beside: [{ ...quotaOf({ pods: "1" }), metadata: { name: "q", namespace: "kube-system" } }] },
    because: undefined
  },
  {
    why: "a new ReplicaSet may be one too many",
    world: { beside: [quotaOf({ "count/replicasets.apps": "1" })] },
    because: "ResourceQuota q allows only so many ReplicaSets (count/replicasets.apps)"
  },
  {
    why: "what is too large is never let in",
    world: { beside: [limitsOf({ max: { cpu: "1" } })] },
    because: "its Pods are refused: maximum cpu usage per Container is 1, but limit is 2"
  },
  {
    why: "no two of them go on one node, and the third has none",
    world: { nodes: { count: 2, cpu: "3" } },
    because:
      "up to 3 Pods asked for at once take up to cpu 2, memory 1Gi each, and the nodes have room for 2: " +
      "0/2 nodes are available: 2 Insufficient cpu."
  },
  {
    why: "one node that is large enough will do",
    world: { nodes: { count: 1, cpu: "6" } },
    because: undefined
  },
  {
    why: "where there are no nodes nothing ever runs",
    world: { nodes: 0 },
    because:
      "up to 3 Pods asked for at once take up to cpu 2, memory 1Gi each, and the nodes have room for 0: " +
      "no nodes available to schedule pods"
  }
])("the end is proved only where there is room for it: $why", async ({ world, because }) => {
  const { beside = [], ...nodes } = world as { beside?: Array<Manifest>; nodes?: number }
  const requests = { cpu: "2", memory: "1Gi" }
  const limits = { cpu: "2" }
  const at = (version: string) => [
    ...beside,
    aManifest({ replicas: 2, version, container: { resources: { requests, limits } } })
  ]
  const rollouts = await explore({ from: at("v1"), next: at("v2"), failures: 0, ...nodes })
  const ends = rollouts
    .find(({ name }) => name === "web")
    ?.claims.map((claim) => [claim.about, claim.verdict, claim.because])
  const verdict = because === undefined ? "proved" : "unproved"
  expect(ends).toEqual([
    ["ceiling", "proved", undefined],
    ["floor", "proved", undefined],
    ["rules", "proved", undefined],
    ["end", verdict, because]
  ])
})

it("a strategy of somebody's own is explored like those that are built in", async () => {
  const blue = aManifest({ replicas: 2, version: "v2", spec: { strategy: { type: "BlueGreen" } } })
  const [rollout] = await explore({ from: aManifest({ replicas: 2 }), next: blue, strategies: [blueGreen] })
  expect(rollout?.claims.map(({ about, verdict }) => `${about} ${verdict}`)).toEqual([
    "rules proved",
    "end proved"
  ])
  expect(rollout?.extremes.map(({ availableFewest }) => availableFewest)).toEqual([2, 1])
})

it.each([
  {
    options: { next, strategies: [blueGreen, blueGreen] },
    words: 'the strategy "BlueGreen" is there twice'
  },
  { options: { next, failures: 8 }, words: "failures must be an integer from 0 to 7" },
  { options: { next, nodes: -1 }, words: "nodes must be" },
  { options: { next, failures: 0.5 }, words: "failures must be an integer from 0 to 7" },
  {
    options: { next, failOn: "lost>0" },
    words: "failOn, lost>0: where every order is explored only available and pods can be compared"
  },
  { options: { next, failOn: "available<" }, words: "failOn, column 11: available is compared with a count" },
  {
    options: { next: aManifest({ replicas: 13 }) },
    words: "Deployment default/web: it has 13 replicas, and every order can be explored for 12 at the most"
  },
  { options: { next: { ...next, spec: {} } }, words: "spec.selector: Required value" }
])("bad input is refused: $words", async ({ options, words }) => {
  await expect(explore(options)).rejects.toThrow(words)
})
