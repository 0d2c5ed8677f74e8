import { describe, expect, it } from "vitest"
import {
  aManifest,
  claimManifest,
  claimVolumes,
  namespaceManifest,
  onlyOnNode,
  podManifest,
  volumeManifest
} from "../../builders.ts"
import { plan } from "../../../src/plan/plan.ts"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { withAssumedObjects } from "../../../src/plan/previous/assumedObjects.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

const account: Manifest = aManifest("ServiceAccount", { name: "robot" })
const highClass: Manifest & { readonly value: number } = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "high" },
  value: 1000
}
const webWithPodSpec = (podSpec: object, version = "v1"): Manifest =>
  deploymentManifest({ replicas: 1, podSpec, version })
const webOfRobot = webWithPodSpec({ serviceAccountName: "robot" })
const webOfRobotNext = webWithPodSpec({ serviceAccountName: "robot" }, "v2")
const plainNext = webWithPodSpec({}, "v2")

const stuckReasons = async (manifests: {
  readonly from?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
}) =>
  (await plan({ ...manifests, seeds: 1 })).rollouts.flatMap(({ reasons }) => reasons.map((it) => it.reason))

describe("assumed objects come before the objects before the rollout", () => {
  const inShop = (podSpec: object): Manifest => deploymentManifest({ namespace: "shop", podSpec })
  const both = { serviceAccountName: "robot", priorityClassName: "high" }
  const read = (manifests: ReadonlyArray<Manifest>) => readManifestObjects(manifests).documents
  const shopsRobot = { ...account, metadata: { name: "robot", namespace: "shop" } }
  const shop = namespaceManifest("shop")
  const annotations = { "charthouse.dev/assumed": "true" }
  const assumedRobot = { ...shopsRobot, metadata: { ...shopsRobot.metadata, annotations } }
  const assumedHigh = { ...highClass, metadata: { name: "high", annotations }, value: 0 }

  it.each<{
    readonly why: string
    readonly from?: ReadonlyArray<Manifest>
    readonly next: ReadonlyArray<Manifest>
    readonly assumed: ReadonlyArray<object>
  }>([
    {
      why: "the namespace, the ServiceAccount and a PriorityClass of value 0",
      next: [inShop(both)],
      assumed: [shop, assumedRobot, assumedHigh]
    },
    {
      why: "a RuntimeClass with a handler of its name",
      next: [webWithPodSpec({ runtimeClassName: "kata" })],
      assumed: [
        {
          ...aManifest("RuntimeClass", { name: "kata", annotations }),
          handler: "kata"
        }
      ]
    },
    {
      why: "a RuntimeClass of a name with dots, which no handler has",
      next: [webWithPodSpec({ runtimeClassName: "kata.qemu" })],
      assumed: [{ ...aManifest("RuntimeClass", { name: "kata.qemu", annotations }), handler: "kata-qemu" }]
    },
    {
      why: "a ServiceAccount by the older name of its field",
      next: [shop, inShop({ serviceAccount: "robot" })],
      assumed: [shop, assumedRobot]
    },
    {
      why: "not objects of invalid names, which a template's variables are",
      next: [
        webWithPodSpec({ serviceAccountName: "${ACCOUNT}", priorityClassName: "Bad_Name" }),
        deploymentManifest({ namespace: "${NAMESPACE}", podSpec: both })
      ],
      assumed: [assumedHigh]
    },
    {
      why: "not objects that the manifests create",
      next: [shopsRobot, highClass, inShop(both)],
      assumed: [shop]
    },
    {
      why: "the namespace that the manifests create, for what their Pods name in it",
      next: [shop, inShop({ serviceAccountName: "robot" })],
      assumed: [shop, assumedRobot]
    },
    {
      why: "each once",
      from: [inShop(both)],
      next: [inShop(both), account, webWithPodSpec(both)],
      assumed: [shop, assumedRobot, assumedHigh]
    },
    {
      why: "not objects that existed before",
      from: [shop, shopsRobot, highClass],
      next: [inShop(both)],
      assumed: []
    },
    {
      why: "nothing when nothing is named",
      from: [webWithPodSpec({})],
      next: [webWithPodSpec({})],
      assumed: []
    }
  ])("$why", ({ from, next, assumed }) => {
    const before = from === undefined ? undefined : read(from)
    const documents = withAssumedObjects(before, read(next))
    if (assumed.length === 0) expect(documents).toBe(before)
    else
      expect(documents?.map(({ draft }) => draft)).toEqual([
        ...assumed,
        ...(before ?? []).map(({ draft }) => draft)
      ])
  })
})

describe("objects that Pods name exist", () => {
  it.each<{
    readonly why: string
    readonly from?: ReadonlyArray<Manifest>
    readonly next: ReadonlyArray<Manifest>
  }>([
    { why: "when no file creates their ServiceAccount", next: [webOfRobot] },
    {
      why: "when no file creates the ServiceAccount of the Pods before the rollout",
      from: [webOfRobot],
      next: [plainNext]
    },
    { why: "when it is created with them", next: [account, webOfRobot] },
    { why: "when it is created after them, as a controller retries", next: [webOfRobot, account] },
    {
      why: "when it existed before and is created again",
      from: [webOfRobot],
      next: [account, webOfRobotNext]
    },
    { why: "when it was created before", from: [account, webOfRobot], next: [webOfRobotNext] },
    {
      why: "when no file creates their PriorityClass",
      next: [webWithPodSpec({ priorityClassName: "high" })]
    },
    {
      why: "when their PriorityClass is created with them",
      next: [highClass, webWithPodSpec({ priorityClassName: "high" })]
    },
    { why: "when no file creates their claim", next: [webWithPodSpec(claimVolumes("data"))] },
    {
      why: "when their claim is created with them, of a class that no file creates",
      next: [
        claimManifest("data", { storageClassName: "gp3", accessModes: ["ReadWriteMany"] }),
        webWithPodSpec(claimVolumes("data"))
      ]
    },
    {
      why: "when their claim is created with them, of no class and no volume",
      next: [claimManifest("data", { storageClassName: "" }), webWithPodSpec(claimVolumes("data"))]
    },
    {
      why: "when their claim is of the default class",
      from: [claimManifest("data", { accessModes: ["ReadWriteMany"] }), webWithPodSpec(claimVolumes("data"))],
      next: [webWithPodSpec(claimVolumes("data"), "v2")]
    },
    {
      why: "when every cluster has it",
      next: [webWithPodSpec({ priorityClassName: "system-node-critical" })]
    }
  ])("$why", async ({ why: _why, ...manifests }) => {
    expect(await stuckReasons(manifests)).toEqual([])
  })

  it("for Pods without an owner", async () => {
    const pod = podManifest("lonely", { serviceAccountName: "robot" })
    expect(await stuckReasons({ next: [pod, webWithPodSpec({})] })).toEqual([])
  })

  it("in their own namespace", async () => {
    const elsewhere = { ...account, metadata: { name: "robot", namespace: "kube-system" } }
    expect(await stuckReasons({ next: [elsewhere, webOfRobot] })).toEqual([])
  })
})

describe("no object is assumed that the API server would refuse", () => {
  const data = claimManifest("data", { storageClassName: "", accessModes: ["ReadWriteTwice"] })
  it.each<{ readonly why: string; readonly next: ReadonlyArray<Manifest>; readonly refused: string }>([
    {
      why: "a volume for an invalid claim",
      next: [data, webWithPodSpec({})],
      refused: 'The PersistentVolumeClaim "data" is invalid: spec.accessModes: '
    },
    {
      why: "a class of an invalid name",
      next: [webWithPodSpec({ priorityClassName: "High_Class" })],
      refused: 'The Deployment "web" is invalid: spec.template.spec.priorityClassName: '
    }
  ])("$why", async ({ next, refused }) => {
    const error: unknown = await plan({ next, seeds: 1 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ problems: [{ message: expect.stringContaining(refused) }] })
  })

  it("but a RuntimeClass whose name is no name of a handler", async () => {
    expect(await stuckReasons({ next: [webWithPodSpec({ runtimeClassName: "kata.qemu" })] })).toEqual([])
  })
})

describe("a volume is assumed for a claim of a class that no file creates", () => {
  const web = webWithPodSpec(claimVolumes("data"))
  it.each([
    { className: "manual", why: "not if a volume fits it", verdict: "unknown" },
    { className: "", why: "not if a volume fits it", verdict: "unknown" },
    {
      className: "",
      why: "if the volumes have another class, while the outcome is unknown",
      verdict: "unknown",
      isTold: true,
      volume: { storageClassName: "other" }
    },
    { className: "", why: "not if the volumes are too small", verdict: "stuck", claim: { storage: "2Gi" } },
    {
      className: "manual",
      why: "not if the volumes are too small",
      verdict: "stuck",
      claim: { storage: "2Gi" }
    },
    {
      className: "gp2",
      why: "if the volumes are disks, of which a driver may provision more",
      claim: { storage: "2Gi" },
      isTold: false,
      volume: { csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" } }
    },
    {
      className: "manual",
      why: "not if the volumes lack its access mode",
      verdict: "stuck",
      claim: { accessModes: ["ReadWriteMany"] }
    },
    {
      className: "",
      why: "not if it does not select the volumes",
      verdict: "stuck",
      claim: { selector: { matchLabels: { disk: "fast" } } }
    },
    {
      className: "manual",
      why: "if the volumes are reserved for another claim",
      isTold: false,
      volume: { claimRef: { namespace: "default", name: "logs" } }
    },
    {
      className: "manual",
      why: "not if a volume of another class is reserved for it",
      volume: { storageClassName: "other", claimRef: { namespace: "default", name: "data" } },
      verdict: "unknown"
    }
  ])(
    "$why ($className)",
    async ({ className: storageClassName, claim, volume, verdict = "ships", isTold }) => {
      const next = [
        volumeManifest("disk", { storageClassName, ...onlyOnNode("none"), ...volume }),
        claimManifest("data", { storageClassName, ...claim }),
        web
      ]
      const { verdicts, warnings } = await plan({ next, seeds: 1 })
      // No default node reaches the volume of the files.
      expect(verdicts.map((it) => it.verdict)).toEqual([verdict])
      expect(warnings.filter((text) => text.startsWith("PersistentVolumeClaim/data "))).toHaveLength(
        (isTold ?? verdict !== "unknown") ? 1 : 0
      )
    }
  )
})

it("assumes no class for a claim that names its volume", async () => {
  const fields = { storageClassName: "manual" }
  const next = [
    volumeManifest("disk", { ...fields, claimRef: { namespace: "default", name: "logs" } }),
    claimManifest("data", { ...fields, volumeName: "disk" }),
    webWithPodSpec(claimVolumes("data"))
  ]
  expect(await plan({ next, seeds: 1 })).toMatchObject({ verdict: "stuck", warnings: [] })
})
