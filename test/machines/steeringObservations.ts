import { aDeployment, aReplicaSet, millisAt, textAt } from "./workloadObservations.ts"
import { annotationOf, revisionAnnotation } from "../../src/kubernetes/apps/revisions/revisions.ts"
import {
  approvalGate,
  completedRevisionAnnotation,
  hookLabel,
  recordAnnotation
} from "../../src/kubernetes/steering/steeringNames.ts"
import { failureDefaults } from "../../src/kubernetes/steering/steeringSettings.ts"
import { templateHashOf } from "../../src/kubernetes/steering/steeringObservation.ts"
import { observedJob } from "./jobObservations.ts"
import { serviceManifest } from "../builders/manifests.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import { complete, hashOfFirst, hashOfSecond, stepSituations } from "./steeringSituations.ts"
import { steeringRecordText } from "../../src/kubernetes/steering/steeringRecord.ts"
import type { Pod, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"
import type { Job } from "../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { Service } from "../../src/kubernetes/core/endpoints.ts"
import type { FailingTraits, SteeringSituation } from "./steeringSituations.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"

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
  const newReplicaSet = replicaSets[image === "v1" ? 0 : 1]
  if (newReplicaSet === undefined) throw new Error("there are two revisions")
  const revision = annotationOf(newReplicaSet, revisionAnnotation) ?? ""
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
              hash: templateHashOf(newReplicaSet),
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
  const { steps, checks = {}, isBlueGreen = false, previews, hasHookJob = false, hookRuns = [] } = situation
  const previewed = replicaSets[previews === "v1" ? 0 : 1]
  const services =
    previews === undefined || previewed === undefined
      ? []
      : [
          {
            ...serviceManifest(
              {
                publishNotReadyAddresses: true,
                selector: { [templateHashLabel]: templateHashOf(previewed) }
              },
              "next"
            )
          } as unknown as Service
        ]
  const isSteered = situation.isUnsteered !== true && situation.problems === undefined
  return {
    deployment,
    strategy: isSteered
      ? {
          name: steps === undefined ? "automaticRollback" : isBlueGreen ? "blueGreen" : "canary",
          settings: { ...failureDefaults, ...settings, ...(steps === undefined ? {} : { steps, ...checks }) }
        }
      : undefined,
    problems: situation.problems ?? [],
    replicaSets,
    newReplicaSet,
    newPods: (situation.pods ?? []).map(aNewPod),
    completePods: (situation.completePods ?? []).map(aNewPod),
    services,
    jobs: hasHookJob ? [migrateJob] : [],
    hookJobs: hookRuns.map(aHookRun),
    gitManagers: situation.gitManagers ?? [],
    nowMillis: millisAt(situation.now ?? 130)
  }
}

const { job: aJob } = observedJob({ spec: { suspend: true } })
const aHookRun = (name: string): Job => ({
  ...aJob,
  metadata: { ...aJob.metadata, name, labels: { [hookLabel]: "migrate" } }
})
const migrateJob: Job = { ...aJob, metadata: { ...aJob.metadata, name: "migrate" } }

const marked = (replicaSet: ReplicaSet, revision: number | undefined): ReplicaSet =>
  revision === undefined
    ? replicaSet
    : {
        ...replicaSet,
        metadata: {
          ...replicaSet.metadata,
          annotations: {
            ...replicaSet.metadata.annotations,
            [completedRevisionAnnotation]: `${templateHashOf(replicaSet)} ${revision} ${textAt(50)}`
          }
        }
      }

const takenBack = { undone: [{ from: hashOfSecond, to: hashOfFirst, reason: "it crashed" }] }

const crashing = [{ restarts: 4 }, {}]
const unpullable = [{ waiting: "ImagePullBackOff" }, { waiting: "ErrImagePull" }]

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
    "crashing while Pods are deleted": { pods: crashing, surplus: 1 },
    "crashing as often as it may": { pods: [{ restarts: 3 }] },
    "crashing, managed in Git": { pods: crashing, gitManagers: ["argocd-controller"] },
    "crashing, onFailure: hold": { pods: crashing, settings: { onFailure: "hold" } },
    "crashing, and nothing was ever complete": { pods: crashing, completed: {} },
    "crashing, and it was taken back before": { pods: crashing, record: takenBack },
    "crashing, given up": { pods: crashing, record: { aborted: { reason: "it crashed" } } },
    "aborted by its user": { asked: { abort: "too slow" } },
    promoted: { asked: { promote: "" } },
    "given up, and promoted": { record: { aborted: { reason: "it crashed" } }, asked: { promote: "" } },
    "crashing, given up, managed in Git": {
      pods: crashing,
      record: { aborted: { reason: "it crashed" } },
      gitManagers: ["argocd-controller"]
    },
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
    "with the Job of a hook that another chart ran": { hookRuns: ["web-migrate-hash-2-1"] },
    "of 0 replicas": {
      replicas: 0,
      status: { replicas: 0, updatedReplicas: 0, availableReplicas: 0 }
    },
    "an invalid strategy": { problems: ["no steering chart is called canari"] },
    "without its strategy": { isUnsteered: true },
    "being deleted": { deleting: true },
    ...stepSituations
  } satisfies Readonly<Record<string, SteeringSituation>>).map(([name, situation]) => [
    name,
    observedSteering(situation)
  ])
)
