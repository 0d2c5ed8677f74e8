import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { claimManifest, volumeManifest } from "../../builders.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { eventTexts, withCluster } from "../../cluster/testCluster.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const claimAddress = (name: string) => ({ resource: resources.persistentVolumeClaims, name })
const volumeAddress = (name: string) => ({ resource: resources.persistentVolumes, name })

/** Creates the objects one after another, and lets the controllers do what they can. */
const create = (cluster: ClusterService, drafts: ReadonlyArray<Draft>): Effect.Effect<void> =>
  Effect.orDie(
    Effect.forEach(drafts, (draft) => Effect.andThen(cluster.create(draft), cluster.advance(0)), {
      discard: true
    })
  )

/** Phases and bindings of all claims and volumes: `claim a Bound pv-a`, `volume pv-a Bound default/a`. */
const storageOf = ({ view }: ClusterService): ReadonlyArray<string> => [
  ...[...view.all(resources.persistentVolumeClaims)].map(({ metadata, spec, status }) =>
    ["claim", metadata.name, status?.phase, spec.volumeName].filter(Boolean).join(" ")
  ),
  ...[...view.all(resources.persistentVolumes)].map(({ metadata, spec, status }) => {
    const claim = spec.claimRef && `${spec.claimRef.namespace}/${spec.claimRef.name}`
    return ["volume", metadata.name, status?.phase, claim].filter(Boolean).join(" ")
  })
]

const noClass = { storageClassName: "" }

describe("claims", () => {
  const rows: ReadonlyArray<{
    readonly what: string
    readonly drafts: ReadonlyArray<Draft>
    readonly state: ReadonlyArray<string>
    readonly events?: ReadonlyArray<string>
  }> = [
    {
      what: "gets the smallest volume that is large enough",
      drafts: [
        volumeManifest("large", { storage: "9Gi" }),
        volumeManifest("fitting", { storage: "2Gi" }),
        volumeManifest("small", { storage: "1Gi" }),
        claimManifest("a", { ...noClass, storage: "1500Mi" })
      ],
      state: [
        "claim a Bound fitting",
        "volume large Available",
        "volume fitting Bound default/a",
        "volume small Available"
      ]
    },
    {
      what: "gets a volume with its access modes only, and rather one with no others",
      drafts: [
        volumeManifest("both", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }),
        volumeManifest("one", { storage: "5Gi" }),
        claimManifest("once", noClass),
        claimManifest("many", { ...noClass, accessModes: ["ReadWriteMany"] }),
        claimManifest("reader", { ...noClass, accessModes: ["ReadOnlyMany"] })
      ],
      state: [
        "claim once Bound one",
        "claim many Bound both",
        "claim reader Pending",
        "volume both Bound default/many",
        "volume one Bound default/once"
      ],
      events: ["FailedBinding: no persistent volumes available for this claim and no storage class is set"]
    },
    {
      what: "with a selector gets a volume with these labels",
      drafts: [
        volumeManifest("plain"),
        volumeManifest("fast", { storage: "3Gi" }, { labels: { disk: "fast" } }),
        claimManifest("a", { ...noClass, selector: { matchLabels: { disk: "fast" } } })
      ],
      state: ["claim a Bound fast", "volume plain Available", "volume fast Bound default/a"]
    },
    {
      what: "for a block device gets no file system",
      drafts: [
        volumeManifest("files"),
        volumeManifest("device", { volumeMode: "Block" }),
        claimManifest("a", { ...noClass, volumeMode: "Block" })
      ],
      state: ["claim a Bound device", "volume files Available", "volume device Bound default/a"]
    },
    {
      what: "gets the volume that is reserved for it by name, and no other claim does",
      drafts: [
        volumeManifest("pv", { claimRef: { namespace: "default", name: "b" } }),
        claimManifest("a", noClass),
        claimManifest("b", noClass)
      ],
      state: ["claim a Pending", "claim b Bound pv", "volume pv Bound default/b"],
      events: ["FailedBinding: no persistent volumes available for this claim and no storage class is set"]
    },
    {
      what: "gets the volume that it names",
      drafts: [
        volumeManifest("first"),
        volumeManifest("second"),
        claimManifest("a", { ...noClass, volumeName: "second" })
      ],
      state: ["claim a Bound second", "volume first Available", "volume second Bound default/a"]
    },
    {
      what: "is bound as soon as a volume for it comes",
      drafts: [claimManifest("a", noClass), volumeManifest("pv")],
      state: ["claim a Bound pv", "volume pv Bound default/a"],
      events: ["FailedBinding: no persistent volumes available for this claim and no storage class is set"]
    },
    {
      what: "of a class that does not exist waits for it",
      drafts: [claimManifest("a", { storageClassName: "fast" })],
      state: ["claim a Pending"],
      events: ['ProvisioningFailed: storageclass.storage.k8s.io "fast" not found']
    },
    {
      what: "that names no class gets the default one, which waits for a Pod",
      drafts: [claimManifest("a")],
      state: ["claim a Pending"],
      events: ["WaitForFirstConsumer: waiting for first consumer to be created before binding"]
    },
    {
      what: "of another provisioner is left to that",
      drafts: [
        {
          apiVersion: "storage.k8s.io/v1",
          kind: "StorageClass",
          metadata: { name: "ebs" },
          provisioner: "ebs.csi.aws.com",
          volumeBindingMode: "Immediate"
        } as Draft,
        claimManifest("a", { storageClassName: "ebs" })
      ],
      state: ["claim a Pending"],
      events: [
        "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner " +
          "'ebs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please " +
          "verify that the provisioner is running and correctly registered."
      ]
    }
  ]
  for (const { what, drafts, state, events = [] } of rows) {
    it(`a claim ${what}`, () =>
      withCluster({}, (cluster) =>
        Effect.gen(function* () {
          yield* create(cluster, drafts)
          expect(storageOf(cluster)).toEqual(state)
          expect(eventTexts(yield* cluster.events())).toEqual(events)
        })
      ))
  }

  const mismatches = [
    { why: "is too small", volume: {}, claim: { storage: "2Gi" }, reason: "requested PV is too small" },
    {
      why: "is of another class",
      volume: { storageClassName: "slow" },
      claim: {},
      reason: "storageClassName does not match"
    },
    {
      why: "is a block device",
      volume: { volumeMode: "Block" },
      claim: {},
      reason: "incompatible volumeMode"
    },
    {
      why: "lacks an access mode",
      volume: {},
      claim: { accessModes: ["ReadWriteMany"] },
      reason: "incompatible accessMode"
    }
  ]
  for (const { why, volume, claim, reason } of mismatches) {
    it(`a claim does not get the volume that it names when that ${why}`, () =>
      withCluster({}, (cluster) =>
        Effect.gen(function* () {
          const names = claimManifest("a", { ...noClass, volumeName: "pv", ...claim })
          yield* create(cluster, [volumeManifest("pv", volume), names])
          expect(storageOf(cluster)).toEqual(["claim a Pending pv", "volume pv Available"])
          const events = eventTexts(yield* cluster.events())
          expect(events).toEqual([`VolumeMismatch: Cannot bind to requested volume "pv": ${reason}`])
        })
      ))
  }

  it("a claim does not get the volume that it names when another claim has it", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const [first, second] = [
          claimManifest("a", noClass),
          claimManifest("b", { ...noClass, volumeName: "pv" })
        ]
        yield* create(cluster, [volumeManifest("pv"), first, second])
        expect(storageOf(cluster)).toEqual([
          "claim a Bound pv",
          "claim b Pending pv",
          "volume pv Bound default/a"
        ])
        const events = eventTexts(yield* cluster.events())
        expect(events).toEqual(['FailedBinding: volume "pv" already bound to a different claim.'])
      })
    ))

  it("a claim that names no class gets the default class later, when there is none yet", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const standard = { resource: resources.storageClasses, name: "standard" }
        const { metadata, ...rest } = yield* Effect.orDie(cluster.get(standard))
        yield* Effect.orDie(cluster.delete(standard))
        yield* create(cluster, [claimManifest("a")])
        const before = yield* Effect.orDie(cluster.get(claimAddress("a")))
        expect(before.spec.storageClassName).toBeUndefined()
        const { name, annotations = {} } = metadata
        yield* create(cluster, [{ ...rest, metadata: { name, annotations } }])
        const after = yield* Effect.orDie(cluster.get(claimAddress("a")))
        expect(after.spec.storageClassName).toBe("standard")
      })
    ))

  it("a claim is marked by the controller as bound, with the volume's capacity", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* create(cluster, [volumeManifest("pv", { storage: "7Gi" }), claimManifest("a", noClass)])
        const claim = yield* Effect.orDie(cluster.get(claimAddress("a")))
        expect(claim.metadata.annotations).toEqual({
          "pv.kubernetes.io/bind-completed": "yes",
          "pv.kubernetes.io/bound-by-controller": "yes"
        })
        expect(claim.status).toEqual({
          phase: "Bound",
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "7Gi" }
        })
        const volume = yield* Effect.orDie(cluster.get(volumeAddress("pv")))
        expect(volume.metadata.annotations).toEqual({ "pv.kubernetes.io/bound-by-controller": "yes" })
        expect(volume.spec.claimRef?.uid).toBe(claim.metadata.uid)
      })
    ))

  it("a claim is lost when its volume is gone for good", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* create(cluster, [volumeManifest("pv"), claimManifest("a", noClass)])
        // A volume that is bound is protected: only without its finalizer it goes.
        yield* Effect.orDie(cluster.delete(volumeAddress("pv")))
        expect(storageOf(cluster)).toEqual(["claim a Bound pv", "volume pv Bound default/a"])
        const withoutFinalizers = { metadata: { finalizers: null } }
        yield* Effect.orDie(cluster.patch(volumeAddress("pv"), withoutFinalizers))
        yield* Effect.orDie(cluster.advance(0))
        expect(storageOf(cluster)).toEqual(["claim a Lost pv"])
        expect(eventTexts(yield* cluster.events())).toEqual([
          "ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!"
        ])
      })
    ))
})

describe("reclaiming", () => {
  const rows = [
    {
      what: "stays as Released by the policy Retain, and is not given to another claim",
      spec: {},
      after: ["claim b Pending", "volume pv Released default/a"],
      expectedEvents: []
    },
    {
      what: "is free again by the policy Recycle",
      spec: { persistentVolumeReclaimPolicy: "Recycle" },
      after: ["claim b Bound pv", "volume pv Bound default/b"],
      expectedEvents: ["VolumeRecycled: Volume recycled"]
    },
    {
      what: "is deleted by the policy Delete if it is a directory below /tmp",
      spec: { persistentVolumeReclaimPolicy: "Delete", hostPath: { path: "/tmp/data" } },
      after: ["claim b Pending"],
      expectedEvents: []
    },
    {
      what: "fails by the policy Delete if it is another directory",
      spec: { persistentVolumeReclaimPolicy: "Delete" },
      after: ["claim b Pending", "volume pv Failed default/a"],
      expectedEvents: [
        "VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /data"
      ]
    },
    {
      what: "fails by the policy Delete if no plugin deletes it",
      spec: { persistentVolumeReclaimPolicy: "Delete", nfs: { server: "nfs", path: "/" } },
      after: ["claim b Pending", "volume pv Failed default/a"],
      expectedEvents: [
        'VolumeFailedDelete: error getting deleter volume plugin for volume "pv": ' +
          "no deletable volume plugin matched"
      ]
    }
  ]
  for (const { what, spec, after, expectedEvents } of rows) {
    it(`a volume whose claim is deleted ${what}`, () =>
      withCluster({}, (cluster) =>
        Effect.gen(function* () {
          yield* create(cluster, [volumeManifest("pv", spec), claimManifest("a", noClass)])
          yield* Effect.orDie(cluster.delete(claimAddress("a")))
          yield* create(cluster, [claimManifest("b", noClass)])
          expect(storageOf(cluster)).toEqual(after)
          const events = eventTexts(yield* cluster.events())
          expect(events.filter((text) => !text.startsWith("FailedBinding"))).toEqual(expectedEvents)
        })
      ))
  }
})
