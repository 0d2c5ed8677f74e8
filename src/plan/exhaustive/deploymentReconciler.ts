import { dequal } from "dequal/lite"
import { commandText } from "../../kubernetes/apps/commands.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { observeDeployment } from "../../kubernetes/apps/deploymentObservation.ts"
import { newReplicaSetName } from "../../kubernetes/apps/revisions/newReplicaSet.ts"
import {
  deploymentWrite,
  reportedDeployment,
  splitStatusReports
} from "../../kubernetes/apps/deploymentWrites.ts"
import {
  withSpecReplicas,
  presentPodsOf,
  visibleToDeployment,
  reportedAvailableOf
} from "./modelPodCounts.ts"
import { checkStatus } from "../../scenario/ledger/ruleChecks.ts"
import { checkScalingStep } from "../../scenario/ledger/violations.ts"
import { findMinReadySecondsChange, resizedReplicaSets, withWrittenStatus, withWrite } from "./modelStore.ts"
import { toStoredReplicaSet } from "./modelObjects.ts"
import { OutsideModel, replicaSetTextByName } from "./searchStep.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { DeploymentReports } from "../../kubernetes/apps/deploymentWrites.ts"
import type { ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { ModelObjects, ModelObjectsTable } from "./modelObjects.ts"
import type { StoredObjects, MinReadySecondsChange } from "./modelStore.ts"
import type { PureChart, PureStep } from "./pureChart.ts"
import type { ViolationDetails } from "../../scenario/ledger/violations.ts"
import type { PackedCountsPair, SearchStep, ReconciliationOutcome } from "./searchStep.ts"

export interface DeploymentOutcome extends ReconciliationOutcome {
  readonly specReplicas: readonly [older: number, newer: number]
  /** Apart from `violations`, since one cached outcome serves states with different counts of Pods. */
  readonly checkPodCounts: ((counts: PackedCountsPair) => ReadonlyArray<ViolationDetails>) | undefined
  readonly minReadySecondsChange: MinReadySecondsChange | undefined
}

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

interface ReconciliationContext {
  readonly objectsTable: ModelObjectsTable
  readonly objects: ModelObjects
  readonly counts: PackedCountsPair
  readonly strategies: ReadonlyArray<Strategy> | undefined
}

interface ReconciliationWrite {
  readonly before: StoredObjects
  readonly after: StoredObjects
  readonly what: SearchStep["actionText"]
}

/** All status reports are one write, the last one. */
const performCommands = (
  context: ReconciliationContext,
  replicaSets: ReadonlyArray<ReplicaSet | undefined>,
  commands: ReadonlyArray<Command>
): ReadonlyArray<DeploymentOutcome> => {
  const writes: Array<ReconciliationWrite> = []
  const outcomes: Array<DeploymentOutcome> = []
  let stored: StoredObjects = { deployment: context.objects.deployment, replicaSets }
  const addOutcome = (
    after: StoredObjects,
    what: SearchStep["actionText"],
    violations: ReadonlyArray<ViolationDetails> = []
  ): void => {
    writes.push({ before: stored, after, what })
    stored = after
    const outcome = outcomeOf(context, [...writes], violations)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  const { writeCommands, status } = splitStatusReports(commands)
  for (const command of writeCommands) {
    if (command.type === "recordEvent" || command.type === "lookAgain") continue
    const write = deploymentWrite(command)
    if (write === undefined || write.type === "updateDeployment")
      throw new OutsideModel(`a rollout with the command ${command.type} cannot be explored`)
    addOutcome(withWrite(stored, write, context.objects.nowMillis), (objects) => writeText(command, objects))
  }
  if (status !== undefined) {
    const deployment = reportedDeployment(stored.deployment, status, context.objects.nowMillis)
    addOutcome(
      withWrittenStatus(stored, deployment),
      () => statusText(status),
      checkStatus(stored.deployment, deployment)
    )
  }
  return outcomes
}

const statusText = ({ annotations }: DeploymentReports): string =>
  annotations === undefined
    ? "wrote its status"
    : `${commandText({ type: "annotateDeployment", annotations }).replace("annotate", "annotated")}, wrote its status`

const writeText = (command: Command, objects: ModelObjects): string => {
  switch (command.type) {
    case "createReplicaSet": {
      const { metadata, spec } = command.replicaSet
      return `created ReplicaSet ${replicaSetTextByName(objects, metadata.name ?? "")} of ${spec.replicas}`
    }
    case "scaleReplicaSet": {
      const { name, replicasFrom, replicasTo } = command
      return `scaled ReplicaSet ${replicaSetTextByName(objects, name)} from ${replicasFrom} to ${replicasTo}`
    }
    case "renumberReplicaSet":
      return `renumbered ReplicaSet ${replicaSetTextByName(objects, command.name)}`
    case "deleteReplicaSet":
      return `deleted ReplicaSet ${command.child.name}`
    default:
      return command.type
  }
}

const outcomeOf = (
  context: ReconciliationContext,
  writes: ReadonlyArray<ReconciliationWrite>,
  violations: ReadonlyArray<ViolationDetails>
): DeploymentOutcome | undefined => {
  const { objectsTable, objects, counts } = context
  const { deployment, replicaSets } = writes.at(-1)?.after ?? objects
  const nextObjects = objectsTable.findOrAdd(deployment, replicaSets, objects.nowMillis)
  const specReplicas = [replicasOf(replicaSets[0]), replicasOf(replicaSets[1])] as const
  const isChanged =
    nextObjects !== objects ||
    withSpecReplicas(counts[0], specReplicas[0]) !== counts[0] ||
    withSpecReplicas(counts[1], specReplicas[1]) !== counts[1]
  if (!isChanged && violations.length === 0) return undefined
  const checks = writes.flatMap((write) => scalingChecksOf(context, write))
  return {
    objects: nextObjects,
    specReplicas,
    violations,
    minReadySecondsChange: findMinReadySecondsChange(writes[0]?.before ?? objects, {
      deployment,
      replicaSets
    }),
    checkPodCounts:
      checks.length === 0
        ? undefined
        : memoizeByPresentPods((pods) => checks.flatMap((check) => check(pods))),
    step: {
      actorText: () => "Deployment",
      actionText: (shownObjects) => writes.map(({ what }) => what(shownObjects)).join(", "),
      isFailure: false
    }
  }
}

const replicasOf = (replicaSet: ReplicaSet | undefined): number => replicaSet?.spec.replicas ?? 0

/** The number of a ReplicaSet's present Pods fits into this many bits: it is the sum of four counts up to 15. */
const presentBits = 6

const memoizeByPresentPods = (check: (counts: PackedCountsPair) => ReadonlyArray<ViolationDetails>) => {
  const cache = new Map<number, ReadonlyArray<ViolationDetails>>()
  return (counts: PackedCountsPair): ReadonlyArray<ViolationDetails> => {
    const key = presentPodsOf(counts[0]) | (presentPodsOf(counts[1]) << presentBits)
    let violations = cache.get(key)
    if (violations === undefined) cache.set(key, (violations = check(counts)))
    return violations
  }
}

/** Checks scalings like the ledger, but by reported availability only: in the model, a Deployment sees it at once. */
const scalingChecksOf = (
  { objects, strategies }: ReconciliationContext,
  { before, after }: ReconciliationWrite
) =>
  resizedReplicaSets(before, after).map(
    (resized) =>
      ([olderCounts, newerCounts]: PackedCountsPair): ReadonlyArray<ViolationDetails> => {
        const countsOf = (uid: string): PackedCounts =>
          objects.replicaSets[0]?.metadata.uid === uid ? olderCounts : newerCounts
        return checkScalingStep({
          ...resized,
          deployment: objects.deployment,
          strategies,
          account: {
            availableOf: (uid) => reportedAvailableOf(countsOf(uid)),
            presentOf: (uid) => presentPodsOf(countsOf(uid))
          },
          replicaSets: after.replicaSets.filter((replicaSet) => replicaSet !== undefined)
        })
      }
  )
