import { conditionOf } from "../meta/conditions.ts"
import { controllerOf, isTerminating } from "../meta/ownerReferences.ts"
import { isPodFinished, isPodReady } from "../pods/podState.ts"
import { resolveFenceposts } from "../apps/deploymentObservation.ts"
import { hostPortsOf, portsConflict, portsReason } from "./hostPorts.ts"
import { antiAffinityReason, existingAntiAffinityReason } from "./interPodAffinity.ts"
import { termMatches, termsOf } from "./podAffinityTerms.ts"
import type { Deployment, Pod } from "../meta/objects.ts"

/**
 * Says so if a rollout waits for itself: its new Pods for the nodes of old ones, and the old ones for a new Pod.
 * `pods` are those of the Deployment. Undefined as long as something may change by itself.
 */
export const placementDeadlock = (deployment: Deployment, pods: ReadonlyArray<Pod>): string | undefined => {
  const { replicas, strategy } = deployment.spec
  const { unavailableMax } = resolveFenceposts(deployment)
  const living = pods.filter((pod) => !isPodFinished(pod))
  const maySpareOld = (deployment.status.availableReplicas ?? 0) > replicas - unavailableMax
  if (strategy.rollingUpdate === undefined || maySpareOld || living.some(isTerminating)) return undefined
  for (const pod of living) {
    const message = whyUnschedulable(pod)
    if (message === undefined) continue
    const isSibling = (it: Pod): boolean => controllerOf(it)?.uid === controllerOf(pod)?.uid
    const placed = living.filter(({ spec }) => spec.nodeName !== undefined)
    if (placed.some((it) => isSibling(it) && !isPodReady(it))) return undefined
    const field = rivalField(
      pod,
      message,
      placed.filter((it) => !isSibling(it))
    )
    if (field === undefined) continue
    const { maxUnavailable = 0 } = strategy.rollingUpdate
    const amount = typeof maxUnavailable === "string" ? ` (${unavailableMax} of ${replicas})` : ""
    return (
      `This rollout waits for itself: ${field} keeps its new Pods from the nodes of the old ones, and with ` +
      `maxUnavailable: ${maxUnavailable}${amount} no old one goes before a new one is available`
    )
  }
  return undefined
}

const whyUnschedulable = ({ spec, status }: Pod): string | undefined => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  const isWaiting = spec.nodeName === undefined && scheduled?.reason === "Unschedulable"
  return isWaiting ? scheduled.message : undefined
}

/** What keeps the Pod and one of the others apart, if that is what its message says. */
const rivalField = (pod: Pod, message: string, others: ReadonlyArray<Pod>): string | undefined => {
  if (message.includes(antiAffinityReason) || message.includes(existingAntiAffinityReason)) {
    // No namespace is listed: the Pods of a Deployment have one and the same.
    const world = { namespaces: () => [] }
    const avoids = (one: Pod, other: Pod): boolean =>
      termsOf(one).some(
        ({ role, term }) => role === "requiredAntiAffinity" && termMatches(term, other, world)
      )
    if (others.some((it) => avoids(pod, it) || avoids(it, pod))) return "required podAntiAffinity"
  }
  if (!message.includes(portsReason)) return undefined
  const wanted = hostPortsOf(pod.spec)
  const rivals = others.flatMap(({ spec }) => hostPortsOf(spec))
  const port = wanted.find((it) => rivals.some((used) => portsConflict(it, used)))
  return port === undefined ? undefined : `hostPort ${port.port}`
}
