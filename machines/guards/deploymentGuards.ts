import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import {
  availableReplicas,
  activeReplicaSets,
  specReplicas
} from "../../src/kubernetes/apps/replicaCounts.ts"
import {
  parseCountAnnotation,
  desiredReplicasAnnotation,
  revisionAnnotation
} from "../../src/kubernetes/apps/revisions/revisions.ts"
import * as progress from "../../src/kubernetes/apps/progress.ts"
import * as precedence from "../../src/kubernetes/apps/rolloutPrecedence.ts"
import { isDeploymentAvailable } from "../../src/kubernetes/apps/deploymentStatus.ts"
import { namespaceTerminatingCause } from "../../src/kubernetes/core/namespaceDeletion.ts"
import { planRenumbering } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { rollbackRevision } from "../../src/kubernetes/apps/revisions/rollback.ts"
import { scaleDownBudget } from "../../src/kubernetes/apps/rollingUpdate.ts"
import { timestampMillis, timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import { explainGuard } from "./guard.ts"
import { lookAgainGuards } from "../strategies/composeState.ts"
import { floorText, newReplicaSetNameTaken, newReplicaSetMissing } from "../strategies/sharedGuards.ts"
import { strategyFor } from "../strategies/strategies.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type {
  DeploymentObservation,
  DeploymentGuard
} from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { ChartGuard, ExplainedGuard, GuardWording, ObservedNumbers } from "./guard.ts"
import type { Strategy, StrategyGuard } from "../strategies/strategy.ts"

export interface DeploymentContext {
  readonly seen: DeploymentObservation | undefined
  /**
   * When the rollout made progress last, in Unix milliseconds; undefined once the stored Progressing condition has that
   * time.
   */
  readonly lastProgressMillis: number | undefined
  /** When the scheduled progress check is due, in Unix milliseconds. */
  readonly nextCheckMillis: number | undefined
}

export type DeploymentEvent =
  | { readonly type: "observed"; readonly seen: DeploymentObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

export interface DeploymentGuardArgs {
  readonly context: DeploymentContext
  readonly event: DeploymentEvent
}

/** The observation in the event; for other events, the last one. */
export const observationAt = ({ context, event }: DeploymentGuardArgs): DeploymentObservation | undefined =>
  event.type === "observed" ? event.seen : context.seen

/** Applies a function to the guard's observation; undefined before the first observation. */
export const fromObservation =
  <A>(select: (observation: DeploymentObservation) => A) =>
  (args: DeploymentGuardArgs): A | undefined => {
    const observation = observationAt(args)
    return observation === undefined ? undefined : select(observation)
  }

const holdsAt = (predicate: DeploymentGuard): ((args: DeploymentGuardArgs) => boolean) => {
  const predicateAt = fromObservation(predicate)
  return (args) => predicateAt(args) === true
}

const reasonAt = (
  reason: (observation: DeploymentObservation) => string
): ((args: DeploymentGuardArgs) => string) => {
  const textAt = fromObservation(reason)
  return (args) => textAt(args) ?? "nothing has been observed yet"
}

const deploymentGuard = (
  predicate: DeploymentGuard,
  words: GuardWording,
  reason: (observation: DeploymentObservation) => string
): ExplainedGuard<DeploymentGuardArgs> => explainGuard(holdsAt(predicate), words, reasonAt(reason))

const toChartGuard = (predicate: StrategyGuard): ChartGuard<DeploymentGuardArgs> =>
  Object.assign(holdsAt(predicate), {
    ...(predicate.words === undefined ? {} : { words: predicate.words }),
    ...(predicate.reason === undefined ? {} : { reason: reasonAt(predicate.reason) })
  })

const hasNoDeadline: DeploymentGuard = ({ deployment }) => !progress.hasProgressDeadline(deployment)
const hasProgressingReason =
  (reason: string): DeploymentGuard =>
  ({ deployment }) =>
    progress.progressingCondition(deployment)?.reason === reason
export const hasStrategyProgressed: DeploymentGuard = (observation) =>
  (precedence.canStrategyAct(observation) || precedence.isScalingRetried(observation)) &&
  progress.hasProgressed(observation)
/**
 * Whether the stored condition still reports the creation, since nothing has progressed. Then the deadline counts from
 * that condition.
 */
export const isCreationReported = holdsAt(
  (observation) =>
    hasProgressingReason("NewReplicaSetCreated")(observation) && !hasStrategyProgressed(observation)
)

const needsCheck = (args: DeploymentGuardArgs): boolean =>
  holdsAt(
    (observation) =>
      precedence.canStrategyAct(observation) &&
      progress.needsProgressCheck(observation, args.context.lastProgressMillis)
  )(args)
export const progressCheckMillisAt = (args: DeploymentGuardArgs): number | undefined =>
  fromObservation((observation) =>
    progress.progressCheckMillis(observation, args.context.lastProgressMillis)
  )(args)

const claimsText = ({ claims }: DeploymentObservation): string =>
  `${countText(claims.adopt.length, "ReplicaSet")} to adopt, ${claims.release.length} to release`

const renumberingText = (observation: DeploymentObservation): string => {
  if (observation.newReplicaSet === undefined) return "no ReplicaSet has this template"
  const { name } = observation.newReplicaSet.metadata
  const renumbering = planRenumbering(observation)
  const revision = observation.newReplicaSet.metadata.annotations?.[revisionAnnotation] ?? "none"
  if (renumbering === undefined) return `${name} has revision ${revision}, as it should`
  return `${name} has revision ${revision} and should have ${renumbering.annotations[revisionAnnotation] ?? "none"}, with the Deployment's annotations`
}

const scalingText = ({ deployment, replicaSets }: DeploymentObservation): string => {
  const annotated = activeReplicaSets(replicaSets).map(
    (it) => `${it.metadata.name} ${parseCountAnnotation(it, desiredReplicasAnnotation) ?? "nothing"}`
  )
  const { replicas } = deployment.spec
  return `replicas ${replicas}, annotation desired-replicas: ${annotated.length === 0 ? "on none" : annotated.join(", ")}`
}

const progressingText = ({ deployment }: DeploymentObservation): string =>
  `Progressing says ${progress.progressingCondition(deployment)?.reason ?? "nothing"}`

const pausedText = ({ deployment }: DeploymentObservation): string =>
  deployment.spec.paused === true ? "paused is true" : "paused is not set"

const deadlineText = ({ deployment }: DeploymentObservation): string =>
  progress.hasProgressDeadline(deployment)
    ? `progressDeadlineSeconds ${deployment.spec.progressDeadlineSeconds}`
    : "no deadline is set"

const progressText = ({ deployment: { status }, counts }: DeploymentObservation): string => {
  const updated = status.updatedReplicas ?? 0
  const pairs = [
    ["updated", updated, counts.updatedReplicas],
    ["old", (status.replicas ?? 0) - updated, counts.replicas - counts.updatedReplicas],
    ["ready", status.readyReplicas ?? 0, counts.readyReplicas],
    ["available", status.availableReplicas ?? 0, counts.availableReplicas]
  ] as const
  const changed = pairs.filter(([, was, is]) => was !== is)
  if (changed.length === 0) return "no count has changed since the last report"
  return changed.map(([name, was, is]) => `${name} ${was} -> ${is}`).join(", ")
}

const completenessText = (observation: DeploymentObservation): string => {
  const { replicas, updatedReplicas, availableReplicas: available } = observation.counts
  const { replicas: desired } = observation.deployment.spec
  const counts = `${updatedReplicas} updated, ${replicas} there, ${available} available, ${desired} desired`
  return progress.isComplete(observation) ? `${counts}: complete` : `${counts}: not complete`
}

const overdueText = (observation: DeploymentObservation): string => {
  const progressing = progress.progressingCondition(observation.deployment)
  const since = timestampMillis(progressing?.lastUpdateTime ?? "")
  if (!progress.hasProgressDeadline(observation.deployment)) return "no deadline is set"
  if (Number.isNaN(since)) return `${progressingText(observation)}, and not since when`
  const seconds = Math.floor((observation.nowMillis - since) / 1000)
  return `${seconds} s since progress was noted (${progressing?.reason ?? ""}), deadline ${observation.deployment.spec.progressDeadlineSeconds} s`
}

const checkText = (observation: DeploymentObservation): string => {
  if (!precedence.canStrategyAct(observation)) return strategyTurnText(observation)
  if (progress.isComplete(observation)) return completenessText(observation)
  return progress.isProgressOverdue(observation) ? progressingText(observation) : overdueText(observation)
}

const strategyTurnText = (observation: DeploymentObservation): string =>
  precedence.canStrategyAct(observation)
    ? "it is the strategy's turn"
    : "something else comes before the strategy"

const terminationText = ({ countsTerminating, unfinishedOldPods }: DeploymentObservation): string =>
  `${countText(unfinishedOldPods, "old Pod")} not ended, ` +
  (countsTerminating ? "and terminating ones are counted" : "and terminating ones are not counted")

const availabilityText = (observation: DeploymentObservation): string => {
  const available = availableReplicas(observation.replicaSets)
  return `available ${available}, ${floorText(observation)} = ${scaleDownBudget(observation).floor}`
}

const pauseText = (observation: DeploymentObservation): string =>
  `${pausedText(observation)}, ${progressingText(observation)}`

const isCreatingGuard = (isCreating: DeploymentGuard) =>
  deploymentGuard(isCreating, "a new ReplicaSet is created", newReplicaSetMissing.reason)

export const deploymentGuards = {
  isClaiming: deploymentGuard(precedence.isClaiming, "ReplicaSets to adopt or release", claimsText),
  isRenumbering: deploymentGuard(
    precedence.isRenumbering,
    "its revision is not the newest yet",
    renumberingText
  ),
  isTerminating: deploymentGuard(
    precedence.isDeploymentTerminating,
    "being deleted",
    ({ deployment: { metadata } }) =>
      metadata.deletionTimestamp === undefined
        ? "its deletion was not requested"
        : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  isPaused: deploymentGuard(precedence.isPaused, "paused", pausedText),
  isRollingBack: deploymentGuard(
    precedence.isRollingBack,
    "an earlier revision is asked for",
    (observation) => {
      const revision = rollbackRevision(observation)
      return revision === undefined ? "no earlier revision is asked for" : `revision ${revision} is asked for`
    }
  ),
  isNameTaken: toChartGuard(newReplicaSetNameTaken),
  isNewMissing: toChartGuard(newReplicaSetMissing),
  isScaling: deploymentGuard(precedence.isScaling, "replicas have changed", scalingText),
  // A taken name leads to another one by `collisionCount`; a namespace that is being deleted refuses everything.
  isCreationRefused: explainGuard(
    ({ event }: DeploymentGuardArgs) =>
      event.type === "refused" &&
      event.refusal.command === "createReplicaSet" &&
      event.refusal.reason !== "AlreadyExists" &&
      event.refusal.reason !== namespaceTerminatingCause,
    "the new ReplicaSet was refused",
    ({ event }) =>
      event.type === "refused"
        ? `${event.refusal.command} was refused, ${event.refusal.reason}: ${event.refusal.message}`
        : "nothing was refused"
  ),

  isClaimingOrRenumbering: deploymentGuard(
    (observation) => precedence.isClaiming(observation) || precedence.isRenumbering(observation),
    "ReplicaSets are dealt with first",
    (observation) =>
      precedence.isClaiming(observation)
        ? claimsText(observation)
        : precedence.isRenumbering(observation)
          ? renumberingText(observation)
          : "its ReplicaSets are in step"
  ),
  isUntracked: deploymentGuard(hasNoDeadline, "no deadline is set", deadlineText),
  isPausing: deploymentGuard(progress.isPausing, "just paused", pauseText),
  isSuspended: deploymentGuard(
    (observation) =>
      precedence.isPaused(observation) && hasProgressingReason("DeploymentPaused")(observation),
    "paused since before",
    pauseText
  ),
  // `strategyGuards` replaces this guard: only a strategy knows when it creates a ReplicaSet.
  isCreating: isCreatingGuard(() => false),
  isNewlyComplete: deploymentGuard(
    (observation) =>
      precedence.canStrategyAct(observation) &&
      progress.isComplete(observation) &&
      !progress.hasCompletedBefore(observation),
    "just complete",
    (observation) => `${completenessText(observation)}; ${progressingText(observation)}`
  ),
  hasProgressed: deploymentGuard(
    (observation) => hasStrategyProgressed(observation) && !progress.hasCompletedBefore(observation),
    "it has got further",
    progressText
  ),
  isResuming: deploymentGuard(progress.isResuming, "just resumed", pauseText),
  isNewlyFound: deploymentGuard(
    progress.isNewlyFound,
    "its ReplicaSet was there already",
    (observation) =>
      `${progressingText(observation)}, ${observation.newReplicaSet === undefined ? "no ReplicaSet" : observation.newReplicaSet.metadata.name} is there`
  ),
  isOverdue: deploymentGuard(
    (observation) =>
      precedence.canStrategyAct(observation) &&
      progress.isProgressOverdue(observation) &&
      !hasProgressingReason("ProgressDeadlineExceeded")(observation),
    "the deadline has passed",
    overdueText
  ),
  wasOverdue: deploymentGuard(
    hasProgressingReason("ProgressDeadlineExceeded"),
    "overdue since before",
    progressingText
  ),
  isAwaitingCheck: deploymentGuard(
    (observation) =>
      hasProgressingReason("NewReplicaSetAvailable")(observation) &&
      progress.isTerminationUncounted(observation) &&
      precedence.canStrategyAct(observation) &&
      progress.needsProgressCheck(observation),
    "complete since before, and old Pods terminate uncounted",
    (observation) => `${progressingText(observation)}; ${terminationText(observation)}`
  ),
  wasComplete: deploymentGuard(
    hasProgressingReason("NewReplicaSetAvailable"),
    "complete since before",
    progressingText
  ),
  isUnjudged: deploymentGuard(
    (observation) => !precedence.canStrategyAct(observation),
    "it is not the strategy's turn",
    strategyTurnText
  ),
  // The refusal stays until the strategy tries again to create the ReplicaSet, possibly after other work, such as
  // scaling.
  wasRefused: deploymentGuard(
    (observation) =>
      !precedence.canStrategyAct(observation) && hasProgressingReason("ReplicaSetCreateError")(observation),
    "refused since before",
    progressingText
  ),

  needsCheck: explainGuard(needsCheck, "a deadline runs, or old Pods end uncounted", reasonAt(checkText)),
  needsSoonerCheck: explainGuard(
    (args: DeploymentGuardArgs) =>
      needsCheck(args) && (progressCheckMillisAt(args) ?? Infinity) < (args.context.nextCheckMillis ?? 0),
    "a check is due sooner",
    (args) => {
      const { nextCheckMillis } = args.context
      const nextCheckText =
        nextCheckMillis === undefined
          ? "no check is ahead"
          : `a check is ahead at ${timestampOf(nextCheckMillis)}`
      return `${reasonAt(checkText)(args)}; ${nextCheckText}`
    }
  ),

  isAvailable: deploymentGuard(isDeploymentAvailable, "enough are available", availabilityText)
}

export const strategyGuards = (
  strategies: ReadonlyArray<Strategy>
): Readonly<Record<string, ChartGuard<DeploymentGuardArgs>>> => ({
  isCreating: isCreatingGuard(
    (observation) =>
      !newReplicaSetNameTaken(observation) &&
      (precedence.needsReplicaSetBeforeRollback(observation) ||
        (precedence.canStrategyAct(observation) &&
          strategyFor(observation.deployment, strategies)?.isCreating(observation) === true))
  ),
  ...Object.fromEntries(
    strategies.flatMap((strategy): ReadonlyArray<[string, ChartGuard<DeploymentGuardArgs>]> => [
      [
        strategy.state,
        deploymentGuard(
          ({ deployment }) => strategyFor(deployment, strategies) === strategy,
          `strategy ${strategy.type}`,
          ({ deployment }) => `strategy.type is ${deployment.spec.strategy.type}`
        )
      ],
      ...Object.entries(strategy.guards).map(([name, guard]): [string, ChartGuard<DeploymentGuardArgs>] => [
        `${strategy.state}.${name}`,
        toChartGuard(guard)
      ]),
      ...Object.entries(lookAgainGuards(strategy)).map(
        ([name, guard]): [string, ChartGuard<DeploymentGuardArgs>] => [name, toChartGuard(guard)]
      )
    ])
  )
})

export const deploymentStepNumbers: ObservedNumbers = (context, event) => {
  const observation = observationAt({ context, event } as DeploymentGuardArgs)
  if (observation === undefined) return []
  const { deployment, counts, surgeMax, unavailableMax, newReplicaSet, oldReplicaSets, replicaSets } =
    observation
  return [
    ["desired", deployment.spec.replicas],
    ...(deployment.spec.strategy.rollingUpdate !== undefined
      ? ([
          ["surge", surgeMax],
          ["unavailable", unavailableMax],
          ["floor", scaleDownBudget(observation).floor]
        ] as const)
      : []),
    ["asked for", specReplicas(replicaSets)],
    ["new", newReplicaSet?.spec.replicas ?? 0],
    ["old", specReplicas(oldReplicaSets)],
    ["there", counts.replicas],
    ["updated", counts.updatedReplicas],
    ["ready", counts.readyReplicas],
    ["available", counts.availableReplicas],
    ["terminating", counts.terminatingReplicas ?? "unknown"]
  ]
}
