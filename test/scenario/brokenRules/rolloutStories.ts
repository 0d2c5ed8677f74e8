import { deploymentManifest } from "../../builders.ts"
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

/** Stories in which every rule matters at some time. */
export const rolloutStories: Readonly<Record<"busy" | "hard", Story>> = { busy: busyStory, hard: hardStory }
