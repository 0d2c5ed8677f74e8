import { controllerReference } from "../../meta/ownerReferences.ts"
import { cordonTaint } from "../../core/taints.ts"
import { requiredNodeNames, selectsNode, toleratesNode } from "../../scheduling/nodeSelection.ts"
import { podRevisionLabel } from "../controllerRevisions/controllerRevisions.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, Node, Pod, PodSpec, PodTemplate } from "../../meta/objects.ts"
import type { DaemonSet } from "./daemonSetTypes.ts"

/** Source: daemon_controller.go, util/daemonset_util.go. */
const templateGenerationAnnotation = "deprecated.daemonset.template.generation"
const templateGenerationLabel = "pod-template-generation"

const toleratedTaints: ReadonlyArray<readonly [key: string, effect: "NoExecute" | "NoSchedule"]> = [
  ["node.kubernetes.io/not-ready", "NoExecute"],
  ["node.kubernetes.io/unreachable", "NoExecute"],
  ["node.kubernetes.io/disk-pressure", "NoSchedule"],
  ["node.kubernetes.io/memory-pressure", "NoSchedule"],
  ["node.kubernetes.io/pid-pressure", "NoSchedule"],
  [cordonTaint.key, "NoSchedule"]
]
/** `hostNetwork` Pods tolerate this taint, because they do not need the Pod network. */
const networkTaint = ["node.kubernetes.io/network-unavailable", "NoSchedule"] as const

const daemonSpec = ({ spec }: PodTemplate): PodSpec => {
  const { tolerations = [], hostNetwork = false } = spec ?? {}
  const taints = hostNetwork ? [...toleratedTaints, networkTaint] : toleratedTaints
  const addedTolerations = taints
    .map(([key, effect]): Core.Toleration => ({ key, operator: "Exists", effect }))
    .filter((added) => !tolerations.some((present) => isSameToleration(present, added)))
  return { containers: [], ...spec, tolerations: [...tolerations, ...addedTolerations] }
}

const isSameToleration = (a: Core.Toleration, b: Core.Toleration): boolean =>
  a.key === b.key &&
  a.effect === b.effect &&
  a.operator === b.operator &&
  (a.value ?? "") === (b.value ?? "") &&
  a.tolerationSeconds === b.tolerationSeconds

export interface NodeFitness {
  /** Whether the node should run a daemon Pod. */
  readonly fits: boolean
  /** Whether a running daemon Pod may stay. */
  readonly mayStay: boolean
}

export const nodeFitness = ({ spec: { template } }: DaemonSet, node: Node): NodeFitness => {
  const spec = daemonSpec(template)
  const { nodeName = "" } = spec
  if ((nodeName !== "" && nodeName !== node.metadata.name) || !selectsNode(spec, node)) return unfit
  const taints = node.spec.taints ?? []
  if (toleratesNode(spec, taints)) return { fits: true, mayStay: true }
  return {
    fits: false,
    mayStay: toleratesNode(
      spec,
      taints.filter(({ effect }) => effect === "NoExecute")
    )
  }
}

const unfit: NodeFitness = { fits: false, mayStay: false }

/** The node of a bound Pod, or the one that its affinity names. */
export const targetNodeName = ({ spec }: Pod): string | undefined =>
  spec.nodeName ?? [...(requiredNodeNames(spec) ?? [])].at(0)

/** Upstream's limit of Pods created or deleted in one sync. */
export const daemonBurstMax = 250

export type DaemonPodDraft = Draft & { readonly spec: PodSpec }

export const draftDaemonPod = (daemonSet: DaemonSet, nodeName: string, hash: string): DaemonPodDraft => {
  const { template } = daemonSet.spec
  const { name, namespace, annotations: ownAnnotations } = daemonSet.metadata
  const { labels, annotations, finalizers } = template.metadata ?? {}
  const generation = ownAnnotations?.[templateGenerationAnnotation]
  const spec = daemonSpec(template)
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...labels,
        ...(generation === undefined ? {} : { [templateGenerationLabel]: generation }),
        [podRevisionLabel]: hash
      },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(daemonSet)]
    },
    spec: { ...spec, affinity: withNodeName(spec.affinity ?? {}, nodeName) }
  }
}

const withNodeName = (affinity: Core.Affinity, nodeName: string): Core.Affinity => {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, ...preferred } =
    affinity.nodeAffinity ?? {}
  const matchFields = [{ key: "metadata.name", operator: "In", values: [nodeName] }]
  const terms = required?.nodeSelectorTerms ?? []
  return {
    ...affinity,
    nodeAffinity: {
      ...preferred,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms:
          terms.length === 0 ? [{ matchFields }] : terms.map((term) => ({ ...term, matchFields }))
      }
    }
  }
}
