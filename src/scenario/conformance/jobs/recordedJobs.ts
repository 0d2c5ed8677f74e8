import * as Effect from "effect/Effect"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { isTerminating } from "../../../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../../kubernetes/meta/objects.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { describeJobCluster, jobPodCategory, recordedJobName } from "./jobDescription.ts"
import { imageOf, isCount, isOneOf, isPropagationPolicy } from "../upstreamWorkload.ts"
import { movePod } from "../movedPods.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { ContainerStatus, Draft, Pod } from "../../../kubernetes/meta/objects.ts"
import type { Job } from "../../../kubernetes/batch/jobs/jobTypes.ts"
import type { JobPodCategory } from "./jobDescription.ts"
import type { UpstreamWorkload, UpstreamStep } from "../upstreamWorkload.ts"
import type { RecordedMove } from "../movedPods.ts"
import type { StoreError } from "../../../store/storeErrors.ts"

const podActions = ["start", "ready", "unready", "succeed", "fail", "restart", "reap"] as const

export const recordedJobs: UpstreamWorkload = {
  workloadField: "job",
  actions: {
    create: ["job"],
    update: ["parallelism"],
    delete: ["propagationPolicy"],
    ...Object.fromEntries(podActions.map((action) => [action, []]))
  },
  stepFields: {
    job: isFields,
    n: isCount,
    on: isOneOf("pending", "notReady", "ready", "terminating"),
    parallelism: isCount,
    propagationPolicy: isPropagationPolicy
  },
  workloadFields: {
    parallelism: isCount,
    completions: (value) => value === null || isCount(value),
    backoffLimit: isCount,
    restartPolicy: isOneOf("Never", "OnFailure")
  },
  hasOneTemplate: true,
  makeReplayer: (cluster) => ({
    eventObjectKind: "Job",

    perform: (step) => perform(cluster, step),
    // A failed Job deletes its Pods. Releases differ in whether the Job has the condition Failed before the Pods
    // are gone.
    writesOnceSettled: (step) =>
      step.do === "fail" || step.do === "restart"
        ? Effect.suspend(() => movePods(cluster, { ...step, on: undefined, n: undefined }, "reap"))
        : undefined,
    describe: (events, expected) => describeJobCluster(cluster, events, expected)
  })
}

interface JobStep extends UpstreamStep {
  readonly job?: RecordedJob
  readonly parallelism?: number
  /** The category of the Pods. Default: all that the action applies to. */
  readonly on?: JobPodCategory | undefined
  /** Number of Pods. Default: all. */
  readonly n?: number | undefined
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
}

interface RecordedJob {
  readonly parallelism: number
  readonly completions: number | null
  readonly backoffLimit: number
  readonly restartPolicy: string
}

const perform = (cluster: Cluster["Service"], step: JobStep): Effect.Effect<unknown, StoreError> => {
  const { store } = cluster
  const ref = { resource: resources.jobs, key: `default/${recordedJobName}` }
  switch (step.do) {
    case "create":
      return step.job === undefined
        ? Effect.die(new Error("create without a Job"))
        : store.create(draftOf(step.job))
    case "update":
      return store.modify(ref, (object) => {
        const { spec } = object as Job
        return { ...object, spec: { ...spec, parallelism: step.parallelism ?? 0 } } as Draft
      })
    case "delete":
      return store.delete(ref, { propagationPolicy: step.propagationPolicy ?? "Background" })
    default:
      return movePods(cluster, step, step.do as JobMove)
  }
}

type JobMove = (typeof podActions)[number]

const categoriesByMove: Readonly<Record<JobMove, ReadonlyArray<JobPodCategory>>> = {
  start: ["pending"],
  ready: ["pending", "notReady"],
  unready: ["ready"],
  succeed: ["notReady", "ready"],
  fail: ["notReady", "ready"],
  restart: ["ready"],
  reap: ["terminating"]
}

const movePods = (
  cluster: Cluster["Service"],
  { on, n = Number.POSITIVE_INFINITY }: JobStep,
  move: JobMove
): Effect.Effect<unknown, StoreError> => {
  const chosen = [...cluster.view.all(resources.pods)]
    .filter((pod) => {
      const category = jobPodCategory(pod)
      return on === undefined ? categoriesByMove[move].includes(category) : category === on
    })
    .slice(0, n)
  return Effect.forEach(chosen, (pod) => {
    switch (move) {
      // A succeeded Pod is bound to a node and not ready, like a failed one.
      case "succeed":
        return movePod(cluster, pod, "fail").pipe(
          Effect.andThen(changeStatus(cluster, pod, withPhaseSucceeded))
        )
      case "restart":
        return changeStatus(cluster, pod, withRestart)
      default:
        return movePod(cluster, pod, move satisfies RecordedMove)
    }
  })
}

const changeStatus = (
  { store }: Cluster["Service"],
  pod: Pod,
  change: (pod: Pod) => Pod
): Effect.Effect<unknown, StoreError> =>
  store.modify({ resource: resources.pods, key: objectKeyOf(pod) }, (object) => change(object as Pod), {
    status: true
  })

const withPhaseSucceeded = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: "Succeeded" } })

const withRestart = (pod: Pod): Pod => {
  const [statusBefore] = pod.status.containerStatuses ?? []
  const status: ContainerStatus = {
    name: "app",
    image: imageOf(1),
    imageID: "",
    ready: !isTerminating(pod),
    ...statusBefore,
    restartCount: (statusBefore?.restartCount ?? 0) + 1
  }
  return { ...pod, status: { ...pod.status, containerStatuses: [status] } }
}

const draftOf = ({ parallelism, completions, backoffLimit, restartPolicy }: RecordedJob): Draft => {
  const labels = { app: recordedJobName }
  const draft: Draft & { readonly spec: object } = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: recordedJobName, namespace: "default", labels },
    spec: {
      parallelism,
      ...(completions === null ? {} : { completions }),
      backoffLimit,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy,
          containers: [{ name: "app", image: imageOf(1) }],
          terminationGracePeriodSeconds: 30
        }
      }
    }
  }
  return draft
}
