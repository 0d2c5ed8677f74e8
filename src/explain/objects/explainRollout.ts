import { lookAgainSentence } from "../../../machines/strategies/lookAgain.ts"
import { strategyFor } from "../../../machines/strategies/strategies.ts"
import { isOrAre, rolloutCountsOf, isUnreadableResource, unreadableSentences } from "./rolloutCounts.ts"
import { canStrategyAct } from "../../kubernetes/apps/rolloutPrecedence.ts"
import {
  annotationOf,
  newestRevisionFirst,
  revisionAnnotation,
  revisionOf
} from "../../kubernetes/apps/revisions/revisions.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { deadlineSentences } from "./deadlineSentences.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { observeDeployment } from "../../kubernetes/apps/deploymentObservation.ts"
import { availableFloor } from "../../kubernetes/apps/rolloutBounds.ts"
import { podProblemSentences } from "./podProblemSentences.ts"
import { nodesByName } from "./podProblems.ts"
import { replicaSetRefusals } from "./replicaSetRefusals.ts"
import { rolloutDeadlockSentence } from "./rolloutDeadlock.ts"
import { wasTakenBack } from "../../kubernetes/steering/steeringObservation.ts"
import { kubectlTarget } from "../../kubernetes/meta/text/kubectlTarget.ts"
import { steeringSentences } from "../workloads/explainSteering.ts"
import { rolloutStateOf, rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { isGenerationObserved } from "../../kubernetes/meta/observedGeneration.ts"
import type { DeploymentObservation } from "../../kubernetes/apps/deploymentObservation.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { RolloutCounts } from "./rolloutCounts.ts"
import type { ExplainRolloutInput } from "./explainRolloutInput.ts"

/** `failed`: the progress deadline was missed. `unseen`: the controller has not seen the latest generation. */
type ExplainedState = "complete" | "waiting" | "paused" | "failed" | "deleting" | "unseen"

export interface RolloutExplanation {
  readonly state: ExplainedState
  readonly sentences: ReadonlyArray<string>
  readonly blockingSentences: ReadonlyArray<string>
  readonly steering: ReadonlyArray<string>
  readonly numbers: RolloutNumbers
}

export type RolloutNumbers = Readonly<Record<NumberName, number>>

type NumberName =
  | "desired"
  | "updated"
  | "available"
  | "old"
  | "terminating"
  | "surgeMax"
  | "unavailableMax"
  | "availableFloor"
  | "podsCeiling"

export const explainRollout = (rollout: ExplainRolloutInput): RolloutExplanation => {
  const { deployment, pods, nowMillis } = rollout
  const observation = observeDeployment({
    // A controller without the feature gate writes no terminatingReplicas.
    countsTerminating:
      deployment.status.observedGeneration === undefined ||
      deployment.status.terminatingReplicas !== undefined,
    deployment,
    owned: rollout.replicaSets,
    // No sentence tells of ReplicaSets that the Deployment will adopt.
    orphans: [],
    countUnfinishedPods: (uid) =>
      pods.filter((pod) => controllerOf(pod)?.uid === uid && !isPodFinished(pod)).length,
    // No sentence explains a collision of names.
    namesake: undefined,
    nowMillis
  })
  const state = stateOf(observation)
  const counts = rolloutCountsOf(observation, rollout)
  const steering = steeringSentences(rollout)
  const { reasons, blockingSentences } = reasonsOf(state, observation, rollout)
  return {
    state,
    sentences: [
      stateSentence(state, observation, counts),
      ...reasons,
      ...steering,
      ...unreadableSentences(rollout)
    ],
    blockingSentences,
    steering,
    numbers: numbersOf(observation, counts)
  }
}

const stateOf = ({ deployment }: DeploymentObservation): ExplainedState => {
  if (isTerminating(deployment)) return "deleting"
  if (!isGenerationObserved(deployment)) return "unseen"
  const state = rolloutStateOf(deployment)
  return state === "waiting" && deployment.spec.paused === true ? "paused" : state
}

const numbersOf = (observation: DeploymentObservation, counts: RolloutCounts): RolloutNumbers => {
  const { deployment, surgeMax, unavailableMax } = observation
  const desired = deployment.spec.replicas
  return {
    desired,
    updated: counts.updated,
    available: counts.available,
    old: counts.old,
    terminating: counts.terminating,
    surgeMax,
    unavailableMax,
    availableFloor: availableFloor(observation),
    podsCeiling: desired + surgeMax
  }
}

const stateSentence = (
  state: ExplainedState,
  { deployment, newReplicaSet }: DeploymentObservation,
  { updated, available }: RolloutCounts
): string => {
  const { metadata, spec, status } = deployment
  const name = `Deployment ${JSON.stringify(metadata.name)}`
  const revision =
    newReplicaSet === undefined
      ? ""
      : ` of revision ${annotationOf(newReplicaSet, revisionAnnotation) ?? "?"}`
  const countsText =
    `${updated} of ${spec.replicas} Pods ${isOrAre(updated)}${revision === "" ? " of its template" : revision}, ` +
    `${available} ${isOrAre(available)} available`
  switch (state) {
    case "deleting": {
      const { finalizers = [] } = metadata
      const finalizersText =
        finalizers.length === 0 ? "" : `: it waits for finalizer ${finalizers.join(", ")}`
      return `${name} is being deleted${finalizersText}.`
    }
    case "unseen":
      return (
        `The Deployment controller has not seen the latest change of ${name} yet: ` +
        `generation ${metadata.generation ?? 0}, and it has seen ${status.observedGeneration ?? 0}.`
      )
    case "complete":
      return `${name} is rolled out: ${countsText}.`
    case "paused":
      return `${name} is paused: ${countsText}.`
    case "failed":
      return `${name} has missed its deadline: ${countsText}.`
    case "waiting":
      return `${name} is not finished: ${countsText}.`
  }
}

interface RolloutReasons {
  readonly reasons: ReadonlyArray<string>
  readonly blockingSentences: ReadonlyArray<string>
}

const reasonsOf = (
  state: ExplainedState,
  observation: DeploymentObservation,
  rollout: ExplainRolloutInput
): RolloutReasons => {
  const { deployment } = observation
  const kubectlRollout = (verb: string): string => `kubectl rollout ${verb} ${kubectlTarget(deployment)}`
  const namespaceSentences = terminatingNamespaceSentences(rollout)
  if (state === "complete") {
    const pausedText = `It is paused all the same: a new template waits for \`${kubectlRollout("resume")}\`.`
    return { reasons: deployment.spec.paused === true ? [pausedText] : [], blockingSentences: [] }
  }
  if (state === "deleting")
    return {
      reasons: [...namespaceSentences, ...remainingPodsSentence(rollout.pods.length)],
      blockingSentences: []
    }
  if (state === "unseen") return { reasons: namespaceSentences, blockingSentences: [] }
  const isPaused = state === "paused"
  const refusals = creationRefusalSentences(observation)
  const { newProblems, oldProblems } = podProblemsOf(observation, rollout)
  const deadlock = isPaused ? [] : deadlockSentences(rollout)
  const reasons = [
    ...namespaceSentences,
    ...(isPaused ? [`Nothing of a new template is rolled out until \`${kubectlRollout("resume")}\`.`] : []),
    ...refusals,
    ...newProblems.sentences,
    ...oldProblems.sentences,
    ...deadlock,
    ...(isPaused
      ? []
      : [...waitSentences(state, observation, rollout), ...strategySentences(observation, rollout)]),
    ...deadlineSentences(observation, {
      strategies: rollout.strategies,
      undoHint: undoHint(observation, rollout.lastCompleteRevision, kubectlRollout)
    })
  ]
  return {
    reasons,
    blockingSentences: [
      ...refusals,
      ...newProblems.blockingSentences,
      ...oldProblems.blockingSentences,
      ...deadlock
    ]
  }
}

const strategySentences = (
  observation: DeploymentObservation,
  rollout: ExplainRolloutInput
): ReadonlyArray<string> => {
  const strategy = strategyFor(observation.deployment, rollout.strategies)
  if (strategy === undefined) return []
  const nextDecision = canStrategyAct(observation) ? lookAgainSentence(strategy, observation) : undefined
  return [
    ...(strategy.sentences?.(observation, rollout.pods) ?? []),
    ...(nextDecision === undefined ? [] : [nextDecision])
  ]
}

const remainingPodsSentence = (count: number): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} of its Pods ${isOrAre(count)} there still.`]

const terminatingNamespaceSentences = ({ namespace }: ExplainRolloutInput): ReadonlyArray<string> =>
  namespace === undefined || !isTerminating(namespace)
    ? []
    : [`Namespace ${JSON.stringify(namespace.metadata.name)} is being deleted: nothing can be created in it.`]

/**
 * The sentences are in the order of `kubectl rollout status`; kubectl's own message if the ReplicaSets cannot be
 * read.
 */
const waitSentences = (
  state: ExplainedState,
  { deployment, counts, newReplicaSet }: DeploymentObservation,
  rollout: ExplainRolloutInput
): ReadonlyArray<string> => {
  if (isUnreadableResource(rollout, "ReplicaSets"))
    return state === "waiting" ? [rolloutStatus(deployment).message.replace(/\.+$/u, ".")] : []
  const desired = deployment.spec.replicas
  const { updatedReplicas: updated, replicas } = counts
  const available = newReplicaSet?.status.availableReplicas ?? 0
  if (newReplicaSet === undefined)
    return ["It waits for the ReplicaSet of its template, which is not there yet."]
  if (updated < desired) return [`It waits for ${desired - updated} of ${desired} new Pods to be created.`]
  if (replicas > updated) {
    const old = replicas - updated
    return [
      `It waits for ${countText(old, "old Pod")} to go` +
        (available < updated
          ? ` and for ${updated - available} of ${updated} new ones to become available.`
          : ".")
    ]
  }
  return available < updated
    ? [`It waits for ${updated - available} of ${updated} new Pods to become available.`]
    : []
}

const creationRefusalSentences = ({
  deployment,
  replicaSets,
  newReplicaSet
}: DeploymentObservation): ReadonlyArray<string> => {
  const progressing = conditionOf(deployment.status.conditions, "Progressing")
  const creationRefusals =
    newReplicaSet === undefined && progressing?.reason === "ReplicaSetCreateError"
      ? [`The ReplicaSet of its template was refused: ${withPeriod(progressing.message ?? "")}`]
      : []
  return [...creationRefusals, ...replicaSets.flatMap(replicaSetRefusals)]
}

const withPeriod = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

const podProblemsOf = (observation: DeploymentObservation, rollout: ExplainRolloutInput) => {
  const { newReplicaSet, deployment } = observation
  const isNew = (pod: Pod): boolean => controllerOf(pod)?.uid === newReplicaSet?.metadata.uid
  const newPods = rollout.pods.filter((pod) => isNew(pod))
  const oldPods = rollout.pods.filter((pod) => !isNew(pod))
  const { events, nowMillis } = rollout
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  const environment = { events, minReadySeconds, nowMillis, nodes: nodesByName(rollout.nodes ?? []) }
  return {
    newProblems: podProblemSentences(newPods, environment, "new"),
    oldProblems: podProblemSentences(oldPods, environment, "old")
  }
}

const deadlockSentences = (rollout: ExplainRolloutInput): ReadonlyArray<string> => {
  const deadlock = rolloutDeadlockSentence(rollout)
  return deadlock === undefined ? [] : [`${deadlock}.`]
}

/**
 * The hint names the last complete revision of a recording, else the newest with available Pods, else the newest that
 * steering has not taken back.
 */
const undoHint = (
  { deployment, oldReplicaSets }: DeploymentObservation,
  lastCompleteRevision: number | undefined,
  kubectlRollout: (verb: string) => string
): string | undefined => {
  const newestFirst = [...oldReplicaSets].sort(newestRevisionFirst)
  const [latest] = newestFirst
  if (latest === undefined) return undefined
  const keptReplicaSets = newestFirst.filter((it) => !wasTakenBack(deployment, it))
  const target =
    newestFirst.find((it) => Number(revisionOf(it) ?? 0n) === lastCompleteRevision) ??
    newestFirst.find(({ status }) => (status.availableReplicas ?? 0) > 0) ??
    keptReplicaSets[0]
  if (target === undefined) return undefined
  const revision = annotationOf(target, revisionAnnotation) ?? "?"
  const option = target === latest ? "" : ` --to-revision=${revision}`
  return `\`${kubectlRollout("undo")}${option}\` goes back to revision ${revision}`
}
