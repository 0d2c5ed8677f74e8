import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { claimManifest, claimVolumes, podManifest, volumeManifest } from "../../builders.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { advanceSeconds, eventTexts, withCluster } from "../../cluster/testCluster.ts"
import type { Draft, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const disk = { csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" }, storageClassName: "" }
const attachment = "kubernetes.io/csi/ebs.csi.aws.com^vol-1"
const on = (node: string) => ({ nodeSelector: { "kubernetes.io/hostname": node }, ...claimVolumes("data") })

const create = (cluster: ClusterService, drafts: ReadonlyArray<Draft>): Effect.Effect<void> =>
  Effect.orDie(
    Effect.forEach(drafts, (draft) => Effect.andThen(cluster.create(draft), cluster.settle()), {
      discard: true
    })
  )

const podNamed = (cluster: ClusterService, name: string): Effect.Effect<Pod> =>
  Effect.orDie(cluster.get({ resource: resources.pods, name }))

const readinessOf = ({ status }: Pod): unknown => status.containerStatuses?.[0]?.ready

/** The nodes that have the disk. */
const holdersOf = ({ view }: ClusterService): ReadonlyArray<string> =>
  [...view.all(resources.nodes)]
    .filter(({ status }) => status.volumesAttached?.some(({ name }) => name === attachment))
    .map(({ metadata }) => metadata.name)

const attachEvents = (cluster: ClusterService, pod: Pod) =>
  Effect.map(cluster.events(pod.metadata), (events) =>
    eventTexts(events).filter((text) => text.includes("AttachVolume"))
  )

const withDisk = (accessMode: string): ReadonlyArray<Draft> => [
  volumeManifest("pv", { ...disk, accessModes: [accessMode] }),
  claimManifest("data", { storageClassName: "", accessModes: [accessMode] }),
  podManifest("first", on("node-1")),
  podManifest("second", on("node-2"))
]

describe("a disk", () => {
  it("that one node may have holds a Pod on another node in ContainerCreating, until its Pod is gone", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* create(cluster, withDisk("ReadWriteOnce"))
        const [first, second] = [yield* podNamed(cluster, "first"), yield* podNamed(cluster, "second")]
        expect([readinessOf(first), readinessOf(second)]).toEqual([true, false])
        expect(second.status.containerStatuses?.[0]?.state?.waiting?.reason).toBe("ContainerCreating")
        expect([second.spec.nodeName, second.status.podIP]).toEqual(["node-2", undefined])
        expect(yield* attachEvents(cluster, first)).toEqual([
          'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv" '
        ])
        expect(yield* attachEvents(cluster, second)).toEqual([
          'FailedAttachVolume: Multi-Attach error for volume "pv" Volume is already used by pod(s) first'
        ])
        expect(holdersOf(cluster)).toEqual(["node-1"])
        yield* Effect.orDie(cluster.delete({ resource: resources.pods, name: "first" }))
        yield* advanceSeconds(cluster, 60)
        expect(holdersOf(cluster)).toEqual(["node-2"])
        expect(readinessOf(yield* podNamed(cluster, "second"))).toBe(true)
      })
    ))

  it("that many nodes may have is attached to each", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* create(cluster, withDisk("ReadWriteMany"))
        expect(holdersOf(cluster)).toEqual(["node-1", "node-2"])
        expect(readinessOf(yield* podNamed(cluster, "second"))).toBe(true)
      })
    ))

  it("stays on a lost node for six minutes after its Pod was deleted by force", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* create(cluster, withDisk("ReadWriteOnce"))
        yield* Effect.orDie(cluster.fault({ fault: "nodeLost", node: "node-1" }))
        yield* advanceSeconds(cluster, 60)
        yield* Effect.orDie(
          cluster.delete({ resource: resources.pods, name: "first" }, { gracePeriodSeconds: 0 })
        )
        yield* advanceSeconds(cluster, 355)
        expect(holdersOf(cluster)).toEqual(["node-1"])
        expect((yield* attachEvents(cluster, yield* podNamed(cluster, "second"))).at(-1)).toBe(
          'FailedAttachVolume: Multi-Attach error for volume "pv" ' +
            "Volume is already exclusively attached to one node and can't be attached to another"
        )
        yield* advanceSeconds(cluster, 30)
        expect(holdersOf(cluster)).toEqual(["node-2"])
        expect(readinessOf(yield* podNamed(cluster, "second"))).toBe(true)
      })
    ))
})

it("a Pod that names its node waits there for its claim", () =>
  withCluster({}, (cluster) =>
    Effect.gen(function* () {
      yield* create(cluster, [podManifest("web", { nodeName: "node-3", ...claimVolumes("data") })])
      expect(readinessOf(yield* podNamed(cluster, "web"))).toBe(false)
      const bound = { storageClassName: "" }
      yield* create(cluster, [volumeManifest("pv"), claimManifest("data", bound)])
      yield* advanceSeconds(cluster, 60)
      expect(readinessOf(yield* podNamed(cluster, "web"))).toBe(true)
    })
  ))
