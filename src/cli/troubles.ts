import { counted, timesText } from "../domain/counted.ts"
import { conditionOf } from "../domain/conditions.ts"
import { allStatusesOf, isReady } from "../domain/pods.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import type { ContainerStatus, Node, Pod, ReplicaSet } from "../domain/objects.ts"

/**
 * Gathers what goes wrong with the Pods of one rollout, and says it in a sentence for each kind of trouble.
 */
export interface Troubles {
  readonly seePod: (before: Pod | undefined, after: Pod) => void
  readonly seeReplicaSet: (replicaSet: ReplicaSet) => void
  readonly seeNode: (before: Node | undefined, after: Node) => void
  /** `pullErrors` tells what the registry said, by image. */
  readonly sentences: (pullErrors: ReadonlyMap<string, string>) => ReadonlyArray<string>
}

/** One kind of trouble: whom it has met, how often, and how it is said. */
interface Trouble {
  readonly uids: Set<string>
  times: number
  say: (who: string, times: number, pullErrors: ReadonlyMap<string, string>) => string
}

export const makeTroubles = (): Troubles => {
  const troubles = new Map<string, Trouble>()

  const note = (kind: string, uid: string, say: Trouble["say"]): void => {
    const present = troubles.get(kind)
    const trouble = present ?? { uids: new Set<string>(), times: 0, say }
    if (present === undefined) troubles.set(kind, trouble)
    trouble.uids.add(uid)
    trouble.times += 1
    // What is said last is nearest to the end: a scheduler's count of nodes changes as they fill.
    trouble.say = say
  }

  const seeContainer = (pod: Pod, before: ContainerStatus | undefined, after: ContainerStatus): void => {
    const { uid } = pod.metadata
    const reason = after.state?.waiting?.reason
    if (reason !== before?.state?.waiting?.reason && reason !== undefined && pullReasons.has(reason)) {
      const { image } = after
      note(`pull ${image}`, uid, (who, _times, pullErrors) => {
        const error = pullErrors.get(image)
        const why = error === undefined ? "" : `: ${error}`
        return `${who} could not pull image ${JSON.stringify(image)}${why} (ImagePullBackOff)`
      })
    }
    const ended = latestEnd(after)
    if (ended !== undefined && ended.exitCode !== 0 && ended.key !== latestEnd(before)?.key) {
      const { exitCode, reason = "Error" } = ended
      note(`exit ${after.name} ${exitCode} ${reason}`, uid, (who, times) => {
        const name = `${isForInit(pod, after) ? "init container" : "container"} ${JSON.stringify(after.name)}`
        return `${name} of ${who} ended ${timesText(times)} with exit code ${exitCode} (${reason})`
      })
    }
  }

  return {
    seePod: (before, after) => {
      // What stops on request is not in trouble, whatever its containers say on the way.
      if (isTerminating(after)) return
      const known = new Map(before === undefined ? [] : allStatusesOf(before).map((it) => [it.name, it]))
      for (const status of allStatusesOf(after)) seeContainer(after, known.get(status.name), status)
      const { uid } = after.metadata
      const unscheduled = unschedulableMessage(after)
      if (unscheduled !== undefined && unscheduled !== unschedulableMessage(before)) {
        note("unschedulable", uid, (who) => `${who} found no node: ${unscheduled} (Unschedulable)`)
      }
      if (before !== undefined && isReady(before) && !isReady(after) && isRunning(after)) {
        note("unready", uid, (who, times) =>
          times === 1 ? `${who} was ready and then was not` : `${who} were ready and then were not`
        )
      }
    },
    seeReplicaSet: ({ metadata, status }) => {
      const failure = conditionOf(status.conditions, "ReplicaFailure")
      if (failure?.status !== "True" || failure.message === undefined) return
      const { message, reason } = failure
      note("replicaFailure", metadata.uid, () => `Pods could not be made or deleted: ${message} (${reason})`)
    },
    seeNode: (before, after) => {
      const isLost = (node: Node | undefined): boolean =>
        conditionOf(node?.status.conditions, "Ready")?.status === "Unknown"
      if (isLost(before) || !isLost(after)) return
      const { uid, name } = after.metadata
      note(`node ${name}`, uid, () => `node ${name} stopped answering (NodeNotReady)`)
    },
    sentences: (pullErrors) =>
      [...troubles.values()].map(({ uids, times, say }) => say(counted(uids.size, "Pod"), times, pullErrors))
  }
}

const isForInit = ({ status }: Pod, { name }: ContainerStatus): boolean =>
  status.initContainerStatuses?.some((it) => it.name === name) === true

const pullReasons: ReadonlySet<string> = new Set(["ErrImagePull", "ImagePullBackOff"])

/** The end of a container's latest run, with a key that no other run of it has. */
const latestEnd = (status: ContainerStatus | undefined) => {
  if (status === undefined) return undefined
  const { state, lastState, restartCount } = status
  if (state?.terminated !== undefined) return { ...state.terminated, key: restartCount }
  if (lastState?.terminated === undefined) return undefined
  // Waiting for the next run the count is still that of the run that ended.
  return { ...lastState.terminated, key: state?.running === undefined ? restartCount : restartCount - 1 }
}

/** A Pod whose container has ended is not ready either, but that is told as what it is. */
const isRunning = (pod: Pod): boolean =>
  (pod.status.containerStatuses ?? []).every(({ state }) => state?.running !== undefined)

const unschedulableMessage = (pod: Pod | undefined): string | undefined => {
  const scheduled = conditionOf(pod?.status.conditions, "PodScheduled")
  return scheduled?.reason === "Unschedulable" ? scheduled.message : undefined
}
