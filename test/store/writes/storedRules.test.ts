import { describe, expect, it } from "vitest"
import { aManifest, claimManifest, volumeManifest } from "../../builders.ts"
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
