import { describe, expect, it } from "vitest"
import { plan } from "../../../src/plan/plan.ts"
import type { PlanOptions } from "../../../src/plan/plan.ts"

interface Shape {
  readonly image?: string
  readonly replicas?: number
  readonly strategy?: string
  readonly pod?: string
  readonly container?: string
}

const web = ({ image = "app:2", replicas = 3, strategy = "{}", pod = "", container = "" }: Shape = {}) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  progressDeadlineSeconds: 60
  strategy: ${strategy}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "${image}"${container === "" ? "" : `, ${container}`} }]${pod === "" ? "" : `, ${pod}`} }
`

const service = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
`
const webhook = (fields: string, kind = "ValidatingWebhookConfiguration") => `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata: { name: guard }
webhooks:
  - name: guard.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: { url: "https://guard.example.com" }
    rules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
    ${fields}
`
const rulesByPolicyKind: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: "validations: [{ expression: object.spec.replicas <= 2 }]",
  MutatingAdmissionPolicy: `reinvocationPolicy: Never
  mutations: [{ patchType: ApplyConfiguration, applyConfiguration: { expression: 'Object{}' } }]`
}
/** A policy for Deployments with more fields of its rule, and its binding. */
const policy = (
  binding: string,
  {
    kind = "ValidatingAdmissionPolicy",
    more = "scope: '*'"
  }: { readonly kind?: string; readonly more?: string } = {}
) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata: { name: small }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments], ${more} }]
  ${rulesByPolicyKind[kind]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}Binding
metadata: { name: small }
spec: { policyName: small, ${binding} }
`
const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { storageClassName: fast, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast }
provisioner: disks.example.com
`
const node = `
apiVersion: v1
kind: Node
metadata: { name: only, labels: { kubernetes.io/hostname: only } }
status: { allocatable: { cpu: "8", memory: 16Gi, pods: "110" } }
`
const apart = (topologyKey: string, app = "web") =>
  `affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: ${topologyKey}, labelSelector: { matchLabels: { app: ${app} } } }] } }`
const spread = (topologyKey: string) =>
  `topologySpreadConstraints: [{ topologyKey: ${topologyKey}, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: web } } }]`
const surging = "{ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }"
const mounted = "volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]"

interface Row {
  readonly why: string
  readonly what?: Shape
  /** Other objects in the file. */
  readonly beside?: string
  readonly isNew?: boolean
  readonly options?: Partial<PlanOptions>
  readonly verdict: string
  readonly reasons?: ReadonlyArray<string>
  readonly rules?: ReadonlyArray<string>
}

const rows: ReadonlyArray<Row> = [
  { why: "a rollout completes", verdict: "ships" },
  {
    why: "Pods that keep apart have no node for the surge",
    what: { pod: apart("kubernetes.io/hostname"), strategy: surging },
    verdict: "stuck",
    reasons: [
      "never completes: This rollout waits for itself: required podAntiAffinity keeps its new Pods from the nodes of " +
        "the old ones, and with maxUnavailable: 0 no old one goes before a new one is available",
      "Unschedulable: 0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."
    ]
  },
  {
    why: "a host port is taken on every node",
    what: { container: "ports: [{ containerPort: 80, hostPort: 80 }]", strategy: surging },
    verdict: "stuck"
  },
  {
    why: "a label that kubelets set is on every node",
    what: { pod: "nodeSelector: { kubernetes.io/arch: amd64 }" },
    verdict: "ships"
  },
  {
    why: "old manifests use the beta label",
    what: { pod: "nodeSelector: { beta.kubernetes.io/os: linux }" },
    verdict: "ships"
  },
  {
    why: "the default nodes have no zone",
    what: { pod: spread("topology.kubernetes.io/zone") },
    verdict: "unknown",
    reasons: [
      "the default nodes have no label topology.kubernetes.io/zone: say with --nodes FILE what yours have"
    ]
  },
  {
    why: "the nodes of the file have no zone",
    what: { pod: spread("topology.kubernetes.io/zone") },
    beside: node,
    isNew: true,
    verdict: "stuck"
  },
  {
    why: "the default nodes have no label of the team",
    what: { pod: "nodeSelector: { disk: ssd, pool: web }" },
    verdict: "unknown",
    reasons: ["the default nodes have no label disk, pool: say with --nodes FILE what yours have"]
  },
  {
    why: "one of two terms can be met",
    what: {
      pod: "affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: pool, operator: Exists }] }, { matchExpressions: [{ key: kubernetes.io/os, operator: In, values: [linux] }] }] } } }"
    },
    verdict: "ships"
  },
  {
    why: "no default node meets any of the terms",
    what: {
      pod: "affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: pool, operator: Exists }] }, { matchExpressions: [{ key: kubernetes.io/arch, operator: In, values: [arm64, s390x] }] }] } } }"
    },
    verdict: "unknown",
    reasons: [
      "the default nodes have no label pool, kubernetes.io/arch: arm64 or s390x: say with --nodes FILE what yours have"
    ]
  },
  {
    why: "Pods keep apart by zones, which the default nodes do not have",
    what: { pod: apart("topology.kubernetes.io/zone"), strategy: surging },
    verdict: "unknown",
    reasons: [
      "the default nodes have no label topology.kubernetes.io/zone: say with --nodes FILE what yours have"
    ]
  },
  {
    why: "Pods keep apart from others that are not there",
    what: { pod: apart("topology.kubernetes.io/zone", "other"), strategy: surging },
    verdict: "ships"
  },
  {
    why: "a claim of devices is not played",
    what: { pod: "resourceClaims: [{ name: gpu, resourceClaimTemplateName: gpu }]" },
    verdict: "unknown",
    reasons: ["its Pods need the devices of ResourceClaimTemplate/gpu, which are not played"],
    rules: ["unknown-node-resource"]
  },
  {
    why: "a load balancer decides when Pods are ready",
    what: { pod: "readinessGates: [{ conditionType: lb.example.com/healthy }]" },
    verdict: "unknown",
    reasons: [
      "its Pods are not ready before a controller that is not played sets their condition lb.example.com/healthy"
    ],
    rules: ["unknown-readiness-gate"]
  },
  {
    why: "another scheduler decides",
    what: { pod: "schedulerName: volcano" },
    verdict: "unknown",
    reasons: ["scheduler volcano places its Pods"],
    rules: ["unknown-scheduler"]
  },
  {
    why: "no file has the runtime class",
    what: { pod: "runtimeClassName: gvisor" },
    verdict: "unknown",
    reasons: ["its Pods need RuntimeClass/gvisor, which no file creates"]
  },
  {
    why: "a file has the runtime class",
    what: { pod: "runtimeClassName: gvisor" },
    beside: "{ apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: { name: gvisor }, handler: runsc }",
    verdict: "ships"
  },
  {
    why: "a foreign driver would have to fill the claim",
    what: { replicas: 1, pod: mounted, strategy: "{ type: Recreate }" },
    beside: claim,
    isNew: true,
    verdict: "unknown",
    reasons: ["claim data waits for disks.example.com, the provisioner of StorageClass/fast"]
  },
  {
    why: "a webhook may refuse the Pods",
    beside: webhook(""),
    verdict: "unknown",
    reasons: ["webhook guard.example.com of ValidatingWebhookConfiguration/guard may refuse its Pods"]
  },
  {
    why: "a webhook may change the Pods",
    beside: webhook("", "MutatingWebhookConfiguration"),
    verdict: "unknown",
    reasons: ["webhook guard.example.com of MutatingWebhookConfiguration/guard may change its Pods"]
  },
  { why: "the webhook may fail", beside: webhook("failurePolicy: Ignore"), verdict: "ships" },
  {
    why: "the webhook selects other Pods",
    beside: webhook("objectSelector: { matchLabels: { app: shop } }"),
    verdict: "ships"
  },
  {
    why: "the webhook selects other namespaces",
    beside: webhook("namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: shop } }"),
    verdict: "ships"
  },
  {
    why: "the webhook is accepted",
    beside: webhook(""),
    options: { acceptUnknown: ["ValidatingWebhookConfiguration"] },
    verdict: "ships"
  },
  {
    why: "a policy may refuse the Deployment",
    beside: policy("validationActions: [Deny]"),
    verdict: "unknown",
    reasons: ["ValidatingAdmissionPolicy/small may refuse its Deployment"],
    rules: ["unknown-validating-policy"]
  },
  {
    why: "a policy may change the Deployment",
    beside: policy("matchResources: {}", { kind: "MutatingAdmissionPolicy" }),
    verdict: "unknown",
    reasons: ["MutatingAdmissionPolicy/small may change its Deployment"],
    rules: ["unknown-mutating-policy"]
  },
  {
    why: "the binding of the policy only warns",
    beside: policy("validationActions: [Warn, Audit]"),
    verdict: "ships"
  },
  {
    why: "the binding is for another namespace",
    beside: policy(
      "validationActions: [Deny], matchResources: { namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: shop } } }"
    ),
    verdict: "ships"
  },
  {
    why: "the policy is for a Deployment of another name",
    beside: policy("validationActions: [Deny]", { more: "resourceNames: [shop]" }),
    verdict: "ships"
  },
  {
    why: "nothing is available for a while",
    what: { replicas: 1, strategy: "{ type: Recreate }" },
    options: { assume: "schedule=0s,pull=0s,start=30s,ready=0s,terminate=5s" },
    verdict: "risky",
    reasons: ["no Pod is available for 35s"]
  },
  {
    why: "requests are lost",
    what: { replicas: 1, strategy: "{ type: Recreate }" },
    beside: service,
    options: { assume: "schedule=0s,pull=0s,start=30s,ready=0s,terminate=5s" },
    verdict: "risky",
    reasons: ["100% of requests are lost", "no Pod is available for 35s"],
    rules: ["requests-lost", "no-pod-available"]
  },
  {
    why: "a condition of the team holds",
    options: { failOn: "pods>3" },
    verdict: "risky",
    reasons: ["pods>3 is true: 4 of 3"],
    rules: ["threshold"]
  },
  { why: "no replica is asked for", what: { replicas: 0 }, beside: service, verdict: "ships" }
]

describe("the verdict on a rollout", () => {
  it.each(rows)(
    "is $verdict if $why",
    async ({ what = {}, beside = "", isNew = false, options, verdict, reasons, rules }) => {
      const manifests = (image: string) =>
        [beside, web({ ...what, image })].filter((it) => it !== "").join("\n---\n")
      const planned = await plan({
        next: manifests("app:2"),
        ...(isNew ? {} : { from: manifests("app:1") }),
        seeds: 2,
        ...options
      })
      expect(planned.verdicts).toEqual([
        {
          kind: "Deployment",
          namespace: "default",
          name: "web",
          verdict,
          reasons: reasons ?? (verdict === "ships" ? [] : expect.anything()),
          rules: rules ?? expect.any(Array)
        }
      ])
      expect(planned.verdict).toBe(verdict)
    }
  )

  it("is the worst of several, and lists the worst first", async () => {
    const stuck = web({ pod: apart("kubernetes.io/hostname"), replicas: 4 }).replaceAll("web", "last")
    const { verdict, verdicts } = await plan({ next: `${web()}---${stuck}`, seeds: 1 })
    expect(verdict).toBe("stuck")
    expect(verdicts.map((it) => `${it.name} ${it.verdict}`)).toEqual(["last stuck", "web ships"])
  })

  it("says what was accepted", async () => {
    const { accepted, verdict } = await plan({
      next: web({ pod: "schedulerName: volcano" }),
      seeds: 1,
      acceptUnknown: ["Scheduler"]
    })
    expect(accepted).toEqual([{ kind: "Scheduler", text: "scheduler volcano places its Pods" }])
    // That its Pods wait in the plan says nothing.
    expect(verdict).toBe("ships")
  })
})
