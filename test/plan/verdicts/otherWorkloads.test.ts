import { describe, expect, it } from "vitest"
import { plan } from "../../../src/plan/plan.ts"
import type { PlanOptions } from "../../../src/plan/plan.ts"

interface Shape {
  readonly image?: string
  /** Fields of the spec. */
  readonly spec?: string
  /** Fields of the Pods. */
  readonly pod?: string
  /** Fields of the container. */
  readonly container?: string
}

const template = ({ image = "app:2", pod = "", container = "tty: false" }: Shape) =>
  `template: { metadata: { labels: { app: it } }, spec: { containers: [{ name: app, image: "${image}", ${container} }], ${pod} } }`
const workload =
  (kind: string, fields: string) =>
  (shape: Shape): string =>
    `
apiVersion: apps/v1
kind: ${kind}
metadata: { name: it }
spec: { selector: { matchLabels: { app: it } }, ${fields}, ${template(shape)}${shape.spec === undefined ? "" : `, ${shape.spec}`} }
`
const statefulSet = workload("StatefulSet", "replicas: 3, serviceName: it")
const daemonSet = workload("DaemonSet", "revisionHistoryLimit: 10")
const job = ({ image = "app:2", spec = "backoffLimit: 1", pod = "", container = "" }: Shape): string => `
apiVersion: batch/v1
kind: Job
metadata: { name: it-${image.replace(/^.*:/, "")} }
spec: { ${spec}, template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "${image}", ${container} }], ${pod} } } }
`
const service = `
apiVersion: v1
kind: Service
metadata: { name: it }
spec: { selector: { app: it }, ports: [{ port: 80 }] }
`
const crashing: Partial<PlanOptions> = {
  behaviours: [{ name: "crashing", match: { image: "*:2" }, exit: { after: "100ms", code: 3 } }]
}
const fast =
  "{ volumeClaimTemplates: [{ metadata: { name: data }, spec: { storageClassName: fast, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } }] }".slice(
    2,
    -2
  )
const foreignClass = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast }
provisioner: disks.example.com
`
const webhook = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: guard }
webhooks:
  - name: guard.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: { url: "https://guard.example.com" }
    rules: [{ apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs] }]
`
const node = `
apiVersion: v1
kind: Node
metadata: { name: only }
status: { allocatable: { cpu: "4", memory: 8Gi, pods: "110" } }
`

interface Row {
  readonly why: string
  readonly of: (shape: Shape) => string
  readonly what?: Shape
  readonly beside?: string
  readonly isNew?: boolean
  readonly options?: Partial<PlanOptions>
  readonly verdict: string
  readonly reasons?: ReadonlyArray<string>
}

const planOf = ({ of, what = {}, beside = "", isNew = false, options }: Row) =>
  plan({
    next: [of(what), beside].join("\n---\n"),
    ...(isNew ? {} : { from: [of({ ...what, image: "app:1" }), beside].join("\n---\n") }),
    seeds: 1,
    assume: "schedule=0s,pull=0s,start=10s,ready=0s,terminate=5s",
    ...options
  })

const rows: ReadonlyArray<Row> = [
  { why: "a StatefulSet that rolls out one Pod after another", of: statefulSet, verdict: "ships" },
  {
    why: "a StatefulSet whose clients go on sending to stopped Pods",
    of: statefulSet,
    beside: service,
    verdict: "risky",
    reasons: ["2.9% of requests are lost"]
  },
  {
    why: "a StatefulSet whose new Pods crash",
    of: statefulSet,
    options: { assume: "start=1s", nodes: 1, ...crashing },
    verdict: "stuck",
    reasons: ['never completes: CrashLoopBackOff: container "app" ended with exit code 3 (Error)']
  },
  {
    why: "a StatefulSet with claims of a class that no file creates",
    of: statefulSet,
    what: { spec: fast },
    verdict: "ships"
  },
  {
    why: "a StatefulSet with claims for several nodes, of a class that no file creates",
    of: statefulSet,
    what: { spec: fast.replace("ReadWriteOnce", "ReadWriteMany") },
    verdict: "ships"
  },
  {
    why: "a StatefulSet with claims for several nodes, of the default class",
    of: statefulSet,
    what: { spec: fast.replace("ReadWriteOnce", "ReadWriteMany").replace("storageClassName: fast, ", "") },
    isNew: true,
    verdict: "stuck",
    reasons: [
      'never completes: ProvisioningFailed: failed to provision volume with StorageClass "standard": NodePath only supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes'
    ]
  },
  {
    why: "a StatefulSet with claims that wait for a provisioner which is not played",
    of: statefulSet,
    what: { spec: fast },
    beside: foreignClass,
    isNew: true,
    verdict: "unknown",
    reasons: ["claim data waits for disks.example.com, the provisioner of StorageClass/fast"]
  },
  {
    why: "a StatefulSet beyond its quota",
    of: statefulSet,
    beside:
      '{ apiVersion: v1, kind: ResourceQuota, metadata: { name: small }, spec: { hard: { pods: "2" } } }',
    isNew: true,
    verdict: "stuck",
    reasons: [
      'never completes: create Pod it-2 in StatefulSet it failed error: pods "it-2" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2'
    ]
  },
  {
    why: "a StatefulSet whose claims are beyond their quota",
    of: statefulSet,
    what: { spec: fast },
    beside:
      '{ apiVersion: v1, kind: ResourceQuota, metadata: { name: small }, spec: { hard: { persistentvolumeclaims: "2" } } }',
    isNew: true,
    verdict: "stuck",
    reasons: [
      'never completes: create Pod it-2 in StatefulSet it failed error: failed to create PVC data-it-2: persistentvolumeclaims "data-it-2" is forbidden: exceeded quota: small, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=2, limited: persistentvolumeclaims=2'
    ]
  },
  {
    why: "a StatefulSet whose partition leaves no Pod to update",
    of: statefulSet,
    what: { spec: "updateStrategy: { rollingUpdate: { partition: 3 } }" },
    verdict: "risky",
    reasons: ["partition: 3 with replicas: 3 gives no Pod the new template until it is lowered"]
  },
  {
    why: "a StatefulSet whose partition leaves one Pod to update",
    of: statefulSet,
    what: { spec: "updateStrategy: { rollingUpdate: { partition: 2 } }" },
    verdict: "ships"
  },
  {
    why: "a new StatefulSet with a partition",
    of: statefulSet,
    what: { spec: "updateStrategy: { rollingUpdate: { partition: 3 } }" },
    isNew: true,
    verdict: "ships"
  },
  {
    why: "a StatefulSet of a node that none of the default ones is",
    of: statefulSet,
    what: { pod: "nodeName: worker-1" },
    isNew: true,
    verdict: "unknown",
    reasons: ["no default node is named worker-1: say with --nodes FILE which are yours"]
  },
  {
    why: "a StatefulSet of a node that no file has",
    of: statefulSet,
    what: { pod: "nodeName: worker-1" },
    beside: node,
    isNew: true,
    verdict: "stuck",
    reasons: ["never completes: Pods are bound to Node/worker-1, which does not exist"]
  },
  { why: "a DaemonSet on every node", of: daemonSet, verdict: "ships" },
  {
    why: "a DaemonSet that is nowhere while its only Pod is replaced",
    of: daemonSet,
    options: { nodes: 1 },
    verdict: "risky",
    reasons: ["no Pod is available for 15s"]
  },
  {
    why: "a DaemonSet whose new Pods crash",
    of: daemonSet,
    what: { spec: "minReadySeconds: 5" },
    options: { assume: "start=1s", nodes: 1, ...crashing },
    verdict: "stuck",
    reasons: ['never completes: CrashLoopBackOff: container "app" ended with exit code 3 (Error)']
  },
  {
    why: "a DaemonSet whose new Pods need the host ports of the old ones",
    of: daemonSet,
    what: {
      spec: "updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }",
      pod: "hostNetwork: true",
      container: "ports: [{ containerPort: 9100 }]"
    },
    verdict: "stuck",
    reasons: [
      "never completes: This rollout waits for itself: hostPort 9100 keeps its new Pods from the nodes of the old ones, and with maxSurge: 1 no old one goes before the new one beside it is available",
      "Unschedulable: 0/3 nodes are available: 1 node(s) didn't have free ports for the requested pod ports, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    ]
  },
  { why: "a Job whose Pods succeed", of: job, verdict: "ships" },
  {
    why: "a Job whose Pods fail",
    of: job,
    options: { assume: "start=1s", ...crashing },
    verdict: "stuck",
    reasons: ['never completes: job "it-2" has failed: Job has reached the specified backoff limit']
  },
  {
    why: "a Job that its pod failure policy makes fail at the first Pod, with each seed",
    of: job,
    what: {
      spec: "podFailurePolicy: { rules: [{ action: FailJob, onExitCodes: { operator: In, values: [3] } }] }"
    },
    options: { seeds: 2, ...crashing },
    verdict: "stuck",
    reasons: [
      'never completes: job "it-2" has failed: Container app failed with exit code 3 matching FailJob rule at index 0'
    ]
  },
  {
    why: "a Job whose Pods run for longer than its deadline allows",
    of: job,
    what: { spec: "activeDeadlineSeconds: 20" },
    options: { assume: "start=1s,ready=30s" },
    verdict: "stuck",
    reasons: ['never completes: job "it-2" has failed: Job was active longer than specified deadline']
  },
  {
    why: "a Job whose container waits for ever",
    of: job,
    what: { container: 'command: [sh, -c, "migrate && tail -f /dev/null"]' },
    verdict: "stuck",
    reasons: ['never completes: container "app" never ends: it runs "tail -f"']
  },
  {
    why: "a Job that shows a log in the background while it works",
    of: job,
    what: { container: 'command: [sh, -c, "tail -f /log & migrate"]' },
    verdict: "ships"
  },
  {
    why: "a Job of which a behaviour says when it ends",
    of: job,
    what: { container: 'command: [sh, -c, "tail -f /queue"]' },
    options: { behaviours: [{ name: "short", match: { image: "*:2" }, exit: { after: "5s", code: 0 } }] },
    verdict: "ships"
  },
  {
    why: "a Job that is assumed to crash long before its sleep is over",
    of: job,
    what: { spec: "backoffLimit: 0", container: "command: [sleep, '3000']" },
    options: { assume: "start=1s,ready=0s,crash=99%" },
    verdict: "stuck",
    reasons: ['never completes: job "it-2" has failed: Job has reached the specified backoff limit']
  },
  {
    why: "a StatefulSet whose init containers sleep for three hours in all",
    of: statefulSet,
    what: {
      spec: "podManagementPolicy: Parallel",
      pod: `initContainers: [${["a", "b", "c"].map((name) => `{ name: ${name}, image: "busybox:1", command: [sleep, '3600'] }`).join(", ")}]`
    },
    isNew: true,
    verdict: "ships"
  },
  {
    why: "a Job whose sidecar runs as long as its Pod",
    of: job,
    what: {
      pod: 'initContainers: [{ name: proxy, image: "proxy:1", restartPolicy: Always, command: [sleep, infinity] }]'
    },
    verdict: "ships"
  },
  {
    why: "a Job whose Pods would wait for a load balancer to be ready",
    of: job,
    what: { pod: "readinessGates: [{ conditionType: example.com/in-service }]" },
    verdict: "ships"
  },
  {
    why: "a Job that is suspended",
    of: job,
    what: { spec: "suspend: true" },
    verdict: "stuck",
    reasons: ["never completes: spec.suspend is true, and a suspended Job never ends"]
  },
  {
    why: "a Job that may run no Pod at a time",
    of: job,
    what: { spec: "parallelism: 0" },
    verdict: "stuck",
    reasons: ["never completes: spec.parallelism is 0, and such a Job runs no Pod"]
  },
  {
    why: "a Job that needs no Pod to succeed",
    of: job,
    what: { spec: "parallelism: 0, completions: 0" },
    verdict: "ships"
  },
  {
    why: "a Job that a webhook may refuse",
    of: job,
    beside: webhook,
    verdict: "unknown",
    reasons: ["webhook guard.example.com of ValidatingWebhookConfiguration/guard may refuse its Job"]
  }
]

describe("the verdict on", () => {
  it.for(rows)("$why is $verdict", async (row) => {
    const { verdicts } = await planOf(row)
    const [{ verdict, reasons } = { verdict: "none", reasons: [] }] = verdicts
    expect({ verdict, reasons }).toEqual({ verdict: row.verdict, reasons: row.reasons ?? [] })
  })
})

it("advises a DaemonSet whose new Pods need the host ports of the old ones to let old ones go first", async () => {
  const { rollouts } = await planOf({
    why: "",
    verdict: "stuck",
    of: daemonSet,
    what: {
      spec: "updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }",
      container: "ports: [{ containerPort: 80, hostPort: 80 }]"
    }
  })
  expect(rollouts[0]?.advice).toMatchObject([
    {
      text: expect.stringMatching(/^maxSurge: 1 lets no old Pod go .* Say maxSurge: 0, maxUnavailable: 1:/),
      with: { stuck: 0 },
      without: { stuck: 1 }
    }
  ])
})

it("says that a StatefulSet waits for a broken Pod of the template before", async () => {
  const probed = (port: string) =>
    statefulSet({
      container: `ports: [{ name: http, containerPort: 80 }], readinessProbe: { tcpSocket: { port: ${port} } }`
    })
  const { verdicts } = await plan({ next: probed("http"), from: probed("nope"), seeds: 1 })
  expect(verdicts).toMatchObject([
    {
      verdict: "stuck",
      reasons: [
        "never completes: OrderedReady waits for Pod it-0, which has an earlier template and is not ready: it has to be deleted by hand"
      ]
    }
  ])
})

it("goes back to the template before, of StatefulSets and DaemonSets", async () => {
  const undone = await Promise.all(
    [statefulSet, daemonSet].map((of) => planOf({ why: "", verdict: "ships", of }))
  )
  expect(undone.map(({ rollouts }) => rollouts[0]?.undo)).toEqual([
    { p50: 45_000, p95: 45_000, worst: 45_000, seeds: 1, stuck: 0 },
    { p50: 45_000, p95: 45_000, worst: 45_000, seeds: 1, stuck: 0 }
  ])
})

it("tells workloads of the same name apart by their kind", async () => {
  const next = [statefulSet({}), daemonSet({}).replaceAll("app: it", "app: other")].join("\n---\n")
  const { verdicts, rollouts } = await plan({ next, seeds: 1 })
  expect(verdicts.map(({ kind, name }) => `${kind}/${name}`)).toEqual(["StatefulSet/it", "DaemonSet/it"])
  expect(rollouts.map(({ desired, pods }) => [desired, pods.most])).toEqual([
    [3, 3],
    [3, 3]
  ])
})
