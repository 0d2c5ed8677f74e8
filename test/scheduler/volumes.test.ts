import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  aManifest,
  claimManifest,
  claimVolumes,
  deploymentManifest,
  onlyOnNode,
  podManifest,
  volumeManifest
} from "../builders.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { eventTexts, withCluster } from "../cluster/testCluster.ts"
import type { Draft, Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const noClass = { storageClassName: "" }
const oncePerPod = { ...noClass, accessModes: ["ReadWriteOncePod"] }

const create = (cluster: ClusterService, drafts: ReadonlyArray<Draft>): Effect.Effect<void> =>
  Effect.orDie(
    Effect.forEach(drafts, (draft) => Effect.andThen(cluster.create(draft), cluster.settle()), {
      discard: true
    })
  )

const podNamed = (cluster: ClusterService, name: string): Effect.Effect<Pod> =>
  Effect.orDie(cluster.get({ resource: resources.pods, name }))

const delayedClass = (name: string, fields: object = {}): Draft =>
  ({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: "rancher.io/local-path",
    volumeBindingMode: "WaitForFirstConsumer",
    ...fields
  }) as Draft

const noClaims = "no new claims to deallocate, preemption: 0/3 nodes are available"
const unhelpful = "3 Preemption is not helpful for scheduling"

describe("a Pod waits as Unschedulable", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly drafts: ReadonlyArray<Draft>
    readonly reason: string
    readonly preemption?: string
  }> = [
    { why: "its claim does not exist", drafts: [], reason: 'persistentvolumeclaim "data" not found' },
    {
      why: "its claim is of no class and finds no volume",
      drafts: [claimManifest("data", noClass)],
      reason: "pod has unbound immediate PersistentVolumeClaims"
    },
    {
      why: "its claim is of a class that does not exist",
      drafts: [claimManifest("data", { storageClassName: "fast" })],
      reason: "pod has unbound immediate PersistentVolumeClaims"
    },
    {
      why: "the volume of its claim is gone",
      drafts: [
        {
          ...claimManifest("data", { ...noClass, volumeName: "gone" }),
          metadata: {
            name: "data",
            namespace: "default",
            annotations: { "pv.kubernetes.io/bind-completed": "yes" }
          }
        }
      ],
      reason: 'persistentvolumeclaim "data" bound to non-existent persistentvolume "gone"'
    },
    {
      why: "its volume is only on a node that is not there",
      drafts: [volumeManifest("pv", onlyOnNode("node-9")), claimManifest("data", noClass)],
      reason: "3 node(s) had volume node affinity conflict"
    },
    {
      why: "its volume is in another zone",
      drafts: [
        volumeManifest("pv", {}, { labels: { "topology.kubernetes.io/zone": "b" } }),
        claimManifest("data", noClass)
      ],
      reason: "3 node(s) had no available volume zone"
    },
    {
      why: "no free volume can be reached from any node",
      drafts: [
        delayedClass("local", { provisioner: "kubernetes.io/no-provisioner" }),
        volumeManifest("pv", { storageClassName: "local", ...onlyOnNode("node-9") }),
        claimManifest("data", { storageClassName: "local" })
      ],
      reason: "3 node(s) didn't find available persistent volumes to bind"
    },
    {
      why: "its class provisions in other zones only",
      drafts: [
        delayedClass("zonal", {
          allowedTopologies: [
            { matchLabelExpressions: [{ key: "topology.kubernetes.io/zone", values: ["b", "c"] }] }
          ]
        }),
        claimManifest("data", { storageClassName: "zonal" })
      ],
      reason: "3 node(s) didn't find available persistent volumes to bind"
    },
    {
      why: "the nodes have as many disks of its driver as they take",
      drafts: [
        ...["node-1", "node-2", "node-3"].map((name) =>
          aManifest(
            "CSINode",
            { name },
            {
              spec: { drivers: [{ name: "ebs.csi.aws.com", nodeID: name, allocatable: { count: 0 } }] }
            }
          )
        ),
        volumeManifest("pv", { csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" } }),
        claimManifest("data", noClass)
      ],
      reason: "3 node(s) exceed max volume count",
      preemption: "3 No preemption victims found for incoming pod"
    },
    {
      why: "another Pod has the claim that one Pod alone may use",
      drafts: [
        volumeManifest("pv", oncePerPod),
        claimManifest("data", oncePerPod),
        podManifest("other", claimVolumes("data"))
      ],
      reason:
        "3 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
      preemption: "3 No preemption victims found for incoming pod"
    }
  ]
  for (const { why, drafts, reason, preemption = unhelpful } of rows) {
    it(`when ${why}`, () =>
      withCluster({ nodes: { labels: { "topology.kubernetes.io/zone": "a" } } }, (cluster) =>
        Effect.gen(function* () {
          yield* create(cluster, [...drafts, podManifest("web", claimVolumes("data"))])
          const pod = yield* podNamed(cluster, "web")
          const message = `0/3 nodes are available: ${reason}. ${noClaims}: ${preemption}.`
          expect(conditionOf(pod.status.conditions, "PodScheduled")?.message).toBe(message)
          expect(eventTexts(yield* cluster.events(pod.metadata))).toEqual([`FailedScheduling: ${message}`])
        })
      ))
  }

  it("when its claim is being deleted", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* create(cluster, [claimManifest("data"), podManifest("first", claimVolumes("data"))])
        yield* Effect.orDie(cluster.delete({ resource: resources.persistentVolumeClaims, name: "data" }))
        yield* create(cluster, [podManifest("web", claimVolumes("data"))])
        const { status } = yield* podNamed(cluster, "web")
        expect(conditionOf(status.conditions, "PodScheduled")?.message).toBe(
          '0/3 nodes are available: persistentvolumeclaim "data" is being deleted. ' +
            `${noClaims}: ${unhelpful}.`
        )
        // The Pod that uses it keeps it, and its volume with it.
        expect([...cluster.view.all(resources.persistentVolumes)]).toHaveLength(1)
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, name: "first" }))
        yield* Effect.orDie(cluster.advance("1m"))
        expect([...cluster.view.all(resources.persistentVolumeClaims)]).toEqual([])
        expect([...cluster.view.all(resources.persistentVolumes)]).toEqual([])
      })
    ))
})

describe("a Pod with a claim", () => {
  it("is placed as soon as the claim that it names is created, and waits for its volume", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* create(cluster, [podManifest("web", claimVolumes("data"))])
        yield* create(cluster, [claimManifest("data", noClass)])
        expect((yield* podNamed(cluster, "web")).spec.nodeName).toBeUndefined()
        yield* create(cluster, [volumeManifest("pv", onlyOnNode("node-3"))])
        expect((yield* podNamed(cluster, "web")).spec.nodeName).toBe("node-3")
      })
    ))

  it("of the default class gets a volume on its node, and the Pods of the claim go there too", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const withClaim = { nodeSelector: { "kubernetes.io/hostname": "node-2" }, ...claimVolumes("data") }
        yield* create(cluster, [claimManifest("data"), podManifest("first", withClaim)])
        const claim = yield* Effect.orDie(
          cluster.get({ resource: resources.persistentVolumeClaims, name: "data" })
        )
        expect(eventTexts(yield* cluster.events(claim.metadata)).map((text) => text.split(":")[0])).toEqual([
          "WaitForFirstConsumer",
          "ExternalProvisioning",
          "Provisioning",
          "ProvisioningSucceeded"
        ])
        expect(claim.metadata.annotations?.["volume.kubernetes.io/selected-node"]).toBe("node-2")
        expect((yield* podNamed(cluster, "first")).spec.nodeName).toBe("node-2")
        const manifest = deploymentManifest({ replicas: 3, podSpec: claimVolumes("data") })
        yield* create(cluster, [manifest])
        expect(cluster.view.nodePods.on("node-2")).toHaveLength(4)
      })
    ))

  it("stays Pending without an Event of its own when the provisioner makes no such volume", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const shared = claimManifest("data", { accessModes: ["ReadWriteMany"] })
        yield* create(cluster, [shared, podManifest("web", claimVolumes("data"))])
        const pod = yield* podNamed(cluster, "web")
        expect([pod.spec.nodeName, eventTexts(yield* cluster.events(pod.metadata))]).toEqual([undefined, []])
        expect(eventTexts(yield* cluster.events()).at(-1)).toBe(
          'ProvisioningFailed: failed to provision volume with StorageClass "standard": ' +
            "NodePath only supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes"
        )
      })
    ))

  it("that is ephemeral gets a claim of its own, which is deleted with it", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const { spec } = claimManifest("scratch")
        const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }]
        yield* create(cluster, [podManifest("web", { volumes })])
        const claims = (): ReadonlyArray<string | undefined> =>
          [...cluster.view.all(resources.persistentVolumeClaims)].map(
            ({ metadata, status }) => `${metadata.name} ${status?.phase}`
          )
        expect(claims()).toEqual(["web-scratch Bound"])
        expect((yield* podNamed(cluster, "web")).spec.nodeName).toBeDefined()
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, name: "web" }))
        yield* Effect.orDie(cluster.advance("1m"))
        expect(claims()).toEqual([])
      })
    ))

  it("gets of the free volumes that its node reaches the smallest, one for each claim", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const local = { storageClassName: "local", ...onlyOnNode("node-3") }
        yield* create(cluster, [
          delayedClass("local", { provisioner: "kubernetes.io/no-provisioner" }),
          volumeManifest("elsewhere", { storageClassName: "local", ...onlyOnNode("node-1") }),
          volumeManifest("small", local),
          volumeManifest("large", { ...local, storage: "5Gi" }),
          claimManifest("big", { storageClassName: "local", storage: "2Gi" }),
          claimManifest("little", { storageClassName: "local" }),
          podManifest("web", claimVolumes("big", "little"))
        ])
        const bound = [...cluster.view.all(resources.persistentVolumeClaims)].map(
          ({ metadata, spec }) => `${metadata.name} ${spec.volumeName}`
        )
        expect(bound).toEqual(["big large", "little small"])
        expect((yield* podNamed(cluster, "web")).spec.nodeName).toBe("node-3")
      })
    ))

  it("keeps a place for its Pod while it gets its volume, and frees it when the Pod is gone", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const term = { labelSelector: { matchLabels: { app: "web" } }, topologyKey: "kubernetes.io/hostname" }
        const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
        const webPod = (name: string, claim: string): Draft =>
          podManifest(name, { affinity, ...claimVolumes(claim) }, { labels: { app: "web" } })
        const nodeNames = (...names: ReadonlyArray<string>) =>
          Effect.forEach(names, (name) => Effect.map(podNamed(cluster, name), ({ spec }) => spec.nodeName))
        const unmade = delayedClass("disks", { provisioner: "disks.example" })
        const drafts = [
          unmade,
          claimManifest("never", { storageClassName: "disks" }),
          claimManifest("first"),
          claimManifest("second"),
          claimManifest("late"),
          webPod("waiting", "never"),
          webPod("one", "first"),
          webPod("two", "second")
        ]
        yield* Effect.orDie(Effect.forEach(drafts, (draft) => cluster.create(draft), { discard: true }))
        yield* cluster.settle()
        expect(new Set(yield* nodeNames("waiting", "one", "two")).size).toBe(3)
        yield* create(cluster, [webPod("three", "late")])
        expect(yield* nodeNames("waiting", "three")).toEqual([undefined, undefined])
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, name: "waiting" }))
        yield* cluster.settle()
        expect(new Set(yield* nodeNames("one", "two", "three"))).toEqual(
          new Set(["node-1", "node-2", "node-3"])
        )
      })
    ))
})
