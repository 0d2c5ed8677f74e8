import { describe, expect, it } from "vitest"
import { claim, objectText, volumesOfClaim, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const foreignClass = objectText(
  "storage.k8s.io/v1",
  "StorageClass",
  "fast",
  "provisioner: disks.example.com, volumeBindingMode: WaitForFirstConsumer"
)

const ofClass = "accessModes: [ReadWriteMany], storageClassName: fast"
const unboundClaim = claim.replace("accessModes: [ReadWriteOnce]", ofClass)

const defaultClass = foreignClass.replace(
  "{ name: fast }",
  "{ name: fast, annotations: { storageclass.kubernetes.io/is-default-class: 'true' } }, allowVolumeExpansion: true"
)
const claimOfDefaultClass = (size: string): string =>
  claim.replace("ReadWriteOnce", "ReadWriteMany").replace("1Gi", size)

/** As a cluster exports a claim that its provisioner has bound. */
const boundClaim = (name: string): string => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: ${name}
  uid: claim-${name}
  resourceVersion: "7"
  annotations: { pv.kubernetes.io/bind-completed: "yes", pv.kubernetes.io/bound-by-controller: "yes" }
spec: { ${ofClass}, volumeName: pvc-${name}, resources: { requests: { storage: 1Gi } } }
status: { phase: Bound }
`

const boundVolume = (name: string): string => `
apiVersion: v1
kind: PersistentVolume
metadata:
  name: pvc-${name}
  uid: volume-${name}
  resourceVersion: "8"
  annotations: { pv.kubernetes.io/provisioned-by: disks.example.com }
spec:
  ${ofClass.replace(", ", "\n  ")}
  capacity: { storage: 1Gi }
  claimRef: { kind: PersistentVolumeClaim, namespace: default, name: ${name}, uid: claim-${name} }
  csi: { driver: disks.example.com, volumeHandle: ${name} }
  persistentVolumeReclaimPolicy: Delete
status: { phase: Bound }
`

const webWithClaim = (image: string): string => web({ replicas: 1, pod: volumesOfClaim, image })

const statefulSet = (image: string, replicas: number): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: web }
spec:
  replicas: ${replicas}
  serviceName: web
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "${image}" }] }
  volumeClaimTemplates:
    - { metadata: { name: data }, spec: { ${ofClass}, resources: { requests: { storage: 1Gi } } } }
`

const waits = ["claim data waits for disks.example.com, the provisioner of StorageClass/fast"]

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the export has the claim with its volume",
    from: [foreignClass, boundVolume("data"), boundClaim("data"), webWithClaim("app:1")],
    next: [webWithClaim("app:2")],
    verdict: "ships"
  },
  {
    why: "the export has the claim without its volume",
    from: [foreignClass, boundClaim("data"), webWithClaim("app:1")],
    next: [webWithClaim("app:2")],
    verdict: "ships"
  },
  {
    why: "the claim's manifest, which names no volume, is applied to the bound claim",
    from: [foreignClass, boundVolume("data"), boundClaim("data"), webWithClaim("app:1")],
    next: [unboundClaim, webWithClaim("app:2")],
    verdict: "ships"
  },
  {
    why: "the claim is still to be bound",
    from: [foreignClass],
    next: [unboundClaim, webWithClaim("app:2")],
    verdict: "unknown",
    reasons: waits
  },
  {
    why: "the files of what runs have the claim, which does not say what it is bound to",
    from: [foreignClass, unboundClaim, webWithClaim("app:1")],
    next: [foreignClass, unboundClaim, webWithClaim("app:2")],
    verdict: "ships"
  },
  {
    why: "the files of what runs have the claim, whose class is the default one, and which grows",
    from: [defaultClass, claimOfDefaultClass("1Gi"), webWithClaim("app:1")],
    next: [defaultClass, claimOfDefaultClass("2Gi"), webWithClaim("app:2")],
    verdict: "ships"
  },
  {
    why: "the files of what runs have a StatefulSet, whose claims have no manifests",
    from: [foreignClass, statefulSet("app:1", 2)],
    next: [foreignClass, statefulSet("app:2", 2)],
    verdict: "ships"
  },
  {
    why: "a StatefulSet of the files needs a claim for a new replica",
    from: [foreignClass, statefulSet("app:1", 1)],
    next: [foreignClass, statefulSet("app:2", 2)],
    verdict: "unknown",
    reasons: waits
  },
  {
    why: "every replica of a StatefulSet has a bound claim",
    from: [foreignClass, boundClaim("data-web-0"), boundClaim("data-web-1"), statefulSet("app:1", 2)],
    next: [statefulSet("app:2", 2)],
    verdict: "ships"
  },
  {
    why: "a new replica of a StatefulSet needs a claim",
    from: [foreignClass, boundClaim("data-web-0"), statefulSet("app:1", 1)],
    next: [statefulSet("app:2", 2)],
    verdict: "unknown",
    reasons: waits
  }
]

describe("what the claims of a cluster's export make of a verdict", () => {
  it.each(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
