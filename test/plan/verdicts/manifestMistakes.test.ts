import { describe, expect, it } from "vitest"
import {
  autoscaler,
  claim,
  mountOf,
  objectText,
  requests,
  settings,
  volumesOfClaim,
  web
} from "./mistakenManifests.ts"
import { plan } from "../../../src/plan/plan.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const sized = web({ replicas: 5, container: requests })
const unsized = sized.replace("  replicas: 5\n", "")
const replicasGone = "spec.replicas: 5 is gone from the manifest: kubectl apply sets it to 1, the default"

const inShop = (manifest: string) => manifest.replace("{ name: web }", "{ name: web, namespace: shop }")
const settingsAt = (subPath: string) => ({
  ...mountOf("configMap: { name: settings }"),
  container: `volumeMounts: [{ name: files, mountPath: /etc/app.conf, subPath: ${subPath} }]`
})
const hook = (seconds: number) =>
  `lifecycle: { preStop: { exec: { command: [sh, -c, "sleep ${seconds}; stop"] } } }`

const failingJob = objectText(
  "batch/v1",
  "Job",
  "web",
  "spec: { backoffLimit: 1, template: { spec: { restartPolicy: Never, containers: [{ name: app, image: 'app:2', command: ['false'] }] } } }"
)
const daemonSet = objectText(
  "apps/v1",
  "DaemonSet",
  "web",
  "spec: { selector: { matchLabels: { app: web } }, template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: app, image: 'app:2' }] } } }"
)
const taintedNode = objectText(
  "v1",
  "Node",
  "only",
  "spec: { taints: [{ key: dedicated, effect: NoSchedule }] }, status: { allocatable: { cpu: '4', memory: 8Gi, pods: '110' } }"
)

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the manifest leaves out the size that it had",
    from: [sized],
    next: [unsized],
    verdict: "risky",
    reasons: [replicasGone]
  },
  {
    why: "the manifest leaves the size to an autoscaler",
    from: [sized, autoscaler],
    next: [unsized, autoscaler],
    verdict: "risky",
    reasons: [replicasGone]
  },
  {
    why: "the manifest never had a size",
    from: [unsized, autoscaler],
    next: [unsized, autoscaler],
    verdict: "ships"
  },
  {
    why: "the command of a Job fails",
    next: [failingJob],
    verdict: "stuck",
    reasons: [
      'never completes: job "web" has failed: Job has reached the specified backoff limit',
      'container "app" fails with exit code 1: it runs "false"'
    ]
  },
  {
    why: "a quota asks more of a Job than its Pods say",
    next: [
      failingJob,
      objectText("v1", "ResourceQuota", "small", "spec: { hard: { requests.memory: 1Gi } }")
    ],
    verdict: "stuck",
    reasons: [
      "never completes: Pods are forbidden: failed quota: small: must specify requests.memory for: app",
      'container "app" fails with exit code 1: it runs "false"'
    ]
  },
  {
    why: "a behaviour says that the command of a Job succeeds",
    next: [failingJob],
    options: { behaviours: [{ name: "short", match: { image: "*:2" }, exit: { after: "5s", code: 0 } }] },
    verdict: "ships"
  },
  {
    why: "no node takes the Pods of a DaemonSet",
    next: [daemonSet, taintedNode],
    verdict: "risky",
    reasons: ["no node takes its Pods: they run on none of 1"]
  },
  {
    why: "which nodes take the Pods of a DaemonSet is not known, and accepted",
    next: [daemonSet.replace("containers:", "nodeSelector: { gpu: big }, containers:")],
    options: { acceptUnknown: ["NodeLabel"] },
    verdict: "ships"
  },
  {
    why: "another namespace has the Secret",
    next: [
      inShop(web({ container: "envFrom: [{ secretRef: { name: db } }]" })),
      objectText("v1", "Secret", "db", "stringData: { url: postgres }")
    ],
    verdict: "risky",
    reasons: ["its Pods need Secret/db in namespace shop, which only namespace default has"]
  },
  {
    why: "the name of a ConfigMap is misspelt",
    next: [web({ container: "envFrom: [{ configMapRef: { name: setings } }]" }), settings],
    verdict: "risky",
    reasons: ["its Pods need ConfigMap/setings, which no file creates; did you mean settings?"]
  },
  {
    why: "the ConfigMap of the files has another number",
    next: [
      web({ container: "envFrom: [{ configMapRef: { name: settings-2 } }]" }),
      settings.replace("name: settings", "name: settings-1")
    ],
    verdict: "ships"
  },
  {
    why: "the ConfigMap of the files has another short name",
    next: [
      web({ container: "envFrom: [{ configMapRef: { name: db } }]" }),
      settings.replace("name: settings", "name: ca")
    ],
    verdict: "ships"
  },
  {
    why: "the ConfigMap of a similar name is used, too",
    next: [
      web({
        container: "envFrom: [{ configMapRef: { name: setting } }, { configMapRef: { name: settings } }]"
      }),
      settings
    ],
    verdict: "ships"
  },
  {
    why: "the previous Pods need the object that no file creates",
    from: [web({ image: "app:1", pod: "serviceAccountName: robt" })],
    next: [
      web({ pod: "serviceAccountName: robt" }),
      objectText("v1", "ServiceAccount", "robot", "secrets: []")
    ],
    verdict: "ships"
  },
  {
    why: "a file is mounted of a key that the ConfigMap lacks",
    next: [web(settingsAt("app.conf")), settings],
    verdict: "risky",
    reasons: [
      'container "app" mounts app.conf of ConfigMap/settings, which has no such key: it gets an empty directory'
    ]
  },
  { why: "a file is mounted of a key", next: [web(settingsAt("level")), settings], verdict: "ships" },
  { why: "its path begins with a dot", next: [web(settingsAt("./level")), settings], verdict: "ships" },
  {
    why: "the command only sleeps for a while",
    next: [web({ container: "command: [sh, -c, 'echo hello; sleep 30']" })],
    verdict: "risky",
    reasons: ['container "app" ends after 30s, again and again: its command only sleeps']
  },
  {
    why: "the command has a path",
    next: [web({ container: "command: [/bin/sleep, '30']" })],
    verdict: "risky",
    reasons: ['container "app" ends after 30s, again and again: its command only sleeps']
  },
  {
    why: "the command sleeps for an hour",
    next: [web({ container: "command: [sleep, '3600']" })],
    verdict: "ships"
  },
  {
    why: "a hook takes the whole grace period",
    next: [web({ container: hook(30) })],
    verdict: "risky",
    reasons: [
      'preStop of container "app" takes 30s, and terminationGracePeriodSeconds: 30 leaves its processes no time to stop'
    ]
  },
  {
    why: "a hook leaves time to stop",
    next: [web({ container: hook(30), pod: "terminationGracePeriodSeconds: 40" })],
    verdict: "ships"
  },
  {
    why: "a new image is never pulled",
    from: [web({ image: "app:1", container: "imagePullPolicy: Never" })],
    next: [web({ container: "imagePullPolicy: Never" })],
    verdict: "unknown",
    reasons: ['container "app" needs app:2 on its nodes already: its imagePullPolicy is Never']
  },
  {
    why: "a new image is never pulled, and the team knows that its nodes have it",
    next: [web({ container: "imagePullPolicy: Never" })],
    options: { acceptUnknown: ["NodeFile"] },
    verdict: "ships"
  },
  {
    why: "an image is never pulled that ran before",
    from: [web({ container: "imagePullPolicy: Never" })],
    next: [web({ container: "imagePullPolicy: Never, tty: true" })],
    verdict: "ships"
  },
  {
    why: "a volume is in a medium that kubelets do not know",
    next: [web(mountOf("emptyDir: { medium: memory }"))],
    verdict: "stuck",
    reasons: [
      'never completes: FailedMount: MountVolume.SetUp failed for volume "files" : unknown storage medium "memory"'
    ]
  },
  { why: "a volume is in memory", next: [web(mountOf("emptyDir: { medium: Memory }"))], verdict: "ships" },
  {
    why: "the only volume of the class of a claim is too small",
    next: [
      web({ replicas: 1, pod: volumesOfClaim }),
      claim.replace("spec: {", "spec: { storageClassName: manual,"),
      objectText(
        "v1",
        "PersistentVolume",
        "disk",
        "spec: { capacity: { storage: 500Mi }, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: { path: /data } }"
      )
    ],
    verdict: "stuck",
    reasons: [
      "never completes: Unschedulable: 0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    ],
    warnings: [
      "PersistentVolumeClaim/data fits no PersistentVolume of class manual in the files, and waits for one"
    ]
  }
]

describe("what a manifest makes of a verdict", () => {
  it.for(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})

it("refuses a claim without access modes, and no volume that is assumed for it", async () => {
  const next = [
    web({ pod: volumesOfClaim }),
    claim.replace("accessModes: [ReadWriteOnce]", "accessModes: []")
  ]
  await expect(plan({ next: next.join("\n---\n"), seeds: 1 })).rejects.toThrow(
    'The PersistentVolumeClaim "data" is invalid: spec.accessModes: Required value'
  )
})

it.each([
  { why: "nothing", change: {} },
  { why: "labels", change: { name: "web, labels: { team: shop }" } }
])("says that a change of $why begins no rollout, where the deadline was missed before", async (row) => {
  const mistake = {
    why: row.why,
    from: [web()],
    next: [web(row.change)],
    options: { assume: "start=90m" },
    verdict: "stuck",
    reasons: [
      "misses its deadline: no new rollout begins, and the present one had missed its deadline before: kubectl rollout status fails",
      "Pods had not started yet"
    ]
  } as const
  expect(await planMistake(mistake)).toEqual(mistake)
})
