import { describe, expect, it } from "vitest"
import { aManifest, deploymentManifest, podManifest } from "../../builders.ts"
import { Forbidden, openCluster } from "../../../src/index.ts"
import type { Draft, OpenCluster } from "../../../src/index.ts"

const aPod = (spec: object, name = "p"): Draft => podManifest(name, spec)
const aDeployment = (podSpec: object): Draft => deploymentManifest({ podSpec })
const account = aManifest("ServiceAccount", { name: "robot" })
const aClass = (name: string, value: number, more: object = {}): Draft =>
  aManifest("PriorityClass", { name }, { value, ...more })

const refusalOf = async (cluster: OpenCluster, pod: Draft): Promise<unknown> =>
  cluster.create(pod).then(
    () => "created",
    (error: unknown) => (error instanceof Forbidden ? error.message : error)
  )
const specOf = async (cluster: OpenCluster, name = "p"): Promise<object> => {
  const { spec } = (await cluster.get({ resource: "pods", name })) as { readonly spec?: object }
  return spec ?? {}
}

describe("a Pod", () => {
  it.each([
    {
      spec: { serviceAccountName: "robot" },
      says: 'error looking up service account default/robot: serviceaccount "robot" not found'
    },
    {
      spec: { serviceAccount: "robot" },
      says: 'error looking up service account default/robot: serviceaccount "robot" not found'
    },
    { spec: { priorityClassName: "vital" }, says: "no PriorityClass with name vital was found" },
    {
      spec: { priority: 7 },
      says:
        "the integer value of priority (7) must not be provided in pod spec; " +
        "priority admission controller computed 0 from the given PriorityClass name"
    },
    {
      spec: { preemptionPolicy: "Never" },
      says:
        "the string value of PreemptionPolicy (Never) must not be provided in pod spec; " +
        "priority admission controller computed PreemptLowerPriority from the given PriorityClass name"
    }
  ])("is refused with $spec while what it names is missing", async ({ spec, says }) => {
    await using cluster = await openCluster()
    expect(await refusalOf(cluster, aPod(spec))).toBe(`pods "p" is forbidden: ${says}`)
    await cluster.apply([account, aClass("vital", 700)])
    if (!("priority" in spec || "preemptionPolicy" in spec))
      expect(await refusalOf(cluster, aPod(spec))).toBe("created")
  })

  it("gets the priority of its class, of a system class, or of the global default", async () => {
    await using cluster = await openCluster()
    await cluster.create(aPod({}, "before"))
    await cluster.apply([
      aClass("vital", 700, { preemptionPolicy: "Never" }),
      aClass("usual", 30, { globalDefault: true }),
      aClass("common", 50)
    ])
    await cluster.create(aPod({ priorityClassName: "vital" }, "named"))
    await cluster.create(aPod({ priorityClassName: "system-node-critical" }, "system"))
    await cluster.create(aPod({}, "after"))
    expect(await specOf(cluster, "before")).toMatchObject({ priority: 0 })
    expect(await specOf(cluster, "named")).toMatchObject({
      priorityClassName: "vital",
      priority: 700,
      preemptionPolicy: "Never"
    })
    expect(await specOf(cluster, "system")).toMatchObject({ priority: 2_000_001_000 })
    expect(await specOf(cluster, "after")).toMatchObject({ priorityClassName: "usual", priority: 30 })
  })

  it.each([
    { priorityClassName: "usual", preemptionPolicy: "Never", computed: "PreemptLowerPriority" },
    {
      priorityClassName: "system-node-critical",
      preemptionPolicy: "Never",
      computed: "PreemptLowerPriority"
    },
    { priorityClassName: "gentle", preemptionPolicy: "PreemptLowerPriority", computed: "Never" },
    { priorityClassName: "gentle", preemptionPolicy: "Never", computed: "Never" },
    { preemptionPolicy: "Never", computed: "PreemptLowerPriority" },
    { preemptionPolicy: "PreemptLowerPriority", computed: "PreemptLowerPriority" }
  ] as const)(
    "has the preemption policy of its class, or is refused: $priorityClassName, $preemptionPolicy",
    async (row) => {
      await using cluster = await openCluster()
      await cluster.apply([aClass("usual", 700), aClass("gentle", 800, { preemptionPolicy: "Never" })])
      const { computed, ...spec } = row
      const why =
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; ` +
        `priority admission controller computed ${computed} from the given PriorityClass name`
      expect(await refusalOf(cluster, aPod(spec))).toBe(
        spec.preemptionPolicy === computed ? "created" : `pods "p" is forbidden: ${why}`
      )
    }
  )

  it("is applied after the objects that it names, and not before", async () => {
    await using cluster = await openCluster()
    const pod = aPod({ serviceAccountName: "robot", priorityClassName: "vital" })
    await expect(cluster.apply([pod, account, aClass("vital", 700)])).rejects.toThrow(
      'error looking up service account default/robot: serviceaccount "robot" not found'
    )
    expect(await cluster.list("serviceaccounts", { namespace: "default" })).toMatchObject({ items: [{}] })
    await cluster.apply([account, aClass("vital", 700), pod])
    expect(await specOf(cluster)).toMatchObject({ serviceAccountName: "robot", priority: 700 })
    const [, , again] = await cluster.apply([account, aClass("vital", 700), pod])
    expect(again?.outcome).toBe("unchanged")
  })
})

describe("a ReplicaSet whose Pods are refused", () => {
  it.each([
    {
      pod: { serviceAccountName: "robot" },
      says: 'error looking up service account default/robot: serviceaccount "robot" not found'
    },
    { pod: { priorityClassName: "vital" }, says: "no PriorityClass with name vital was found" }
  ])("emits FailedCreate for $pod, and continues when the named object exists", async ({ pod, says }) => {
    await using cluster = await openCluster({ behaviour: "instant" })
    await cluster.apply(aDeployment(pod))
    await cluster.advance("5s")
    const failures = (await cluster.events()).filter(({ reason }) => reason === "FailedCreate")
    expect(failures.at(0)?.message).toMatch(/^Error creating: pods "web-[a-z0-9]+-" is forbidden: /)
    expect(failures.at(0)?.message).toContain(says)
    const [set] = (await cluster.list("replicasets.apps")).items as ReadonlyArray<object>
    expect(set).toMatchObject({
      status: { conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }] }
    })
    await cluster.apply([account, aClass("vital", 700)])
    expect(await cluster.rollout("web", { limit: "30m" })).toMatchObject({ outcome: "complete" })
    expect((await cluster.list("pods")).items).toHaveLength(3)
  })
})
