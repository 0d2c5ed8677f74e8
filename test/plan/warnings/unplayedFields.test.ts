import { describe, expect, it } from "vitest"
import { explore, plan } from "../../../src/plan/plan.ts"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { manifestWarnings } from "../../../src/plan/warnings/planWarnings.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

const documentsOf = (manifests: ReadonlyArray<Manifest>) => {
  const { documents, problems } = readManifestObjects(manifests)
  expect(problems).toEqual([])
  return documents
}
const warningsFor = (next: ReadonlyArray<Manifest>, from: ReadonlyArray<Manifest> = []) =>
  manifestWarnings({ from: documentsOf(from), next: documentsOf(next) })

const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } }
const required = (what: object) => ({ requiredDuringSchedulingIgnoredDuringExecution: what })
const nodeTerm = { matchExpressions: [{ key: "gpu", operator: "Exists" }] }
const sized = { resources: { limits: { memory: "1Gi", "nvidia.com/gpu": 1 }, requests: { cpu: "1" } } }
const app = { name: "app", image: "app" }

interface Row {
  readonly why: string
  readonly podSpec: object
  readonly fieldTexts: ReadonlyArray<string>
}

it("nothing by which a Pod chooses its node has a warning: all of it is played", () => {
  const podSpec = {
    volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } }],
    nodeSelector: { disk: "ssd" },
    affinity: {
      nodeAffinity: required({ nodeSelectorTerms: [nodeTerm] }),
      podAffinity: required([term]),
      podAntiAffinity: required([term])
    },
    topologySpreadConstraints: [{ ...term, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }],
    containers: [{ ...app, ...sized, ports: [{ containerPort: 80, hostPort: 8080 }] }]
  }
  expect(warningsFor([deploymentManifest({ podSpec })])).toEqual([])
})

it.each([
  { why: "another scheduler", podSpec: { schedulerName: "custom" }, isWarned: true },
  { why: "not the default scheduler", podSpec: { schedulerName: "default-scheduler" }, isWarned: false },
  { why: "not an empty name", podSpec: { schedulerName: "" }, isWarned: false },
  { why: "not with nodeName", podSpec: { schedulerName: "custom", nodeName: "node-1" }, isWarned: false }
])("schedulerName has a warning: $why", ({ podSpec, isWarned }) => {
  const warning =
    "Deployment/web asks for schedulerName custom: there is no such scheduler here, and its Pods wait for it for ever"
  expect(warningsFor([deploymentManifest({ podSpec })])).toEqual(isWarned ? [warning] : [])
})

const named = (kind: string, name: string, namespace = "default"): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace }
})

describe("an assumed ConfigMap, Secret or claim has a warning", () => {
  it.each<Row>([
    {
      why: "of envFrom",
      podSpec: {
        containers: [{ ...app, envFrom: [{ configMapRef: { name: "a" } }, { secretRef: { name: "b" } }] }]
      },
      fieldTexts: ["ConfigMap/a", "Secret/b"]
    },
    {
      why: "of env, also of init containers, each once",
      podSpec: {
        initContainers: [
          {
            ...app,
            name: "init",
            env: [
              { name: "A", valueFrom: { configMapKeyRef: { name: "a", key: "k" } } },
              { name: "B", valueFrom: { secretKeyRef: { name: "b", key: "k" } } },
              { name: "C", valueFrom: { secretKeyRef: { name: "b", key: "l" } } },
              { name: "D", value: "d" }
            ]
          }
        ]
      },
      fieldTexts: ["ConfigMap/a", "Secret/b"]
    },
    {
      why: "of claims",
      podSpec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "orders" } }] },
      fieldTexts: ["PersistentVolumeClaim/orders"]
    },
    {
      why: "of volumes, also projected ones",
      podSpec: {
        volumes: [
          { name: "a", configMap: { name: "a" } },
          { name: "b", secret: { secretName: "b" } },
          { name: "c", projected: { sources: [{ configMap: { name: "c" } }, { secret: { name: "d" } }] } }
        ]
      },
      fieldTexts: ["ConfigMap/a", "ConfigMap/c", "Secret/b", "Secret/d"]
    },
    {
      why: "not when it is optional",
      podSpec: {
        containers: [
          {
            ...app,
            envFrom: [{ configMapRef: { name: "a", optional: true } }],
            env: [{ name: "B", valueFrom: { secretKeyRef: { name: "b", key: "k", optional: true } } }]
          }
        ],
        volumes: [{ name: "b", secret: { secretName: "b", optional: true } }]
      },
      fieldTexts: []
    },
    {
      why: "not kube-root-ca.crt",
      podSpec: { volumes: [{ name: "ca", configMap: { name: "kube-root-ca.crt" } }] },
      fieldTexts: []
    }
  ])("$why", ({ podSpec, fieldTexts }) => {
    const assumption = fieldTexts.length === 1 ? "it is" : "they are"
    expect(warningsFor([deploymentManifest({ podSpec })])).toEqual(
      fieldTexts.length === 0
        ? []
        : [
            `Deployment/web needs ${fieldTexts.join(", ")}, which no file creates: ${assumption} assumed to exist`
          ]
    )
  })

  const web = deploymentManifest({ podSpec: { volumes: [{ name: "b", secret: { secretName: "b" } }] } })
  const warning = ["Deployment/web needs Secret/b, which no file creates: it is assumed to exist"]
  it("unless its name is invalid, so that no cluster can have it", () => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "Or_ders" } }]
    expect(warningsFor([deploymentManifest({ podSpec: { volumes } })])).toEqual([
      "Deployment/web needs PersistentVolumeClaim/Or_ders, which cannot exist: the name is invalid"
    ])
  })
  it.each<{
    readonly why: string
    readonly next: ReadonlyArray<Manifest>
    readonly from?: ReadonlyArray<Manifest>
    readonly warnings: ReadonlyArray<string>
  }>([
    { why: "not when it is created with the rollout", next: [web, named("Secret", "b")], warnings: [] },
    { why: "not when it existed before", next: [web], from: [named("Secret", "b")], warnings: [] },
    { why: "not when the Pods before use it", next: [web], from: [web], warnings: [] },
    {
      why: "when the Pods before do not use it",
      next: [web],
      from: [deploymentManifest({})],
      warnings: warning
    },
    {
      why: "when only another namespace has it",
      next: [web, named("Secret", "b", "kube-system")],
      warnings: warning
    },
    { why: "when only another kind has the name", next: [web, named("ConfigMap", "b")], warnings: warning }
  ])("$why", ({ next, from, warnings }) => {
    expect(warningsFor(next, from)).toEqual(warnings)
  })
})

describe("a live Deployment proves its objects only with available Pods", () => {
  const web = deploymentManifest({ podSpec: { volumes: [{ name: "b", secret: { secretName: "b" } }] } })
  const revision = { ...web, kind: "ReplicaSet", metadata: { name: "web-1", namespace: "default" } }
  const plain = {
    ...deploymentManifest({}),
    kind: "ReplicaSet",
    metadata: { name: "web-0", namespace: "default" }
  }
  const all = { "Deployment default/web": 1, "ReplicaSet default/web-0": 1, "ReplicaSet default/web-1": 1 }
  it.each<{
    readonly why: string
    readonly from: ReadonlyArray<Manifest>
    readonly available: Readonly<Record<string, number>>
    readonly isWarned: boolean
  }>([
    { why: "no warning with available Pods", from: [web], available: all, isWarned: false },
    {
      why: "a warning without available Pods",
      from: [web],
      available: { "Deployment default/web": 0 },
      isWarned: true
    },
    { why: "a warning when its Pods are unknown", from: [web], available: {}, isWarned: true },
    {
      why: "no warning when its revision has available Pods",
      from: [plain, revision, web],
      available: all,
      isWarned: false
    },
    {
      why: "a warning when only another revision has available Pods",
      from: [plain, revision, web],
      available: { ...all, "ReplicaSet default/web-1": 0 },
      isWarned: true
    }
  ])("$why", ({ from, available, isWarned }) => {
    const running = {
      available,
      startingReplicaSets: [],
      failingReplicaSets: [],
      unfinishedRevisions: [],
      nodes: undefined
    }
    const warnings = manifestWarnings({
      from: documentsOf(from),
      next: documentsOf([web]),
      livePods: running
    })
    expect(warnings).toEqual(
      isWarned ? ["Deployment/web needs Secret/b, which no file creates: it is assumed to exist"] : []
    )
  })
})

describe("a StorageClass that no file creates is assumed to exist", () => {
  const claim = (storageClassName: string) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage: "1Gi" } } }
  })
  const web = deploymentManifest({
    podSpec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] }
  })
  const scratch = deploymentManifest({
    podSpec: {
      volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claim("fast").spec } } }]
    }
  })
  const labels = { app: "db" }
  const database = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: {
      serviceName: "db",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [app] } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim("fast").spec }]
    }
  }
  const betaClass = { "volume.beta.kubernetes.io/storage-class": "fast" }
  const { storageClassName: _, ...specWithoutClass } = claim("").spec
  const annotated = {
    ...database,
    spec: {
      ...database.spec,
      volumeClaimTemplates: [{ metadata: { name: "data", annotations: betaClass }, spec: specWithoutClass }]
    }
  }
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "fast",
      hostPath: { path: "/data" }
    }
  }
  const fast = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "fast" },
    provisioner: "rancher.io/local-path"
  }
  it.each([
    { why: "for a claim that its Pods name", next: [claim("fast"), web], needing: "Deployment/web" },
    { why: "for a volume of each Pod", next: [scratch], needing: "Deployment/web" },
    { why: "for the claims of a StatefulSet", next: [database], needing: "StatefulSet/db" },
    { why: "for a class that an annotation names", next: [annotated], needing: "StatefulSet/db" },
    { why: "not if a file creates it", next: [fast, claim("fast"), web], needing: undefined },
    {
      why: "not the one that each cluster of a plan has",
      next: [claim("standard"), web],
      needing: undefined
    },
    { why: "not for a claim without a class", next: [claim(""), web], needing: undefined },
    {
      why: "not if a volume made by hand has its name",
      next: [volume, claim("fast"), web],
      needing: undefined
    }
  ])("$why", ({ next, needing }) => {
    const warnings = warningsFor(next).filter((text) => text.includes("StorageClass/"))
    expect(warnings).toEqual(
      needing === undefined
        ? []
        : [`${needing} needs StorageClass/fast, which no file creates: it is assumed to exist`]
    )
  })
})

it("a claim of a StatefulSet replaces the volume of its name", () => {
  const labels = { app: "db" }
  const volumes = [
    { name: "data", persistentVolumeClaim: { claimName: "data" } },
    { name: "backup", persistentVolumeClaim: { claimName: "backup" } }
  ]
  const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  const podSpec = { containers: [{ name: "app", image: "app:1" }], volumes }
  const database = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec }]
    }
  }
  expect(warningsFor([database])).toEqual([
    "StatefulSet/db needs PersistentVolumeClaim/backup, which no file creates: it is assumed to exist"
  ])
})

describe("a Service for which an init container waits is assumed to exist", () => {
  const waiting = (text: string) =>
    deploymentManifest({
      podSpec: { initContainers: [{ name: "wait", image: "busybox:1", command: ["sh", "-c", text] }] }
    })
  const db = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "db" },
    spec: { ports: [{ port: 5432 }] }
  }
  it.each([
    { command: "until nslookup db; do sleep 2; done", service: "db" },
    { command: "until nc -z db 5432; do sleep 1; done", service: "db" },
    { command: "while ! nc -w 2 -z db.default.svc.cluster.local 5432; do sleep 1; done", service: "db" },
    { command: "until pg_isready -h db -p 5432; do sleep 1; done", service: "db" },
    { command: "until wget -qO- http://db:8080/healthz; do sleep 1; done", service: "db" },
    { command: "until nslookup cache; do sleep 2; done", service: "cache", others: [db] },
    { command: "until nslookup db; do sleep 2; done", service: undefined, others: [db] },
    { command: "until nslookup db.example.com; do sleep 2; done", service: undefined },
    { command: 'until nc -z "$DB_HOST" 5432; do sleep 1; done', service: undefined },
    { command: "until curl -fs http://localhost:8080; do sleep 1; done", service: undefined },
    { command: "until nslookup kubernetes.default.svc.cluster.local; do sleep 1; done", service: undefined },
    { command: "nslookup db || true", service: undefined }
  ])("$service of `$command`", ({ command, service, others = [] }) => {
    const warnings = warningsFor([...others, waiting(command)]).filter((text) =>
      text.includes(" needs Service/")
    )
    expect(warnings).toEqual(
      service === undefined
        ? []
        : [`Deployment/web needs Service/${service}, which no file creates: it is assumed to exist`]
    )
  })
})

it("a ReplicationController has only the warning that it is not played", () => {
  const podSpec = {
    volumes: [
      { name: "a", hostPath: { path: "/" } },
      { name: "b", secret: { secretName: "b" } }
    ]
  }
  const { spec } = deploymentManifest({ podSpec })
  const controller = {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name: "web" },
    spec: { ...spec, selector: { app: "web" } }
  }
  expect(warningsFor([controller, deploymentManifest({})])).toEqual([
    expect.stringMatching(/^ReplicationController\/web is not played/)
  ])
})

it("plan has all warnings, and explore those of each Deployment", async () => {
  const [web, api] = ["web", "api"].map((name) =>
    deploymentManifest({
      name,
      replicas: 1,
      podSpec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "orders" } }] }
    })
  )
  const next = [web, api].filter((it) => it !== undefined)
  const [ofWeb, ofApi] = ["web", "api"].map(
    (name) =>
      `Deployment/${name} needs PersistentVolumeClaim/orders, which no file creates: it is assumed to exist`
  )
  expect((await plan({ next, seeds: 1 })).warnings).toEqual([ofWeb, ofApi])
  expect(await explore({ next })).toMatchObject([
    { name: "web", warnings: [ofWeb] },
    { name: "api", warnings: [ofApi] }
  ])
})
