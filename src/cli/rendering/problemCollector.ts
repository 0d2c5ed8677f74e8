import { countText, timesText } from "../../kubernetes/meta/text/countText.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { allContainerStatuses, isPodReady } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/ownerReferences.ts"
import type { ContainerStatus, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"

/** Collects problems of a rollout's Pods and summarizes them, a sentence for each kind. */
export interface ProblemCollector {
  readonly seePod: (before: Pod | undefined, after: Pod) => void
  readonly seeReplicaSet: (replicaSet: ReplicaSet) => void
  readonly seeNode: (before: Node | undefined, after: Node) => void
  /** `pullErrors` has the registry's errors by image. */
  readonly sentences: (pullErrors: ReadonlyMap<string, string>) => ReadonlyArray<string>
}

interface Problem {
  readonly uids: Set<string>
  times: number
  say: (who: string, times: number, pullErrors: ReadonlyMap<string, string>) => string
}

export const makeProblemCollector = (): ProblemCollector => {
  const troubles = new Map<string, Problem>()

  const note = (kind: string, uid: string, say: Problem["say"]): void => {
    const present = troubles.get(kind)
    const trouble = present ?? { uids: new Set<string>(), times: 0, say }
    if (present === undefined) troubles.set(kind, trouble)
    trouble.uids.add(uid)
    trouble.times += 1
    // The latest message fits best: a scheduler's count of nodes changes.
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
    const exit = latestEnd(after)
    if (exit !== undefined && exit.exitCode !== 0 && exit.key !== latestEnd(before)?.key) {
      const { exitCode, reason = "Error" } = exit
      note(`exit ${after.name} ${exitCode} ${reason}`, uid, (who, times) => {
        const name = `${isForInit(pod, after) ? "init container" : "container"} ${JSON.stringify(after.name)}`
        return `${name} of ${who} ended ${timesText(times)} with exit code ${exitCode} (${reason})`
      })
    }
  }

  return {
    seePod: (before, after) => {
      // Containers of a terminating Pod may fail without a problem.
      if (isTerminating(after)) return
      const statusesBefore = new Map(
        before === undefined ? [] : allContainerStatuses(before).map((it) => [it.name, it])
      )
      for (const status of allContainerStatuses(after))
        seeContainer(after, statusesBefore.get(status.name), status)
      const { uid } = after.metadata
      const unscheduled = unschedulableMessage(after)
      if (unscheduled !== undefined && unscheduled !== unschedulableMessage(before)) {
        note("unschedulable", uid, (who) => `${who} found no node: ${unscheduled} (Unschedulable)`)
      }
      if (before !== undefined && isPodReady(before) && !isPodReady(after) && isRunning(after)) {
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
      [...troubles.values()].map(({ uids, times, say }) =>
        say(countText(uids.size, "Pod"), times, pullErrors)
      )
  }
}

const isForInit = ({ status }: Pod, { name }: ContainerStatus): boolean =>
  status.initContainerStatuses?.some((it) => it.name === name) === true

const pullReasons: ReadonlySet<string> = new Set(["ErrImagePull", "ImagePullBackOff"])

/** How the latest run of a container ended, with a key that is unique per run. */
const latestEnd = (status: ContainerStatus | undefined) => {
  if (status === undefined) return undefined
  const { state, lastState, restartCount } = status
  if (state?.terminated !== undefined) return { ...state.terminated, key: restartCount }
  if (lastState?.terminated === undefined) return undefined
  // While a container waits to restart, restartCount is still that of the run that ended.
  return { ...lastState.terminated, key: state?.running === undefined ? restartCount : restartCount - 1 }
}

/** A Pod with a terminated container is reported for that reason. */
const isRunning = (pod: Pod): boolean =>
  (pod.status.containerStatuses ?? []).every(({ state }) => state?.running !== undefined)

const unschedulableMessage = (pod: Pod | undefined): string | undefined => {
  const scheduled = conditionOf(pod?.status.conditions, "PodScheduled")
  return scheduled?.reason === "Unschedulable" ? scheduled.message : undefined
}
