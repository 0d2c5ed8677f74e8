import { deploymentManifest } from "../../builders.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"

const aDeployment = (name: string, spec: object) => deploymentManifest({ name, version: "1", spec })

const image = (name: string, tag: string) => ({
  setImage: `deployment/${name}`,
  images: { app: `registry.example/app:${tag}` }
})

const behaviours: Story["behaviours"] = [
  { name: "broken", match: { image: "*:broken" }, pull: { delay: "1s", failures: "forever" } },
  { name: "slow", match: { image: "*:slow" }, ready: "20s" }
]

const web = aDeployment("web", {
  replicas: 4,
  minReadySeconds: 2,
  progressDeadlineSeconds: 60,
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }
})

/** Rollouts scaled in between, under random faults. */
const busyStory: Story = {
  name: "busyDay",
  start: [web],
  behaviours,
  invariants: ["deployment/web available >= 2"],
  steps: [
    image("web", "2"),
    { after: "3s", scale: "deployment/web", to: 8 },
    { waitFor: "deployment/web is complete" },
    image("web", "slow"),
    { after: "5s", scale: "deployment/web", to: 4 },
    { waitFor: "deployment/web is complete" },
    { undo: "deployment/web" },
    { waitFor: "deployment/web is complete" },
    { after: "20s", scale: "deployment/web", to: 8 },
    { after: "500ms", scale: "deployment/web", to: 4 }
  ],
  limit: { steps: 3000 },
  weather: {
    every: "10s",
    until: "30s",
    faults: [
      { fault: "kill", pods: { deployment: "web", count: 1 }, weight: 2 },
      { fault: "crash", pods: { deployment: "web", count: 1 } },
      { fault: "writesRefused", of: "deployment", code: 409, times: 1, for: "5s" }
    ]
  }
}

/** Rollouts that are paused, fail and are undone. */
const hardStory: Story = {
  name: "hardDay",
  start: [web, aDeployment("batch", { replicas: 2, strategy: { type: "Recreate" } })],
  behaviours,
  steps: [
    image("batch", "2"),
    image("web", "slow"),
    { after: "2s", pause: "deployment/web" },
    { after: "40s", resume: "deployment/web" },
    { waitFor: "deployment/web is complete and deployment/batch is complete" },
    image("web", "broken"),
    { waitFor: "deployment/web is failed", within: "3m" },
    { undo: "deployment/web" },
    { waitFor: "deployment/web is complete" }
  ],
  limit: { steps: 3000 },
  faults: [{ at: "20s", fault: "kill", pods: { deployment: "web", count: 1 } }]
}

const podTemplate = (name: string, restartPolicy: string) => ({
  metadata: { labels: { app: name } },
  spec: { restartPolicy, containers: [{ name: "app", image: "registry.example/app:1" }] }
})
const selected = (kind: string, name: string, spec: object): Manifest =>
  ({
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: { ...spec, selector: { matchLabels: { app: name } }, template: podTemplate(name, "Always") }
  }) as Manifest
const sums = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "sums" },
  spec: { parallelism: 2, completions: 4, template: podTemplate("sums", "Never") }
} as Manifest
const setImage = (workload: string) => ({
  setImage: workload,
  images: { app: "registry.example/app:2" }
})

/** Workloads that are not Deployments, with faults. */
const mixedStory: Story = {
  name: "mixedDay",
  start: [
    selected("StatefulSet", "db", { replicas: 0, serviceName: "db" }),
    selected("DaemonSet", "log", {}),
    selected("DaemonSet", "agent", {
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    })
  ],
  steps: [
    { scale: "statefulset/db", to: 3 },
    { waitFor: "statefulset/db is complete" },
    setImage("statefulset/db"),
    setImage("daemonset/log"),
    setImage("daemonset/agent"),
    { apply: [sums] },
    { waitFor: "statefulset/db is complete and job/sums is complete" },
    { waitFor: "daemonset/log is complete and daemonset/agent is complete" }
  ],
  limit: { steps: 3000 },
  faults: [
    { at: "8s", fault: "kill", pods: { statefulSet: "db", count: 1 } },
    { at: "9s", fault: "crash", pods: { daemonSet: "log", count: 1 } }
  ]
}

/** Stories in which every rule matters at some time. */
export const rolloutStories: Readonly<Record<"busy" | "hard" | "mixed", Story>> = {
  busy: busyStory,
  hard: hardStory,
  mixed: mixedStory
}
