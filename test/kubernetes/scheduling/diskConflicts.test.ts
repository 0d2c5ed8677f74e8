import { describe, expect, it } from "vitest"
import { aNode, aPod } from "../../builders.ts"
import { placementOf } from "./placementOf.ts"
import type { Volume } from "kubernetes-types/core/v1.js"

type Source = Omit<Volume, "name">

const rbd = (fields: object): Source => ({ rbd: { monitors: ["a", "b"], image: "data", ...fields } })
const gce = (pdName: string, readOnly?: boolean): Source => ({
  gcePersistentDisk: { pdName, ...(readOnly === undefined ? {} : { readOnly }) }
})
const iscsi = (iqn: string, readOnly = false): Source => ({
  iscsi: { targetPortal: "10.0.0.1", iqn, lun: 0, readOnly }
})

const rows: ReadonlyArray<{
  readonly why: string
  readonly used: Source
  readonly wanted: Source
  readonly isFree: boolean
}> = [
  { why: "two Pods write to one GCE disk", used: gce("data"), wanted: gce("data"), isFree: false },
  { why: "both only read a GCE disk", used: gce("data", true), wanted: gce("data", true), isFree: true },
  { why: "one of them writes", used: gce("data", true), wanted: gce("data"), isFree: false },
  { why: "two GCE disks", used: gce("data"), wanted: gce("logs"), isFree: true },
  {
    why: "an EBS volume is not shared even if both only read it",
    used: { awsElasticBlockStore: { volumeID: "vol-1", readOnly: true } },
    wanted: { awsElasticBlockStore: { volumeID: "vol-1", readOnly: true } },
    isFree: false
  },
  {
    why: "two EBS volumes",
    used: { awsElasticBlockStore: { volumeID: "vol-1" } },
    wanted: { awsElasticBlockStore: { volumeID: "vol-2" } },
    isFree: true
  },
  { why: "one iSCSI target", used: iscsi("iqn.a"), wanted: iscsi("iqn.a", true), isFree: false },
  {
    why: "an iSCSI target that both read",
    used: iscsi("iqn.a", true),
    wanted: iscsi("iqn.a", true),
    isFree: true
  },
  {
    why: "one image with a monitor in common",
    used: rbd({}),
    wanted: rbd({ monitors: ["b", "c"] }),
    isFree: false
  },
  { why: "the default pool, named and not", used: rbd({}), wanted: rbd({ pool: "rbd" }), isFree: false },
  { why: "images of two pools", used: rbd({}), wanted: rbd({ pool: "fast" }), isFree: true },
  {
    why: "other monitors are another cluster",
    used: rbd({}),
    wanted: rbd({ monitors: ["c"] }),
    isFree: true
  },
  { why: "disks of two kinds", used: gce("data"), wanted: iscsi("data"), isFree: true }
]

const withDisk = (source: Source) => ({
  containers: [{ name: "app", image: "i" }],
  volumes: [{ name: "data", ...source }]
})

describe("a disk that a Pod names without a claim", () => {
  it.each(rows)("is free: $isFree ($why)", ({ used, wanted, isFree }) => {
    const result = placementOf({
      nodes: [aNode()],
      pods: [aPod({ name: "there", node: "n1", spec: withDisk(used) })],
      pod: { spec: withDisk(wanted) }
    })
    expect(result).toBe(isFree ? "n1" : "0/1 nodes are available: 1 node(s) had no available disk.")
  })
})
