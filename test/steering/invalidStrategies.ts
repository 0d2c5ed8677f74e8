import { stringify } from "yaml"
import { webDeployment } from "./steeredShop.ts"

const bounds = (rollingUpdate: object) => ({ strategy: { rollingUpdate } })
const careful = bounds({ maxSurge: 1, maxUnavailable: 0 })
const canary = "canary:\n  steps: [{ approve: 1 }]\n"

export interface InvalidStrategy {
  readonly what: string
  readonly text: string
  readonly spec?: object
  readonly replicas?: number
  readonly isGated?: boolean
  /** In the annotation, from 1. */
  readonly line: number
  readonly message: string
}

/** What users write and cannot mean, with what they are told. */
export const invalidStrategies: ReadonlyArray<InvalidStrategy> = [
  {
    what: "an annotation that does not parse",
    text: "canary:\n  steps: [",
    line: 2,
    message: "not readable"
  },
  {
    what: "a field that is given twice",
    text: "canary:\n  steps: [{ approve: 1 }]\n  steps: [{ approve: 100% }]\n",
    line: 3,
    message: "canary.steps is given twice"
  },
  {
    what: "an analysis that could never fail",
    text: "canary:\n  steps: [{ analyse: calm }]\n  analyses:\n    calm: { pods: restarts, max: 0, failures: 1 }\n",
    line: 4,
    message: "failures (1) must be less than count (1): it could never fail"
  },
  {
    what: "an analysis that could never pass",
    text: "canary:\n  steps: [{ analyse: calm }]\n  analyses:\n    calm: { pods: restarts, min: 2, max: 1 }\n",
    line: 4,
    message: "min (2) must not exceed max (1): no number would be right"
  },
  {
    what: "an analysis without a query",
    text: 'canary:\n  steps: [{ analyse: a }]\n  analyses:\n    a: { prometheus: "http://p", query: "", max: 1 }\n',
    line: 4,
    message: "query must not be empty"
  },
  {
    what: "a hold until a promotion, misspelt",
    text: "canary:\n  steps:\n  - hold: untilpromoted\n",
    line: 3,
    message: 'such as "250ms", "1.5s" or "1h30m", or untilPromoted, not "untilpromoted"'
  },
  {
    what: "a gate that automaticRollback would not open",
    text: "automaticRollback",
    line: 1,
    message:
      "spec.template.spec has the readiness gate charthouse.dev/approved, and automaticRollback approves no Pods: " +
      "none would become Ready. Remove the gate, or choose canary or blueGreen"
  },
  {
    what: "steps that shrink",
    text: "canary:\n  steps:\n  - approve: 3\n  - approve: 2\n",
    line: 4,
    message: "approve: 2 must not be less than an earlier step's 3: approvals stay"
  },
  {
    what: "a percentage of 0 replicas",
    text: "canary:\n  steps:\n  - approve: 50%\n",
    replicas: 0,
    line: 3,
    message:
      "approve: 50% of 0 replicas approves no Pod: the strategy is followed once spec.replicas is 1 or more"
  },
  {
    what: "an analysis without a source",
    text: "canary:\n  steps: [{ analyse: errors }]\n  analyses:\n    errors: { max: 1 }\n",
    line: 4,
    message: "must have one of http, prometheus, pods"
  },
  {
    what: "a hook whose name cannot be that of a Job",
    text: "canary:\n  steps: [{ run: Smoke Test }]\n  hooks:\n    Smoke Test: { job: smoke }\n",
    line: 4,
    message:
      '"Smoke Test" is part of the names of the Jobs that it starts: it must consist of at most 63 of a-z, 0-9 ' +
      "and -, and begin and end with a letter or digit"
  },
  {
    what: "a template without the gate",
    text: canary,
    isGated: false,
    line: 1,
    message:
      'spec.template.spec has no readiness gate to approve. Add "readinessGates: [{ conditionType: ' +
      'charthouse.dev/approved }]"; automaticRollback needs none'
  },
  {
    what: "a gated strategy with maxUnavailable",
    text: canary,
    spec: bounds({ maxSurge: 1, maxUnavailable: 1 }),
    line: 1,
    message:
      "spec.strategy.rollingUpdate.maxUnavailable must be 0 and is 1: old Pods would go while new ones wait for " +
      "their approval"
  },
  {
    what: "a maxSurge that is too small for a step",
    text: "blueGreen: {}",
    spec: careful,
    line: 1,
    message:
      "spec.strategy.rollingUpdate.maxSurge must be 100% and is 1: only 1 of 4 Pods of the new revision could " +
      "start beside the old ones"
  },
  {
    what: "Recreate",
    text: canary,
    spec: { strategy: { type: "Recreate" } },
    line: 1,
    message: "spec.strategy.type must be RollingUpdate: Recreate leaves no old Pod while new ones wait"
  },
  {
    what: "timed holds as long as progressDeadlineSeconds",
    text: "canary:\n  steps:\n  - hold: 4m\n  - hold: 6m\n",
    line: 4,
    message: "holds of 10m, one after another, must be shorter than progressDeadlineSeconds (600)"
  },
  {
    what: "a hold as long as progressDeadlineSeconds after the last approval",
    text: "canary:\n  steps:\n  - approve: 100%\n  - hold: 10m\n",
    line: 4,
    message: "a hold of 10m must be shorter than progressDeadlineSeconds (600)"
  },
  {
    what: "an analysis as long as progressDeadlineSeconds",
    text: "canary:\n  steps:\n  - analyse: calm\n  analyses: { calm: { pods: restarts, max: 0, count: 21, interval: 30s } }\n",
    line: 3,
    message:
      "an analysis of 10m (21 answers, 30s apart) must be shorter than progressDeadlineSeconds (600): " +
      "kubectl rollout status would report a failure"
  },
  {
    what: "a hold, a hook and an analysis that together are as long as progressDeadlineSeconds",
    text: "canary:\n  steps:\n  - hold: 5m\n  - run: ci\n  - analyse: calm\n  hooks: { ci: { http: https://ci.example } }\n  analyses: { calm: { pods: restarts, max: 0, count: 11 } }\n",
    line: 5,
    message:
      "holds and analyses of 10m, one after another, must be shorter than progressDeadlineSeconds (600)"
  }
]

export const deploymentOf = ({ text, spec = careful, replicas = 4, isGated = true }: InvalidStrategy) =>
  webDeployment(text, { replicas, isGated, spec })

/** The line of a file in which the annotation is a block. */
export const fileOf = (row: InvalidStrategy) => {
  const deployment = deploymentOf(row)
  const text = stringify(deployment, { blockQuote: "literal", lineWidth: 0 })
  const key = text.split("\n").findIndex((it) => it.includes("charthouse.dev/strategy:")) + 1
  return { text, line: row.text.includes("\n") ? key + row.line : key }
}
