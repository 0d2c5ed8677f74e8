import { unschedulableCondition } from "../kubernetes/pods/podState.ts"
import { faultText } from "../faults/faultText.ts"
import { isUnpullable } from "../faults/pods/lastingPodFaults.ts"
import { isNodeReady, kubeletStateAnnotation, kubeletState } from "../kubernetes/core/nodeStatus.ts"
import { ownerKinds, ownersNamedIn } from "../faults/pods/podOwners.ts"
import { patchRequest } from "./cureRequests.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { CureContext, PlayableCure } from "./playableCure.ts"
import type { Node, Pod } from "../kubernetes/meta/objects.ts"
import type { PodChoice } from "../faults/schemas/faultFields.ts"
import type { WorkloadWithTemplate } from "./cureRequests.ts"

export const nodesInTheWay = (view: CureContext["view"], pods: ReadonlyArray<Pod>): ReadonlyArray<Node> =>
  Array.from(view.all(resources.nodes)).filter((node) => isNodeUnusable(node) && holdsUp(node, pods))

const isNodeUnusable = (node: Node): boolean =>
  !isNodeReady(node) || isKubeletStopped(node) || node.spec.unschedulable === true

const isKubeletStopped = (node: Node): boolean => kubeletState(node) === "stopped"

/** A cordoned node holds a workload up while Pods find no place. */
const holdsUp = (node: Node, pods: ReadonlyArray<Pod>): boolean =>
  isNodeReady(node) && !isKubeletStopped(node)
    ? pods.some(isUnschedulable)
    : pods.some(({ spec }) => spec.nodeName === node.metadata.name)

export const isUnschedulable = (pod: Pod): boolean => unschedulableCondition(pod) !== undefined

export const nodeCures = (node: Node, faults: CureContext["faults"]): ReadonlyArray<PlayableCure> => {
  const { name } = node.metadata
  const path = `/api/v1/nodes/${encodeURIComponent(name)}`
  const fault = faults.find(({ fault }) => "node" in fault && fault.node === name)
  if (fault !== undefined)
    return [endFault(fault.id, isNodeReady(node) ? `Take ${name} back` : `Bring ${name} back`)]
  if (isKubeletStopped(node)) {
    const body = { metadata: { annotations: { [kubeletStateAnnotation]: "running" } } }
    const command = `kubectl annotate node ${name} ${kubeletStateAnnotation}=running --overwrite`
    return [
      { id: `node-${name}`, title: `Bring ${name} back`, command, request: patchRequest(path, "merge", body) }
    ]
  }
  if (node.spec.unschedulable !== true) return []
  const request = patchRequest(path, "merge", { spec: { unschedulable: false } })
  return [{ id: `node-${name}`, title: `Uncordon ${name}`, command: `kubectl uncordon ${name}`, request }]
}

const endFault = (id: string, title: string): PlayableCure => ({
  id,
  title,
  command: `charthouse fault end ${id}`,
  request: { method: "DELETE", path: `/charthouse/v1/faults/${encodeURIComponent(id)}` }
})

/** The ends of faults that may help the workload; `nodeCures` has those of nodes. */
export const faultCures = (
  workload: WorkloadWithTemplate,
  pods: ReadonlyArray<Pod>,
  faults: CureContext["faults"]
): ReadonlyArray<PlayableCure> =>
  faults.flatMap(({ id, fault }) => {
    if ("node" in fault) return []
    if (fault.fault === "pullFails" && !pods.some(({ spec }) => canPullFail(fault.image, spec))) return []
    if ("pods" in fault && isForOtherWorkloads(fault.pods, workload)) return []
    return [endFault(id, `End the fault: ${faultText(fault)}`)]
  })

const canPullFail = (glob: string, { containers, initContainers = [] }: Pod["spec"]): boolean =>
  [...containers, ...initContainers].some((container) => isUnpullable(glob, container))

const isForOtherWorkloads = (choice: PodChoice, { kind, metadata }: WorkloadWithTemplate): boolean =>
  ownersNamedIn(choice).some(({ field, name }) => ownerKinds[field] !== kind || name !== metadata.name) ||
  (choice.namespace !== undefined && choice.namespace !== (metadata.namespace ?? "default"))
