import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { charthouse } from "../harness/charthouse.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const deployment = (name: string, image: string, spec: object): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    progressDeadlineSeconds: 60,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [{ name: "app", image, resources: { requests: { cpu: "500m" }, limits: { cpu: "2" } } }]
      }
    },
    ...spec
  }
})
/** A manifest without spec.replicas, as for a HorizontalPodAutoscaler. */
const api = (image: string): object => deployment("api", image, {})
const others = deployment("others", "others:1", { replicas: 2 })
const inDefault = { namespace: "default" }
const apiRef = { resource: "deployments.apps", name: "api", ...inDefault } as const

let cluster: OpenCluster
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plan-running-"))
  cluster = await openCluster({ nodes: { count: 2, pods: 20, cpu: "8" } })
  await cluster.apply(JSON.stringify({ apiVersion: "v1", kind: "List", items: [api("api:1"), others] }))
  await cluster.patch(apiRef, { spec: { replicas: 5 } })
  await cluster.rollout("api")
  await cluster.advance("10m")
})
afterAll(async () => {
  await cluster.close()
  rmSync(folder, { recursive: true })
})

/** Plans the next version of `api` for a fork of the cluster, after a change to it. */
const planAfter = async (change: (fork: OpenCluster) => Promise<unknown>, ...args: ReadonlyArray<string>) => {
  const fork = await cluster.fork()
  try {
    await change(fork)
    await fork.advance("5m")
    const config = join(folder, "config")
    writeFileSync(config, (await fork.serve()).kubeconfig)
    return await charthouse(["plan", "-f", "next.json", "--kubeconfig", config, ...args], {
      "next.json": JSON.stringify(api("api:2"))
    })
  } finally {
    await fork.close()
  }
}

const quota = (hard: object): object => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "compute", ...inDefault },
  spec: { hard }
})

describe("a plan for a cluster that was changed after its Pods started", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly change: (fork: OpenCluster) => Promise<unknown>

    readonly desired?: number
    readonly fewest?: number
    readonly reason?: RegExp
    readonly advice?: RegExp
  }> = [
    { why: "keeps the live spec.replicas if the manifest has none", change: async () => {} },
    {
      why: "keeps a spec.replicas that was scaled",
      change: (fork) => fork.patch(apiRef, { spec: { replicas: 8 } }),
      desired: 8,
      fewest: 8
    },
    {
      why: "keeps spec.paused if the manifest does not set it",
      change: (fork) => fork.patch(apiRef, { spec: { paused: true } }),
      reason: /^spec\.paused is true/
    },
    {
      why: "leaves Pods on cordoned nodes and schedules no new ones there",
      change: async (fork) => {
        for (const name of ["node-1", "node-2"])
          await fork.patch({ resource: "nodes", name }, { spec: { unschedulable: true } })
      },
      reason: /^Unschedulable: .*2 node\(s\) were unschedulable/
    },
    {
      why: "leaves Pods on nodes that were tainted later",
      change: async (fork) => {
        const taints = [{ key: "gpu", effect: "NoSchedule" }]
        for (const name of ["node-1", "node-2"])
          await fork.patch({ resource: "nodes", name }, { spec: { taints } })
      },
      reason: /^Unschedulable: .*untolerated taint/
    },
    {
      why: "deletes no Pods for a quota below the present use",
      change: (fork) => fork.create(quota({ pods: "4" }) as never),
      reason: /exceeded quota: compute, requested: pods=1, used: pods=7, limited: pods=4$/,
      advice:
        /^ResourceQuota compute has pods: 4, of which 7 are used; .* and others up to 2\. Say pods: 8 there/
    },
    {
      why: "deletes no Pods for a LimitRange that they violate",
      change: (fork) =>
        fork.create({
          apiVersion: "v1",
          kind: "LimitRange",
          metadata: { name: "bounds", ...inDefault },
          spec: { limits: [{ type: "Container", max: { cpu: "1500m" } }] }
        } as never),
      reason: /maximum cpu usage per Container is 1500m, but limit is 2/
    },
    {
      why: "does not create Pods that a quota has kept from being created",
      change: async (fork) => {
        await fork.create(quota({ pods: "8" }) as never)
        await fork.patch(apiRef, { spec: { replicas: 9 } })
      },
      desired: 9,
      fewest: 6,
      reason: /exceeded quota: compute, requested: pods=1, used: pods=8, limited: pods=8$/,
      advice:
        /^ResourceQuota compute has pods: 8, of which 8 are used; .* and others up to 2\. Say pods: 12 there/
    }
  ]
  it.for(rows)("$why", async ({ change, desired = 5, fewest = 5, reason, advice }) => {
    const { stdout, stderr } = await planAfter(change, "--seeds", "2", "-o", "json")
    expect(stderr).toMatch(/^read from context/)
    const [rollout] = JSON.parse(stdout).rollouts
    expect(rollout).toMatchObject({ desired, available: { fewest }, stuck: reason === undefined ? 0 : 2 })
    expect(rollout.reasons.map((it: { reason: string }) => it.reason)).toEqual(
      reason === undefined ? [] : expect.arrayContaining([expect.stringMatching(reason)])
    )
    if (advice !== undefined)
      expect(rollout.advice).toContainEqual(expect.objectContaining({ text: expect.stringMatching(advice) }))
  })

  it("warns of a HorizontalPodAutoscaler of the Deployment", async () => {
    const autoscaler = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "api", ...inDefault },
      spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "api" } }
    }
    const { stdout, stderr } = await planAfter(
      (fork) => fork.apply(JSON.stringify(autoscaler)),
      "--seeds",
      "1",
      "-o",
      "json"
    )
    const expectedText =
      "HorizontalPodAutoscaler/api gives Deployment/api 1 to 9 replicas: the rollout may have " +
      "any of these sizes. No manifest says spec.replicas: kubectl apply leaves the 5 that there are, and this is the " +
      "plan of those"
    expect(stderr).toContain(`\nwarning: ${expectedText}\n`)
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [expectedText], rollouts: [{ desired: 5 }] })
  })

  it("respects a lowered quota with --exhaustive", async () => {
    const lowered = (fork: OpenCluster) => fork.create(quota({ pods: "7" }) as never)
    const { stdout } = await planAfter(lowered, "--exhaustive", "--failures", "0")
    expect(stdout).toMatch(/never more than 6 Pods asked for \(replicas 5 \+ surge 1\)/)
    expect(stdout).toMatch(
      /ResourceQuota compute allows pods 7, .* take 8: .*Deployment default\/api 6 x 1, others 2/
    )
  })
})
