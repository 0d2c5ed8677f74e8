import { describe, expect, it } from "vitest"
import { claim, mountOf, objectText, volumesOfClaim, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const foreignClass = (annotations: string): string =>
  objectText("storage.k8s.io/v1", "StorageClass", "fast", "provisioner: disks.example.com").replace(
    "{ name: fast }",
    `{ name: fast, annotations: { ${annotations} } }`
  )
const byDefault = "storageclass.kubernetes.io/is-default-class: 'true'"

const vault = "csi: { driver: vault.example.com }"
const ofVault = "its Pods need CSIDriver/vault.example.com, which no file creates"
const share = "azureFile: { shareName: data, secretName: share }"
const volume = (source: string): string =>
  objectText(
    "v1",
    "PersistentVolume",
    "disk",
    `spec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteOnce], storageClassName: slow, ${source} }`
  )
const localOn = (node: string): string =>
  `local: { path: /data }, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [${node}] }] }] } }`
const slowClaim = claim.replace("spec: {", "spec: { storageClassName: slow,")
const onDisk = [web({ replicas: 1, ...mountOf("persistentVolumeClaim: { claimName: data }") }), slowClaim]

const expanded = (env: string): string =>
  web({
    pod: "volumes: [{ name: logs, emptyDir: {} }]",
    container: `volumeMounts: [{ name: logs, mountPath: /logs, subPathExpr: "$(POD_NAME)" }], ${env}`
  })

const waitsForHandMade = ["claim data waits for a PersistentVolume without a class, which no file creates"]
const classlessClaim = claim.replace("spec: {", 'spec: { storageClassName: "",')
const ofManyNodes = (manifest: string): string => manifest.replace("ReadWriteOnce", "ReadWriteMany")
const claimRef = (name: string): string => `claimRef: { namespace: default, name: ${name} }`
const reservedFor = (name: string): string =>
  volume(`hostPath: { path: /data }, ${claimRef(name)}`).replace("storageClassName: slow, ", "")
const ofSlow = (manifest: string): string =>
  manifest.replace('storageClassName: ""', "storageClassName: slow")
const slowClass = foreignClass("team: storage").replace("name: fast", "name: slow")
const betaClass = "volume.beta.kubernetes.io/storage-class"
const statefulSet = (image: string, replicas: number): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: app, image: "${image}", readinessProbe: { httpGet: { port: 80 } } }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { storageClassName: "", accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`

const boundClaim = classlessClaim
  .replace("name: data", "name: data-web-0")
  .replace("spec: {", "spec: { volumeName: disk,")

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the path of a mount has a variable that nothing sets",
    next: [expanded("tty: false")],
    verdict: "stuck",
    reasons: ["never completes: CreateContainerConfigError: missing value for POD_NAME"]
  },
  {
    why: "the path of a mount has a variable that the Pod's fields set",
    next: [expanded("env: [{ name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]")],
    verdict: "ships"
  },
  {
    why: "a claim without a class waits for the driver of the default class",
    next: [web({ replicas: 1, pod: volumesOfClaim }), claim, foreignClass(byDefault)],
    verdict: "unknown",
    reasons: ["claim data waits for disks.example.com, the provisioner of StorageClass/fast"]
  },
  {
    why: "the class of another driver is not the default",
    next: [web({ replicas: 1, pod: volumesOfClaim }), claim, foreignClass("team: storage")],
    verdict: "ships"
  },
  {
    why: "a claim without a class refuses the default one",
    next: [
      web({ replicas: 1, pod: volumesOfClaim }),
      claim.replace("spec: {", 'spec: { storageClassName: "",'),
      foreignClass(byDefault)
    ],
    verdict: "unknown",
    reasons: waitsForHandMade
  },
  {
    why: "the team knows that a volume without a class exists",
    next: [web({ replicas: 1, pod: volumesOfClaim }), classlessClaim],
    options: { acceptUnknown: ["StorageClass"] },
    verdict: "ships"
  },
  {
    why: "a claim without a class runs already, with a volume that no file has",
    from: [web({ replicas: 1, pod: volumesOfClaim, image: "app:1" }), ofManyNodes(classlessClaim)],
    next: [web({ replicas: 1, pod: volumesOfClaim }), ofManyNodes(classlessClaim)],
    verdict: "ships"
  },
  {
    why: "the files have a volume without a class, which fits the claim",
    next: [
      web({ replicas: 1, pod: volumesOfClaim }),
      classlessClaim,
      volume("hostPath: { path: /data }").replace("storageClassName: slow, ", "")
    ],
    verdict: "ships"
  },
  {
    why: "the claims of a new StatefulSet need volumes without a class",
    next: [statefulSet("app:1", 1)],
    verdict: "unknown",
    reasons: waitsForHandMade
  },
  {
    why: "a StatefulSet has its claims, with volumes that no file has",
    from: [statefulSet("app:1", 2)],
    next: [statefulSet("app:2", 2)],
    verdict: "ships"
  },
  {
    why: "the claim of a StatefulSet's replica is bound to a volume that no file has",
    from: [statefulSet("app:1", 2), boundClaim],
    next: [statefulSet("app:2", 2)],
    verdict: "ships"
  },
  {
    why: "a new StatefulSet finds the claim of its replica, which names its volume",
    next: [statefulSet("app:1", 1), boundClaim],
    verdict: "ships"
  },
  {
    why: "a StatefulSet needs one more volume without a class",
    from: [statefulSet("app:1", 2)],
    next: [statefulSet("app:1", 3)],
    verdict: "unknown",
    reasons: waitsForHandMade
  },
  {
    why: "the only volume without a class is reserved for another claim",
    next: [web({ replicas: 1, pod: volumesOfClaim }), classlessClaim, reservedFor("other")],
    verdict: "unknown",
    reasons: waitsForHandMade,
    warnings: [
      "PersistentVolumeClaim/data has no class, and no file creates a PersistentVolume for it: one is assumed to exist"
    ]
  },
  {
    why: "the only volume without a class is reserved for the claim",
    next: [web({ replicas: 1, pod: volumesOfClaim }), classlessClaim, reservedFor("data")],
    verdict: "ships"
  },
  {
    why: "a volume is reserved for the claim of the only replica",
    next: [statefulSet("app:1", 1), reservedFor("data-web-0")],
    verdict: "ships"
  },
  {
    why: "a volume is reserved for the claim of one of two replicas",
    next: [statefulSet("app:1", 2), reservedFor("data-web-0")],
    verdict: "unknown",
    reasons: waitsForHandMade
  },
  {
    why: "the only volume of the claim's class is reserved for another claim",
    next: [...onDisk, volume(`hostPath: { path: /data }, ${claimRef("other")}`)],
    verdict: "ships",
    warnings: ["Deployment/web needs StorageClass/slow, which no file creates: it is assumed to exist"]
  },
  {
    why: "the only volume of a foreign class is reserved for another claim",
    next: [...onDisk, slowClass, volume(`hostPath: { path: /data }, ${claimRef("other")}`)],
    verdict: "unknown",
    reasons: ["claim data waits for disks.example.com, the provisioner of StorageClass/slow"]
  },
  {
    why: "a volume of a foreign class, which an annotation names, fits the claim",
    next: [
      ...onDisk,
      slowClass,
      volume("hostPath: { path: /data }")
        .replace("name: disk", `name: disk, annotations: { ${betaClass}: slow }`)
        .replace("storageClassName: slow, ", "")
    ],
    verdict: "ships"
  },
  {
    why: "a second replica waits for a volume of a class that volumes of the files show to be made by hand",
    next: [ofSlow(statefulSet("app:1", 2)), volume("hostPath: { path: /data }")],
    verdict: "stuck",
    reasons: [
      "never completes: Unschedulable: 0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    ]
  },
  {
    why: "a second replica waits for the driver of a class, of which the files have one volume",
    next: [ofSlow(statefulSet("app:1", 2)), slowClass, volume("hostPath: { path: /data }")],
    verdict: "unknown",
    reasons: ["claim data waits for disks.example.com, the provisioner of StorageClass/slow"]
  },
  {
    why: "each replica has a volume of its own of a foreign class",
    next: [
      ofSlow(statefulSet("app:1", 2)),
      slowClass,
      volume("hostPath: { path: /data }"),
      volume("hostPath: { path: /data }").replace("name: disk", "name: other")
    ],
    verdict: "ships"
  },
  {
    why: "a claim leaves the larger volume of a foreign class, which comes first, to a larger claim",
    next: [
      slowClaim.replace("name: data", "name: other"),
      ...onDisk.map((manifest) => manifest.replace("1Gi", "5Gi")),
      slowClass,
      volume("hostPath: { path: /data }").replace("1Gi", "5Gi"),
      volume("hostPath: { path: /data }").replace("name: disk", "name: other")
    ],
    verdict: "ships"
  },
  {
    why: "the ephemeral volume of a Pod is a volume of a foreign class",
    next: [
      web({
        replicas: 1,
        ...mountOf(
          "ephemeral: { volumeClaimTemplate: { spec: { storageClassName: slow, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } } }"
        )
      }),
      slowClass,
      volume("hostPath: { path: /data }")
    ],
    verdict: "ships"
  },
  {
    why: "two replicas run, and have volumes of such a class, of which a file has one",
    from: [ofSlow(statefulSet("app:1", 2)), volume("hostPath: { path: /data }")],
    next: [ofSlow(statefulSet("app:2", 2))],
    verdict: "ships"
  },
  {
    why: "two replicas run, and have volumes of such a class, of which the files before and after have one",
    from: [ofSlow(statefulSet("app:1", 2)), volume("hostPath: { path: /data }")],
    next: [ofSlow(statefulSet("app:2", 2)), volume("hostPath: { path: /data }")],
    verdict: "ships"
  },
  {
    why: "no file has the driver of a volume",
    next: [web(mountOf(vault))],
    verdict: "unknown",
    reasons: [ofVault]
  },
  {
    why: "a file has the driver of a volume",
    next: [
      web(mountOf(vault)),
      objectText("storage.k8s.io/v1", "CSIDriver", "vault.example.com", "spec: { attachRequired: false }")
    ],
    verdict: "ships"
  },
  {
    why: "what runs has a volume of the driver",
    from: [web({ ...mountOf(vault), image: "app:1" })],
    next: [web(mountOf(vault))],
    verdict: "ships"
  },
  {
    why: "what runs has a share of a cloud, which is not attached",
    from: [web({ ...mountOf(share), image: "app:1" })],
    next: [web(mountOf(share))],
    verdict: "ships"
  },
  {
    why: "a volume that exists has the driver of the new one",
    from: [volume("csi: { driver: vault.example.com, volumeHandle: a }").replace("name: disk", "name: old")],
    next: [...onDisk, volume("csi: { driver: vault.example.com, volumeHandle: b }")],
    verdict: "ships"
  },
  {
    why: "no container mounts the volume",
    next: [web({ ...mountOf(vault), container: "tty: true" })],
    verdict: "ships"
  },
  {
    why: "a disk of a cloud needs a driver",
    next: [web(mountOf("awsElasticBlockStore: { volumeID: vol-1 }"))],
    verdict: "unknown",
    reasons: ["its Pods need a driver for awsElasticBlockStore volumes, which is not played"]
  },
  {
    why: "the only volume that fits the claim needs a driver",
    next: [...onDisk, volume("csi: { driver: vault.example.com, volumeHandle: a }")],
    verdict: "unknown",
    reasons: [ofVault]
  },
  {
    why: "the volume that is reserved for a replica's claim needs a driver",
    next: [
      statefulSet("app:1", 1),
      reservedFor("data-web-0").replace(
        "hostPath: { path: /data }",
        "csi: { driver: vault.example.com, volumeHandle: a }"
      )
    ],
    verdict: "unknown",
    reasons: [ofVault]
  },
  {
    why: "a volume that fits the claim needs no driver",
    next: [...onDisk, volume("hostPath: { path: /data }")],
    verdict: "ships"
  },
  {
    why: "the only volume that fits the claim is on a node of another name",
    next: [...onDisk, volume(localOn("minikube"))],
    verdict: "unknown",
    reasons: [
      "the default nodes have no label kubernetes.io/hostname: minikube: say with --nodes FILE what yours have"
    ]
  },
  {
    why: "another volume of the claim's class is on a default node",
    next: [
      ...onDisk,
      volume(localOn("minikube")).replace("name: disk", "name: other"),
      volume(localOn("node-1"))
    ],
    verdict: "ships"
  },
  {
    why: "a hostPath has to be there, and not every node has it",
    next: [web(mountOf("hostPath: { path: /var/run/docker.sock, type: Socket }"))],
    verdict: "unknown",
    reasons: ["its Pods need what not every node has: socket /var/run/docker.sock"]
  },
  {
    why: "the Pods that run have such a directory",
    from: [web({ ...mountOf("hostPath: { path: /srv/data, type: Directory }"), image: "app:1" })],
    next: [web(mountOf("hostPath: { path: /srv/data, type: Directory }"))],
    verdict: "ships"
  },
  {
    why: "every node has the directory",
    next: [web(mountOf("hostPath: { path: /var/lib/kubelet/plugins_registry/, type: Directory }"))],
    verdict: "ships"
  },
  {
    why: "the kubelet makes the directory",
    next: [web(mountOf("hostPath: { path: /srv/data, type: DirectoryOrCreate }"))],
    verdict: "ships"
  },
  {
    why: "not every node has the file of a hostPath, nor the profile of a container",
    next: [
      web({
        ...mountOf("hostPath: { path: /etc/app.conf, type: File }"),
        container:
          "volumeMounts: [{ name: files, mountPath: /etc/app }], securityContext: { seccompProfile: { type: Localhost, localhostProfile: app.json } }"
      })
    ],
    verdict: "unknown",
    reasons: ["its Pods need what not every node has: file /etc/app.conf, seccomp profile app.json"]
  },
  {
    why: "no kubelet mounts such a volume any more",
    next: [web(mountOf("glusterfs: { endpoints: gluster, path: data }"))],
    verdict: "stuck",
    reasons: [
      'never completes: FailedMount: volume "files" is a glusterfs volume, which kubelets no longer mount'
    ]
  }
]

describe("what volumes make of a verdict", () => {
  it.each(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
