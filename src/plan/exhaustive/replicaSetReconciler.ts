import { countText } from "../../kubernetes/meta/text/countText.ts"
import { reportedReplicaSet } from "../../kubernetes/apps/replicaSets/replicaSetWrites.ts"
import { deletionClass } from "../../kubernetes/pods/deletionOrder.ts"
import { checkStatus, unrequestedPod } from "../../scenario/ledger/ruleChecks.ts"
import {
  activePodsOf,
  availableOf,
  countMax,
  packCounts,
  readyNotAvailableOf,
  stoppingOf,
  unpackCounts,
  unreadyOf
} from "./modelPodCounts.ts"
import { replicaSetText, OutsideModel } from "./searchStep.ts"
import { toStoredReplicaSet } from "./modelObjects.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { ReplicaSetObservation } from "../../kubernetes/apps/replicaSets/replicaSetObservation.ts"
import type { ModelPodCounts, PackedCounts } from "./modelPodCounts.ts"
import type { ModelObjects, ModelObjectsTable } from "./modelObjects.ts"
import type { PureChart } from "./pureChart.ts"
import type { ViolationDetails } from "../../scenario/ledger/violations.ts"
import type { ReconciliationOutcome, SearchStep } from "./searchStep.ts"

export interface ReplicaSetOutcome extends ReconciliationOutcome {
  readonly packed: PackedCounts
}

export interface ReplicaSetReconciler {
  /** `position`: 0 for the older ReplicaSet, 1 for the newer. */
  readonly outcomesOf: (
    objects: ModelObjects,
    position: number,
    packed: PackedCounts
  ) => ReadonlyArray<ReplicaSetOutcome>
  readonly lookCount: () => number
}

/** The controller may be stopped after each created or deleted Pod, so each is an outcome. */
export const makeReplicaSetReconciler = (
  chart: PureChart,
  objectsTable: ModelObjectsTable,
  options: { readonly tracksStopping: boolean }
): ReplicaSetReconciler => {
  const outcomesByObjects = new Map<number, Map<PackedCounts, ReadonlyArray<ReplicaSetOutcome>>>()
  let looks = 0

  const decide = (
    objects: ModelObjects,
    position: number,
    packed: PackedCounts
  ): ReadonlyArray<ReplicaSetOutcome> => {
    const replicaSet = objects.replicaSets[position]
    if (replicaSet === undefined) return []
    looks += 1
    const seen = toObservation(toStoredReplicaSet(replicaSet, packed), packed, objects.nowMillis)
    return performCommands(
      { objectsTable, objects, position, seen, ...options },
      packed,
      commandsOf(chart, seen)
    )
  }
  return {
    lookCount: () => looks,
    outcomesOf: (objects, position, packed) => {
      const key = objects.id * 2 + position
      let outcomesByCounts = outcomesByObjects.get(key)
      if (outcomesByCounts === undefined) outcomesByObjects.set(key, (outcomesByCounts = new Map()))
      let outcomes = outcomesByCounts.get(packed)
      if (outcomes === undefined) outcomesByCounts.set(packed, (outcomes = decide(objects, position, packed)))
      return outcomes
    }
  }
}

const toObservation = (
  replicaSet: ReplicaSet,
  packed: PackedCounts,
  nowMillis: number
): ReplicaSetObservation => {
  const waitMillis = (replicaSet.spec.minReadySeconds ?? 0) * 1000
  const active = activePodsOf(packed)
  return {
    replicaSet,
    pods: {
      active,
      fullyLabeled: active,
      ready: readyNotAvailableOf(packed) + availableOf(packed),
      available: availableOf(packed),
      terminating: stoppingOf(packed),
      nextAvailableMillis: readyNotAvailableOf(packed) > 0 ? nowMillis + waitMillis : undefined
    },
    claims: { adopt: [], release: [] },
    countsTerminating: true,
    nowMillis
  }
}

/** After each batch of new Pods, the chart is told `performed` and asks for the next. */
const commandsOf = (chart: PureChart, seen: ReplicaSetObservation): ReadonlyArray<Command> => {
  const commandsSoFar: Array<Command> = []
  let [snapshot, commands] = chart.send(chart.initialSnapshot, { type: "observed", seen } as {
    readonly type: string
  })
  while (commands.length > 0) {
    commandsSoFar.push(...commands)
    if (!commands.some(({ type }) => type === "createPods")) break
    ;[snapshot, commands] = chart.send(snapshot, { type: "performed" })
  }
  return commandsSoFar
}

interface ReconciliationContext {
  readonly objectsTable: ModelObjectsTable
  readonly objects: ModelObjects
  readonly position: number
  readonly seen: ReplicaSetObservation
  readonly tracksStopping: boolean
}

const performCommands = (
  context: ReconciliationContext,
  packed: PackedCounts,
  commands: ReadonlyArray<Command>
): ReadonlyArray<ReplicaSetOutcome> => {
  const { objects } = context
  const outcomes: Array<ReplicaSetOutcome> = []
  const reportTexts: Array<string> = []
  let latestOutcomes: ReadonlyArray<ReplicaSetOutcome> = [
    { packed, objects, violations: [], step: searchStepOf(context.position, "") }
  ]

  const advance = (
    what: string,
    next: (from: ReplicaSetOutcome) => ReadonlyArray<ReplicaSetOutcome>
  ): void => {
    const step = searchStepOf(context.position, [...reportTexts, what].join(", "))
    latestOutcomes = latestOutcomes.flatMap(next).map((outcome) => ({ ...outcome, step }))
    for (const outcome of latestOutcomes) {
      if (outcome.packed !== packed || outcome.objects !== objects || outcome.violations.length > 0)
        outcomes.push(outcome)
    }
  }
  const podsSoFar = { created: 0, deleted: 0 }
  for (const command of commands) {
    switch (command.type) {
      case "reportReplicaSet": {
        const { replicas, availableReplicas = 0 } = command.status
        const what = `reported ${countText(replicas, "Pod")}, ${availableReplicas} available`
        advance(what, (from) => [withStatusReported(context, from, command.status)])
        reportTexts.push(what)
        break
      }
      case "createPods":
        for (let done = 0; done < command.count; done += 1) {
          podsSoFar.created += 1
          advance(`created ${countText(podsSoFar.created, "Pod")}`, (from) => [withPodCreated(context, from)])
        }
        break
      case "deletePods":
        for (let done = 0; done < command.count; done += 1) {
          podsSoFar.deleted += 1
          advance(`deleted ${countText(podsSoFar.deleted, "Pod")}`, (from) => withPodDeleted(context, from))
        }
        break
      case "lookAgain":
        break
      default:
        throw new OutsideModel(`a ReplicaSet with the command ${command.type} cannot be explored`)
    }
  }
  return outcomes
}

const searchStepOf = (position: number, text: string): SearchStep => ({
  actorText: (objects) => `ReplicaSet ${replicaSetText(objects, position)}`,
  actionText: () => text,
  isFailure: false
})

const withCounts = (from: ReplicaSetOutcome, changes: Partial<ModelPodCounts>): ReplicaSetOutcome => ({
  ...from,
  packed: packCounts({ ...unpackCounts(from.packed), ...changes })
})

const withPodCreated = ({ seen }: ReconciliationContext, from: ReplicaSetOutcome): ReplicaSetOutcome => {
  const next = withCounts(from, { unready: unreadyOf(from.packed) + 1 })
  const { replicas } = seen.replicaSet.spec
  const remaining = activePodsOf(next.packed)
  return remaining <= replicas
    ? next
    : withUnrequestedPod(next, seen, "created", `Pods <= replicas: ${remaining} <= ${replicas}`)
}

/** Pods of the lowest class are deleted first. */
const deletionClassOf = (readyStatus: "True" | "False"): number =>
  deletionClass({
    metadata: {},
    spec: { nodeName: "a node", containers: [] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: readyStatus }] }
  })

const deletionClasses = {
  unready: deletionClassOf("False"),
  ready: deletionClassOf("True"),
  available: deletionClassOf("True")
} as const

/** Returns one outcome for each condition of Pods in the lowest class. */
const withPodDeleted = (
  { seen, tracksStopping }: ReconciliationContext,
  from: ReplicaSetOutcome
): ReadonlyArray<ReplicaSetOutcome> => {
  const counts = unpackCounts(from.packed)
  // Capped, since Pods may be created and deleted again and again.
  const terminating = tracksStopping ? { stopping: Math.min(counts.stopping + 1, countMax) } : {}
  const { replicas } = seen.replicaSet.spec
  const present = (["unready", "ready", "available"] as const).filter((condition) => counts[condition] > 0)
  const lowestClass = Math.min(...present.map((condition) => deletionClasses[condition]))
  const choices = present.filter((condition) => deletionClasses[condition] === lowestClass)
  return choices.map((choice) => {
    const next = withCounts(from, { [choice]: counts[choice] - 1, ...terminating })
    const remaining = activePodsOf(next.packed)
    return remaining >= replicas
      ? next
      : withUnrequestedPod(next, seen, "deleted", `Pods left >= replicas: ${remaining} >= ${replicas}`)
  })
}

const withUnrequestedPod = (
  outcome: ReplicaSetOutcome,
  { replicaSet }: ReplicaSetObservation,
  verb: string,
  expectation: string
): ReplicaSetOutcome =>
  outcome.violations.length > 0
    ? outcome
    : {
        ...outcome,
        violations: [unrequestedPod(replicaSet, `${verb} a Pod of ${replicaSet.metadata.name}`, expectation)]
      }

const withStatusReported = (
  { objectsTable, objects, position, seen }: ReconciliationContext,
  from: ReplicaSetOutcome,
  status: ReplicaSet["status"]
): ReplicaSetOutcome => {
  const after = reportedReplicaSet(seen.replicaSet, status)
  const { replicas, availableReplicas = 0 } = status
  const next = withCounts(from, { reportedPods: replicas, reportedAvailable: availableReplicas })
  const { active, available } = seen.pods
  const mismatch: ViolationDetails = {
    rule: "statusCounts",
    who: "ReplicaSet controller",
    what: `wrote the status of ${after.metadata.name}`,
    sums: `${replicas} replicas and ${availableReplicas} available reported, ${active} and ${available} there`,
    broken: "what is reported is what is there"
  }
  const replicaSets = objects.replicaSets.map((replicaSet, index) =>
    index === position ? after : replicaSet
  )
  return {
    ...next,
    objects: objectsTable.findOrAdd(objects.deployment, replicaSets, objects.nowMillis),
    violations: [
      ...checkStatus(seen.replicaSet, after),
      ...(replicas === active && availableReplicas === available ? [] : [mismatch])
    ]
  }
}
