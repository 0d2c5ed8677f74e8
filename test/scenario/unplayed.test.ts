import { describe, expect, it } from "vitest"
import { explore, plan } from "../../src/plan/plan.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { manifestWarnings } from "../../src/plan/warnings/planWarnings.ts"
import { aManifest } from "../cluster/worlds.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

const documentsOf = (manifests: ReadonlyArray<Manifest>) => {
  const { documents, problems } = readManifestObjects(manifests)
  expect(problems).toEqual([])
  return documents
}
const warningsFor = (next: ReadonlyArray<Manifest>, from: ReadonlyArray<Manifest> = []) =>
  manifestWarnings({ from: documentsOf(from), next: documentsOf(next) })

const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } }
const required = (what: object) => ({ requiredDuringSchedulingIgnoredDuringExecution: what })
const preferred = (what: object) => ({ preferredDuringSchedulingIgnoredDuringExecution: [what] })
const nodeTerm = { matchExpressions: [{ key: "gpu", operator: "Exists" }] }
const spread = (whenUnsatisfiable: string) => ({
  topologySpreadConstraints: [{ ...term, maxSkew: 1, whenUnsatisfiable }]
})
const mounted = { name: "data", persistentVolumeClaim: { claimName: "orders" } }
const sized = { resources: { limits: { memory: "1Gi", "nvidia.com/gpu": 1 }, requests: { cpu: "1" } } }
const app = { name: "app", image: "app" }

interface Row {
  readonly why: string
  readonly podSpec: object
  readonly asks: ReadonlyArray<string>
}

describe("what Pods must have and nobody plays is told, a sentence each", () => {
  it.each<Row>([
    {
      why: "nodes that they must be on",
      podSpec: { affinity: { nodeAffinity: required({ nodeSelectorTerms: [nodeTerm] }) } },
      asks: ["required nodeAffinity"]
    },
    {
      why: "Pods that they must be with, and must not",
      podSpec: { affinity: { podAffinity: required([term]), podAntiAffinity: required([term]) } },
      asks: ["required podAffinity", "required podAntiAffinity"]
    },
    {
      why: "not what is preferred alone, which keeps nobody waiting",
      podSpec: {
        affinity: {
          nodeAffinity: preferred({ weight: 1, preference: nodeTerm }),
          podAffinity: { ...preferred({ weight: 1, podAffinityTerm: term }), ...required([]) },
          podAntiAffinity: preferred({ weight: 1, podAffinityTerm: term })
        }
      },
      asks: []
    },
    {
      why: "how they must be spread",
      podSpec: spread("DoNotSchedule"),
      asks: ["topologySpreadConstraints with DoNotSchedule"]
    },
    { why: "not how they may be", podSpec: spread("ScheduleAnyway"), asks: [] },
    {
      why: "ports of their node, each once",
      podSpec: {
        containers: [{ ...app, ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }] }]
      },
      asks: ["hostPort 8080"]
    },
    {
      why: "any port on the network of their node",
      podSpec: { hostNetwork: true, containers: [{ ...app, ports: [{ containerPort: 80 }] }] },
      asks: ["hostPort 80"]
    },
    {
      why: "what a node hands out beside cpu and memory, to start with as well",
      podSpec: { initContainers: [{ ...app, ...sized }], containers: [{ ...app, name: "b", ...sized }] },
      asks: ["resources nvidia.com/gpu"]
    },
    {
      why: "claims of volumes",
      podSpec: { volumes: [mounted, { name: "more", persistentVolumeClaim: { claimName: "logs" } }] },
      asks: ["PersistentVolumeClaim orders, logs"]
    },
    {
      why: "volumes that are made for them",
      podSpec: { volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } }] },
      asks: ["ephemeral volume scratch"]
    },
    {
      why: "not what every node has, or the scheduler looks at",
      podSpec: { volumes: [{ name: "tmp", emptyDir: {} }], nodeSelector: { disk: "ssd" }, tolerations: [] },
      asks: []
    }
  ])("$why", ({ podSpec, asks }) => {
    expect(warningsFor([aManifest({ podSpec })])).toEqual(
      asks.map(
        (what) => `Deployment/web asks for ${what}: that is not played here, and its Pods run without it`
      )
    )
  })
})

it.each([
  { why: "one that is not here", podSpec: { schedulerName: "custom" }, isTold: true },
  { why: "not the one that is", podSpec: { schedulerName: "default-scheduler" }, isTold: false },
  { why: "not where none is named", podSpec: { schedulerName: "" }, isTold: false },
  { why: "not where a node is", podSpec: { schedulerName: "custom", nodeName: "node-1" }, isTold: false }
])("which scheduler Pods wait for is told: $why", ({ podSpec, isTold }) => {
  const says =
    "Deployment/web asks for schedulerName custom: there is no such scheduler here, and its Pods wait for it for ever"
  expect(warningsFor([aManifest({ podSpec })])).toEqual(isTold ? [says] : [])
})

const named = (kind: string, name: string, namespace = "default"): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace }
})

describe("ConfigMaps and Secrets that no file makes are taken to be there, and that is told", () => {
  it.each<Row>([
    {
      why: "of whole environments",
      podSpec: {
        containers: [{ ...app, envFrom: [{ configMapRef: { name: "a" } }, { secretRef: { name: "b" } }] }]
      },
      asks: ["ConfigMap/a", "Secret/b"]
    },
    {
      why: "of single values, of containers for init as well, each once",
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
      asks: ["ConfigMap/a", "Secret/b"]
    },
    {
      why: "of volumes, and of parts of them",
      podSpec: {
        volumes: [
          { name: "a", configMap: { name: "a" } },
          { name: "b", secret: { secretName: "b" } },
          { name: "c", projected: { sources: [{ configMap: { name: "c" } }, { secret: { name: "d" } }] } }
        ]
      },
      asks: ["ConfigMap/a", "ConfigMap/c", "Secret/b", "Secret/d"]
    },
    {
      why: "but for what is optional",
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
      asks: []
    },
    {
      why: "but for the certificate that is everywhere",
      podSpec: { volumes: [{ name: "ca", configMap: { name: "kube-root-ca.crt" } }] },
      asks: []
    }
  ])("$why", ({ podSpec, asks }) => {
    const taken = asks.length === 1 ? "it is" : "they are"
    expect(warningsFor([aManifest({ podSpec })])).toEqual(
      asks.length === 0
        ? []
        : [`Deployment/web needs ${asks.join(", ")}, which no file makes: ${taken} taken to be there`]
    )
  })

  const web = aManifest({ podSpec: { volumes: [{ name: "b", secret: { secretName: "b" } }] } })
  const says = ["Deployment/web needs Secret/b, which no file makes: it is taken to be there"]
  it.each<{
    readonly why: string
    readonly next: ReadonlyArray<Manifest>
    readonly from?: ReadonlyArray<Manifest>
    readonly warnings: ReadonlyArray<string>
  }>([
    { why: "it is made with what is rolled out", next: [web, named("Secret", "b")], warnings: [] },
    { why: "it is made with what runs before", next: [web], from: [named("Secret", "b")], warnings: [] },
    { why: "what runs before runs with it", next: [web], from: [web], warnings: [] },
    { why: "what runs before runs without it", next: [web], from: [aManifest({})], warnings: says },
    {
      why: "only another namespace's is made",
      next: [web, named("Secret", "b", "kube-system")],
      warnings: says
    },
    { why: "only another kind of the name is made", next: [web, named("ConfigMap", "b")], warnings: says }
  ])("$why", ({ next, from, warnings }) => {
    expect(warningsFor(next, from)).toEqual(warnings)
  })
})

describe("of a cluster only what has Pods that are available is known to have what it needs", () => {
  const web = aManifest({ podSpec: { volumes: [{ name: "b", secret: { secretName: "b" } }] } })
  const revision = { ...web, kind: "ReplicaSet", metadata: { name: "web-1", namespace: "default" } }
  const plain = { ...aManifest({}), kind: "ReplicaSet", metadata: { name: "web-0", namespace: "default" } }
  const all = { "Deployment default/web": 1, "ReplicaSet default/web-0": 1, "ReplicaSet default/web-1": 1 }
  it.each<{
    readonly why: string
    readonly from: ReadonlyArray<Manifest>
    readonly available: Readonly<Record<string, number>>
    readonly isTold: boolean
  }>([
    { why: "it has some", from: [web], available: all, isTold: false },
    { why: "it has none", from: [web], available: { "Deployment default/web": 0 }, isTold: true },
    { why: "nothing is said of it", from: [web], available: {}, isTold: true },
    { why: "its revision has some", from: [plain, revision, web], available: all, isTold: false },
    {
      why: "it has some, and they are of another revision",
      from: [plain, revision, web],
      available: { ...all, "ReplicaSet default/web-1": 0 },
      isTold: true
    }
  ])("$why", ({ from, available, isTold }) => {
    const running = { available, startingReplicaSets: [], failingReplicaSets: [], nodes: undefined }
    const warnings = manifestWarnings({ from: documentsOf(from), next: documentsOf([web]), running })
    expect(warnings).toEqual(
      isTold ? ["Deployment/web needs Secret/b, which no file makes: it is taken to be there"] : []
    )
  })
})

it("of what is no Deployment nothing is told but that nobody plays it", () => {
  const podSpec = { volumes: [mounted, { name: "b", secret: { secretName: "b" } }] }
  const set = { ...aManifest({ podSpec }), kind: "StatefulSet" }
  expect(warningsFor([set, aManifest({})])).toEqual([
    expect.stringMatching(/^StatefulSet\/web is not played/)
  ])
})

it("a program is told it of plan, and by explore of each Deployment by itself", async () => {
  const [web, api] = ["web", "api"].map((name) =>
    aManifest({ name, replicas: 1, podSpec: spread("DoNotSchedule") })
  )
  const next = [web, api].filter((it) => it !== undefined)
  const [ofWeb, ofApi] = ["web", "api"].map(
    (name) =>
      `Deployment/${name} asks for topologySpreadConstraints with DoNotSchedule: that is not played here, and its ` +
      "Pods run without it"
  )
  expect((await plan({ next, seeds: 1 })).warnings).toEqual([ofWeb, ofApi])
  expect(await explore({ next })).toMatchObject([
    { name: "web", warnings: [ofWeb] },
    { name: "api", warnings: [ofApi] }
  ])
})
