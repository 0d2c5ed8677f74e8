import { countText, timesText } from "../../kubernetes/meta/text/countText.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { allContainerStatuses, isPodReady } from "../../kubernetes/pods/podState.ts"
import { withoutPreemptionText } from "../../kubernetes/scheduling/placementSentences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import type { ContainerStatus, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"

export interface ProblemCollector {
  /** Without `before`, all problems of the Pod are new. */
  readonly observePod: (pod: Observed<Pod>) => void
  readonly observeReplicaSet: (replicaSet: ReplicaSet) => void
  readonly observeNode: (node: Observed<Node>) => void
  /** `pullErrors` has the registry's errors by image. */
  readonly sentences: (pullErrors?: ReadonlyMap<string, string>) => ReadonlyArray<string>
}

interface Observed<O> {
  readonly before: O | undefined
  readonly after: O
}

interface Problem {
  readonly uids: Set<string>
  times: number
  /** `who` is a number of Pods, such as `3 Pods`; sentences about other objects omit it. */
  sentence: (who: string, times: number, pullErrors: ReadonlyMap<string, string>) => string
}

export const makeProblemCollector = (): ProblemCollector => {
  const problems = new Map<string, Problem>()

  const addProblem = (problemKey: string, uid: string, sentence: Problem["sentence"]): void => {
    const present = problems.get(problemKey)
    const problem = present ?? { uids: new Set<string>(), times: 0, sentence }
    if (present === undefined) problems.set(problemKey, problem)
    problem.uids.add(uid)
    problem.times += 1
    // The latest message fits best: a scheduler's count of nodes changes.
    problem.sentence = sentence
  }

  const observeContainer = (pod: Pod, before: ContainerStatus | undefined, after: ContainerStatus): void => {
    const { uid } = pod.metadata
    const reason = after.state?.waiting?.reason
    if (reason !== before?.state?.waiting?.reason && reason !== undefined && pullReasons.has(reason)) {
      const { image } = after
      addProblem(`pull ${image}`, uid, (who, _times, pullErrors) => {
        const error = pullErrors.get(image)
        const why = error === undefined ? "" : `: ${error}`
        return `${who} could not pull image ${JSON.stringify(image)}${why} (ImagePullBackOff)`
      })
    }
    const termination = latestTermination(after)
    if (
      termination !== undefined &&
      termination.exitCode !== 0 &&
      termination.key !== latestTermination(before)?.key
    ) {
      const { exitCode, reason = "Error" } = termination
      addProblem(`exit ${after.name} ${exitCode} ${reason}`, uid, (who, times) => {
        const name = `${isInitContainer(pod, after) ? "init container" : "container"} ${JSON.stringify(after.name)}`
        return `${name} of ${who} ended ${timesText(times)} with exit code ${exitCode} (${reason})`
      })
    }
  }

  return {
    observePod: ({ before, after }) => {
      // Containers of a terminating Pod may fail without a problem.
      if (isTerminating(after)) return
      const statusesBefore = new Map(
        before === undefined ? [] : allContainerStatuses(before).map((it) => [it.name, it])
      )
      for (const status of allContainerStatuses(after))
        observeContainer(after, statusesBefore.get(status.name), status)
      const { uid } = after.metadata
      const unscheduled = unschedulableMessage(after)
      if (unscheduled !== undefined && unscheduled !== unschedulableMessage(before)) {
        addProblem("unschedulable", uid, (who) => `${who} found no node: ${unscheduled} (Unschedulable)`)
      }
      if (before !== undefined && isPodReady(before) && !isPodReady(after) && isRunning(after)) {
        addProblem("unready", uid, (who, times) =>
          times === 1 ? `${who} was ready and then was not` : `${who} were ready and then were not`
        )
      }
    },
    observeReplicaSet: ({ metadata, status }) => {
      const failure = conditionOf(status.conditions, "ReplicaFailure")
      if (failure?.status !== "True" || failure.message === undefined) return
      const { message, reason } = failure
      addProblem(
        "replicaFailure",
        metadata.uid,
        () => `Pods could not be made or deleted: ${message} (${reason})`
      )
    },
    observeNode: ({ before, after }) => {
      const isLost = (node: Node | undefined): boolean =>
        conditionOf(node?.status.conditions, "Ready")?.status === "Unknown"
      if (isLost(before) || !isLost(after)) return
      const { uid, name } = after.metadata
      addProblem(`node ${name}`, uid, () => `node ${name} stopped answering (NodeNotReady)`)
    },
    sentences: (pullErrors = new Map()) =>
      [...problems.values()].map(({ uids, times, sentence }) =>
        sentence(countText(uids.size, "Pod"), times, pullErrors)
      )
  }
}

const isInitContainer = ({ status }: Pod, { name }: ContainerStatus): boolean =>
  status.initContainerStatuses?.some((it) => it.name === name) === true

const pullReasons: ReadonlySet<string> = new Set(["ErrImagePull", "ImagePullBackOff"])

/** The key is unique per run of the container. */
const latestTermination = (status: ContainerStatus | undefined) => {
  if (status === undefined) return undefined
  const { state, lastState, restartCount } = status
  if (state?.terminated !== undefined) return { ...state.terminated, key: restartCount }
  if (lastState?.terminated === undefined) return undefined
  // While a container waits to restart, restartCount is still that of the run that ended.
  return { ...lastState.terminated, key: state?.running === undefined ? restartCount : restartCount - 1 }
}

/** A terminated container is a problem of its own. */
const isRunning = (pod: Pod): boolean =>
  (pod.status.containerStatuses ?? []).every(({ state }) => state?.running !== undefined)

const unschedulableMessage = (pod: Pod | undefined): string | undefined => {
  const scheduled = conditionOf(pod?.status.conditions, "PodScheduled")
  const { reason, message } = scheduled ?? {}
  return reason === "Unschedulable" && message !== undefined ? withoutPreemptionText(message) : undefined
}
