import * as Effect from "effect/Effect"
import { compareByCreation } from "../../../kubernetes/meta/objectOrder.ts"
import { objectKeyOf } from "../../../kubernetes/meta/objects.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { canMovePod, movePod, versionOfPod } from "../movedPods.ts"
import {
  imageOf,
  isAmount,
  isBoolean,
  isCount,
  isOneOf,
  isPropagationPolicy,
  isSeconds
} from "../upstreamWorkload.ts"
import {
  describeDeploymentCluster,
  makeTemplateVersions,
  versionOfReplicaSet,
  recordedDeploymentName
} from "./deploymentDescription.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { Draft, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { StoreError } from "../../../store/storeErrors.ts"
import type { RecordedMove } from "../movedPods.ts"
import type { UpstreamWorkload, UpstreamStep } from "../upstreamWorkload.ts"

export const recordedDeployments: UpstreamWorkload = {
  workloadField: "deployment",
  actions: {
    create: ["deployment"],
    update: ["deployment"],
    start: [],
    ready: [],
    unready: [],
    fail: [],
    kill: [],
    reap: [],
    scaleReplicaSet: ["v", "replicas"],
    deleteReplicaSet: ["v"],
    delete: [],
    sleep: ["seconds"]
  },
  stepFields: {
    deployment: isFields,
    v: isCount,
    n: isCount,
    replicas: isCount,
    seconds: isSeconds,
    propagationPolicy: isPropagationPolicy,
    at: isSeconds,
    seenAt: isSeconds
  },
  workloadFields: {
    replicas: isCount,
    strategy: isOneOf("RollingUpdate", "Recreate"),
    maxSurge: isAmount,
    maxUnavailable: isAmount,
    paused: isBoolean,
    minReadySeconds: isCount,
    progressDeadlineSeconds: isCount,
    revisionHistoryLimit: isCount,
    v: isCount
  },
  makeReplayer: (cluster) => {
    const versions = makeTemplateVersions()
    return {
      eventObjectKind: "Deployment",
      observe: ({ resource, object }) => {
        if (resource === resources.replicaSets) versions.add(object as ReplicaSet)
      },
      perform: (step) => perform(cluster, step),
      describe: (events, { events: expectedEvents }) => {
        const { events: found, ...described } = describeDeploymentCluster(cluster, versions, events)
        return expectedEvents === undefined ? described : { ...described, events: found }
      }
    }
  }
}

interface DeploymentStep extends UpstreamStep {
  readonly deployment?: RecordedDeployment
  /** Version of the Pod template. Default: any. */
  readonly v?: number
  /** Number of Pods. Default: all. */
  readonly n?: number
  readonly replicas?: number
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
}

/** Omitted fields have the API's defaults. */
interface RecordedDeployment {
  readonly strategy?: "RollingUpdate" | "Recreate"
  readonly maxSurge?: number | string
  readonly maxUnavailable?: number | string
  readonly v: number
}

const perform = (cluster: Cluster["Service"], step: DeploymentStep): Effect.Effect<unknown, StoreError> => {
  const { store, view } = cluster
  const deployment = { resource: resources.deployments, key: `default/${recordedDeploymentName}` }
  const replicaSets = (): ReadonlyArray<ReplicaSet> =>
    [...view.all(resources.replicaSets)].filter(
      (replicaSet) => step.v === undefined || versionOfReplicaSet(replicaSet) === step.v
    )
  switch (step.do) {
    case "create":
    case "update": {
      if (step.deployment === undefined) return Effect.die(new Error(`${step.do} without a Deployment`))
      const draft = draftOf(step.deployment)
      if (step.do === "create") return store.create(draft)
      return store.modify(deployment, (object) => ({ ...object, spec: draft.spec }) as Draft)
    }
    case "delete":
      return store.delete(deployment, { propagationPolicy: step.propagationPolicy ?? "Background" })
    case "scaleReplicaSet":
      return Effect.forEach(replicaSets().slice(0, 1), (replicaSet) => {
        const spec = { ...replicaSet.spec, replicas: step.replicas ?? 0 }
        return store.update({ ...replicaSet, spec } as ReplicaSet)
      })
    case "deleteReplicaSet":
      return Effect.forEach(replicaSets().slice(0, 1), (replicaSet) =>
        store.delete(
          { resource: resources.replicaSets, key: objectKeyOf(replicaSet) },
          { propagationPolicy: "Background" }
        )
      )
    default:
      return movePods(cluster, step, step.do as RecordedMove)
  }
}

/** All Pods are chosen before the first is changed. */
const movePods = (
  cluster: Cluster["Service"],
  { v, n = Number.POSITIVE_INFINITY }: DeploymentStep,
  move: RecordedMove
): Effect.Effect<unknown, StoreError> =>
  Effect.forEach(
    [...cluster.view.all(resources.pods)]
      .filter((pod) => (v === undefined || versionOfPod(pod) === v) && canMovePod[move](pod))
      .sort(compareByCreation)
      .slice(0, n),
    (pod) => movePod(cluster, pod, move)
  )

const draftOf = (deployment: RecordedDeployment): Draft & { readonly spec: object } => {
  const { v, strategy, maxSurge, maxUnavailable, ...spec } = deployment
  const labels = { app: recordedDeploymentName }
  const rollingUpdate = {
    ...(maxSurge === undefined ? {} : { maxSurge }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable })
  }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: recordedDeploymentName, namespace: "default", labels },
    spec: {
      ...spec,
      strategy: strategy === "Recreate" ? { type: strategy } : { type: "RollingUpdate", rollingUpdate },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "app", image: imageOf(v) }], terminationGracePeriodSeconds: 30 }
      }
    }
  }
}
