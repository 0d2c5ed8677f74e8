import { describe, expect, it } from "vitest"
import {
  BadRequest,
  Conflict,
  Invalid,
  ManifestsRefused,
  NotFound,
  openCluster,
  resources,
  UnapplicablePatch
} from "../../src/index.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { ClusterOptions, DeleteOptions, OpenCluster, ReplicaSet } from "../../src/index.ts"

const web = { resource: resources.deployments, name: "web" }

const withCluster = async <A>(
  check: (cluster: OpenCluster) => Promise<A>,
  options: ClusterOptions = {}
): Promise<A> => {
  await using cluster = await openCluster(options)
  return await check(cluster)
}

describe("an error", () => {
  it("of a call has the class and message of the server's error", () =>
    withCluster(async (cluster) => {
      await cluster.apply(deploymentManifest({}))
      const stale = { metadata: { resourceVersion: "1" }, spec: { replicas: 9 } }
      await expect(cluster.patch(web, stale)).rejects.toBeInstanceOf(Conflict)
      await expect(cluster.patch(web, { metadata: { uid: "another" } })).rejects.toBeInstanceOf(Invalid)
      await expect(cluster.patch(web, { metadata: { name: "other" } })).rejects.toBeInstanceOf(
        UnapplicablePatch
      )
      await expect(cluster.get({ ...web, name: "nope" })).rejects.toBeInstanceOf(NotFound)
      await expect(cluster.rollout("nope")).rejects.toBeInstanceOf(NotFound)
      await expect(cluster.setKubelet("node-1", "off" as never)).rejects.toThrow(
        'a kubelet is "running" or "stopped", not "off"'
      )
      await expect(cluster.list("foos")).rejects.toBeInstanceOf(BadRequest)
      await expect(cluster.apply("kind: [")).rejects.toBeInstanceOf(ManifestsRefused)
      await expect(cluster.apply(undefined as never)).rejects.toThrow(ManifestsRefused)
      await expect(cluster.apply([deploymentManifest({}), undefined as never])).rejects.toThrow(
        "manifest (document 2): an object or a text of YAML is needed here, not undefined"
      )
      await expect(cluster.create({ apiVersion: "v1", kind: "Pod" } as never)).rejects.toThrow(
        /metadata|name/
      )
      await expect(cluster.advance("foo")).rejects.toThrow(/a duration such as .* not "foo"$/)
      expect((await cluster.get(web)).spec.replicas).toBe(3)
    }))
})

describe("an object", () => {
  it("is typed by its kind when written inline and when read", () =>
    withCluster(async (cluster) => {
      // This tests types: it has to compile.
      await cluster.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { b: "c" } })
      await cluster.apply([
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "web" },
          spec: { selector: { app: "web" }, ports: [{ port: 80 }] }
        },
        { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { b: "c" } }
      ])
      const { data } = await cluster.get({ resource: "configmaps", name: "a" })
      const secret = await cluster.get({ resource: "secrets", name: "s" })
      const { spec } = await cluster.get({ resource: "services", name: "web" })
      expect([data?.["b"], secret.type, secret.data?.["b"], spec.ports?.[0]?.port]).toEqual([
        "c",
        "Opaque",
        "Yw==",
        80
      ])
    }))
})

describe("cluster.delete with invalid options", () => {
  it.each([
    {
      why: "an unknown propagationPolicy",
      options: { propagationPolicy: "Wrong" },
      refusal: Invalid,
      says:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Wrong": ' +
        'supported values: "Foreground", "Background", "Orphan", "nil"'
    },
    {
      why: "a fraction of a second as grace period",
      options: { gracePeriodSeconds: 0.5 },
      refusal: BadRequest,
      says:
        "json: cannot unmarshal number 0.5 into Go struct field DeleteOptions.gracePeriodSeconds of " +
        "type int64"
    },
    {
      why: "a string as grace period",
      options: { gracePeriodSeconds: "soon" },
      refusal: BadRequest,
      says: "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64"
    }
  ])("is refused with the server's message, and deletes nothing: $why", ({ options, refusal, says }) =>
    withCluster(async (cluster) => {
      await cluster.apply(deploymentManifest({}))
      const deletion = cluster.delete(web, options as DeleteOptions)
      await expect(deletion).rejects.toBeInstanceOf(refusal)
      await expect(deletion).rejects.toThrow(says)
      expect((await cluster.get(web)).metadata.deletionTimestamp).toBeUndefined()
    })
  )

  it("treats a negative grace period as one second", () =>
    withCluster(async (cluster) => {
      await cluster.apply(deploymentManifest({ replicas: 1 }))
      await cluster.rollout("web")
      const [pod] = (await cluster.list(resources.pods)).items
      const left = await cluster.delete(
        { resource: resources.pods, name: pod?.metadata.name ?? "" },
        { gracePeriodSeconds: -7 }
      )
      expect(left.metadata.deletionGracePeriodSeconds).toBe(1)
    }))
})

describe("a Pod without a scheduler", () => {
  it("is bound by cluster.bind, once", () =>
    withCluster(
      async (cluster) => {
        await cluster.apply(deploymentManifest({ replicas: 1 }))
        await cluster.advance(0)
        const [pod] = (await cluster.list(resources.pods)).items
        const name = pod?.metadata.name ?? ""
        expect(pod?.spec.nodeName).toBeUndefined()
        await cluster.bind({ name, node: "node-2" })
        const bound = await cluster.get({ resource: resources.pods, name })
        expect(bound.spec.nodeName).toBe("node-2")
        expect(bound.status.conditions?.map(({ type, status }) => [type, status])).toEqual([
          ["PodScheduled", "True"]
        ])
        await expect(cluster.bind({ name, node: "node-3" })).rejects.toThrow(
          `pod ${name} is already assigned to node "node-2"`
        )
        await expect(cluster.bind({ name: "nope", node: "node-3" })).rejects.toBeInstanceOf(NotFound)
        await expect(cluster.bind({ name, node: "" })).rejects.toThrow(
          `Binding "${name}" is invalid: target.name: Required value`
        )
      },
      { behaviour: "manual" }
    ))
})

describe("cluster.patch", () => {
  it("decodes its result as a new object: times in whole seconds, no unknown fields", () =>
    withCluster(async (cluster) => {
      await cluster.apply(deploymentManifest({}))
      const condition = {
        type: "Odd",
        status: "True",
        reason: "Odd",
        message: "",
        lastTransitionTime: "2026-03-04T07:06:07.7+02:00"
      }
      await cluster.patch(web, { status: { conditions: [condition] } }, { status: true })
      const { status } = await cluster.get(web)
      const stored = status.conditions?.find(({ type }) => type === "Odd")
      expect(stored?.lastTransitionTime).toBe("2026-03-04T05:06:07Z")
      await expect(cluster.patch(web, { spec: { replicas: "many" } })).rejects.toBeInstanceOf(
        UnapplicablePatch
      )
      await expect(cluster.patch(web, { spec: { replica: 7 } })).rejects.toThrow(
        'unknown field "spec.replica"'
      )
      expect((await cluster.get(web)).spec.replicas).toBe(3)
    }))
})

describe("an error in a predicate of until", () => {
  it.each(["virtual", "real"] as const)("rejects that call only, on a %s clock", (clock) =>
    withCluster(
      async (cluster) => {
        const failing = cluster.until(() => {
          throw new Error("a predicate's own")
        })
        await expect(failing).rejects.toThrow("a predicate's own")
        await cluster.apply(deploymentManifest({ replicas: 2 }))
        expect((await cluster.rollout("web")).outcome).toBe("complete")
      },
      { clock, behaviour: "instant" }
    )
  )
})

describe("a Deployment of millions of Pods", () => {
  it("gets Pods up to podsMax, and ReplicaFailure for the rest", () =>
    withCluster(
      async (cluster) => {
        await cluster.apply(deploymentManifest({ replicas: 10_000_000 }))
        await cluster.advance("10s")
        const { items } = await cluster.list(resources.pods)
        expect(items).toHaveLength(300)
        const { status } = await cluster.get(web)
        const failure = status.conditions?.find(({ type }) => type === "ReplicaFailure")
        expect([failure?.reason, failure?.message]).toEqual([
          "FailedCreate",
          expect.stringMatching(
            /^pods "web-[a-z0-9]+-[a-z0-9]{5}" is forbidden: exceeded quota: cluster, requested: pods=1, used: pods=300, limited: pods=300$/
          )
        ])
      },
      { podsMax: 300 }
    ))
})

describe("a ReplicaSet that is shared by two clusters", () => {
  it("gets Pods of its own in each cluster", () =>
    withCluster((one) =>
      withCluster(async (other) => {
        await one.apply(deploymentManifest({ replicas: 2 }))
        await one.rollout("web")
        const [first] = (await one.list(resources.replicaSets)).items
        const copy = {
          ...first,
          metadata: { name: "copy", namespace: "default", labels: first?.metadata.labels }
        }
        await other.create(copy as ReplicaSet)
        await other.settle()
        expect((await other.list(resources.pods)).items.filter(isPodActive)).toHaveLength(2)
      })
    ))
})
