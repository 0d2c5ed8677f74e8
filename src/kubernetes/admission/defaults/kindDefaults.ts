import type * as Apps from "kubernetes-types/apps/v1.js"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Scheduling from "kubernetes-types/scheduling/v1.js"
import type { Draft } from "../../meta/objects.ts"
import { rollingUpdateDefaults } from "../../apps/rolloutBounds.ts"
import { defaultPodSpec, defaultTemplate } from "./podDefaults.ts"
import { changeField, fillDefaults, fillPointers, withField } from "../../validation/structuralSharing.ts"

/** Source: pkg/apis/{apps/v1,core/v1,autoscaling/v2,scheduling/v1}/defaults.go. */
interface DeploymentDraft extends Draft {
  readonly spec?: Partial<Apps.DeploymentSpec>
}

interface ReplicaSetDraft extends Draft {
  readonly spec?: Partial<Apps.ReplicaSetSpec>
}

interface PodDraft extends Draft {
  readonly spec?: Core.PodSpec
}

interface NodeDraft extends Draft {
  readonly spec?: Core.NodeSpec
  readonly status?: Core.NodeStatus
}

/** A missing spec becomes an empty one, so that validation reports the fields that it lacks. */
export const defaultDeployment = (deployment: DeploymentDraft): DeploymentDraft =>
  changeField(fillDefaults(deployment, { spec: {} }), "spec", (spec) => {
    const amounts = { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }
    const filled = fillDefaults(spec, { ...amounts, template: {} })
    const strategy = defaultStrategy(filled.strategy)
    return changeField(withField(filled, "strategy", strategy), "template", defaultTemplate)
  })

const defaultStrategy = (strategy: Apps.DeploymentStrategy = {}): Apps.DeploymentStrategy => {
  const withType = fillDefaults(strategy, { type: "RollingUpdate" })
  if (withType.type !== "RollingUpdate") return withType
  const amounts = fillPointers(withType.rollingUpdate ?? {}, rollingUpdateDefaults)
  return withField(withType, "rollingUpdate", amounts)
}

export const defaultReplicaSet = (replicaSet: ReplicaSetDraft): ReplicaSetDraft =>
  changeField(fillDefaults(replicaSet, { spec: {} }), "spec", (spec) =>
    changeField(fillDefaults(spec, { replicas: 1, template: {} }), "template", defaultTemplate)
  )

export const defaultPod = (pod: PodDraft): PodDraft =>
  changeField(fillDefaults(pod, { spec: { containers: [] } }), "spec", defaultPodSpec)

export const defaultNamespace = (namespace: Draft): Draft => {
  const { name = "", labels = {} } = namespace.metadata
  if (name === "") return namespace
  const filled = withField(labels, "kubernetes.io/metadata.name", name)
  return filled === labels ? namespace : { ...namespace, metadata: { ...namespace.metadata, labels: filled } }
}

export const defaultNode = (node: NodeDraft): NodeDraft => {
  const capacity = node.status?.capacity
  const filled = fillDefaults(node, { spec: {}, status: {} })
  return capacity === undefined
    ? filled
    : changeField(filled, "status", (status) => fillDefaults(status, { allocatable: capacity }))
}

type Secret = Draft & Pick<Core.Secret, "type" | "data" | "stringData">

/** `stringData` is write-only and overrides `data`. */
export const defaultSecret = (secret: Secret): Secret => {
  const filled = fillDefaults(secret, { type: "Opaque" })
  const { stringData, ...rest } = filled
  if (stringData === undefined || stringData === null) return filled
  const texts = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")])
  return { ...rest, data: { ...rest.data, ...Object.fromEntries(texts) } }
}

type Autoscaler = Draft & Pick<Autoscaling.HorizontalPodAutoscaler, "spec">

const cpuMetric: Autoscaling.MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } }
}

export const defaultAutoscaler = (autoscaler: Autoscaler): Autoscaler =>
  changeField(autoscaler, "spec", (spec) => {
    const filled = fillDefaults(spec, { minReplicas: 1 })
    return (filled.metrics ?? []).length === 0 ? { ...filled, metrics: [cpuMetric] } : filled
  })

type PriorityClass = Draft & Pick<Scheduling.PriorityClass, "preemptionPolicy">

export const defaultPriorityClass = (priority: PriorityClass): PriorityClass =>
  fillPointers(priority, { preemptionPolicy: "PreemptLowerPriority" })
