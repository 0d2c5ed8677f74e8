import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/index.ts"
import { explainRollout } from "../../src/explain/objects/explainRollout.ts"
import { readRolloutInput } from "../../src/explain/remote/readRollout.ts"
import { placementDeadlockText } from "../../src/kubernetes/scheduling/placementDeadlock.ts"
import { plan } from "../../src/plan/plan.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Deployment, Node, Pod } from "../../src/kubernetes/meta/objects.ts"

const hostname = "kubernetes.io/hostname"
const apart = {
  podSpec: {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: "web" } }, topologyKey: hostname }
        ]
      }
    }
  }
}
const onPort = { container: { ports: [{ containerPort: 80, hostPort: 8080 }] } }
const strategyOf = (maxSurge: number, maxUnavailable: number | string) => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable }
})
const webOf = (version: string, fields: object, strategy = strategyOf(1, 0)) =>
  deploymentManifest({ replicas: 3, version, ...fields, spec: { strategy, progressDeadlineSeconds: 60 } })

const deadlockOf = (field: string, maxUnavailable = "0"): string =>
  `This rollout waits for itself: ${field} keeps its new Pods from the nodes of the old ones, and with ` +
  `maxUnavailable: ${maxUnavailable} no old one goes before a new one is available`

const rows = [
  {
    why: "required anti-affinity on 3 nodes",
    fields: apart,
    field: "required podAntiAffinity",
    reason: "node(s) didn't match pod anti-affinity rules"
  },
  {
    why: "a host port on 3 nodes",
    fields: onPort,
    field: "hostPort 8080",
    reason: "node(s) didn't have free ports for the requested pod ports"
  },
  {
    why: "a disk that all replicas write to",
    fields: { podSpec: { volumes: [{ name: "data", gcePersistentDisk: { pdName: "shared" } }] } },
    field: "the disk of volume data",
    reason: "node(s) had no available disk"
  }
]

describe("3 replicas with maxUnavailable 0", () => {
  it.each(rows)("never roll out with $why, and that is explained", async ({ fields, field, reason }) => {
    await using cluster = await openCluster({ nodes: 3 })
    await cluster.apply(webOf("v1", fields))
    expect((await cluster.rollout("web")).outcome).toBe("complete")
    await cluster.apply(webOf("v2", fields))
    const { outcome, reasons } = await cluster.rollout("web")
    expect(outcome).toBe("failed")
    expect(reasons).toContain(
      `1 new Pod finds no node: 0/3 nodes are available: 3 ${reason} (Unschedulable).`
    )
    expect(reasons).toContain(`${deadlockOf(field)}.`)
  })

  it.each(rows)("are planned to be stuck with $why", async ({ fields, field, reason }) => {
    const { rollouts } = await plan({
      from: [webOf("v1", fields)],
      next: [webOf("v2", fields)],
      nodes: 3,
      seeds: 1
    })
    expect(rollouts[0]).toMatchObject({ stuck: 1 })
    expect(rollouts[0]?.reasons.map((it) => it.reason)).toEqual([
      deadlockOf(field),
      `Unschedulable: 0/3 nodes are available: 3 ${reason}.`
    ])
  })

  it("roll out on a fourth node", async () => {
    await using cluster = await openCluster({ nodes: 4 })
    await cluster.apply(webOf("v1", apart))
    await cluster.rollout("web")
    await cluster.apply(webOf("v2", apart))
    expect(await cluster.rollout("web")).toMatchObject({ outcome: "complete", reasons: [] })
  })
})

const gpu = "nvidia.com/gpu"
const requesting = (requests: object) => ({ container: { resources: { requests, limits: requests } } })

const once = {
  metadata: { name: "data", namespace: "default" },
  apiVersion: "v1",
  kind: "PersistentVolumeClaim"
}
const causes = [
  {
    why: "requests that fill a node",
    nodes: { count: 1, cpu: "2" },
    fields: requesting({ cpu: "1500m" }),
    field: "the request for cpu"
  },
  {
    why: "a GPU on a node that has one",
    nodes: [
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "gpu-1" },
        status: { allocatable: { cpu: "4", memory: "8Gi", pods: "110", [gpu]: "1" } }
      }
    ],
    fields: requesting({ [gpu]: "1" }),
    field: `the request for ${gpu}`
  },
  {
    why: "a node that takes one Pod",
    nodes: { count: 1, pods: 1 },
    fields: {},
    field: "the number of Pods that a node takes"
  },
  {
    why: "a spread over more domains than there are",
    nodes: { count: 1 },
    fields: {
      podSpec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            minDomains: 2,
            topologyKey: hostname,
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { app: "web" } }
          }
        ]
      }
    },
    field: "a topology spread constraint with DoNotSchedule"
  },
  {
    why: "a claim with ReadWriteOncePod",
    nodes: { count: 1 },
    claims: [
      { ...once, spec: { accessModes: ["ReadWriteOncePod"], resources: { requests: { storage: "1Gi" } } } }
    ],
    fields: {
      podSpec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] }
    },
    field: "claim data with ReadWriteOncePod"
  }
]

describe("1 replica on 1 node with maxUnavailable 0", () => {
  const lone = (version: string, fields: object) =>
    deploymentManifest({
      replicas: 1,
      version,
      ...fields,
      spec: { strategy: strategyOf(1, 0), progressDeadlineSeconds: 60 }
    })

  it.each(causes)("never rolls out with $why, and that is explained", async (row) => {
    const { nodes, claims = [], fields, field } = row
    await using cluster = await openCluster({ nodes })
    await cluster.apply([...claims, lone("v1", fields)])
    expect((await cluster.rollout("web")).outcome).toBe("complete")
    await cluster.apply(lone("v2", fields))
    const { outcome, reasons } = await cluster.rollout("web")
    expect([outcome, reasons.filter((it) => it.includes("waits for itself"))]).toEqual([
      "failed",
      [`${deadlockOf(field)}.`]
    ])
  })

  it.each(causes)("is explained to a client of the API to be stuck with $why", async (row) => {
    const { nodes, claims = [], fields, field } = row
    await using cluster = await openCluster({ nodes })
    await cluster.apply([...claims, lone("v1", fields)])
    await cluster.rollout("web")
    await cluster.apply(lone("v2", fields))
    await cluster.rollout("web")
    const remote = {
      namespace: "default",
      clusterNowMillis: () => Promise.resolve(Number(cluster.now())),
      get: (address: object) => cluster.get(address as never),
      list: (resource: string) => cluster.list(resource as never)
    }
    const { sentences } = explainRollout(await readRolloutInput(remote as never, "web"))
    expect(sentences).toContain(`${deadlockOf(field)}.`)
  })

  it.each(causes)("is planned to be stuck with $why", async ({ nodes, claims = [], fields, field }) => {
    const from = [...claims, lone("v1", fields)]
    const next = [...claims, lone("v2", fields)]
    const { rollouts } = await plan({ from, next, nodes, seeds: 1 })
    expect(rollouts[0]).toMatchObject({ stuck: 1 })
    expect(rollouts[0]?.reasons.map((it) => it.reason)).toContain(deadlockOf(field))
  })

  it("is not told to wait for itself when others fill the node", async () => {
    const filling = requesting({ cpu: "1500m" })
    await using cluster = await openCluster({ nodes: { count: 1, cpu: "2" } })
    await cluster.apply(lone("v1", { container: { resources: { requests: { cpu: "100m" } } } }))
    await cluster.rollout("web")
    await cluster.apply({ ...lone("v1", filling), metadata: { name: "other", namespace: "default" } })
    await cluster.rollout("other")
    await cluster.apply(lone("v2", filling))
    const { outcome, reasons } = await cluster.rollout("web")
    expect(outcome).toBe("failed")
    expect(reasons.join("\n")).not.toContain("waits for itself")
  })
})

it("a deadlock without maxUnavailable is told with the number that the rollout keeps to", async () => {
  await using cluster = await openCluster({ nodes: 3 })
  await cluster.apply(webOf("v1", apart))
  await cluster.rollout("web")
  await cluster.apply(webOf("v2", apart))
  await cluster.rollout("web")
  const deployment = (await cluster.get({ resource: resources.deployments, name: "web" })) as Deployment
  const nodes = (await cluster.list(resources.nodes)).items as unknown as ReadonlyArray<Node>
  const pods = (await cluster.list(resources.pods)).items as unknown as ReadonlyArray<Pod>
  // Without any surge, one Pod may be unavailable, and one is.
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0 } }
  const status = { ...deployment.status, availableReplicas: 2 }
  const undefaulted = { ...deployment, spec: { ...deployment.spec, strategy }, status }
  expect(placementDeadlockText(undefaulted, pods, () => ({ nodes, pods }))).toBe(
    deadlockOf("required podAntiAffinity", "1")
  )
})

describe("a rollout is not told to wait for itself", () => {
  it("when an old Pod may go first", async () => {
    await using cluster = await openCluster({ nodes: 3 })
    await cluster.apply(webOf("v1", apart, strategyOf(1, 1)))
    await cluster.rollout("web")
    await cluster.apply(webOf("v2", apart, strategyOf(1, 1)))
    expect((await cluster.rollout("web")).outcome).toBe("complete")
  })

  it("when the first rollout has more replicas than nodes", async () => {
    await using cluster = await openCluster({ nodes: 2 })
    await cluster.apply(webOf("v1", apart))
    const { outcome, reasons } = await cluster.rollout("web")
    expect(outcome).toBe("failed")
    expect(reasons.join("\n")).not.toContain("waits for itself")
  })

  it("but with a percentage that rounds down to no Pod it is", async () => {
    await using cluster = await openCluster({ nodes: 3 })
    await cluster.apply(webOf("v1", apart, strategyOf(1, "25%")))
    await cluster.rollout("web")
    await cluster.apply(webOf("v2", apart, strategyOf(1, "25%")))
    const { reasons } = await cluster.rollout("web")
    expect(reasons).toContain(`${deadlockOf("required podAntiAffinity", "25% (0 of 3)")}.`)
  })
})
