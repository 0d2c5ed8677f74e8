import { describe, expect, it } from "vitest"
import { withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import { resolveIntOrPercent } from "../../../src/kubernetes/meta/amounts/intOrPercent.ts"
import {
  aDeployment,
  aPod,
  aReplicaSet,
  valueAt,
  deployments,
  edited,
  namespaces,
  nodes,
  pods,
  replicaSets,
  type Edit
} from "./drafts.ts"

describe("defaults of a Deployment (TestSetDefaultDeployment)", () => {
  it.each([
    { path: "spec.replicas", edits: [["spec.replicas", undefined]], value: 1, why: "one replica" },
    { path: "spec.replicas", edits: [["spec.replicas", 0]], value: 0, why: "zero is kept" },
    { path: "spec.strategy.type", edits: [], value: "RollingUpdate", why: "RollingUpdate" },
    {
      path: "spec.strategy.type",
      edits: [["spec.strategy", { type: "" }]],
      value: "RollingUpdate",
      why: "RollingUpdate for an empty type"
    },
    {
      path: "spec.strategy.rollingUpdate.maxUnavailable",
      edits: [],
      value: "25%",
      why: "a quarter unavailable"
    },
    { path: "spec.strategy.rollingUpdate.maxSurge", edits: [], value: "25%", why: "a quarter surge" },
    {
      path: "spec.strategy.rollingUpdate",
      edits: [["spec.strategy", { rollingUpdate: { maxSurge: 0 } }]],
      value: { maxUnavailable: "25%", maxSurge: 0 },
      why: "only the missing half; 0 is kept"
    },
    {
      path: "spec.strategy",
      edits: [["spec.strategy", { type: "Recreate" }]],
      value: { type: "Recreate" },
      why: "no rollingUpdate beside Recreate"
    },
    { path: "spec.revisionHistoryLimit", edits: [], value: 10, why: "ten old revisions" },
    {
      path: "spec.revisionHistoryLimit",
      edits: [["spec.revisionHistoryLimit", 0]],
      value: 0,
      why: "zero is kept"
    },
    { path: "spec.progressDeadlineSeconds", edits: [], value: 600, why: "ten minutes" },
    { path: "spec.minReadySeconds", edits: [], value: undefined, why: "absent means 0" },
    { path: "spec.paused", edits: [], value: undefined, why: "absent means false" },
    {
      path: "spec.selector",
      edits: [["spec.selector", undefined]],
      value: undefined,
      why: "the selector is not defaulted"
    },
    { path: "metadata.labels", edits: [], value: undefined, why: "labels are not taken from the template" },
    {
      path: "spec.strategy.rollingUpdate.maxSurge",
      edits: [["spec.strategy.rollingUpdate.maxSurge", ""]],
      value: "",
      why: "an empty text stays where Go has a pointer, and validation refuses it"
    },
    {
      path: "spec.template.spec.nodeName",
      edits: [["spec.template.spec.nodeName", ""]],
      value: undefined,
      why: "an empty node name is dropped"
    },
    {
      path: "spec.template.spec.restartPolicy",
      edits: [],
      value: "Always",
      why: "the template gets its defaults"
    },
    {
      path: "spec.template.spec.enableServiceLinks",
      edits: [],
      value: undefined,
      why: "the template gets no defaults of Pods alone"
    }
  ] satisfies ReadonlyArray<{ path: string; edits: ReadonlyArray<Edit>; value: unknown; why: string }>)(
    "$path is $value: $why",
    ({ path, edits, value }) => {
      expect(valueAt(withDefaults(deployments, edited(aDeployment(), ...edits)), path)).toEqual(value)
    }
  )
})

describe("Pods of a new Deployment that may be unavailable (TestDefaultDeploymentAvailability)", () => {
  it.each([
    { replicas: 1, missing: 0 },
    { replicas: 3, missing: 0 },
    { replicas: 4, missing: 1 },
    { replicas: 11, missing: 2 }
  ])("$missing of $replicas", ({ replicas, missing }) => {
    const deployment = withDefaults(deployments, aDeployment({ replicas }))
    const value = valueAt(deployment, "spec.strategy.rollingUpdate.maxUnavailable")
    expect(resolveIntOrPercent({ value: String(value), total: replicas, round: "down" })).toBe(missing)
  })
})

describe("defaults of a ReplicaSet (TestSetDefaultReplicaSetReplicas, TestSetDefaultReplicaSet)", () => {
  it.each([
    { replicas: undefined, value: 1, why: "one replica" },
    { replicas: 0, value: 0, why: "zero is kept" },
    { replicas: 7, value: 7, why: "a given count is kept" }
  ])("$value for $replicas: $why", ({ replicas, value }) => {
    const replicaSet = withDefaults(replicaSets, edited(aReplicaSet(), ["spec.replicas", replicas]))
    expect(valueAt(replicaSet, "spec.replicas")).toBe(value)
    expect(valueAt(replicaSet, "metadata.labels")).toBeUndefined()
  })
})

const app = "spec.template.spec.containers.0"
const execProbe = { exec: { command: ["x"] } }

describe("defaults of a template (TestSetDefaultPodSpec*, TestSetDefaultProbe, TestDefaultImagePullPolicy)", () => {
  const spec = "spec.template.spec"
  const pull = (image: string, value: string, why: string) => ({
    path: `${app}.imagePullPolicy`,
    edits: [[`${app}.image`, image]] as const,
    value,
    why
  })
  it.each([
    { path: `${spec}.restartPolicy`, value: "Always" },
    { path: `${spec}.dnsPolicy`, value: "ClusterFirst" },
    { path: `${spec}.terminationGracePeriodSeconds`, value: 30 },
    {
      path: `${spec}.terminationGracePeriodSeconds`,
      edits: [[`${spec}.terminationGracePeriodSeconds`, 0]],
      value: 0,
      why: "0 is kept"
    },
    { path: `${spec}.securityContext`, value: {} },
    { path: `${spec}.schedulerName`, value: "default-scheduler" },
    { path: `${spec}.tolerations`, value: undefined, why: "only Pods get tolerations" },
    { path: `${app}.terminationMessagePath`, value: "/dev/termination-log" },
    { path: `${app}.terminationMessagePolicy`, value: "File" },
    { path: `${app}.resources`, value: {}, why: "an empty struct is kept" },
    pull("nginx", "Always", "no tag is latest"),
    pull("host:5000/nginx", "Always", "a port is no tag"),
    pull("", "IfNotPresent", "no image has no tag"),
    pull("nginx:latest", "Always", "latest may be newer tomorrow"),
    pull("nginx:1.27", "IfNotPresent", "a version stays"),
    pull("host:5000/nginx:1.27", "IfNotPresent", "a port and a version"),
    pull(`nginx@sha256:${"0".repeat(64)}`, "IfNotPresent", "a digest stays"),
    pull(`nginx:latest@sha256:${"0".repeat(64)}`, "Always", "the tag decides"),
    {
      path: `${app}.imagePullPolicy`,
      edits: [[`${app}.imagePullPolicy`, "Never"]],
      value: "Never",
      why: "a given policy is kept"
    },
    {
      path: `${app}.ports`,
      edits: [[`${app}.ports`, [{ containerPort: 80 }]]],
      value: [{ containerPort: 80, protocol: "TCP" }]
    },
    {
      path: `${app}.ports`,
      edits: [
        [`${app}.ports`, [{ containerPort: 80, protocol: "UDP" }]],
        [`${spec}.hostNetwork`, true]
      ],
      value: [{ containerPort: 80, protocol: "UDP" }],
      why: "no host port since 1.28, as only Pods get one"
    },
    {
      path: `${app}.readinessProbe`,
      edits: [[`${app}.readinessProbe`, { ...execProbe, timeoutSeconds: 0, failureThreshold: 7 }]],
      value: { ...execProbe, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 7 },
      why: "a count of 0 is replaced"
    },
    {
      path: `${app}.livenessProbe.httpGet`,
      edits: [[`${app}.livenessProbe`, { httpGet: { port: 80 } }]],
      value: { port: 80, path: "/", scheme: "HTTP" }
    },
    {
      path: `${app}.startupProbe.grpc`,
      edits: [[`${app}.startupProbe`, { grpc: { port: 7 } }]],
      value: { port: 7, service: "" }
    },
    {
      path: `${app}.lifecycle.preStop.httpGet`,
      edits: [[`${app}.lifecycle`, { preStop: { httpGet: { port: "http", path: "/bye" } } }]],
      value: { port: "http", path: "/bye", scheme: "HTTP" }
    },
    {
      path: `${app}.env.0.valueFrom.fieldRef`,
      edits: [[`${app}.env`, [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }]]],
      value: { fieldPath: "metadata.name", apiVersion: "v1" }
    },
    {
      path: `${app}.resources`,
      edits: [[`${app}.resources`, { limits: { cpu: "0.5", memory: "1024Mi" }, requests: { cpu: "1500u" } }]],
      value: { limits: { cpu: "500m", memory: "1Gi" }, requests: { cpu: "2m" } },
      why: "quantities are rounded up to thousandths; only Pods get requests from limits"
    },
    {
      path: `${spec}.volumes.0`,
      edits: [[`${spec}.volumes`, [{ name: "v" }]]],
      value: { name: "v", emptyDir: {} }
    },
    {
      path: `${spec}.volumes.0.secret`,
      edits: [[`${spec}.volumes`, [{ name: "v", secret: { secretName: "s" } }]]],
      value: { secretName: "s", defaultMode: 420 }
    },
    {
      path: `${spec}.volumes.0.configMap`,
      edits: [[`${spec}.volumes`, [{ name: "v", configMap: { name: "c", defaultMode: 256 } }]]],
      value: { name: "c", defaultMode: 256 },
      why: "a given mode is kept"
    },
    {
      path: `${spec}.volumes.0.downwardAPI`,
      edits: [
        [
          `${spec}.volumes`,
          [{ name: "v", downwardAPI: { items: [{ path: "n", fieldRef: { fieldPath: "f" } }] } }]
        ]
      ],
      value: { defaultMode: 420, items: [{ path: "n", fieldRef: { fieldPath: "f", apiVersion: "v1" } }] }
    },
    {
      path: `${spec}.volumes.0.projected`,
      edits: [
        [`${spec}.volumes`, [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }]]
      ],
      value: {
        defaultMode: 420,
        sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }]
      }
    },
    {
      path: `${spec}.volumes.0`,
      edits: [[`${spec}.volumes`, [{ name: "v", hostPath: { path: "/x" } }]]],
      value: { name: "v", hostPath: { path: "/x", type: "" } },
      why: "a volume with a source gets no emptyDir"
    },
    {
      path: `${spec}.serviceAccount`,
      edits: [[`${spec}.serviceAccountName`, "robot"]],
      value: "robot",
      why: "has the older name of the field, too"
    },
    {
      path: `${spec}.initContainers.0.imagePullPolicy`,
      edits: [[`${spec}.initContainers`, [{ name: "i", image: "i" }]]],
      value: "Always",
      why: "init containers get defaults"
    }
  ] satisfies ReadonlyArray<{ path: string; edits?: ReadonlyArray<Edit>; value: unknown; why?: string }>)(
    "$path $why",
    ({ path, edits = [], value }) => {
      const deployment = edited(aDeployment(), ...edits)
      expect(valueAt(withDefaults(deployments, deployment), path)).toEqual(value)
    }
  )
})

describe("defaults of a Pod (TestSetDefaultPodSpecHostNetwork, TestSetDefaultRequestsPod)", () => {
  const toleration = (key: string) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300
  })
  const lost = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map(toleration)
  const port = [{ containerPort: 80, protocol: "TCP", hostPort: 80 }]
  it.each([
    { path: "spec.restartPolicy", value: "Always" },
    { path: "spec.enableServiceLinks", value: true },
    { path: "spec.serviceAccountName", value: "default" },
    { path: "spec.serviceAccount", value: "default" },
    { path: "spec.serviceAccount", spec: { serviceAccountName: "robot" }, value: "robot" },
    { path: "spec.serviceAccountName", spec: { serviceAccount: "robot" }, value: "robot" },
    {
      path: "spec.serviceAccount",
      spec: { serviceAccount: "older", serviceAccountName: "robot" },
      value: "robot"
    },
    { path: "spec.priority", value: 0 },
    { path: "spec.priority", spec: { priorityClassName: "system-node-critical" }, value: 2_000_001_000 },
    { path: "spec.priority", spec: { priorityClassName: "system-cluster-critical" }, value: 2_000_000_000 },
    { path: "spec.priority", spec: { priorityClassName: "mine" }, value: undefined },
    { path: "spec.preemptionPolicy", value: "PreemptLowerPriority" },
    { path: "spec.tolerations", value: lost },
    {
      path: "spec.tolerations",
      spec: { tolerations: [{ operator: "Exists" }] },
      value: [{ operator: "Exists" }]
    },
    {
      path: "spec.tolerations",
      spec: { tolerations: [{ ...lost[0], tolerationSeconds: 7 }] },
      value: [{ ...lost[0], tolerationSeconds: 7 }, lost[1]]
    },
    {
      path: "spec.tolerations",
      spec: { tolerations: [{ ...lost[1], effect: "NoSchedule" }] },
      value: [{ ...lost[1], effect: "NoSchedule" }, ...lost]
    },
    {
      path: "spec.tolerations",
      spec: { tolerations: [{ key: lost[0]?.key, operator: "Exists" }] },
      value: [{ key: lost[0]?.key, operator: "Exists" }, lost[1]]
    },
    {
      path: "spec.containers.0.ports",
      spec: { hostNetwork: true, containers: [{ name: "a", image: "a", ports: [{ containerPort: 80 }] }] },
      value: port
    },
    {
      path: "spec.containers.0.resources",
      spec: {
        containers: [
          { name: "a", image: "a", resources: { limits: { cpu: "2" }, requests: { memory: "1Gi" } } }
        ]
      },
      value: { limits: { cpu: "2" }, requests: { memory: "1Gi", cpu: "2" } }
    },
    { path: "spec.containers.0.resources", value: {} },
    { path: "spec.volumes", value: undefined }
  ])("$path of $spec", ({ path, spec = {}, value }) => {
    expect(valueAt(withDefaults(pods, aPod(spec)), path)).toEqual(value)
  })
})

describe("defaults of other kinds", () => {
  it("label a Namespace with its name (TestSetDefaultNamespace)", () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { a: "b" } } }
    const labelled = withDefaults(namespaces, namespace)
    expect(labelled.metadata.labels).toEqual({
      a: "b",
      "kubernetes.io/metadata.name": "shop"
    })
    expect(withDefaults(namespaces, labelled)).toBe(labelled)
  })

  it("add no label to a Namespace whose name is not generated yet", () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "shop-" } }
    expect(withDefaults(namespaces, namespace)).toBe(namespace)
  })

  it("set a Node's allocatable resources to its capacity (TestSetDefaultNodeStatusAllocatable)", () => {
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n" },
      status: { capacity: { cpu: "7" } }
    }
    expect(valueAt(withDefaults(nodes, node), "status.allocatable")).toEqual({ cpu: "7" })
    const [bare, little] = [
      edited(node, ["status", undefined]),
      edited(node, ["status.allocatable", { cpu: "3" }])
    ]
    expect(withDefaults(nodes, bare)).toEqual({ ...bare, spec: {}, status: {} })
    expect(valueAt(withDefaults(nodes, little), "status.allocatable")).toEqual({ cpu: "3" })
  })
})
