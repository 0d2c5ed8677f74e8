import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { quotaUsedElsewhereAnnotation } from "../../../src/kubernetes/core/quotas.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { aConfigMapDraft, aDeploymentDraft, aPodDraft, aStore, refusalOf, run } from "../testStore.ts"
import { aManifest } from "../../builders.ts"
import type { LooseDraft } from "../../builders.ts"

const aQuota = (hard: Readonly<Record<string, string>>, more: object = {}, name = "q"): LooseDraft => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name, namespace: "shop" },
  spec: { hard, ...more }
})

const requesting = (requests: object, limits: object = {}): object => ({
  containers: [{ name: "app", image: "registry.example/app:v1", resources: { requests, limits } }]
})

const podRef = (name: string) => ({ resource: resources.pods, key: `shop/${name}` })

describe("a create under quotas", () => {
  it("in a dry run is refused like any other, and uses nothing", () => {
    const { store, view } = aStore()
    run(store.create(aQuota({ pods: "1" })))
    for (const name of ["a", "b"]) run(store.create(aPodDraft({ name }), { dryRun: true }))
    expect(view.quotas.status("shop/q")?.used).toEqual({ pods: "0" })
    run(store.create(aPodDraft({ name: "a" })))
    expect(refusalOf(store.create(aPodDraft({ name: "b" }), { dryRun: true })).message).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
    )
  })

  it("is refused for invalid fields first, then for a quota, then for a taken name", () => {
    const { store } = aStore()
    run(store.create(aQuota({ pods: "1" })))
    run(store.create(aPodDraft()))
    expect(refusalOf(store.create(aPodDraft({}, { containers: [] })))._tag).toBe("Invalid")
    expect(refusalOf(store.create(aPodDraft()))._tag).toBe("Forbidden")
  })

  it("is refused by the first quota by name, after those that require a value", () => {
    const { store } = aStore()
    run(store.create(aQuota({ pods: "0", "count/pods": "0" }, {}, "b")))
    run(store.create(aQuota({ "count/pods": "0" }, {}, "a")))
    expect(refusalOf(store.create(aPodDraft())).message).toContain(
      "exceeded quota: a, requested: count/pods=1,"
    )
    run(store.delete({ resource: resources.resourceQuotas, key: "shop/a" }))
    expect(refusalOf(store.create(aPodDraft())).message).toContain(
      "exceeded quota: b, requested: count/pods=1,pods=1, used: count/pods=0,pods=0, limited: count/pods=0,pods=0"
    )
    run(store.create(aQuota({ memory: "1Gi" }, {}, "c")))
    expect(refusalOf(store.create(aPodDraft())).message).toContain(
      "failed quota: c: must specify memory for: app"
    )
  })

  it.each([
    { says: "configmaps", resource: "configmaps", draft: aConfigMapDraft },
    { says: "count/configmaps", resource: "configmaps", draft: aConfigMapDraft },
    { says: "count/deployments.apps", resource: resources.deployments, draft: aDeploymentDraft }
  ])("counts other kinds by name until they are deleted: $says", ({ says, resource, draft }) => {
    const { store } = aStore()
    run(store.create(aQuota({ [says]: "1" })))
    run(store.create(draft({ name: "one" })))
    expect(refusalOf(store.create(draft({ name: "two" }))).message).toBe(
      `${resource} "two" is forbidden: exceeded quota: q, requested: ${says}=1, used: ${says}=1, limited: ${says}=1`
    )
    run(store.delete({ resource, key: "shop/one" }))
    expect(run(store.create(draft({ name: "two" }))).metadata.name).toBe("two")
  })

  it("counts quotas, including itself", () => {
    const { store, view } = aStore()
    run(store.create(aQuota({ resourcequotas: "2" })))
    run(store.create(aQuota({ pods: "1" }, {}, "r")))
    expect(view.quotas.status("shop/q")?.used).toEqual({ resourcequotas: "2" })
    expect(refusalOf(store.create(aQuota({ pods: "1" }, {}, "s"))).message).toContain("resourcequotas=2")
  })

  it("is allowed by a quota that is exceeded in other resources only", () => {
    const { store } = aStore()
    run(store.create(aPodDraft({ name: "a" }, requesting({ cpu: "3" }))))
    run(store.create(aQuota({ "requests.cpu": "1" })))
    run(store.create(aPodDraft({ name: "b" }, requesting({ cpu: "0" }))))
    expect(refusalOf(store.create(aPodDraft({ name: "c" }, requesting({ cpu: "1m" })))).message).toContain(
      "requested: requests.cpu=1m, used: requests.cpu=3, limited: requests.cpu=1"
    )
  })
})

describe("an update under quotas", () => {
  const aService = (type: string, ports: ReadonlyArray<number>, name = "s"): LooseDraft => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "shop" },
    spec: { type, ports: ports.map((port) => ({ name: `p${port}`, port })) }
  })
  const aClaim = (storage: string, more: object = {}): LooseDraft => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "disk", namespace: "shop" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...more }
  })
  /** Only a bound claim may change its size and its class of attributes. */
  const bound = { status: { phase: "Bound" } }
  const claimRef = { resource: resources.persistentVolumeClaims, key: "shop/disk" }

  it("that opens node ports needs quota for the additional ones", () => {
    const { store, view } = aStore()
    run(store.create(aQuota({ services: "1", "services.nodeports": "2", "services.loadbalancers": "0" })))
    const used = () => view.quotas.status("shop/q")?.used
    run(store.create(aService("ClusterIP", [80, 81, 82])))
    expect(used()).toEqual({ services: "1", "services.nodeports": "0", "services.loadbalancers": "0" })
    expect(refusalOf(store.update(aService("NodePort", [80, 81, 82]))).message).toBe(
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=3, ' +
        "used: services.nodeports=0, limited: services.nodeports=2"
    )
    run(store.update(aService("NodePort", [80])))
    run(store.update(aService("NodePort", [80, 81])))
    expect(used()).toMatchObject({ "services.nodeports": "2" })
    expect(refusalOf(store.update(aService("NodePort", [80, 81, 83, 84]))).message).toContain(
      "requested: services.nodeports=2, used: services.nodeports=2, limited: services.nodeports=2"
    )
    expect(refusalOf(store.update(aService("LoadBalancer", [80]), { dryRun: true })).message).toContain(
      "requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0"
    )
    run(store.update(aService("ClusterIP", [80])))
    expect(used()).toEqual({ services: "1", "services.nodeports": "0", "services.loadbalancers": "0" })
  })

  it("of an object that exceeds a later quota is allowed if it needs no more", () => {
    const { store, view } = aStore()
    run(store.create(aService("NodePort", [80, 81])))
    run(store.create(aQuota({ "services.nodeports": "0" })))
    run(
      store.update({
        ...aService("NodePort", [80, 81]),
        metadata: { name: "s", namespace: "shop", labels: { a: "b" } }
      })
    )
    run(store.update(aService("NodePort", [81])))
    expect(view.quotas.status("shop/q")?.used).toEqual({ "services.nodeports": "1" })
    expect(refusalOf(store.create(aService("NodePort", [83], "t"))).message).toContain(
      "requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=0"
    )
  })

  it("may increase a claim's storage up to the quotas for it and its class", () => {
    const { store, view } = aStore()
    const gold = "gold.storageclass.storage.k8s.io"
    const classed = { storageClassName: "gold" }
    const hard = {
      "requests.storage": "9Gi",
      [`${gold}/requests.storage`]: "6Gi",
      [`${gold}/persistentvolumeclaims`]: "1"
    }
    run(store.create(aQuota(hard)))
    const growing = { provisioner: "example.com/disk", allowVolumeExpansion: true }
    const goldClass = aManifest("StorageClass", { name: "gold" }, growing)
    run(store.create(goldClass))
    expect(refusalOf(store.create(aClaim("10Gi"))).message).toBe(
      'persistentvolumeclaims "disk" is forbidden: exceeded quota: q, requested: requests.storage=10Gi, ' +
        "used: requests.storage=0, limited: requests.storage=9Gi"
    )
    run(store.create(aClaim("5Gi", classed)))
    run(store.updateStatus({ ...aClaim("5Gi", classed), ...bound }))
    expect(view.quotas.status("shop/q")?.used).toEqual({
      "requests.storage": "5Gi",
      [`${gold}/requests.storage`]: "5Gi",
      [`${gold}/persistentvolumeclaims`]: "1"
    })
    expect(refusalOf(store.update(aClaim("7Gi", classed))).message).toContain(
      `requested: ${gold}/requests.storage=2Gi, used: ${gold}/requests.storage=5Gi, limited: ${gold}/requests.storage=6Gi`
    )
    run(store.update(aClaim("6Gi", classed)))
    const got = {
      ...aClaim("6Gi", classed),
      status: { phase: "Bound", allocatedResources: { storage: "8Gi" } }
    }
    run(store.updateStatus(got))
    expect(view.quotas.status("shop/q")?.used).toMatchObject({ "requests.storage": "8Gi" })
    run(store.delete(claimRef))
    expect(view.quotas.status("shop/q")?.used).toMatchObject({ "requests.storage": "0" })
  })

  it("that brings a claim into a scope needs quota for all of it", () => {
    const { store, view } = aStore()
    const selector = { scopeName: "VolumeAttributesClass", operator: "In", values: ["fast"] }
    run(
      store.create(aQuota({ "requests.storage": "3Gi" }, { scopeSelector: { matchExpressions: [selector] } }))
    )
    const slow = { volumeAttributesClassName: "slow" }
    run(store.create(aClaim("5Gi", slow)))
    run(store.updateStatus({ ...aClaim("5Gi", slow), ...bound }))
    expect(view.quotas.status("shop/q")?.used).toEqual({ "requests.storage": "0" })
    expect(refusalOf(store.update(aClaim("5Gi", { volumeAttributesClassName: "fast" }))).message).toContain(
      "requested: requests.storage=5Gi, used: requests.storage=0, limited: requests.storage=3Gi"
    )
    run(store.update(aClaim("2Gi", { volumeAttributesClassName: "fast" })))
    expect(view.quotas.status("shop/q")?.used).toEqual({ "requests.storage": "2Gi" })
    run(store.update(aClaim("2Gi", { volumeAttributesClassName: "slow" })))
    expect(view.quotas.status("shop/q")?.used).toEqual({ "requests.storage": "0" })
  })
})

describe("the usage of a quota", () => {
  it("includes the Pods that its annotation reports from elsewhere", () => {
    const { store, view } = aStore()
    run(store.create(aPodDraft({ name: "a" }, requesting({ cpu: "1" }))))
    const reportedUsage = (text: string): LooseDraft => ({
      ...aQuota({ pods: "9", "requests.cpu": "3" }),
      metadata: { name: "q", namespace: "shop", annotations: { [quotaUsedElsewhereAnnotation]: text } }
    })
    run(store.create(reportedUsage('{"requests.cpu":"500m","services":2}')))
    expect(view.quotas.status("shop/q")?.used).toEqual({ pods: "1", "requests.cpu": "1500m" })
    run(store.update(reportedUsage('{"requests.cpu":"1500m","pods":4}')))
    expect(view.quotas.status("shop/q")?.used).toEqual({ pods: "5", "requests.cpu": "2500m" })
    expect(refusalOf(store.create(aPodDraft({ name: "b" }, requesting({ cpu: "1" })))).message).toContain(
      "requested: requests.cpu=1, used: requests.cpu=2500m, limited: requests.cpu=3"
    )
    for (const nothing of ["[]", "{", '{"pods":"many"}']) {
      run(store.update(reportedUsage(nothing)))
      expect(view.quotas.status("shop/q")?.used).toEqual({ pods: "1", "requests.cpu": "1" })
    }
  })

  it("follows a Pod from one scope into another", () => {
    const { store, view } = aStore()
    run(store.create(aQuota({ pods: "5" }, { scopes: ["Terminating"] }, "with")))
    run(store.create(aQuota({ pods: "5" }, { scopes: ["NotTerminating"] }, "without")))
    run(store.create(aPodDraft()))
    const used = () => ["with", "without"].map((name) => view.quotas.status(`shop/${name}`)?.used)
    expect(used()).toEqual([{ pods: "0" }, { pods: "1" }])
    run(
      store.modify(
        podRef("web"),
        (pod) => ({ ...pod, spec: { ...aSpec(pod), activeDeadlineSeconds: 9 } }) as LooseDraft
      )
    )
    expect(used()).toEqual([{ pods: "1" }, { pods: "0" }])
  })

  const aSpec = (object: object): object => ("spec" in object ? (object.spec as object) : {})

  it("is absent for resources that are not counted", () => {
    const { store, view } = aStore()
    run(
      store.create(aQuota({ "requests.kubernetes.io/y": "1Gi", "limits.memory": "1G", "example.com/x": "3" }))
    )
    expect(view.quotas.status("shop/q")).toEqual({
      hard: { "example.com/x": "3", "limits.memory": "1G", "requests.kubernetes.io/y": "1Gi" },
      used: { "limits.memory": "0" }
    })
  })

  const act = fc.oneof(
    fc.record({ act: fc.constant("create" as const), name: fc.integer({ min: 0, max: 7 }), cpu: fc.nat(7) }),
    fc.record({ act: fc.constant("bind" as const), name: fc.integer({ min: 0, max: 7 }) }),
    fc.record({ act: fc.constant("finish" as const), name: fc.integer({ min: 0, max: 7 }) }),
    fc.record({
      act: fc.constant("delete" as const),
      name: fc.integer({ min: 0, max: 7 }),
      grace: fc.nat(40)
    }),
    fc.record({ act: fc.constant("wait" as const), seconds: fc.nat(50) })
  )

  it("that is updated by changes equals a full recount", () => {
    fc.assert(
      fc.property(fc.array(act, { minLength: 5, maxLength: 60 }), (acts) => {
        const { store, view, clock } = aStore()
        const hard = { pods: "5", "count/pods": "9", "requests.cpu": "11", "limits.memory": "70Mi" }
        run(store.create(aQuota(hard, {}, "kept")))
        for (const step of acts) {
          if (step.act === "wait") clock.millis += step.seconds * 1000
          else perform(store, step)
          const kept = view.quotas.status("shop/kept")
          run(store.create(aQuota(hard, {}, "again")))
          expect(view.quotas.status("shop/again")).toEqual(kept)
          run(store.delete({ resource: resources.resourceQuotas, key: "shop/again" }))
        }
      }),
      { seed: 11, numRuns: 60 }
    )
  })

  type Step = typeof act extends fc.Arbitrary<infer A> ? Exclude<A, { readonly act: "wait" }> : never

  const perform = (store: ReturnType<typeof aStore>["store"], step: Step): void => {
    const name = `p${step.name}`
    const { key, resource } = podRef(name)
    const present = run(store.list(resources.pods)).items.find((pod) => pod.metadata.name === name)
    if (step.act === "create") {
      const spec = requesting({ cpu: `${step.cpu}` }, { cpu: "9", memory: `${step.cpu}Mi` })
      const draft = aPodDraft({ name }, spec)
      if (present === undefined) runOrRefuse(() => run(store.create(draft)))
    } else if (present === undefined) return
    else if (step.act === "bind") {
      runOrRefuse(() => run(store.bind({ key, uid: present.metadata.uid, nodeName: "n1" })))
    } else if (step.act === "finish") {
      run(store.updateStatus({ ...present, status: { phase: "Succeeded" } } as LooseDraft))
    } else run(store.delete({ resource, key }, { gracePeriodSeconds: step.grace }))
  }

  const runOrRefuse = (attempt: () => unknown): void => {
    try {
      attempt()
    } catch (error) {
      expect(String(error)).toMatch(/exceeded quota|already assigned|being deleted/)
    }
  }
})
