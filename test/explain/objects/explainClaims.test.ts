import { describe, expect, it } from "vitest"
import { claimManifest, claimVolumes, podManifest, volumeManifest } from "../../builders.ts"
import { explainClaim } from "../../../src/explain/objects/claimProblems.ts"
import { explainPod } from "../../../src/explain/objects/explainPod.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { normalizeEvent } from "../../../src/kubernetes/meta/normalizeEvent.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"

const explainIn = async (cluster: OpenCluster) => {
  await cluster.settle()
  const events = (await cluster.events()).map(normalizeEvent)
  const pods = (await cluster.list(resources.pods)).items
  return {
    claim: async (name: string) => {
      const claim = await cluster.get({ resource: resources.persistentVolumeClaims, name })
      return explainClaim({ claim, events, pods }).sentences
    },
    pod: async (name: string) => {
      const pod = await cluster.get({ resource: resources.pods, name })
      const nowMillis = cluster.now().getTime()
      return explainPod({ pod, events, node: undefined, nowMillis }).sentences
    }
  }
}

const rows: ReadonlyArray<{
  readonly why: string
  readonly drafts: ReadonlyArray<Draft>
  readonly claim: ReadonlyArray<string>
  readonly pod: ReadonlyArray<string>
  readonly podSpec?: object
}> = [
  {
    why: "its class does not exist",
    drafts: [claimManifest("data", { storageClassName: "fast" })],
    claim: [
      'Claim "data" waits for a volume: storageclass.storage.k8s.io "fast" not found (ProvisioningFailed).',
      "1 Pod uses it: web."
    ],
    pod: [
      'Pod "web" finds no node: 0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims ' +
        '(Unschedulable); its claim data waits: storageclass.storage.k8s.io "fast" not found (ProvisioningFailed).'
    ]
  },
  {
    why: "its volume has other access modes",
    drafts: [
      volumeManifest("pv"),
      claimManifest("data", { storageClassName: "", volumeName: "pv", accessModes: ["ReadWriteMany"] })
    ],
    claim: [
      'Claim "data" waits for a volume: Cannot bind to requested volume "pv": incompatible accessMode ' +
        "(VolumeMismatch).",
      "1 Pod uses it: web."
    ],
    pod: [
      'Pod "web" finds no node: 0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims ' +
        '(Unschedulable); its claim data waits: Cannot bind to requested volume "pv": incompatible accessMode ' +
        "(VolumeMismatch)."
    ]
  },
  {
    why: "its Pod comes first, and finds no node",
    drafts: [claimManifest("data")],
    podSpec: { nodeSelector: { disk: "fast" } },
    claim: ['Claim "data" waits until a Pod that uses it has a node.', "1 Pod uses it: web."],
    pod: [
      "Pod \"web\" finds no node: 0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector " +
        "(Unschedulable)."
    ]
  },
  {
    why: "the provisioner makes no such volume",
    drafts: [claimManifest("data", { volumeMode: "Block" })],
    claim: [
      'Claim "data" waits for a volume: rancher.io/local-path does not support block volume provisioning ' +
        "(ProvisioningFailed).",
      "1 Pod uses it: web."
    ],
    pod: [
      'Pod "web" has not been given a node yet; its claim data waits: rancher.io/local-path does not support ' +
        "block volume provisioning (ProvisioningFailed)."
    ]
  }
]

describe("a claim, and the Pod that waits for it, are explained", () => {
  for (const { why, drafts, podSpec, claim, pod } of rows) {
    it(`when ${why}`, async () => {
      await using cluster = await openCluster()
      for (const draft of [...drafts, podManifest("web", { ...claimVolumes("data"), ...podSpec })])
        await cluster.create(draft)
      const explained = await explainIn(cluster)
      expect(await explained.claim("data")).toEqual(claim)
      expect(await explained.pod("web")).toEqual(pod)
    })
  }

  it("when it is bound, and when it is being deleted", async () => {
    await using cluster = await openCluster()
    await cluster.create(volumeManifest("pv", { storage: "5Gi" }))
    await cluster.create(claimManifest("data", { storageClassName: "" }))
    expect(await (await explainIn(cluster)).claim("data")).toEqual([
      'Claim "data" is bound to volume pv (5Gi, ReadWriteOnce).',
      "No Pod uses it."
    ])
    await cluster.create(podManifest("web", claimVolumes("data")))
    await cluster.settle()
    await cluster.delete({ resource: resources.persistentVolumeClaims, name: "data" })
    expect(await (await explainIn(cluster)).claim("data")).toEqual([
      'Claim "data" is bound to volume pv (5Gi, ReadWriteOnce).',
      "It is being deleted, and stays as long as 1 Pod uses it: web."
    ])
  })

  it("when another node has its disk", async () => {
    await using cluster = await openCluster()
    const csi = { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" }
    await cluster.create(volumeManifest("pv", { csi }))
    await cluster.create(claimManifest("data", { storageClassName: "" }))
    for (const name of ["web-1", "web-2"]) {
      const nodeName = name.replace("web", "node")
      await cluster.create(podManifest(name, { nodeName, ...claimVolumes("data") }))
      await cluster.settle()
    }
    expect(await (await explainIn(cluster)).pod("web-2")).toEqual([
      'Pod "web-2" cannot start: Multi-Attach error for volume "pv" Volume is already used by pod(s) web-1 ' +
        "(FailedAttachVolume)."
    ])
  })
})
