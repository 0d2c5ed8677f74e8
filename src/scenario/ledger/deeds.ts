import { controllerOf, isTerminating } from "../../domain/ownerReferences.ts"
import { isFinished, isReady } from "../../domain/pods.ts"
import { resources } from "../../domain/kinds.ts"
import { whyNotReady } from "./reasons.ts"
import type { Key, KubeObject, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { SilentPod } from "./serviceTraffic.ts"
import type { Writer } from "../../faults/writing.ts"
import type { Change } from "../../store/objectStore.ts"

/** Who did what, as far as a change tells. */
export interface Deed {
  readonly who: string
  readonly what: string
}

/** What is so by waiting alone. */
export const waiting = (what: string): Deed => ({ who: "time", what })

/** Time that passes while requests are lost, and who does not answer them. */
export const losing = (service: Key, silent: ReadonlyArray<SilentPod>): Deed => {
  const pods = silent.map(({ name, silence }) => `${name} (${silenceWords[silence]})`)
  const why =
    pods.length === 0
      ? `clients of Service ${service} know nobody to send to`
      : `${pods.length === 1 ? "Pod" : "Pods"} ${pods.join(", ")} ${pods.length === 1 ? "answers" : "answer"} nobody`
  return waiting(`has passed, and ${why}`)
}

const silenceWords: Readonly<Record<SilentPod["silence"], string>> = {
  starting: "not serving yet",
  stopping: "no longer serving: it was told to stop",
  failing: "failing"
}

/** What has told a Pod to stop, in a line; undefined where it was not that. */
export type Doer = (pod: Pod) => string | undefined

/** What is known of a change beside itself. */
interface Told {
  readonly change: Change
  /** Who has made it; as far as it shows where nobody says so. */
  readonly by: Writer | undefined
  /** Of a Pod, whether its ReplicaSet had more than it was asked for. */
  readonly isSurplus: boolean
  readonly doers: ReadonlyArray<Doer>
}

export const deedOf = (told: Told): Deed => {
  const deed = deedByItself(told)
  const { by } = told
  // One of ours keeps Endpoints and EndpointSlices, and there are two: the object says which of them it is.
  if (by === undefined || by === "endpoints" || deed.who === aFault) return deed
  return { ...deed, who: writerNames[by] }
}

const aFault = "a fault"

const writerNames: Readonly<Record<Exclude<Writer, "endpoints">, string>> = {
  deployment: "Deployment controller",
  replicaSet: "ReplicaSet controller",
  pod: "kubelet",
  node: "node controller",
  scheduler: "scheduler",
  garbageCollector: "garbage collector",
  podGarbageCollector: "Pod garbage collector",
  namespace: "namespace controller",
  disruptionBudget: "disruption controller",
  resourceQuota: "ResourceQuota controller",
  somebody: "somebody"
}

const deedByItself = ({ change, isSurplus, doers }: Told): Deed => {
  const { resource, object } = change
  const { name } = object.metadata
  const written = `${verbs[change.type]} ${object.kind} ${name}`
  switch (resource) {
    case resources.pods:
      return podDeed(change, isSurplus, doers)
    case resources.replicaSets: {
      const [before, after] = [change.old as ReplicaSet | undefined, object as ReplicaSet]
      const [from, to] = [before?.spec.replicas ?? 0, after.spec.replicas]
      if (before === undefined || from === to)
        return { who: isSameSpec(change) ? "ReplicaSet controller" : "Deployment controller", what: written }
      return { who: "Deployment controller", what: `scaled ReplicaSet ${name} from ${from} to ${to}` }
    }
    case resources.deployments:
      return { who: isSameSpec(change) ? "Deployment controller" : "somebody", what: written }
    case resources.endpoints:
      return { who: "Endpoints controller", what: written }
    case resources.endpointSlices:
      return { who: "EndpointSlice controller", what: written }
    case resources.nodes:
      return { who: "node controller", what: written }
    default:
      return { who: "somebody", what: written }
  }
}

const verbs = { ADDED: "created", MODIFIED: "wrote", DELETED: "removed" } as const

const isSameSpec = ({ object, old }: Change): boolean =>
  old !== undefined && object.metadata.generation === old.metadata.generation

const podDeed = ({ type, object, old }: Change, isSurplus: boolean, doers: ReadonlyArray<Doer>): Deed => {
  const [pod, before] = [object as Pod, old as Pod | undefined]
  const { name } = pod.metadata
  const owner = ownerOf(pod)
  if (type === "ADDED") return { who: owner, what: `created Pod ${name}` }
  if (type === "DELETED") return { who: "kubelet", what: `removed Pod ${name}` }
  if (isTerminating(pod) && before !== undefined && !isTerminating(before)) {
    const what = `told Pod ${name} to stop`
    const [fault] = doers.flatMap((doer) => doer(pod) ?? [])
    if (fault !== undefined) return { who: aFault, what: `${what}: ${fault}` }
    return { who: isSurplus ? owner : "somebody", what }
  }
  if (isFinished(pod)) return { who: "kubelet", what: `says Pod ${name} is ${pod.status.phase}` }
  if (isReady(pod)) return { who: "kubelet", what: `says Pod ${name} is ready` }
  const why = whyNotReady(pod)
  return {
    who: "kubelet",
    what: `says Pod ${name} is not ready${why === undefined ? "" : `: ${why}`}`
  }
}

const ownerOf = (object: KubeObject): string => {
  const owner = controllerOf(object)
  return owner === undefined ? "somebody" : `${owner.kind} controller`
}
