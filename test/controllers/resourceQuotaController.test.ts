import { describe, expect, it } from "vitest"
import {
  limitRangeManifest,
  namespaceManifest,
  podManifest,
  quotaManifest,
  replicaSetManifest
} from "../builders.ts"
import { Forbidden, openCluster, resources } from "../../src/index.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import type { ClusterOptions, Draft, OpenCluster } from "../../src/index.ts"

const withCluster = async (
  check: (cluster: OpenCluster) => Promise<void>,
  options: ClusterOptions = {}
): Promise<void> => {
  await using cluster = await openCluster(options)
  await check(cluster)
}

const web = { resource: resources.deployments, name: "web" }
const quota = { resource: resources.resourceQuotas, name: "q" }
const setPods = (cluster: OpenCluster, pods: number) =>
  cluster.patch(quota, { spec: { hard: { pods: String(pods) } } })

const activePods = async (cluster: OpenCluster): Promise<number> =>
  (await cluster.list(resources.pods)).items.filter(isPodActive).length

const usedOf = async (cluster: OpenCluster): Promise<object | undefined> =>
  (await cluster.get(quota)).status.used

const reachesSize = async (cluster: OpenCluster, size: number): Promise<boolean> => {
  const pods = new Set<string>()
  for (const pod of (await cluster.list(resources.pods)).items)
    if (isPodActive(pod)) pods.add(pod.metadata.uid)
  const stop = cluster.onChange(({ type, object, resource }) => {
    if (resource !== resources.pods) return
    if (type === "DELETED" || object.metadata.deletionTimestamp !== undefined)
      pods.delete(object.metadata.uid)
    else pods.add(object.metadata.uid)
  })
  const reached = await cluster.until(() => pods.size === size, "1001s")
  stop()
  return reached
}

/** ReplicaFailure of the Deployment and of its ReplicaSet. */
const failures = async (cluster: OpenCluster) => {
  const { items } = await cluster.list(resources.replicaSets, { labelSelector: "app=web" })
  const [replicaSet] = items
  return [
    conditionOf((await cluster.get(web)).status.conditions, "ReplicaFailure"),
    conditionOf(replicaSet?.status.conditions, "ReplicaFailure")
  ]
}

describe("a Deployment of five Pods under a quota of two", () => {
  it("has two Pods, and ReplicaFailure with the server's message", () =>
    withCluster(async (cluster) => {
      await cluster.apply([quotaManifest({ pods: "2" }), deploymentManifest({ replicas: 5 })])
      await cluster.advance("1m")
      expect(await activePods(cluster)).toBe(2)
      const [ofDeployment, ofReplicaSet] = await failures(cluster)
      const refused =
        /^pods "web-[a-z0-9]+-[a-z0-9]{5}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2$/
      expect(ofReplicaSet).toMatchObject({ status: "True", reason: "FailedCreate" })
      expect(ofReplicaSet?.message).toMatch(refused)
      expect(ofDeployment).toMatchObject({
        status: "True",
        reason: "FailedCreate",
        message: ofReplicaSet?.message
      })
      const events = (await cluster.events()).filter(({ reason }) => reason === "FailedCreate")
      expect(events[0]).toMatchObject({ type: "Warning", involvedObject: { kind: "ReplicaSet" } })
      expect(events[0]?.message?.replace("Error creating: ", "")).toMatch(refused)
      expect(await usedOf(cluster)).toEqual({ pods: "2" })
    }))

  it("reaches its size some time after the quota is raised, and ReplicaFailure goes", () =>
    withCluster(async (cluster) => {
      await cluster.apply([quotaManifest({ pods: "2" }), deploymentManifest({ replicas: 5 })])
      await cluster.advance("1m")
      await setPods(cluster, 7)
      expect(await reachesSize(cluster, 5)).toBe(true)
      await cluster.settle()
      expect(await failures(cluster)).toEqual([undefined, undefined])
      expect((await cluster.rollout("web")).outcome).toBe("complete")
      expect(await usedOf(cluster)).toEqual({ pods: "5" })
    }))

  it("waits for its back-off: a raised quota does not wake the ReplicaSet", () =>
    withCluster(async (cluster) => {
      await cluster.apply([quotaManifest({ pods: "2" }), deploymentManifest({ replicas: 5 })])
      await cluster.advance("400s")
      await setPods(cluster, 7)
      await cluster.advance("60s")
      expect(await activePods(cluster)).toBe(2)
      expect(await reachesSize(cluster, 5)).toBe(true)
    }))

  it("gets a third Pod when another Pod in the quota is gone", () =>
    withCluster(async (cluster) => {
      await cluster.apply([quotaManifest({ pods: "3" }), podManifest("other")])
      await cluster.apply(deploymentManifest({ replicas: 3 }))
      await cluster.advance("1m")
      expect(await activePods(cluster)).toBe(3)
      expect((await failures(cluster)).map((it) => it?.status)).toEqual(["True", "True"])
      await cluster.delete({ resource: resources.pods, name: "other" }, { gracePeriodSeconds: 0 })
      expect(await usedOf(cluster)).toEqual({ pods: "2" })
      expect(await reachesSize(cluster, 3)).toBe(true)
      await cluster.settle()
      expect(await failures(cluster)).toEqual([undefined, undefined])
    }))

  it("reaches its size when the quota is deleted", () =>
    withCluster(async (cluster) => {
      await cluster.apply([quotaManifest({ pods: "2" }), deploymentManifest({ replicas: 5 })])
      await cluster.advance("10s")
      await cluster.delete(quota)
      expect(await reachesSize(cluster, 5)).toBe(true)
    }))
})

describe("slow start under a quota", () => {
  it.each([
    { room: 4, wanted: 20, failed: 3, why: "batches of 1, 2 and 4, the last of which fails in part" },
    { room: 7, wanted: 20, failed: 8, why: "three whole batches, and the fourth fails as a whole" },
    { room: 0, wanted: 20, failed: 1, why: "a first batch of one" },
    { room: 4, wanted: 5, failed: 1, why: "a last batch of the remainder" }
  ])("of $room Pods for $wanted gets $failed refusals: $why", ({ room, wanted, failed }) =>
    withCluster(async (cluster) => {
      let [refusals, isReported] = [0, false]
      cluster.onChange(({ resource, object }) => {
        if (resource === resources.replicaSets) isReported ||= JSON.stringify(object).includes("FailedCreate")
        if (resource === resources.events && !isReported && "reason" in object) {
          refusals += object.reason === "FailedCreate" ? 1 : 0
        }
      })
      await cluster.apply([quotaManifest({ pods: String(room) }), deploymentManifest({ replicas: wanted })])
      await cluster.advance(0)
      expect([await activePods(cluster), isReported, refusals]).toEqual([room, true, failed])
    })
  )
})

describe("the end-to-end suite of Kubernetes", () => {
  it("ReplicaSet should surface a failure condition on a common issue like exceeded quota", () =>
    withCluster(async (cluster) => {
      const name = "condition-test"
      await cluster.create(quotaManifest({ pods: "2" }, name))
      await cluster.create(replicaSetManifest({ name, replicas: 3 }))
      await cluster.advance("10s")
      const replicaSet = { resource: resources.replicaSets, name }
      const failure = async () =>
        conditionOf((await cluster.get(replicaSet)).status.conditions, "ReplicaFailure")
      expect(await failure()).toMatchObject({ status: "True", reason: "FailedCreate" })
      await cluster.patch(replicaSet, { spec: { replicas: 2 } })
      await cluster.advance("10s")
      expect(await failure()).toBeUndefined()
    }))
})

describe("a rollout under a full quota", () => {
  it("is stuck when maxUnavailable is 0", () =>
    withCluster(async (cluster) => {
      const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      await cluster.apply([
        quotaManifest({ pods: "3" }),
        deploymentManifest({ replicas: 3, spec: { strategy } })
      ])
      await cluster.rollout("web")
      await cluster.apply(deploymentManifest({ replicas: 3, version: "v2", spec: { strategy } }))
      expect((await cluster.rollout("web")).outcome).toBe("failed")
      expect((await cluster.get(web)).status).toMatchObject({ availableReplicas: 3, unavailableReplicas: 1 })
    }))

  it("completes when maxUnavailable is 1, with each new Pod after an old one is gone", () =>
    withCluster(async (cluster) => {
      const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }
      await cluster.apply([
        quotaManifest({ pods: "3" }),
        deploymentManifest({ replicas: 3, spec: { strategy } })
      ])
      await cluster.rollout("web")
      await cluster.apply(deploymentManifest({ replicas: 3, version: "v2", spec: { strategy } }))
      expect((await cluster.rollout("web")).outcome).toBe("complete")
    }))
})

describe("a quota", () => {
  it("counts existing objects when it is created, and removes none", () =>
    withCluster(async (cluster) => {
      await cluster.apply(deploymentManifest({ replicas: 4 }))
      await cluster.rollout("web")
      await cluster.create(
        quotaManifest({ pods: "3", "count/pods": "9", "count/replicasets.apps": "5", secrets: "1" })
      )
      expect((await cluster.get(quota)).status).toEqual({
        hard: { "count/pods": "9", "count/replicasets.apps": "5", pods: "3", secrets: "1" },
        used: { "count/pods": "4", "count/replicasets.apps": "1", pods: "4", secrets: "0" }
      })
      await expect(cluster.create(podManifest("more"))).rejects.toThrow("used: pods=4, limited: pods=3")
      expect(await activePods(cluster)).toBe(4)
    }))

  it("lowered below its usage removes nothing and refuses new objects", () =>
    withCluster(async (cluster) => {
      await cluster.apply([quotaManifest({ pods: "6" }), deploymentManifest({ replicas: 4 })])
      await cluster.rollout("web")
      await setPods(cluster, 1)
      await cluster.patch(web, { spec: { replicas: 5 } })
      await cluster.advance("5s")
      expect(await activePods(cluster)).toBe(4)
      expect((await cluster.get(quota)).status).toEqual({ hard: { pods: "1" }, used: { pods: "4" } })
      expect((await failures(cluster)).map((it) => it?.reason)).toEqual(["FailedCreate", "FailedCreate"])
    }))

  it("has its usage in its status after each write, written once per turn", () =>
    withCluster(async (cluster) => {
      await cluster.create(quotaManifest({ pods: "90" }))
      await cluster.create(podManifest("one"))
      expect(await usedOf(cluster)).toEqual({ pods: "1" })
      let reports = 0
      cluster.onChange(({ resource }) => (reports += resource === resources.resourceQuotas ? 1 : 0))
      await cluster.apply(deploymentManifest({ replicas: 50 }))
      await cluster.advance(0)
      expect(await usedOf(cluster)).toEqual({ pods: "51" })
      expect(reports).toBe(1)
    }))

  it("keeps its status when a client writes its spec", () =>
    withCluster(async (cluster) => {
      await cluster.create({ ...quotaManifest({ pods: "2" }), status: { used: { pods: "44" } } } as Draft)
      await cluster.create(podManifest("one"))
      await cluster.patch(quota, { status: { used: { pods: "70" } }, spec: { hard: { pods: "3" } } })
      expect((await cluster.get(quota)).status).toEqual({ hard: { pods: "3" }, used: { pods: "1" } })
    }))

  it("writes no status when a limit is only written in another way", () =>
    withCluster(async (cluster) => {
      await cluster.create(quotaManifest({ memory: "1Gi" }))
      const { metadata } = await cluster.patch(quota, { spec: { hard: { memory: "1073741824" } } })
      await cluster.settle()
      const { metadata: after, status } = await cluster.get(quota)
      expect(after.resourceVersion).toBe(metadata.resourceVersion)
      expect(status).toEqual({ hard: { memory: "1Gi" }, used: { memory: "0" } })
    }))

  it("is limited to its namespace, and deleted with it", () =>
    withCluster(async (cluster) => {
      await cluster.create(namespaceManifest("shop"))
      const there = quotaManifest({ pods: "0" })
      await cluster.create({ ...there, metadata: { ...there.metadata, namespace: "shop" } })
      await cluster.create(podManifest("here"))
      const pod = podManifest("there")
      const inShop: Draft = { ...pod, metadata: { ...pod.metadata, namespace: "shop" } }
      await expect(cluster.create(inShop)).rejects.toBeInstanceOf(Forbidden)
      await cluster.delete({ resource: resources.namespaces, name: "shop" })
      await cluster.settle()
      expect((await cluster.list(resources.resourceQuotas)).items).toEqual([])
      await cluster.create(namespaceManifest("shop"))
      await cluster.create(inShop)
    }))

  it("counts a finished Pod as an object only, and a terminating Pod until it is gone", () =>
    withCluster(
      async (cluster) => {
        await cluster.create(quotaManifest({ pods: "1", "count/pods": "3" }))
        const job = podManifest("job")
        await cluster.create({ ...job, spec: { ...job.spec, restartPolicy: "Never" } } as Draft)
        await cluster.advance("1m")
        expect(await usedOf(cluster)).toEqual({ pods: "0", "count/pods": "1" })
        await cluster.create(podManifest("next"))
        await cluster.advance("2s")
        await cluster.delete({ resource: resources.pods, name: "next" })
        expect(await usedOf(cluster)).toEqual({ pods: "1", "count/pods": "2" })
        await cluster.advance("40s")
        expect(await usedOf(cluster)).toEqual({ pods: "0", "count/pods": "1" })
      },
      {
        behaviours: [
          {
            name: "job",
            match: { name: "job" },
            exit: { after: "3s", code: 0 }
          }
        ]
      }
    ))

  it("ceases to count a Pod on a lost node after twice its grace period", () =>
    withCluster(
      async (cluster) => {
        await cluster.create(quotaManifest({ pods: "1" }))
        await cluster.create(podManifest("stuck"))
        await cluster.advance("10s")
        await cluster.setKubelet("node-1", "stopped")
        await cluster.delete({ resource: resources.pods, name: "stuck" })
        await cluster.advance("59s")
        await expect(cluster.create(podManifest("next"))).rejects.toThrow("exceeded quota: q")
        expect(await usedOf(cluster)).toEqual({ pods: "1" })
        await cluster.advance("2s")
        expect(await usedOf(cluster)).toEqual({ pods: "0" })
        await cluster.create(podManifest("next"))
        expect((await cluster.list(resources.pods)).items.map(({ metadata }) => metadata.name)).toEqual([
          "next",
          "stuck"
        ])
        expect(await usedOf(cluster)).toEqual({ pods: "1" })
      },
      { nodes: 1 }
    ))
})

describe("several ReplicaSets under one quota", () => {
  const playTwoReplicaSets = async (options: ClusterOptions) => {
    const log: Array<string> = []
    let [most, active] = [0, 0]
    let used: object | undefined
    await withCluster(async (cluster) => {
      const present = new Set<string>()
      cluster.onChange(({ type, resource, object }) => {
        log.push(`${type} ${JSON.stringify(object)}`)
        if (resource !== resources.pods) return
        if (type === "DELETED") present.delete(object.metadata.uid)
        else present.add(object.metadata.uid)
        most = Math.max(most, present.size)
      })
      await cluster.apply([
        quotaManifest({ pods: "10" }),
        ...["a", "b", "c"].map((name) => deploymentManifest({ name, replicas: 7 }))
      ])
      await cluster.advance("2m")
      for (const name of ["a", "b"]) await cluster.patch({ ...web, name }, { spec: { replicas: 2 } })
      await cluster.advance("20m")
      active = await activePods(cluster)
      used = await usedOf(cluster)
    }, options)
    return { log, end: { most, active, used } }
  }

  it.each([1, 2, 3, 5, 8, 13])("never exceed it, in the order of seed %i", async (seed) => {
    const { end } = await playTwoReplicaSets({ seed, shuffleSeed: seed })
    expect(end).toEqual({ most: 10, active: 10, used: { pods: "10" } })
  })

  it("play equally with the same seed", async () => {
    expect((await playTwoReplicaSets({ seed: 4 })).log).toEqual((await playTwoReplicaSets({ seed: 4 })).log)
  })
})

describe("a LimitRange", () => {
  it("sets default requests and limits of Pods, which a quota then counts, and not of templates", () =>
    withCluster(async (cluster) => {
      const sizes = limitRangeManifest({ defaultRequest: { cpu: "250m" }, max: { cpu: "1" } })
      await cluster.apply([quotaManifest({ "requests.cpu": "1", "limits.cpu": "3" }), sizes])
      await cluster.apply(deploymentManifest({ replicas: 5 }))
      await cluster.advance("1m")
      const { items } = await cluster.list(resources.pods)
      expect(items.map(({ spec }) => spec.containers[0]?.resources)).toEqual(
        Array.from({ length: 3 }, () => ({ limits: { cpu: "1" }, requests: { cpu: "250m" } }))
      )
      expect(items[0]?.metadata.annotations?.["kubernetes.io/limit-ranger"]).toBe(
        "LimitRanger plugin set: cpu request for container app; cpu limit for container app"
      )
      expect(await usedOf(cluster)).toEqual({ "limits.cpu": "3", "requests.cpu": "750m" })
      expect((await failures(cluster))[1]?.message).toMatch(
        /exceeded quota: q, requested: limits.cpu=1, used: limits.cpu=3, limited: limits.cpu=3$/
      )
      expect((await cluster.get(web)).spec.template.spec?.containers[0]?.resources).toEqual({})
    }))

  it("that a template violates is in the ReplicaSet's failure, with the Pod's name", () =>
    withCluster(async (cluster) => {
      await cluster.apply([
        limitRangeManifest({ max: { cpu: "1", memory: "1Gi" } }),
        deploymentManifest({ replicas: 2, container: { resources: { limits: { cpu: "2", memory: "3Gi" } } } })
      ])
      await cluster.advance("1s")
      expect((await failures(cluster))[1]?.message).toMatch(
        /^pods "web-[a-z0-9]+-[a-z0-9]{5}" is forbidden: \[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 3Gi\]$/
      )
    }))

  it("is needed for Pods without requests under a quota of cpu", () =>
    withCluster(async (cluster) => {
      await cluster.apply([quotaManifest({ cpu: "1" }), deploymentManifest({ replicas: 2 })])
      await cluster.advance("1s")
      expect((await failures(cluster))[0]?.message).toMatch(/failed quota: q: must specify cpu for: app$/)
    }))
})
