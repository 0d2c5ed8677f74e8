import { describe, expect, it } from "vitest"
import {
  BadRequest,
  Conflict,
  defineStrategy,
  Invalid,
  InvalidOptions,
  ManifestsRefused,
  NotFound,
  openCluster,
  resources,
  steady,
  UnapplicablePatch
} from "../../src/index.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { aManifest } from "./worlds.ts"
import type { ClusterOptions, DeleteOptions, OpenCluster, ReplicaSet } from "../../src/index.ts"

const web = { resource: resources.deployments, name: "web" }

const within = async <A>(
  story: (cluster: OpenCluster) => Promise<A>,
  options: ClusterOptions = {}
): Promise<A> => {
  await using cluster = await openCluster(options)
  return await story(cluster)
}

describe("options that cannot be meant", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly options: object
    readonly says: string | RegExp
  }> = [
    {
      why: "there are no fewer nodes than none",
      options: { nodes: -1 },
      says: "nodes must be an integer from 0 to 5000"
    },
    { why: "half a node is none", options: { nodes: 1.5 }, says: "nodes must be an integer" },
    { why: "time does not stand", options: { clock: { speed: 0 } }, says: "clock must be" },
    { why: "the command's word is not the library's", options: { clock: "60x" }, says: "clock must be" },
    {
      why: "an option that nobody reads",
      options: { sed: 3 },
      says: "sed is no option of a cluster: did you mean seed?"
    },
    {
      why: "nor one of another thing",
      options: { replicas: 3 },
      says: /replicas is no option of a cluster: clock, seed,.* are/
    },
    { why: "chance needs a number", options: { seed: Number.NaN }, says: "seed must be an integer, not NaN" },
    { why: "and no text of one", options: { seed: "7" }, says: 'seed must be an integer, not "7"' },
    {
      why: "no nodes are 0",
      options: { nodes: null },
      says: "nodes must be an integer from 0 to 5000, not null"
    },
    {
      why: "a node has so many cores",
      options: { nodes: { count: 2, cpu: "many" } },
      says: 'nodes.cpu must be a quantity from 0 on, such as "4" or "500m", not "many"'
    },
    {
      why: "and not fewer than none",
      options: { nodes: { cpu: "-4" } },
      says: "nodes.cpu must be a quantity"
    },
    {
      why: "a suffix that there is not",
      options: { nodes: { memory: "1x" } },
      says: 'nodes.memory must be a quantity from 0 on, such as "8Gi", not "1x"'
    },
    {
      why: "fewer Pods than none",
      options: { nodes: { pods: -4 } },
      says: "nodes.pods must be an integer from 0"
    },
    {
      why: "labels have a form",
      options: { nodes: { labels: { "a b": "c" } } },
      says: 'nodes.labels: "a b": name'
    },
    {
      why: "and values too",
      options: { nodes: { labels: { a: "b c" } } },
      says: 'nodes.labels: "b c": a valid label'
    },
    {
      why: "an option of nodes that nobody reads",
      options: { nodes: { cpus: "4" } },
      says: "cpus is no option of nodes: did you mean cpu?"
    },
    { why: "nobody is called so", options: { behaviour: "hasty" }, says: 'no behaviour is called "hasty"' },
    {
      why: "a delay is a text with a unit",
      options: { behaviour: { ...steady, name: "quick", start: "soon" } },
      says: 'behaviour "quick"'
    },
    {
      why: "a chart must have the states that it goes to",
      options: {
        strategies: [
          defineStrategy({
            type: "Odd",
            state: "odd",
            guards: {},
            commands: {},
            isCreating: () => false,
            chart: { initial: "nowhere", states: { done: { type: "final" } } }
          })
        ]
      },
      says: 'the strategy "Odd" goes to "nowhere"'
    },
    {
      why: "a state of the rollout cannot be replaced",
      options: {
        strategies: [
          defineStrategy({
            type: "Odd",
            state: "paused",
            guards: {},
            commands: {},
            isCreating: () => false,
            chart: { initial: "done", states: { done: { type: "final" } } }
          })
        ]
      },
      says: "is taken"
    }
  ]
  it.each(rows)("are refused when the cluster is made: $why", async ({ options, says }) => {
    await expect(openCluster(options as ClusterOptions)).rejects.toThrow(says)
  })

  it("can be caught by class", async () => {
    await expect(openCluster(null as never)).rejects.toBeInstanceOf(InvalidOptions)
    await expect(openCluster("virtual" as never)).rejects.toThrow("the options must be an object")
    await expect(openCluster({ nodes: -1, seed: 0.5 })).rejects.toBeInstanceOf(InvalidOptions)
  })
})

describe("a refusal", () => {
  it("can be caught by class and says what the server would say", () =>
    within(async (cluster) => {
      await cluster.apply(aManifest({}))
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
      await expect(cluster.apply([aManifest({}), undefined as never])).rejects.toThrow(
        "manifest (document 2): an object is wanted, or a text of YAML: here is undefined"
      )
      await expect(cluster.create({ apiVersion: "v1", kind: "Pod" } as never)).rejects.toThrow(
        /metadata|name/
      )
      await expect(cluster.advance("foo")).rejects.toThrow(/a duration such as .* not "foo"$/)
      expect((await cluster.get(web)).spec.replicas).toBe(3)
    }))
})

describe("an object", () => {
  it("is written inline with the fields of its kind, and read with its type", () =>
    within(async (cluster) => {
      // That this compiles is what is tested here.
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

describe("a deletion that cannot be meant", () => {
  it.each([
    {
      why: "a policy there is not",
      options: { propagationPolicy: "Wrong" },
      refusal: Invalid,
      says:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Wrong": ' +
        'supported values: "Foreground", "Background", "Orphan", "nil"'
    },
    {
      why: "half a second of grace",
      options: { gracePeriodSeconds: 0.5 },
      refusal: BadRequest,
      says:
        "json: cannot unmarshal number 0.5 into Go struct field DeleteOptions.gracePeriodSeconds of " +
        "type int64"
    },
    {
      why: "a grace in words",
      options: { gracePeriodSeconds: "soon" },
      refusal: BadRequest,
      says: "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64"
    }
  ])("is refused in the server's words, and deletes nothing: $why", ({ options, refusal, says }) =>
    within(async (cluster) => {
      await cluster.apply(aManifest({}))
      const deletion = cluster.delete(web, options as DeleteOptions)
      await expect(deletion).rejects.toBeInstanceOf(refusal)
      await expect(deletion).rejects.toThrow(says)
      expect((await cluster.get(web)).metadata.deletionTimestamp).toBeUndefined()
    })
  )

  it("but for a negative grace, which is one second", () =>
    within(async (cluster) => {
      await cluster.apply(aManifest({ replicas: 1 }))
      await cluster.rollout("web")
      const [pod] = (await cluster.list(resources.pods)).items
      const left = await cluster.delete(
        { resource: resources.pods, name: pod?.metadata.name ?? "" },
        { gracePeriodSeconds: -7 }
      )
      expect(left.metadata.deletionGracePeriodSeconds).toBe(1)
    }))
})

describe("a Pod that nobody moves", () => {
  it("is put on the node that is named, once", () =>
    within(
      async (cluster) => {
        await cluster.apply(aManifest({ replicas: 1 }))
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

describe("a patch", () => {
  it("is read as a new object is: times in whole seconds, and nothing of the wrong type", () =>
    within(async (cluster) => {
      await cluster.apply(aManifest({}))
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

describe("somebody else's mistake", () => {
  it.each(["virtual", "real"] as const)("in a predicate ends that waiting alone, on a %s clock", (clock) =>
    within(
      async (cluster) => {
        const failing = cluster.until(() => {
          throw new Error("a predicate's own")
        })
        await expect(failing).rejects.toThrow("a predicate's own")
        await cluster.apply(aManifest({ replicas: 2 }))
        expect((await cluster.rollout("web")).outcome).toBe("complete")
      },
      { clock, behaviour: "instant" }
    )
  )
})

describe("more Pods than any machine holds", () => {
  it("are refused as by a quota, and said so in the ReplicaFailure condition", () =>
    within(
      async (cluster) => {
        await cluster.apply(aManifest({ replicas: 10_000_000 }))
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

describe("a spec that is shared", () => {
  it("by ReplicaSets of two clusters leaves each with Pods of its own", () =>
    within((one) =>
      within(async (other) => {
        await one.apply(aManifest({ replicas: 2 }))
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
