import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { whyNotReady } from "./notReadyReason.ts"
import type { Key, KubeObject, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { SilentPod } from "./services/knownEndpoints.ts"
import { writerNames } from "../../runtime/reconciler/currentWriter.ts"
import type { WriterName } from "../../runtime/reconciler/currentWriter.ts"
import type { Change } from "../../store/objectStore.ts"

/** Who made a change, and what it did: `Deployment controller`, `scaled ReplicaSet web-5d4 from 2 to 3`. */
export interface Attribution {
  readonly who: string
  readonly what: string
}

export const timeHadOnlyBegun: Attribution = { who: "time", what: "had only begun" }
export const timeHasPassed: Attribution = { who: "time", what: "has passed" }

export const attributeLosses = (service: Key, silentPods: ReadonlyArray<SilentPod>): Attribution => {
  const pods = silentPods.map(({ name, silence }) => `${name} (${silenceTexts[silence]})`)
  const why =
    pods.length === 0
      ? `clients of Service ${service} know no endpoint to send to`
      : `${pods.length === 1 ? "Pod" : "Pods"} ${pods.join(", ")} ${pods.length === 1 ? "does" : "do"} not answer`
  return { who: "time", what: `has passed, and ${why}` }
}

const silenceTexts: Readonly<Record<SilentPod["silence"], string>> = {
  starting: "not serving yet",
  stopping: "no longer serving: it was told to stop",
  failing: "failing"
}

export type PodDeletionExplainer = (pod: Pod) => string | undefined

interface AttributedChange {
  readonly change: Change
  /** The controller that wrote the change; guessed if undefined. */
  readonly writer: WriterName | undefined
  readonly ownerHasSurplusPods: boolean
  readonly deletionExplainers: ReadonlyArray<PodDeletionExplainer>
}

export const attributeChange = (attributedChange: AttributedChange): Attribution => {
  const guess = guessAttribution(attributedChange)
  const { writer } = attributedChange
  // Both Endpoints controllers share one writer name: the object tells which of them wrote.
  if (writer === undefined || writer === "endpoints" || guess.who === faultActor) return guess
  return { ...guess, who: writerNames[writer] }
}

const faultActor = "a fault"

const guessAttribution = ({
  change,
  ownerHasSurplusPods,
  deletionExplainers
}: AttributedChange): Attribution => {
  const { resource, object } = change
  const { name } = object.metadata
  const description = `${changeVerbs[change.type]} ${object.kind} ${name}`
  switch (resource) {
    case resources.pods:
      return attributePodChange(change, ownerHasSurplusPods, deletionExplainers)
    case resources.replicaSets: {
      const [before, after] = [change.old as ReplicaSet | undefined, object as ReplicaSet]
      const [from, to] = [before?.spec.replicas ?? 0, after.spec.replicas]
      if (before === undefined || from === to)
        return {
          who: isSameSpec(change) ? "ReplicaSet controller" : "Deployment controller",
          what: description
        }
      return { who: "Deployment controller", what: `scaled ReplicaSet ${name} from ${from} to ${to}` }
    }
    case resources.deployments:
      return { who: isSameSpec(change) ? "Deployment controller" : "a client", what: description }
    case resources.endpoints:
      return { who: "Endpoints controller", what: description }
    case resources.endpointSlices:
      return { who: "EndpointSlice controller", what: description }
    case resources.nodes:
      return { who: "node controller", what: description }
    default:
      return { who: "a client", what: description }
  }
}

const changeVerbs = { ADDED: "created", MODIFIED: "wrote", DELETED: "removed" } as const

const isSameSpec = ({ object, old }: Change): boolean =>
  old !== undefined && object.metadata.generation === old.metadata.generation

const attributePodChange = (
  { type, object, old }: Change,
  ownerHasSurplusPods: boolean,
  deletionExplainers: ReadonlyArray<PodDeletionExplainer>
): Attribution => {
  const [pod, before] = [object as Pod, old as Pod | undefined]
  const { name } = pod.metadata
  const owner = ownerOf(pod)
  if (type === "ADDED") return { who: owner, what: `created Pod ${name}` }
  if (type === "DELETED") return { who: "kubelet", what: `removed Pod ${name}` }
  if (isTerminating(pod) && before !== undefined && !isTerminating(before)) {
    const what = `told Pod ${name} to stop`
    const [fault] = deletionExplainers.flatMap((explain) => explain(pod) ?? [])
    if (fault !== undefined) return { who: faultActor, what: `${what}: ${fault}` }
    return { who: ownerHasSurplusPods ? owner : "a client", what }
  }
  if (isPodFinished(pod)) return { who: "kubelet", what: `says Pod ${name} is ${pod.status.phase}` }
  if (isPodReady(pod)) return { who: "kubelet", what: `says Pod ${name} is ready` }
  const why = whyNotReady(pod)
  return {
    who: "kubelet",
    what: `says Pod ${name} is not ready${why === undefined ? "" : `: ${why}`}`
  }
}

const ownerOf = (object: KubeObject): string => {
  const owner = controllerOf(object)
  return owner === undefined ? "a client" : `${owner.kind} controller`
}
