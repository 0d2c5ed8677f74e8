import { describe, expect, it } from "vitest"
import { adviceTexts } from "../planManifests.ts"

import {
  autoscaler,
  budget,
  claim,
  ingress,
  objectText,
  requests,
  service,
  settings,
  volumesOfClaim,
  web
} from "./mistakenManifests.ts"
import { plan } from "../../../src/plan/plan.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"
import type { Shape } from "./mistakenManifests.ts"

const rolledOut = (shape: Shape, ...beside: ReadonlyArray<string>): Pick<Mistake, "next" | "from"> => ({
  next: [web(shape), ...beside],
  from: [web({ ...shape, image: "app:1" }), ...beside]
})

const unsized = (pod?: string): string =>
  web(pod === undefined ? {} : { pod }).replace("replicas: 2", "minReadySeconds: 0")

const rows: ReadonlyArray<Mistake> = [
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
    why: "the Ingress is in another namespace than the Service",
    next: [web(), service("http"), ingress("web", 80).replace("name: web }", "name: web, namespace: edge }")],
    verdict: "risky",
    reasons: [
      "Ingress/web in namespace edge sends requests to Service/web there, which only namespace default has"
    ]
  },
  {
    why: "an Ingress of another namespace names a Service that no namespace has",
    next: [web(), service("http"), ingress("wbe", 80).replace("name: web }", "name: web, namespace: edge }")],
    verdict: "ships"
  },
  {
    why: "the Ingress was wrong before",
    next: [web(), ingress("wbe", 80)],
    from: [web({ image: "app:1" }), ingress("wbe", 80)],
    verdict: "ships"
  },
  {
    why: "the strategy of a rollout that completes all the same is not followed",
    next: [
      web({ spec: "strategy: { rollingUpdate: { maxUnavailable: 0 } }" }).replace(
        "{ name: web }",
        "{ name: web, annotations: { charthouse.dev/strategy: 'canary: { steps: [{ approve: 1 }] }' } }"
      )
    ],
    verdict: "risky",
    reasons: [
      'charthouse.dev/strategy is not followed: spec.template.spec has no readiness gate to approve. Add "readinessGates: [{ conditionType: charthouse.dev/approved }]"; automaticRollback needs none'
    ]
  },
  {
    why: "annotations are misspelt, or hardly meant",
    next: [
      web().replace(
        "{ name: web }",
        "{ name: web, annotations: { charthouse.dev/promot: all, charthouse.dev/strategy: 'automaticRollback: { cannotStart: 5m }' } }"
      )
    ],
    verdict: "ships",
    warnings: [
      "Deployment/web: nothing reads the annotation charthouse.dev/promot; did you mean charthouse.dev/promote?",
      "Deployment/web: charthouse.dev/strategy: cannotStart: 5m is no shorter than progressDeadlineSeconds (60), which ends it before"
    ]
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
  {
    why: "two budgets select the same Pods",
    next: [web(), budget("maxUnavailable: 1"), budget("minAvailable: 1").replace("name: web", "name: all")],
    verdict: "risky",
    reasons: [
      "PodDisruptionBudget/web and PodDisruptionBudget/all select the same Pods, of which none can be evicted then: a drain fails"
    ]
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
    next: [unsized(), autoscaler],
    verdict: "risky",
    reasons: ['HorizontalPodAutoscaler/web never scales: container "app" requests no cpu']
  },
  {
    why: "an autoscaler measures a share of what the Pod as a whole requests",
    next: [unsized("resources: {limits: {cpu: 500m}}"), autoscaler],
    verdict: "ships"
  },
  {
    why: "an autoscaler measures a share of a resource that the Pod as a whole does not request",
    next: [unsized("resources: {requests: {memory: 1Gi}}"), autoscaler],
    verdict: "risky",
    reasons: ["HorizontalPodAutoscaler/web never scales: spec.resources requests no cpu"]
  },
  {
    why: "an autoscaler has the name of no workload",
    next: [web(), autoscaler.replace("kind: Deployment, name: web", "kind: Deployment, name: wep")],
    verdict: "risky",
    reasons: [
      "HorizontalPodAutoscaler/web scales Deployment/wep, which no file creates; did you mean Deployment/web?"
    ],
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
    why: "a Service has the name of a workload, and selects nothing",
    next: [web(), service("http", "wbe")],
    verdict: "risky",
    reasons: ["Service/web selects no Pod: it asks for app=wbe, which its Pods do not have"],
    warnings: ["Service/web selects no Pod of these files"]
  },
  {
    why: "a Service is for Pods of another file",
    next: [web(), service("http", "operated").replace("name: web", "name: operated")],
    verdict: "ships",
    warnings: ["Service/operated selects no Pod of these files"]
  },
  {
    why: "a Service is in another namespace than the Pods",
    next: [web().replace("{ name: web }", "{ name: web, namespace: shop }"), service("http")],
    verdict: "risky",
    reasons: ["Service/web selects no Pod: it is in namespace default, and its Pods in shop"]
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
    why: "a claim needs a volume that is made by hand, and no file has one",
    next: [
      web({ replicas: 1, pod: volumesOfClaim }),
      claim.replace("spec: {", 'spec: { storageClassName: "",')
    ],
    verdict: "unknown",
    reasons: ["claim data waits for a PersistentVolume without a class, which no file creates"],
    warnings: [
      "PersistentVolumeClaim/data has no class, and no file creates a PersistentVolume for it: one is assumed to exist"
    ]
  },
  {
    why: "a claim names a volume that no file has",
    next: [
      web({ replicas: 1, pod: volumesOfClaim }),
      claim.replace("spec: {", 'spec: { storageClassName: "", volumeName: disk,')
    ],
    verdict: "ships",
    warnings: [
      "PersistentVolumeClaim/data needs PersistentVolume/disk, which no file creates: it is assumed to exist"
    ]
  },
  {
    why: "the default nodes have no GPU",
    next: [web({ container: "resources: { limits: { nvidia.com/gpu: 1 } }" })],
    verdict: "unknown",
    reasons: ["the default nodes have no nvidia.com/gpu: say with --nodes FILE what yours have"]
  },
  {
    why: "no default node has huge pages",
    next: [web({ container: "resources: { limits: { hugepages-2Mi: 100Mi, memory: 100Mi } }" })],
    verdict: "unknown",
    reasons: ["the default nodes have no hugepages-2Mi: say with --nodes FILE what yours have"]
  },
  {
    why: "no default node has the huge pages of a Pod",
    next: [web({ pod: "resources: { limits: { hugepages-2Mi: 100Mi, memory: 100Mi } }" })],
    verdict: "unknown",
    reasons: ["the default nodes have no hugepages-2Mi: say with --nodes FILE what yours have"]
  },
  {
    why: "the default nodes have another architecture",
    next: [web({ pod: "nodeSelector: { kubernetes.io/arch: arm64 }" })],
    verdict: "unknown",
    reasons: [
      "the default nodes have no label kubernetes.io/arch: arm64: say with --nodes FILE what yours have"
    ]
  }
]

describe("a plan of a mistake", () => {
  it.for(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
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

describe("a Job of which the next version has another template", () => {
  const jobOf = (image: string, { metadata = "{ name: migrate }", spec = "" }) => `
apiVersion: batch/v1
kind: Job
metadata: ${metadata}
spec: { ${spec}template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "${image}" }] } } }
`
  const planNext = (fields: { readonly metadata?: string; readonly spec?: string }) =>
    plan({ from: jobOf("app:1", fields), next: jobOf("app:2", fields), seeds: 1 })

  it.for([
    { why: "its time to live is over", spec: "ttlSecondsAfterFinished: 3600, " },
    {
      why: "Helm runs it as a hook",
      metadata: "{ name: migrate, annotations: { helm.sh/hook: pre-upgrade } }"
    },
    {
      why: "Argo CD runs it as a hook",
      metadata: "{ name: migrate, annotations: { argocd.argoproj.io/hook: PreSync } }"
    }
  ])("is played as a new one where $why", async ({ why: _why, ...fields }) => {
    const { verdicts } = await planNext(fields)
    expect(verdicts.map(({ name, verdict }) => [name, verdict])).toEqual([["migrate", "ships"]])
  })

  it.for(["", "suspend: true, ttlSecondsAfterFinished: 3600, "])(
    "is refused otherwise, as kubectl apply would be: %s",
    async (spec) => {
      await expect(planNext({ spec })).rejects.toThrow("field is immutable")
    }
  )
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
    },
    {
      why: "there is one that goes first, and no Service sends it requests",
      shape: recreated,
      beside: settings
    },
    {
      why: "there is one that makes room, and no Service sends it requests",
      shape: { replicas: 1, spec: "strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }" },
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
