import { controllerOf } from "../../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../../kubernetes/meta/deletion.ts"
import { countSimilarEvents } from "../similarEvents.ts"
import { countByText } from "../countByText.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { targetNodeName } from "../../../kubernetes/apps/daemonSets/daemonPods.ts"
import { templateOfRevision } from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { podCategory, versionOfPod } from "../movedPods.ts"
import { imageVersion } from "../upstreamWorkload.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { NormalizedEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import type { DaemonSet } from "../../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Node, Pod } from "../../../kubernetes/meta/objects.ts"
import type { UpstreamStep } from "../upstreamWorkload.ts"

export const recordedDaemonSetName = "d"

export const nodeSelectorLabel = "story"

/** `text` describes the node and its Pods: `fits: v2 ready`. A node that is gone may still have Pods. */
export interface DescribedNode {
  readonly name: string
  readonly node: Node | undefined
  readonly pods: ReadonlyArray<Pod>
  readonly text: string
}

export const describeNodes = ({ view }: Cluster["Service"]): ReadonlyArray<DescribedNode> => {
  const daemonSet = view.get(resources.daemonSets, `default/${recordedDaemonSetName}`)
  const podsByNode = Map.groupBy(view.all(resources.pods), (pod) => targetNodeName(pod) ?? "")
  const nodes = new Map([...view.all(resources.nodes)].map((node) => [node.metadata.name, node]))
  const names = new Set([...nodes.keys(), ...podsByNode.keys()])
  return [...names].map((name) => {
    const node = nodes.get(name)
    const pods = podsByNode.get(name) ?? []
    const podsText = pods
      .map((pod) => podText(pod, daemonSet))
      .sort()
      .join(", ")
    return { name, node, pods, text: `${nodeText(node)}: ${podsText === "" ? "none" : podsText}` }
  })
}

const nodeText = (node: Node | undefined): string => {
  if (node === undefined) return "gone"
  const effects = (node.spec.taints ?? []).map(({ effect }) => effect)
  const traits = [
    ...(node.metadata.labels?.[nodeSelectorLabel] === undefined ? ["unlabelled"] : []),
    ...["NoSchedule", "NoExecute"].filter((effect) => effects.includes(effect))
  ]
  return traits.length === 0 ? "fits" : traits.join("+")
}

/** The present DaemonSet does not control a `stray` Pod. */
const podText = (pod: Pod, daemonSet: DaemonSet | undefined): string => {
  const owner = controllerOf(pod)
  const ownerText = owner === undefined ? " orphan" : owner.uid === daemonSet?.metadata.uid ? "" : " stray"
  return `v${versionOfPod(pod)} ${podCategory(pod)}${ownerText}`
}

export const describeDaemonSetCluster = (
  cluster: Cluster["Service"],
  events: ReadonlyArray<NormalizedEvent>,
  expected: UpstreamStep["then"]
): Readonly<Record<string, unknown>> => {
  const { view } = cluster
  const daemonSet = view.get(resources.daemonSets, `default/${recordedDaemonSetName}`)
  return {
    daemonSet: daemonSet === undefined ? null : describeDaemonSet(daemonSet),
    nodes: countByText(describeNodes(cluster).map(({ text }) => text)),
    revisions: [...view.all(resources.controllerRevisions)]
      .map((revision) => ({
        revision: revision.revision,
        v: imageVersion(templateOfRevision(revision)?.spec?.containers[0]?.image),
        owned: daemonSet !== undefined && controllerOf(revision)?.uid === daemonSet.metadata.uid
      }))
      .sort((a, b) => a.revision - b.revision || a.v - b.v),
    ...("events" in expected ? { events: countSimilarEvents(events, recordedDaemonSetName) } : {})
  }
}

const describeDaemonSet = (daemonSet: DaemonSet): object => {
  const { metadata, status } = daemonSet
  return {
    observed: status.observedGeneration === metadata.generation,
    status: {
      desiredNumberScheduled: status.desiredNumberScheduled,
      currentNumberScheduled: status.currentNumberScheduled,
      numberMisscheduled: status.numberMisscheduled,
      numberReady: status.numberReady,
      updatedNumberScheduled: status.updatedNumberScheduled ?? 0,
      numberAvailable: status.numberAvailable ?? 0,
      numberUnavailable: status.numberUnavailable ?? 0
    },
    ...(isTerminating(daemonSet) ? { terminating: true } : {})
  }
}
