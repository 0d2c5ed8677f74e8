import { controllerOf, isTerminating } from "../../domain/ownerReferences.ts"
import { isFinished, isReady } from "../../domain/pods.ts"
import { resources } from "../../domain/kinds.ts"
import { whyNotReady } from "./reasons.ts"
import type { Key, KubeObject, Pod, ReplicaSet } from "../../domain/objects.ts"
import type { SilentPod } from "./serviceTraffic.ts"
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

/** `isSurplus` tells of a Pod that its ReplicaSet had more than it was asked for. */
export const deedOf = (change: Change, isSurplus: boolean, doers: ReadonlyArray<Doer> = []): Deed => {
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
    if (fault !== undefined) return { who: "a fault", what: `${what}: ${fault}` }
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
