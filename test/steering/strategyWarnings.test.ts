import { expect, it } from "vitest"
import { checkManifests } from "../../src/steering/checkManifests.ts"
import { fileOf } from "./invalidStrategies.ts"
import { problemText } from "../../src/manifests/manifestDocument.ts"

const allAtOnce = { strategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } } }

it.each([
  {
    text: "canary:\n  steps:\n  - approve: 1\n  - approve: 9\n",
    line: 4,
    warning: "approve: 9 of 4 replicas approves all of them"
  },
  {
    text: "canary:\n  steps:\n  - approve: 1\n  - hold: 0s\n",
    line: 4,
    warning: "hold: 0s does not wait"
  },
  {
    text: "blueGreen:\n  before:\n  - hold: 0s\n",
    line: 3,
    spec: allAtOnce,
    warning: "hold: 0s does not wait"
  },
  {
    text: "automaticRollback:\n  cannotStart: 0s\n",
    line: 2,
    isGated: false,
    warning: "cannotStart: 0s ends the rollout when a single attempt to pull an image fails"
  },
  {
    text: "canary:\n  steps: [{ approve: 1 }]\n  cannotStart: 20m\n",
    line: 3,
    warning: "cannotStart: 20m is no shorter than progressDeadlineSeconds (600), which ends it before"
  },
  {
    text: "automaticRollback:\n  cannotSchedule: 0s\n",
    line: 2,
    isGated: false,
    warning: "cannotSchedule: 0s ends the rollout when a Pod has to wait for a node"
  },
  {
    text: "canary:\n  steps: [{ approve: 1 }]\n  cannotSchedule: 10m\n",
    line: 3,
    warning: "cannotSchedule: 10m is no shorter than progressDeadlineSeconds (600), which ends it before"
  },
  {
    text: "canary:\n  steps: [{ approve: 1 }, { run: smoke }]\n  hooks:\n    smoke: { job: smoke, timeout: 20m }\n",
    line: 4,
    warning:
      'hook "smoke" may take 20m: after progressDeadlineSeconds (600) kubectl rollout status reports a failure'
  }
])("the check of manifests warns: $warning", ({ warning, ...row }) => {
  const { text, line } = fileOf({ ...row, what: "", message: "" })
  const { problems, steered, warnings } = checkManifests([{ name: "web.yaml", text }])
  expect({ problems, steered }).toEqual({ problems: [], steered: ["web"] })
  expect(warnings.map((it) => [it.line, it.message])).toEqual([[line, `charthouse.dev/strategy: ${warning}`]])
  expect(warnings.map(problemText).join("")).toMatch(/^web\.yaml:/u)
})

it.each([
  { what: "replicas that an autoscaler sets", text: "canary: { steps: [{ approve: 3 }] }", replicas: 1 },
  {
    what: "a hook that begins once all Pods are available",
    text: "canary: { steps: [{ approve: 100% }, { run: a }], hooks: { a: { job: a, timeout: 20m } } }"
  }
])("the check of manifests does not warn of $what", ({ what, ...row }) => {
  const { text } = fileOf({ ...row, what, line: 1, message: "" })
  expect(checkManifests([{ name: "web.yaml", text }])).toEqual({
    problems: [],
    steered: ["web"],
    warnings: []
  })
})
