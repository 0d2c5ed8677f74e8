import * as Effect from "effect/Effect"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { movePod, podCategory } from "../movedPods.ts"
import { imageOf, isAmount, isCount, isOneOf, isPropagationPolicy } from "../upstreamWorkload.ts"
import {
  describeDaemonSetCluster,
  describeNodes,
  nodeSelectorLabel,
  recordedDaemonSetName
} from "./daemonSetDescription.ts"
import { objectKeyOf } from "../../../kubernetes/meta/objects.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { DaemonSet } from "../../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Draft, Node } from "../../../kubernetes/meta/objects.ts"
import type { StoreError } from "../../../store/storeErrors.ts"
import type { DescribedNode } from "./daemonSetDescription.ts"
import type { PodCategory, RecordedMove } from "../movedPods.ts"
import type { UpstreamWorkload, UpstreamStep } from "../upstreamWorkload.ts"

const nodeActions = ["removeNode", "labelNode", "unlabelNode", "taintNode", "untaintNode"] as const
const podActions = ["start", "ready", "unready", "fail", "kill", "reap"] as const

export const recordedDaemonSets: UpstreamWorkload = {
  workloadField: "daemonSet",
  actions: {
    create: ["daemonSet"],
    update: ["daemonSet"],
    delete: ["propagationPolicy"],
    addNode: ["n"],
    ...Object.fromEntries(nodeActions.map((action) => [action, ["on"]])),
    taintNode: ["on", "effect"],
    ...Object.fromEntries(podActions.map((action) => [action, []])),
    collect: []
  },
  stepFields: {
    daemonSet: isFields,
    n: isCount,
    on: (value) => typeof value === "string",
    effect: isOneOf("NoSchedule", "NoExecute"),
    propagationPolicy: isPropagationPolicy
  },
  workloadFields: {
    strategy: isOneOf("RollingUpdate", "OnDelete"),
    maxUnavailable: isAmount,
    revisionHistoryLimit: isCount,
    v: isCount
  },
  // Nodes and Pods move only when a step says so.
  clusterOptions: {
    nodes: { count: 0 },
    controllers: [
      "*",
      "-node-lifecycle-controller",
      "-taint-eviction-controller",
      "-pod-garbage-collector-controller"
    ]
  },
  makeReplayer: (cluster) => {
    let nodeCount = 0
    const addNodes = (count: number) =>
      Effect.forEach(
        Array.from({ length: count }, () => (nodeCount += 1)),
        (index) => cluster.store.create(nodeDraft(`n-${index}`))
      )
    return {
      eventObjectKind: "DaemonSet",

      perform: (step) => perform(cluster, step, addNodes),
      describe: (events, expected) => describeDaemonSetCluster(cluster, events, expected)
    }
  }
}

interface DaemonSetStep extends UpstreamStep {
  readonly daemonSet?: RecordedDaemonSet
  /** The text of `describeNodes` for the chosen nodes, just before the step. Default: any. */
  readonly on?: string
  /** Number of nodes. Default: all. */
  readonly n?: number
  readonly effect?: "NoSchedule" | "NoExecute"
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
}

interface RecordedDaemonSet {
  /** Version of the Pod template. */
  readonly v: number
  readonly strategy: string
  readonly maxUnavailable: number | string
  readonly revisionHistoryLimit: number
}

const perform = (
  cluster: Cluster["Service"],
  step: DaemonSetStep,
  addNodes: (count: number) => Effect.Effect<unknown, StoreError>
): Effect.Effect<unknown, StoreError> => {
  const { store } = cluster
  const ref = { resource: resources.daemonSets, key: `default/${recordedDaemonSetName}` }
  switch (step.do) {
    case "create":
    case "update": {
      const { daemonSet } = step
      if (daemonSet === undefined) return Effect.die(new Error(`${step.do} without a DaemonSet`))
      return step.do === "create"
        ? store.create(draftOf(daemonSet))
        : store.modify(ref, (object) => withChanges(object as DaemonSet, daemonSet))
    }
    case "delete":
      return store.delete(ref, { propagationPolicy: step.propagationPolicy ?? "Background" })
    case "addNode":
      return addNodes(step.n ?? 1)
    // The Pod garbage collector removes the Pods of nodes that are gone.
    case "collect":
      return Effect.forEach(
        describeNodes(cluster).filter(({ node }) => node === undefined),
        ({ pods }) => Effect.forEach(pods, (pod) => movePod(cluster, pod, "reap"))
      )
    default: {
      const chosen = describeNodes(cluster)
        .filter(({ text }) => step.on === undefined || text === step.on)
        .slice(0, step.n ?? Number.POSITIVE_INFINITY)
      const isNodeAction = nodeActions.some((action) => action === step.do)
      return isNodeAction
        ? Effect.forEach(chosen, ({ node }) => changeNode(cluster, node, step))
        : movePods(cluster, chosen, step.do as RecordedMove)
    }
  }
}

const categoriesByMove: Readonly<Record<RecordedMove, ReadonlyArray<PodCategory>>> = {
  start: ["pending"],
  ready: ["pending", "notReady"],
  unready: ["ready"],
  fail: ["ready", "notReady"],
  kill: ["ready", "notReady", "pending"],
  reap: ["terminating"]
}

const movePods = (
  cluster: Cluster["Service"],
  chosen: ReadonlyArray<DescribedNode>,
  move: RecordedMove
): Effect.Effect<unknown, StoreError> =>
  Effect.forEach(
    chosen.flatMap(({ name, pods }) =>
      pods.filter((pod) => categoriesByMove[move].includes(podCategory(pod))).map((pod) => ({ name, pod }))
    ),
    ({ name, pod }) => movePod(cluster, pod, move, name)
  )

const changeNode = (
  { store }: Cluster["Service"],
  node: Node | undefined,
  { do: action, effect }: DaemonSetStep
): Effect.Effect<unknown, StoreError> => {
  if (node === undefined) return Effect.void
  const ref = { resource: resources.nodes, key: objectKeyOf(node) }
  if (action === "removeNode") return store.delete(ref)
  return store.modify(ref, (object) => {
    const { metadata, spec } = object as Node
    const { [nodeSelectorLabel]: _story, ...otherLabels } = metadata.labels ?? {}
    switch (action) {
      case "labelNode":
        return { ...object, metadata: { ...metadata, labels: { ...otherLabels, ...nodeSelectorLabels } } }
      case "unlabelNode":
        return { ...object, metadata: { ...metadata, labels: otherLabels } }
      case "taintNode": {
        const taint = { key: nodeSelectorLabel, value: effect, effect }
        return { ...object, spec: { ...spec, taints: [...(spec.taints ?? []), taint] } } as Draft
      }
      default:
        return { ...object, spec: { ...spec, taints: [] } } as Draft
    }
  })
}

const nodeSelectorLabels = { [nodeSelectorLabel]: "replayed" }
const labels = { app: recordedDaemonSetName, ...nodeSelectorLabels }

const nodeDraft = (name: string): Draft => {
  const amounts = { cpu: "8", memory: "16Gi", pods: "110" }
  const node: Draft & { readonly status: object } = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: nodeSelectorLabels },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady" }]
    }
  }
  return node
}

const strategyOf = ({ strategy, maxUnavailable }: RecordedDaemonSet) =>
  strategy === "RollingUpdate" ? { type: strategy, rollingUpdate: { maxUnavailable } } : { type: strategy }

const draftOf = (recorded: RecordedDaemonSet): Draft => {
  const draft: Draft & { readonly spec: object } = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: recordedDaemonSetName, namespace: "default", labels },
    spec: {
      revisionHistoryLimit: recorded.revisionHistoryLimit,
      updateStrategy: strategyOf(recorded),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: nodeSelectorLabels,
          containers: [{ name: "app", image: imageOf(recorded.v) }],
          terminationGracePeriodSeconds: 30
        }
      }
    }
  }
  return draft
}

const withChanges = (object: DaemonSet, recorded: RecordedDaemonSet): Draft => {
  const { template } = object.spec
  const containers = (template.spec?.containers ?? []).map((container) => ({
    ...container,
    image: imageOf(recorded.v)
  }))
  return {
    ...object,
    spec: {
      ...object.spec,
      revisionHistoryLimit: recorded.revisionHistoryLimit,
      updateStrategy: strategyOf(recorded),
      template: { ...template, spec: { ...template.spec, containers } }
    }
  } as Draft
}
