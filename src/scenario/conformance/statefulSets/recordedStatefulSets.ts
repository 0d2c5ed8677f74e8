import * as Effect from "effect/Effect"
import { isTerminating } from "../../../kubernetes/meta/deletion.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { canMovePod, movePod } from "../movedPods.ts"
import { imageOf, isBoolean, isCount, isNameList, isOneOf, isPropagationPolicy } from "../upstreamWorkload.ts"
import {
  byOrdinal,
  describeStatefulSetCluster,
  makeRevisionVersions,
  recordedStatefulSetName
} from "./statefulSetDescription.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { ControllerRevision } from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { Draft } from "../../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { StoreError } from "../../../store/storeErrors.ts"
import type { RecordedMove } from "../movedPods.ts"
import type { UpstreamWorkload, UpstreamStep } from "../upstreamWorkload.ts"

export const recordedStatefulSets: UpstreamWorkload = {
  workloadField: "statefulSet",
  actions: {
    create: ["statefulSet"],
    update: ["statefulSet"],
    start: [],
    ready: [],
    unready: ["pods"],
    fail: ["pods"],
    kill: ["pods"],
    reap: [],
    delete: ["propagationPolicy"],
    orphan: ["ordinal", "v"]
  },
  stepFields: {
    statefulSet: isFields,
    n: isCount,
    pods: isNameList,
    propagationPolicy: isPropagationPolicy,
    ordinal: isCount,
    v: isCount,
    named: isBoolean,
    claim: isBoolean
  },
  workloadFields: {
    replicas: isCount,
    podManagementPolicy: isOneOf("OrderedReady", "Parallel"),
    strategy: isOneOf("RollingUpdate", "OnDelete"),
    partition: isCount,
    claims: isBoolean,
    revisionHistoryLimit: isCount,
    v: isCount
  },
  makeReplayer: (cluster) => {
    const versions = makeRevisionVersions()
    return {
      eventObjectKind: "StatefulSet",
      observe: ({ resource, object }) => {
        if (resource === resources.controllerRevisions) versions.add(object as ControllerRevision)
      },
      perform: (step) => perform(cluster, step),
      describe: (events, expected) => describeStatefulSetCluster(cluster, { versions, events, expected })
    }
  }
}

interface StatefulSetStep extends UpstreamStep {
  readonly statefulSet?: RecordedStatefulSet
  /** Number of Pods. Default: all. */
  readonly n?: number
  readonly pods?: ReadonlyArray<string>
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  /** `orphan` creates a Pod with this ordinal and without an owner; the fields below describe that Pod, too. */
  readonly ordinal?: number
  /** Version of the Pod template. */
  readonly v?: number
  /** Whether the Pod has the label with its own name that a StatefulSet's Pods have. */
  readonly named?: boolean
  /** Whether the Pod uses a claim. */
  readonly claim?: boolean
}

interface RecordedStatefulSet {
  readonly replicas: number
  readonly podManagementPolicy: string
  readonly strategy: string
  readonly partition?: number
  readonly claims: boolean
  readonly revisionHistoryLimit: number
  /** Version of the Pod template. */
  readonly v: number
}

const labels = { app: recordedStatefulSetName }

const perform = (cluster: Cluster["Service"], step: StatefulSetStep): Effect.Effect<unknown, StoreError> => {
  const { store } = cluster
  const ref = { resource: resources.statefulSets, key: `default/${recordedStatefulSetName}` }
  switch (step.do) {
    case "create":
    case "update": {
      const { statefulSet } = step
      if (statefulSet === undefined) return Effect.die(new Error(`${step.do} without a StatefulSet`))
      if (step.do === "create") return store.create(draftOf(statefulSet))
      return store.modify(ref, (object) => withChanges(object as StatefulSet, statefulSet))
    }
    case "delete":
      return store.delete(ref, { propagationPolicy: step.propagationPolicy ?? "Background" })
    case "orphan":
      return createOrphan(cluster, step)
    default:
      return movePods(cluster, step, step.do as RecordedMove)
  }
}

const strategyOf = ({ strategy, partition = 0 }: RecordedStatefulSet) =>
  strategy === "RollingUpdate" ? { type: strategy, rollingUpdate: { partition } } : { type: strategy }

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }

const podSpec = (version: number) => ({
  containers: [{ name: "app", image: imageOf(version) }],
  terminationGracePeriodSeconds: 30
})

const draftOf = (recorded: RecordedStatefulSet): Draft => {
  const { replicas, podManagementPolicy, revisionHistoryLimit, claims, v } = recorded
  const draft: Draft & { readonly spec: object } = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: recordedStatefulSetName, namespace: "default", labels },
    spec: {
      serviceName: recordedStatefulSetName,
      replicas,
      podManagementPolicy,
      revisionHistoryLimit,
      updateStrategy: strategyOf(recorded),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(v) },
      ...(claims ? { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec }] } : {})
    }
  }
  return draft
}

const withChanges = (object: StatefulSet, recorded: RecordedStatefulSet): Draft => {
  const { template } = object.spec
  const containers = (template.spec?.containers ?? []).map((container) => ({
    ...container,
    image: imageOf(recorded.v)
  }))
  return {
    ...object,
    spec: {
      ...object.spec,
      replicas: recorded.replicas,
      updateStrategy: strategyOf(recorded),
      template: { ...template, spec: { ...template.spec, containers } }
    }
  } as Draft
}

const createOrphan = Effect.fnUntraced(function* (
  { store, view }: Cluster["Service"],
  { ordinal = 0, v = 0, named = false, claim = false }: StatefulSetStep
): Effect.fn.Return<void, StoreError> {
  const name = `${recordedStatefulSetName}-${ordinal}`
  const claimName = `data-${name}`
  const metadata = { namespace: "default", labels }
  if (claim && view.get(resources.persistentVolumeClaims, `default/${claimName}`) === undefined) {
    const draft: Draft & { readonly spec: object } = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { ...metadata, name: claimName },
      spec: claimSpec
    }
    yield* store.create(draft)
  }
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }]
  const pod: Draft & { readonly spec: object } = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name,
      labels: named ? { ...labels, "statefulset.kubernetes.io/pod-name": name } : labels
    },
    spec: { ...podSpec(v), ...(claim ? { volumes } : {}) }
  }
  yield* store.create(pod)
})

/** All Pods are chosen before the first is changed. */
const movePods = (
  cluster: Cluster["Service"],
  { pods: names, n = Number.POSITIVE_INFINITY }: StatefulSetStep,
  move: RecordedMove
): Effect.Effect<unknown, StoreError> =>
  Effect.forEach(
    [...cluster.view.all(resources.pods)]
      .filter((pod) => (names === undefined || names.includes(pod.metadata.name)) && canMove[move](pod))
      .sort(byOrdinal)
      .slice(0, n),
    (pod) => movePod(cluster, pod, move)
  )

/** Unlike for other workloads, a step may also delete Pods that have finished. */
const canMove: typeof canMovePod = { ...canMovePod, kill: (pod) => !isTerminating(pod) }
