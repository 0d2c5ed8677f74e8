import { aDeployment, aReplicaSet, millisAt, textAt } from "./workloadObservations.ts"
import { annotationOf, revisionAnnotation } from "../../src/kubernetes/apps/revisions/revisions.ts"
import {
  approvalGate,
  completedAnnotation,
  recordAnnotation
} from "../../src/kubernetes/steering/steeringNames.ts"
import { failureDefaults } from "../../src/kubernetes/steering/steeringSettings.ts"
import { hashOf } from "../../src/kubernetes/steering/steeringObservation.ts"
import { steeringRecordText } from "../../src/kubernetes/steering/steeringRecord.ts"
import type { DeploymentStatus, Pod, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"
import type { CanarySettings, FailureSettings } from "../../src/kubernetes/steering/steeringSettings.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"
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

interface FailingTraits {
  /** Its containers are ready, and its gate is closed or open. */
  readonly gate?: "closed" | "open"
  readonly restarts?: number
  readonly waiting?: string
  readonly created?: number
}

const aNewPod = ({ restarts = 0, waiting, created = 100, gate }: FailingTraits, index: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `web-v2-${index}`,
    namespace: "shop",
    uid: `uid-pod-${index}`,
    resourceVersion: "7",
    creationTimestamp: textAt(created)
  },
  spec: { containers: [{ name: "app", image: "registry.example/app:v2" }] },
  status: {
    phase: waiting === undefined ? "Running" : "Pending",
    ...(gate === undefined
      ? {}
      : {
          conditions: [
            { type: "ContainersReady", status: "True" },
            { type: approvalGate, status: gate === "open" ? "True" : "False" }
          ]
        }),
    containerStatuses: [
      {
        name: "app",
        image: "registry.example/app:v2",
        imageID: "",
        ready: false,
        restartCount: restarts,
        state: waiting === undefined ? { running: {} } : { waiting: { reason: waiting } },
        ...(restarts === 0 ? {} : { lastState: { terminated: { exitCode: 3, reason: "Error" } } })
      }
    ]
  }
})

const complete = { replicas: 5, updatedReplicas: 5, readyReplicas: 5, availableReplicas: 5 }

export const observedSteering = (situation: SteeringSituation): SteeringObservation => {
  const { settings = {}, completed = { v1: 1 }, image = "v2", revisions = [1, 2], record = {} } = situation
  const [first, second] = revisions
  const replicaSets = [
    aReplicaSet({ image: "v1", revision: first }),
    aReplicaSet({
      image: "v2",
      revision: second,
      replicas: 2,
      pods: 2 + (situation.surplus ?? 0),
      available: situation.availableNew ?? 0
    })
  ].map((it, index) => marked(it, completed[`v${index + 1}`]))
  const next = replicaSets[image === "v1" ? 0 : 1]
  if (next === undefined) throw new Error("there are two revisions")
  const revision = annotationOf(next, revisionAnnotation) ?? ""
  const observed = aDeployment({
    image,
    replicas: situation.replicas ?? 5,
    deleting: situation.deleting === true,
    annotations: {
      [revisionAnnotation]: revision,
      ...Object.fromEntries(
        Object.entries(situation.asked ?? {}).map(([name, value]) => [`charthouse.dev/${name}`, value])
      ),
      ...(record === null
        ? {}
        : {
            [recordAnnotation]: steeringRecordText({
              hash: hashOf(next),
              revision,
              since: textAt(100),
              ...record
            })
          })
    },
    status: {
      observedGeneration: 1,
      replicas: 7,
      updatedReplicas: 2,
      availableReplicas: 5,
      ...situation.status
    },
    ...(situation.progressing === undefined ? {} : { progressing: situation.progressing })
  })
  const deployment =
    situation.isPaused === true ? { ...observed, spec: { ...observed.spec, paused: true } } : observed
  const { steps } = situation
  const isSteered = situation.isUnsteered !== true && situation.problems === undefined
  return {
    deployment,
    strategy: isSteered
      ? {
          name: steps === undefined ? "automaticRollback" : "canary",
          settings: { ...failureDefaults, ...settings, ...(steps === undefined ? {} : { steps }) }
        }
      : undefined,
    problems: situation.problems ?? [],
    replicaSets,
    next,
    newPods: (situation.pods ?? []).map(aNewPod),
    completePods: (situation.completePods ?? []).map(aNewPod),
    services: [],
    jobs: [],
    hookJobs: [],
    gitManagers: situation.gitManagers ?? [],
    nowMillis: millisAt(situation.now ?? 130)
  }
}

const marked = (replicaSet: ReplicaSet, revision: number | undefined): ReplicaSet =>
  revision === undefined
    ? replicaSet
    : {
        ...replicaSet,
        metadata: {
          ...replicaSet.metadata,
          annotations: {
            ...replicaSet.metadata.annotations,
            [completedAnnotation]: `${hashOf(replicaSet)} ${revision} ${textAt(50)}`
          }
        }
      }

/** What another look saw of the second revision, and of the first after a rollback. */
const [hashOfFirst, hashOfSecond] = [aReplicaSet({ image: "v1" }), aReplicaSet({ image: "v2" })].map(
  hashOf
) as [string, string]
const takenBack = { undone: [{ from: hashOfSecond, to: hashOfFirst, reason: "it crashed" }] }

const crashing = [{ restarts: 4 }, {}]
const unpullable = [{ waiting: "ImagePullBackOff" }, { waiting: "ErrImagePull" }]

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

export const steeringObservations: ReadonlyMap<string, SteeringObservation> = new Map(
  Object.entries({
    "in progress": { pods: [{}, {}] },
    "not recorded": { record: null },
    "with the record of another rollout": { record: { hash: hashOfFirst, revision: "1" } },
    "not observed by the Deployment's controller": { status: { observedGeneration: 0 } },
    "not numbered yet": { revisions: [3, 2], completed: { v1: 3 } },
    "cannot pull, within its budget": { pods: unpullable },
    "cannot pull, beyond its budget": { pods: unpullable, now: 160 },
    crashing: { pods: crashing },
    "crashing as often as it may": { pods: [{ restarts: 3 }] },
    "crashing, managed in Git": { pods: crashing, gitManagers: ["argocd-controller"] },
    "crashing, onFailure: hold": { pods: crashing, settings: { onFailure: "hold" } },
    "crashing, and nothing was ever complete": { pods: crashing, completed: {} },
    "crashing, and it was taken back before": { pods: crashing, record: takenBack },
    "crashing, given up": { pods: crashing, record: { aborted: { reason: "it crashed" } } },
    late: { progressing: ["ProgressDeadlineExceeded", 700], now: 701 },
    "late before this rollout": {
      progressing: ["ProgressDeadlineExceeded", 90],
      record: { oldDeadline: textAt(90) }
    },
    "back at the first": { image: "v1", revisions: [3, 2], record: takenBack, completed: { v1: 1 } },
    "back at the first, which crashes, too": {
      image: "v1",
      revisions: [3, 2],
      record: takenBack,
      completed: { v1: 1 },
      pods: crashing
    },
    "back at the first, complete": {
      image: "v1",
      revisions: [3, 2],
      record: takenBack,
      completed: { v1: 3 },
      status: complete
    },
    "complete, not marked": { status: complete },
    "complete and marked": { status: complete, completed: { v1: 1, v2: 2 } },
    "complete and marked, after a rollback": {
      status: complete,
      completed: { v1: 1, v2: 2 },
      record: { undone: [{ from: "other", to: hashOfFirst, reason: "it crashed" }] }
    },
    "complete, then Pods crash": { pods: crashing, completed: { v1: 1, v2: 2 } },
    "of 0 replicas": {
      replicas: 0,
      status: { replicas: 0, updatedReplicas: 0, availableReplicas: 0 }
    },
    "a strategy that cannot be meant": { problems: ["no steering chart is called canari"] },
    "without its strategy": { isUnsteered: true },
    "being deleted": { deleting: true },
    ...Object.fromEntries(
      Object.entries(canaryObservations).map(([name, situation]) => [name, { ...inSteps, ...situation }])
    )
  } satisfies Readonly<Record<string, SteeringSituation>>).map(([name, situation]) => [
    name,
    observedSteering(situation)
  ])
)
