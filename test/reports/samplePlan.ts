import { judgePlan } from "../../src/plan/verdicts/judgePlan.ts"
import { plainPalette } from "../../src/cli/terminal/palette.ts"
import { planLines } from "../../src/cli/plan/outputs/planLines.ts"
import { violation } from "./sampleRuns.ts"
import type { AdvisedChange } from "../../src/plan/advice/rolloutAdvice.ts"
import type { Plan, RolloutPlan } from "../../src/plan/summarizePlan.ts"

const sampleFigures = {
  seeds: [5, 12],
  desired: 4,
  late: 1,
  stuck: 0,
  duration: { p50: 50_110, p95: 73_000, worst: 73_480, worstSeed: 12 },
  available: { fewest: 2, fewestMillis: 61_000, shortMillis: 64_000, seed: 5 },
  requests: {
    unfound: [],
    services: ["shop"],
    lost: 131,
    requests: 7348,
    because: { stopping: 120, starting: 0, failing: 11, noEndpoint: 0 },
    seed: 5,
    lostHalf: 40
  }
}

const sampleChange: AdvisedChange = {
  patch: "spec:\n  strategy:\n    rollingUpdate:\n      maxSurge: 1\n",
  diff: " spec:\n   strategy:\n     rollingUpdate:\n-      maxSurge: 0\n+      maxSurge: 1\n",
  fields: 1,
  fromNextRollout: false,
  without: sampleFigures,
  with: { ...sampleFigures, late: 0, available: { ...sampleFigures.available, fewest: 4 } }
}

const samplePhases = [
  {
    atMillis: 0,
    what: "applied, fewest available",
    desired: 4,
    updated: 2,
    ready: 2,
    updatedReady: 0,
    available: 2,
    pods: 4,
    terminating: 2
  },
  {
    atMillis: 15_040,
    what: "first new Pod available",
    desired: 4,
    updated: 3,
    ready: 3,
    updatedReady: 2,
    available: 2,
    pods: 4,
    terminating: 1
  },
  {
    atMillis: 50_110,
    what: "complete",
    desired: 4,
    updated: 4,
    ready: 4,
    updatedReady: 4,
    available: 4,
    pods: 4,
    terminating: 0
  }
]

/** The plan of a rollout that completes with most seeds. */
export const sampleRollout: RolloutPlan = {
  kind: "Deployment",
  namespace: "default",
  name: "shop",
  desired: 4,
  isNew: false,
  startLimit: undefined,
  sizes: [],
  failures: [],
  before: { desired: 4, available: 4, reasons: [] },
  typical: {
    seed: 6,
    phases: samplePhases,
    counts: samplePhases
  },
  duration: { p50: 50_110, p95: 73_000, worst: 73_480, worstSeed: 29 },
  givenUpMillis: undefined,
  available: { fewest: 2, fewestMillis: 61_000, shortMillis: 64_000, seed: 5 },
  pods: { most: 4, mostWithTerminating: 6, cpu: "3", memory: "6Gi" },
  quotas: [{ namespace: "default", name: "small", resource: "pods", most: "6", hard: "7", others: "0" }],
  requests: {
    unfound: [],
    services: ["shop"],
    lost: 131,
    requests: 7348,
    because: { stopping: 120, starting: 0, failing: 11, noEndpoint: 0 },
    seed: 5,
    lostHalf: 40
  },
  late: 6,
  stuck: 0,
  firstMissedSeed: 12,
  reasons: [{ reason: "Pods had not started yet", seeds: 6 }],
  undo: { p50: 52_000, p95: 63_000, worst: 73_000, seeds: 20, stuck: 0 },
  advice: [
    {
      text: "maxSurge: 0 leaves no room to begin with a new Pod. Say maxSurge: 1",
      needsOthers: false,
      ...sampleChange
    }
  ],
  together: undefined,
  remarks: ["how long preStop holds Pods up is not known here"],
  unknowns: [],
  risks: []
}

/** A plan with a value in every field. */
export const samplePlan: Plan = {
  seeds: 30,
  rollouts: [sampleRollout],
  room: { nodes: 3, cpu: "96", memory: "384Gi" },
  traffic: { requestsPerSecond: 100, propagationMillis: 1000 },
  violations: [{ ...violation(), seed: 9 }],
  warnings: [
    "Job/migrate is not played: none of its Pods are made, and the room that they take is counted neither on nodes nor in ResourceQuota/small"
  ]
}

/** The lines of a plan of which everything is told. */
export const detailedLines = (plan: Plan): ReadonlyArray<string> =>
  planLines(
    plan,
    {
      judgement: judgePlan(plan),
      failedPredicates: [],
      isDetailed: () => true
    },
    plainPalette
  )
