import { dequal } from "dequal/lite"
import { formatDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import { observeDeployment } from "../../../kubernetes/apps/deploymentObservation.ts"
import { newReplicaSetName } from "../../../kubernetes/apps/revisions/newReplicaSet.ts"
import { presentPodsOf, visibleToDeployment } from "../modelPodCounts.ts"
import { toStoredReplicaSet } from "../modelObjects.ts"
import { performCommands } from "./deploymentOutcomes.ts"
import type { PackedCounts } from "../modelPodCounts.ts"
import type { Strategy } from "../../../../machines/strategies/strategy.ts"
import type { ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { ModelObjects, ModelObjectsTable } from "../modelObjects.ts"
import type { PureChart, PureStep } from "../pureChart.ts"
import type { PackedCountsPair, SearchStep, ReconciliationOutcome } from "../searchStep.ts"
import type { DeploymentOutcome } from "./deploymentOutcomes.ts"

export interface DeploymentDecision {
  readonly outcomes: ReadonlyArray<DeploymentOutcome>
  /** Undefined if the strategy does not wait for a moment. */
  readonly afterStrategyDelay: ReconciliationOutcome | undefined
}

export interface DeploymentReconciler {
  readonly decisionOf: (
    objects: ModelObjects,
    olderCounts: PackedCounts,
    newerCounts: PackedCounts
  ) => DeploymentDecision
  readonly lookCount: () => number
}

/** `visibleToDeployment` returns three counts of 4 bits. */
const visibleBits = 12
/** Puts the number of other Pods above the visible bits; bit operators see only 32 bits. */
const otherPodsFactor = 2 ** (2 * visibleBits)

export const makeDeploymentReconciler = (
  chart: PureChart,
  objectsTable: ModelObjectsTable,
  options: {
    readonly countsOldPods: boolean
    readonly strategies: ReadonlyArray<Strategy> | undefined
  }
): DeploymentReconciler => {
  const decisionsByObjects = new Map<number, Map<number, DeploymentDecision>>()
  let looks = 0

  const decide = (objects: ModelObjects, counts: PackedCountsPair, otherPods: number): DeploymentDecision => {
    const replicaSets = objects.replicaSets.map(
      (replicaSet, position) => replicaSet && toStoredReplicaSet(replicaSet, counts[position] ?? 0)
    )
    const decideAt = (nowMillis: number): PureStep => {
      looks += 1
      // A new actor for each reconciliation decides as a running one would.
      return chart.send(
        chart.initialSnapshot,
        toObservedEvent({ ...objects, nowMillis }, replicaSets, otherPods)
      )
    }
    const presentStep = decideAt(objects.nowMillis)
    const [, commands] = presentStep
    const laterMillis = nextDecisionMillis(presentStep, objects.nowMillis, decideAt)
    return {
      outcomes: performCommands(
        { objectsTable, objects, counts, strategies: options.strategies },
        replicaSets,
        commands
      ),
      afterStrategyDelay:
        laterMillis === undefined
          ? undefined
          : {
              objects: objectsTable.findOrAdd(objects.deployment, objects.replicaSets, laterMillis),
              step: timePassingStep(laterMillis - objects.nowMillis),
              violations: []
            }
    }
  }
  return {
    lookCount: () => looks,
    decisionOf: (objects, olderCounts, newerCounts) => {
      const otherPods = options.countsOldPods ? podsOfOtherRevisions(objects, olderCounts, newerCounts) : 0
      const key =
        (visibleToDeployment(olderCounts) | (visibleToDeployment(newerCounts) << visibleBits)) +
        otherPods * otherPodsFactor
      let decisionsByCounts = decisionsByObjects.get(objects.id)
      if (decisionsByCounts === undefined) decisionsByObjects.set(objects.id, (decisionsByCounts = new Map()))
      let decision = decisionsByCounts.get(key)
      if (decision === undefined)
        decisionsByCounts.set(key, (decision = decide(objects, [olderCounts, newerCounts], otherPods)))
      return decision
    }
  }
}

/** After this many equal decisions, the strategy counts as waiting for a change of an object. */
const looksWithoutChangeMax = 100

/** A waiting strategy may decide differently although no object changes; undefined if it never does. */
const nextDecisionMillis = (
  presentStep: PureStep,
  nowMillis: number,
  decideAt: (millis: number) => PureStep
): number | undefined => {
  let millis = nowMillis
  let step = presentStep
  for (let count = 0; count < looksWithoutChangeMax; count += 1) {
    const delay = strategyDelayOf(step)
    if (delay === undefined) return undefined
    millis += delay
    step = decideAt(millis)
    if (!isSameDecision(step, presentStep)) return millis
  }
  return undefined
}

/**
 * Strategies have their states in `rollout`, and XState's timer ids contain the state's path. Other timers do not
 * matter: they check the progress deadline, which changes no ReplicaSet.
 */
const strategyDelayOf = ([, , timers]: PureStep): number | undefined =>
  timers.find(({ id }) => id.includes(".deployment.rollout."))?.delay

const isSameDecision = ([snapshot, commands]: PureStep, [otherSnapshot, otherCommands]: PureStep): boolean =>
  dequal(
    (snapshot.value as { readonly rollout: unknown }).rollout,
    (otherSnapshot.value as { readonly rollout: unknown }).rollout
  ) && dequal(commands, otherCommands)

const timePassingStep = (millis: number): SearchStep => ({
  actorText: () => "time",
  actionText: () => `${formatDuration(millis)} pass`,
  isFailure: false
})

const podsOfOtherRevisions = (
  { newPosition }: ModelObjects,
  olderCounts: PackedCounts,
  newerCounts: PackedCounts
): number =>
  (newPosition === 0 ? 0 : presentPodsOf(olderCounts)) + (newPosition === 1 ? 0 : presentPodsOf(newerCounts))

const toObservedEvent = (
  { deployment, replicaSets: bothReplicaSets, newPosition, nowMillis }: ModelObjects,
  replicaSets: ReadonlyArray<ReplicaSet | undefined>,
  otherPods: number
) => {
  const owned = replicaSets.filter((replicaSet) => replicaSet !== undefined)
  const name = newReplicaSetName(deployment)
  const otherUid = bothReplicaSets.find(
    (replicaSet, position) => replicaSet !== undefined && position !== newPosition
  )?.metadata.uid
  const seen = observeDeployment({
    deployment,
    owned,
    orphans: [],
    countUnfinishedPods: (uid) => (uid === otherUid ? otherPods : 0),
    namesake: owned.find((replicaSet) => replicaSet.metadata.name === name),
    nowMillis
  })
  return { type: "observed", seen }
}
