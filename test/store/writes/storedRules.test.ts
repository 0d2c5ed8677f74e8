import { describe, expect, it } from "vitest"
import { aManifest, claimManifest, podManifest, volumeManifest } from "../../builders.ts"
import { Forbidden, openCluster } from "../../../src/index.ts"
import type { Draft } from "../../../src/index.ts"

const refusalBy = async (write: Promise<unknown>): Promise<string | undefined> =>
  write.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Forbidden) return error.message
      throw error
    }
  )

const aPriorityClass = (name: string, globalDefault: boolean): Draft =>
  aManifest("PriorityClass", { name }, { value: 30, globalDefault })

describe("a PriorityClass", () => {
  it("becomes the global default only while no other is, when it is made and when it changes", async () => {
    await using cluster = await openCluster()
    await cluster.apply([aPriorityClass("usual", true), aPriorityClass("rare", false)])
    const says = "PriorityClass usual is already marked as default. Only one default can exist"
    expect(await refusalBy(cluster.create(aPriorityClass("common", true)))).toBe(
      `priorityclasses.scheduling.k8s.io "common" is forbidden: ${says}`
    )
    const rareDefault = aPriorityClass("rare", true)
    expect(await refusalBy(cluster.update(rareDefault))).toBe(
      `priorityclasses.scheduling.k8s.io "rare" is forbidden: ${says}`
    )
    expect(await refusalBy(cluster.update(aPriorityClass("usual", true)))).toBeUndefined()
    await cluster.update(aPriorityClass("usual", false))
    expect(await refusalBy(cluster.update(rareDefault))).toBeUndefined()
  })
})

describe("a claim in a namespace with a LimitRange", () => {
  it("is made within its bounds", async () => {
    await using cluster = await openCluster()
    const limits = [{ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } }]
    await cluster.apply([aManifest("LimitRange", { name: "sizes" }, { spec: { limits } })])
    const refusal = 'persistentvolumeclaims "data" is forbidden:'
    expect(await refusalBy(cluster.create(claimManifest("data", { storage: "500Mi" })))).toBe(
      `${refusal} minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi`
    )
    expect(await refusalBy(cluster.create(claimManifest("data", { storage: "8Gi" })))).toBe(
      `${refusal} maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 8Gi`
    )
    expect(await refusalBy(cluster.create(claimManifest("data", { storage: "5Gi" })))).toBeUndefined()
  })

  it("loses its finalizers when it is deleted, although it is beyond bounds that came later", async () => {
    await using cluster = await openCluster()
    const claim = { resource: "persistentvolumeclaims", name: "data" } as const
    const manifest = claimManifest("data", { storage: "8Gi" })
    const finalizers = ["example.com/copy"]
    await cluster.create({ ...manifest, metadata: { ...manifest.metadata, finalizers } })
    const limits = [{ type: "PersistentVolumeClaim", max: { storage: "5Gi" } }]
    await cluster.apply([aManifest("LimitRange", { name: "sizes" }, { spec: { limits } })])
    const withoutFinalizer = async (): Promise<unknown> => {
      const { finalizers: _finalizers, ...metadata } = (await cluster.get(claim)).metadata
      return cluster.update({ ...(await cluster.get(claim)), metadata })
    }
    expect(await refusalBy(withoutFinalizer())).toMatch("maximum storage usage")
    await cluster.delete(claim)
    expect(await refusalBy(withoutFinalizer())).toBeUndefined()
    await expect(cluster.get(claim)).rejects.toThrow("not found")
  })
})

describe("a bound claim", () => {
  const fixed =
    'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and ' +
    "the storageclass that provisions the pvc must support resize"
  it.each([
    { why: "grows if its class allows it", storageClassName: "big", expands: true, says: undefined },
    { why: "does not grow if its class does not", storageClassName: "big", expands: false, says: fixed },
    {
      why: "does not grow if its class says nothing",
      storageClassName: "big",
      expands: undefined,
      says: fixed
    },
    { why: "does not grow without a class", storageClassName: "", expands: true, says: fixed },
    { why: "does not grow if its class is missing", storageClassName: "gone", expands: true, says: fixed }
  ])("$why", async ({ storageClassName, expands, says }) => {
    await using cluster = await openCluster()
    const allowed = expands === undefined ? {} : { allowVolumeExpansion: expands }
    await cluster.apply([
      aManifest("StorageClass", { name: "big" }, { provisioner: "example.com/disk", ...allowed }),
      volumeManifest("pv", { storageClassName, storage: "5Gi" }),
      claimManifest("data", { storageClassName })
    ])
    await cluster.advance("30s")
    const stored = await cluster.get({ resource: "persistentvolumeclaims", name: "data" })
    expect(stored).toMatchObject({ status: { phase: "Bound" } })
    const { spec } = stored as Draft & { readonly spec: object }
    const ofSize = (storage: string): Draft =>
      ({ ...stored, spec: { ...spec, resources: { requests: { storage } } } }) as Draft
    expect(await refusalBy(cluster.update(ofSize("1024Mi")))).toBeUndefined()
    expect(await refusalBy(cluster.update(ofSize("2Gi")))).toBe(says)
  })
})

describe("a Pod with a runtime class", () => {
  const spec = { runtimeClassName: "kata" }
  const gpuTaint = { key: "gpu", operator: "Exists" }
  const kata = aManifest(
    "RuntimeClass",
    { name: "kata" },
    {
      handler: "kata",
      overhead: { podFixed: { cpu: "250m" } },
      scheduling: { nodeSelector: { vm: "yes" }, tolerations: [gpuTaint] }
    }
  )

  it.each([
    { why: "without the class", pod: spec, stored: [], says: 'RuntimeClass "kata" not found' },
    {
      why: "with another overhead than its class",
      pod: { ...spec, overhead: { cpu: "1" } },
      stored: [kata],
      says: "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    },
    {
      why: "with an overhead and no class",
      pod: { overhead: { cpu: "1" } },
      stored: [kata],
      says: "Pod Overhead set without corresponding RuntimeClass defined Overhead"
    }
  ])("is refused $why", async ({ pod, stored, says }) => {
    await using cluster = await openCluster()
    await cluster.apply(stored)
    const refusal = await refusalBy(cluster.create(podManifest("p", pod)))
    expect(refusal).toBe(`pods "p" is forbidden: pod rejected: ${says}`)
  })

  it("is refused if it selects other nodes than its class", async () => {
    await using cluster = await openCluster()
    await cluster.apply([kata])
    const elsewhere = podManifest("p", { ...spec, nodeSelector: { vm: "no" } })
    expect(await refusalBy(cluster.create(elsewhere))).toBe(
      'pods "p" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no'
    )
  })

  it("gets the overhead, the nodes and the tolerations of the class, each toleration once", async () => {
    await using cluster = await openCluster()
    await cluster.apply([kata])
    const narrow = { key: "gpu", operator: "Equal", value: "a100", effect: "NoSchedule" }
    const own = { key: "spot", operator: "Exists" }
    const pod = {
      ...spec,
      overhead: { cpu: "0.25" },
      nodeSelector: { disk: "ssd" },
      tolerations: [narrow, own]
    }
    await cluster.create(podManifest("p", pod))
    const { spec: made } = (await cluster.get({ resource: "pods", name: "p" })) as Draft & {
      readonly spec: { readonly tolerations: ReadonlyArray<{ readonly key: string }> }
    }
    expect(made).toMatchObject({ overhead: { cpu: "250m" }, nodeSelector: { disk: "ssd", vm: "yes" } })
    expect(made.tolerations.filter(({ key }) => !key.startsWith("node."))).toEqual([own, gpuTaint])
  })
})
