import { describe, expect, it } from "vitest"
import { adviceTexts } from "../planManifests.ts"
import {
  httpProbe,
  autoscaler,
  budget,
  claim,
  ingress,
  volumesOfClaim,
  objectText,
  envFromSettings,
  requests,
  service,
  settings,
  web
} from "./mistakenManifests.ts"
import { plan } from "../../../src/plan/plan.ts"
import type { Shape } from "./mistakenManifests.ts"
import type { PlanOptions } from "../../../src/plan/plan.ts"

interface Row {
  readonly why: string
  /** The manifests that are planned. */
  readonly next: ReadonlyArray<string>
  /** What runs before; undefined for a new workload. */
  readonly from?: ReadonlyArray<string>
  readonly options?: Partial<PlanOptions>
  readonly verdict: string
  readonly reasons?: ReadonlyArray<string>
  readonly warnings?: ReadonlyArray<string>
}

const rolledOut = (shape: Shape, ...beside: ReadonlyArray<string>): Pick<Row, "next" | "from"> => ({
  next: [web(shape), ...beside],
  from: [web({ ...shape, image: "app:1" }), ...beside]
})

const rows: ReadonlyArray<Row> = [
  {
    why: "the readiness probe asks a port by a name that nothing declares",
    next: [web({ container: httpProbe("readinessProbe", "web") })],
    verdict: "stuck",
    reasons: ['never completes: readinessProbe of container "app" asks port "web", which it does not declare']
  },
  {
    why: "the liveness probe asks a port by a name that nothing declares",
    next: [
      web({
        container: `${httpProbe("readinessProbe", "http")}, ${httpProbe("livenessProbe", "web", ", periodSeconds: 1")}`,
        spec: "minReadySeconds: 10"
      })
    ],
    verdict: "stuck"
  },
  {
    why: "a probe asks another port than the declared one",
    next: [web({ container: httpProbe("readinessProbe", "9090") })],
    verdict: "ships",
    warnings: [
      'Deployment/web: readinessProbe of container "app" asks port 9090, which is not among its ports'
    ]
  },
  {
    why: "a liveness probe of its own path gives up before the application has started",
    next: [
      web({
        container: `${httpProbe("readinessProbe", "http")}, ${httpProbe("livenessProbe", "http", ", periodSeconds: 5, failureThreshold: 2")}`
      })
    ],
    options: { assume: "ready=60s" },
    verdict: "stuck"
  },
  {
    why: "an init container never ends",
    next: [
      web({
        pod: 'initContainers: [{ name: wait, image: "busybox:1", command: [sh, -c, "echo waiting; sleep infinity"] }]'
      })
    ],
    verdict: "stuck",
    reasons: ['never completes: init container "wait" never ends: it runs "sleep infinity"']
  },
  {
    why: "the startup probe of a sidecar asks a port by a name that it does not declare",
    next: [
      web({
        pod: `initContainers: [{ name: proxy, image: "envoy:1", restartPolicy: Always, ${httpProbe("startupProbe", "admin")} }]`
      })
    ],
    verdict: "stuck",
    reasons: [
      'never completes: startupProbe of container "proxy" asks port "admin", which it does not declare',
      'Startup probe failed: container "proxy" ended with exit code 143 (Error)'
    ]
  },
  {
    why: "an init container needs a key that the Secret lacks",
    next: [
      web({
        pod: 'initContainers: [{ name: migrate, image: "app:2", env: [{ name: DSN, valueFrom: { secretKeyRef: { name: db, key: dsn } } }] }]'
      }),
      objectText("v1", "Secret", "db", "stringData: { url: postgres }")
    ],
    verdict: "stuck",
    reasons: ["never completes: CreateContainerConfigError: couldn't find key dsn in Secret default/db"]
  },
  {
    why: "the memory limit has m, which is a thousandth of a byte, for Mi",
    next: [web({ container: "resources: { limits: { memory: 128m } }" })],
    verdict: "stuck",
    reasons: [
      'never completes: RunContainerError: container "app" has a memory limit of 128m, which is less than 1Mi: no process can run in it'
    ]
  },
  {
    why: "a sidecar runs as long as its Pod",
    next: [
      web({
        pod: 'initContainers: [{ name: proxy, image: "busybox:1", restartPolicy: Always, command: [tail, -f, /dev/null] }]'
      })
    ],
    verdict: "ships"
  },
  {
    why: "an Ingress names a Service that no file has",
    next: [web(), service("http"), ingress("wbe", 80)],
    verdict: "risky",
    reasons: ["Ingress/web sends requests to Service/wbe, which no file creates"]
  },
  {
    why: "an Ingress asks for a port that the Service does not have",
    next: [web(), service("http"), ingress("web", 8080)],
    verdict: "risky",
    reasons: ["Ingress/web asks Service/web for port 8080, which it does not have"]
  },
  {
    why: "an Ingress reaches the Service",
    next: [web(), service("http"), ingress("web", 80)],
    verdict: "ships"
  },
  {
    why: "the Ingress was wrong before",
    next: [web(), ingress("wbe", 80)],
    from: [web({ image: "app:1" }), ingress("wbe", 80)],
    verdict: "ships"
  },
  {
    why: "the ConfigMap lacks a key that the container needs",
    next: [settings, web({ container: envFromSettings("colour") })],
    verdict: "stuck",
    reasons: [
      "never completes: CreateContainerConfigError: couldn't find key colour in ConfigMap default/settings"
    ]
  },
  {
    why: "the ConfigMap has the key",
    next: [settings, web({ container: envFromSettings("level") })],
    verdict: "ships"
  },
  {
    why: "the container must not run as root, and does",
    next: [web({ pod: "securityContext: { runAsNonRoot: true, runAsUser: 0 }" })],
    verdict: "stuck"
  },
  {
    why: "new Pods on other nodes wait for the disk of the old one",
    ...rolledOut(
      {
        replicas: 1,
        pod: volumesOfClaim,
        spec: "strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }"
      },
      claim
    ),
    verdict: "stuck",
    reasons: ['never completes: FailedAttachVolume: Multi-Attach error for volume "assumed-default-data"']
  },
  {
    why: "the budget lets no Pod be evicted",
    next: [web(), budget("minAvailable: 2")],
    verdict: "risky",
    reasons: ["PodDisruptionBudget/web lets none of 2 be evicted: a drain waits for ever"]
  },
  { why: "the budget spares a Pod", next: [web(), budget("maxUnavailable: 1")], verdict: "ships" },
  {
    why: "the selector has the Pods of another Deployment, too",
    next: [
      web(),
      web({ name: "blue", selector: "{ app: web, slot: blue }", labels: "{ app: web, slot: blue }" })
    ],
    verdict: "risky",
    reasons: ["its selector also selects the Pods of Deployment/blue"]
  },
  {
    why: "the tag says nothing about the version",
    next: [web({ image: "app:latest", replicas: 3 })],
    from: [web({ image: "app:latest" })],
    verdict: "risky",
    reasons: [
      "image app:latest names no version: a new build rolls nothing out, and going back brings no old one back"
    ]
  },
  {
    why: "a new Deployment has an image without a tag",
    next: [web({ image: "host:5000/app" })],
    verdict: "ships"
  },
  {
    why: "an autoscaler chooses the size, and the manifest, too",
    next: [web({ container: requests }), autoscaler],
    verdict: "risky",
    reasons: ["each apply sets what HorizontalPodAutoscaler/web has chosen back to replicas: 2"]
  },
  {
    why: "an autoscaler measures a share of requests that there are not",
    next: [web().replace("replicas: 2", "minReadySeconds: 0"), autoscaler],
    verdict: "risky",
    reasons: ['HorizontalPodAutoscaler/web never scales: container "app" requests no cpu']
  },
  {
    why: "an autoscaler has the name of no workload",
    next: [web(), autoscaler.replace("kind: Deployment, name: web", "kind: Deployment, name: wep")],
    verdict: "ships",
    warnings: ["HorizontalPodAutoscaler/web scales Deployment/wep, which no file creates"]
  },
  {
    why: "two autoscalers scale one Deployment: Kubernetes lets neither",
    next: [
      web({ container: requests }).replace("replicas: 2", "minReadySeconds: 0"),
      autoscaler,
      autoscaler.replace("name: web }", "name: other }")
    ],
    verdict: "risky",
    reasons: [
      "HorizontalPodAutoscaler/web never scales: other would scale it, too",
      "HorizontalPodAutoscaler/other never scales: web would scale it, too"
    ]
  },
  {
    why: "no revision is kept",
    next: [web({ spec: "revisionHistoryLimit: 0" })],
    verdict: "risky",
    reasons: ["revisionHistoryLimit: 0 keeps no revision to go back to"]
  },
  {
    why: "a new Service asks for a port that the Pods do not declare",
    next: [web(), service("web")],
    verdict: "risky",
    reasons: ["Service/web reaches none of its new Pods"]
  },
  {
    why: "a Service asks for a number that the Pods do not declare",
    next: [web(), service("9090")],
    verdict: "ships",
    warnings: ["Service/web sends to port 9090, which no container that it selects declares"]
  },
  {
    why: "a Service selects nothing",
    next: [web(), service("http", "wbe")],
    verdict: "ships",
    warnings: ["Service/web selects no Pod of these files"]
  },
  {
    why: "a budget selects nothing",
    next: [web(), budget("maxUnavailable: 1", "{ app: wbe }")],
    verdict: "ships",
    warnings: ["PodDisruptionBudget/web selects no Pod of these files"]
  },
  {
    why: "no file has what the Pods name",
    next: [
      web({
        pod: "serviceAccountName: robot\n      priorityClassName: gold\n      imagePullSecrets: [{ name: registry }]"
      })
    ],
    verdict: "ships",
    warnings: [
      "Deployment/web needs Secret/registry, ServiceAccount/robot, PriorityClass/gold, which no file creates: they are assumed to exist"
    ]
  },
  {
    why: "the default nodes have no GPU",
    next: [web({ container: "resources: { limits: { nvidia.com/gpu: 1 } }" })],
    verdict: "unknown",
    reasons: ["the default nodes have no nvidia.com/gpu: say with --nodes FILE what yours have"]
  },
  {
    why: "the default nodes have another architecture",
    next: [web({ pod: "nodeSelector: { kubernetes.io/arch: arm64 }" })],
    verdict: "unknown",
    reasons: [
      "the default nodes have no label kubernetes.io/arch: arm64: say with --nodes FILE what yours have"
    ]
  },
  {
    why: "the namespace enforces a standard that is not played",
    next: [
      "{ apiVersion: v1, kind: Namespace, metadata: { name: default, labels: { pod-security.kubernetes.io/enforce: restricted } } }",
      web()
    ],
    verdict: "unknown",
    reasons: ["Namespace/default enforces the Pod Security Standard restricted"]
  }
]

describe("a plan of a mistake", () => {
  it.for(rows)("is $verdict where $why", async ({ next, from, options, verdict, reasons, warnings = [] }) => {
    const planned = await plan({
      next: next.join("\n---\n"),
      ...(from === undefined ? {} : { from: from.join("\n---\n") }),
      seeds: 1,
      ...options
    })
    const judged = planned.verdicts.find(({ name }) => name === "web")
    expect(judged).toMatchObject({ verdict, ...(reasons === undefined ? {} : { reasons }) })
    expect(planned.warnings).toEqual(expect.arrayContaining([...warnings]))
  })
})

it("judges a Job that is gone when it has succeeded", async () => {
  const job = objectText(
    "batch/v1",
    "Job",
    "migrate",
    'spec: { ttlSecondsAfterFinished: 0, template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "app:2" }] } } }'
  )
  const { verdicts } = await plan({ next: job, seeds: 1 })
  expect(verdicts.map(({ name, verdict }) => [name, verdict])).toEqual([["migrate", "ships"]])
})

it("says once that Pods of a changed DaemonSet stay until they are deleted", async () => {
  const agent = (image: string) =>
    objectText(
      "apps/v1",
      "DaemonSet",
      "agent",
      `spec: { updateStrategy: { type: OnDelete }, selector: { matchLabels: { app: agent } }, template: { metadata: { labels: { app: agent } }, spec: { containers: [{ name: app, image: "${image}" }] } } }`
    )
  const { verdicts } = await plan({ next: agent("app:2"), from: agent("app:1"), seeds: 1 })
  expect(verdicts).toMatchObject([
    { verdict: "risky", reasons: ["updateStrategy OnDelete replaces no Pod until it is deleted"] }
  ])
})

it("plans what is too large for kubectl apply as with --server-side", async () => {
  const large = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "large" },
    data: { text: "x".repeat(262_144) }
  }
  const { verdict, warnings } = await plan({ next: `${web()}\n---\n${JSON.stringify(large)}`, seeds: 1 })
  expect({ verdict, warnings }).toEqual({
    verdict: "ships",
    warnings: ["ConfigMap/large is too large for kubectl apply, and planned as with --server-side"]
  })
})

describe("no advice to start new Pods first", () => {
  const recreated = { replicas: 1, spec: "strategy: { type: Recreate }" }
  it.for([
    { why: "the old ones hold a claim", shape: { ...recreated, pod: volumesOfClaim }, beside: claim },
    {
      why: "they would need a host port that is taken",
      shape: { ...recreated, pod: "hostNetwork: true" },
      beside: settings
    }
  ])("is given where $why", async ({ shape, beside }) => {
    const { next, from } = rolledOut(shape, beside)
    const planned = await plan({ next: next.join("\n---\n"), from: (from ?? []).join("\n---\n"), seeds: 1 })
    expect(planned.verdict).toBe("risky")
    expect(
      planned.rollouts.flatMap(adviceTexts).filter((it) => /RollingUpdate|maxUnavailable: 0/u.test(it))
    ).toEqual([])
  })
})
