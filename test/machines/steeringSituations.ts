import { aReplicaSet, textAt } from "./workloadObservations.ts"
import { templateHashOf } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { DeploymentStatus } from "../../src/kubernetes/meta/objects.ts"
import type {
  BlueGreenSettings,
  CanarySettings,
  FailureSettings
} from "../../src/kubernetes/steering/steeringSettings.ts"
import type { SteeringRecord } from "../../src/kubernetes/steering/steeringRecord.ts"

export interface SteeringSituation {
  readonly settings?: Partial<FailureSettings>
  /** The fields of the record beside those that name the rollout; null for none. */
  readonly record?: Partial<SteeringRecord> | null
  /** Which of the two revisions, v1 and v2, were complete, and as which number. */
  readonly completed?: Readonly<Record<string, number>>
  readonly image?: "v1" | "v2"
  /** The numbers of v1 and v2. */
  readonly revisions?: readonly [number, number]
  readonly status?: DeploymentStatus
  readonly progressing?: readonly [reason: string, seconds: number]
  readonly pods?: ReadonlyArray<FailingTraits>
  readonly gitManagers?: ReadonlyArray<string>
  readonly problems?: ReadonlyArray<string>
  readonly isUnsteered?: boolean
  /** Steered by this canary instead of automaticRollback. */
  readonly steps?: CanarySettings["steps"]
  /** Steered by blueGreen, with these steps. */
  readonly isBlueGreen?: boolean
  readonly checks?: Pick<BlueGreenSettings, "hooks" | "analyses" | "preview">
  /** The preview Service is there, and selects the revision of this image. */
  readonly previews?: "v1" | "v2"
  /** The Job that the hook copies is there. */
  readonly hasHookJob?: boolean
  /** Names of copies that run; they end in the revision and the number of the step. */
  readonly hookRuns?: ReadonlyArray<string>
  /** Annotations of the Deployment `charthouse.dev/NAME`. */
  readonly asked?: Readonly<Record<string, string>>
  readonly isPaused?: boolean
  /** How many Pods the new ReplicaSet has yet to delete. */
  readonly surplus?: number
  /** The available Pods of the new revision. */
  readonly availableNew?: number
  /** Approved (true) or waiting Pods of the complete revision. */
  readonly completePods?: ReadonlyArray<FailingTraits>
  readonly deleting?: boolean
  readonly replicas?: number
  readonly now?: number
}

export interface FailingTraits {
  /** Its containers are ready, and its gate is closed or open. */
  readonly gate?: "closed" | "open"
  readonly restarts?: number
  readonly waiting?: string
  readonly created?: number
}

export const complete = { replicas: 5, updatedReplicas: 5, readyReplicas: 5, availableReplicas: 5 }

/** What another look saw of the second revision, and of the first after a rollback. */
export const [hashOfFirst, hashOfSecond] = [aReplicaSet({ image: "v1" }), aReplicaSet({ image: "v2" })].map(
  templateHashOf
) as [string, string]

const waiting = { gate: "closed" } as const
const approved = { gate: "open" } as const
const inSteps: Pick<SteeringSituation, "steps"> = {
  steps: [{ approve: 1 }, { holdMillis: 60_000 }, { approve: "50%" }, { holdMillis: undefined }]
}
const [firstPod, secondPod] = ["web-v2-0", "web-v2-1"] as [string, string]

const canaryObservations = {
  "canary, not recorded": { record: null },
  "canary, not observed by the Deployment's controller": { status: { observedGeneration: 0 } },
  "canary, Pods start": { pods: [{}, {}] },
  "canary, two Pods are up": { pods: [waiting, waiting] },
  "canary, one Pod is on record": { pods: [waiting, waiting], record: { reserved: [firstPod] } },
  "canary, the Pod on record is approved": { pods: [approved, waiting], record: { reserved: [firstPod] } },
  "canary, two Pods are on record, and one is allowed now": {
    pods: [approved, waiting],
    record: { reserved: [firstPod, secondPod] },
    availableNew: 1
  },
  "canary, two Pods are on record, and none is approved": {
    pods: [waiting, waiting],
    record: { reserved: [firstPod, secondPod] }
  },
  "canary, the Pod on record is gone": { pods: [waiting], record: { reserved: ["web-v2-9"] } },
  "canary, first step done": {
    pods: [approved, waiting],
    record: { reserved: [firstPod] },
    availableNew: 1
  },
  "canary, holds": { pods: [approved, waiting], record: { step: 1, since: textAt(120) } },
  "canary, held for long enough": { pods: [approved, waiting], record: { step: 1, since: textAt(60) } },
  "canary, third step": {
    pods: [approved, waiting],
    record: { step: 2, since: textAt(120), reserved: [firstPod, secondPod] }
  },
  "canary, holds until promoted": {
    pods: [approved, approved, approved, waiting],
    record: { step: 3 },
    now: 90_000
  },
  "canary, promoted": { pods: [approved, approved, approved], record: { step: 3 }, asked: { promote: "" } },
  "canary, promoted while no step holds": { pods: [waiting], asked: { promote: "" } },
  "canary, promoted to the end": { pods: [waiting], asked: { promote: "all" } },
  "canary, promoted to the end once more": {
    pods: [approved, waiting],
    record: { step: 4 },
    asked: { promote: "all" }
  },
  "canary, all are approved": { pods: [approved, waiting], record: { step: 4 } },
  "canary, held by its user": { pods: [waiting], asked: { hold: "" } },
  "canary, held on record": { pods: [waiting], asked: { hold: "" }, record: { isHeld: true } },
  "canary, paused on record": { pods: [waiting], isPaused: true, record: { isHeld: true } },
  "canary, held no longer": { pods: [waiting], record: { isHeld: true }, now: 90_000 },
  "canary, aborted by its user": { pods: [approved, waiting], asked: { abort: "too slow" } },
  "canary, aborted, onFailure: hold": { asked: { abort: "" }, settings: { onFailure: "hold" } },
  "canary, given up": { pods: [waiting], record: { aborted: { reason: "too slow" } } },
  "canary, given up, and promoted": {
    pods: [waiting],
    record: { aborted: { reason: "too slow" } },
    asked: { promote: "all" }
  },
  "canary, stalled": { pods: [{}, {}], now: 701 },
  "canary, crashing while Pods are deleted": { pods: [{ restarts: 4 }], surplus: 1 },
  "canary, crashing": { pods: [{ restarts: 4 }] },
  "canary, Pods of the complete revision wait": { pods: [waiting], completePods: [waiting, approved, {}] },
  "canary, complete, not marked": { status: complete, record: { step: 4 } },
  "canary, complete, and a hold is left": { status: complete, record: { step: 1, since: textAt(120) } },
  "canary, complete and marked": { status: complete, completed: { v1: 1, v2: 2 } },
  "canary, complete, aborted": {
    status: complete,
    completed: { v1: 1, v2: 2 },
    asked: { abort: "too late" }
  },
  "canary, complete after a rollback": {
    status: complete,
    completed: { v1: 1, v2: 2 },
    record: { undone: [{ from: "other", to: hashOfFirst, reason: "it crashed" }] }
  }
} satisfies Readonly<Record<string, SteeringSituation>>

const checked: Pick<SteeringSituation, "steps" | "checks"> = {
  steps: [{ run: "migrate" }, { analyse: "errors" }, { approve: "100%" }],
  checks: {
    hooks: { migrate: { job: "migrate", timeoutMillis: 300_000 } },
    analyses: {
      errors: {
        source: { http: "http://metrics.shop/errors" },
        intervalMillis: 30_000,
        count: 3,
        failures: 0,
        timeoutMillis: 10_000,
        max: 0
      }
    }
  }
}

const answeredOnce = (at: string) => ({ step: 1, check: { taken: 1, failed: 0, at, says: "0" } })

const checkObservations = {
  "with a hook to run": { ...checked, pods: [waiting], hasHookJob: true },
  "with the Job of a superseded rollout": { ...checked, hookRuns: ["web-migrate-hash-1-1"] },
  "with a Job whose step is over": { ...checked, record: { step: 1 }, hookRuns: ["web-migrate-hash-2-1"] },
  "given up, with its Job": {
    ...checked,
    record: { aborted: { reason: "too late" } },
    hookRuns: ["web-migrate-hash-2-1"]
  },
  "with the Job of its step": { ...checked, pods: [waiting], hookRuns: [`web-migrate-${hashOfSecond}-2-1`] },
  "with Jobs of a later step and revision, started by another controller": {
    ...checked,
    pods: [waiting],
    hookRuns: ["web-migrate-hash-2-2", "web-migrate-hash-3-1"]
  },
  "with a hook whose Job is missing": { ...checked, pods: [waiting] },
  "with an analysis to ask": { ...checked, pods: [waiting], record: { step: 1 } },
  "with an analysis that asks again later": {
    ...checked,
    pods: [waiting],
    record: answeredOnce(textAt(120))
  },
  "with an analysis whose last answer has no time that can be read": {
    ...checked,
    pods: [waiting],
    record: answeredOnce("yesterday")
  }
} satisfies Readonly<Record<string, SteeringSituation>>

const previewed: Pick<SteeringSituation, "steps" | "checks"> = {
  steps: [{ holdMillis: undefined }, { approve: "100%" }],
  checks: { preview: "next" }
}

const previewObservations = {
  "blueGreen, its preview selects the revision before": { ...previewed, previews: "v1" },
  "blueGreen, its preview selects the new revision": { ...previewed, previews: "v2" },
  "blueGreen, its preview is missing": { ...previewed, pods: [waiting] },
  "blueGreen, its preview is missing, and a Pod cannot pull": {
    ...previewed,
    pods: [{ waiting: "ImagePullBackOff" }]
  }
} satisfies Readonly<Record<string, SteeringSituation>>

const stepObservations: Readonly<Record<string, SteeringSituation>> = {
  ...canaryObservations,
  ...Object.fromEntries(
    Object.entries(checkObservations).map(([name, situation]) => [`canary, ${name}`, situation])
  )
}

/** Of canary, and the same of blueGreen with its preview. */
export const stepSituations: Readonly<Record<string, SteeringSituation>> = Object.fromEntries(
  [
    ...Object.entries(stepObservations),
    ...Object.entries(stepObservations).map(
      ([name, situation]) =>
        [name.replace("canary", "blueGreen"), { ...situation, isBlueGreen: true }] as const
    ),
    ...Object.entries(previewObservations).map(
      ([name, situation]) => [name, { ...situation, isBlueGreen: true }] as const
    )
  ].map(([name, situation]) => [name, { ...inSteps, ...situation }])
)
