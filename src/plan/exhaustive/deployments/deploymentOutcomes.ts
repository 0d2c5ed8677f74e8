import { commandText } from "../../../kubernetes/apps/commands.ts"
import {
  deploymentWrite,
  reportedDeployment,
  splitStatusReports
} from "../../../kubernetes/apps/deploymentWrites.ts"
import { withSpecReplicas } from "../modelPodCounts.ts"
import { checkStatus } from "../../../scenario/ledger/ruleChecks.ts"
import { findMinReadySecondsChange, withWrittenStatus, withWrite } from "../modelStore.ts"
import { OutsideModel, replicaSetTextByName } from "../searchStep.ts"
import { makeScalingCheck } from "./scalingChecks.ts"
import type { Command } from "../../../kubernetes/apps/commands.ts"
import type { DeploymentReports } from "../../../kubernetes/apps/deploymentWrites.ts"
import type { ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { ModelObjects, ModelObjectsTable } from "../modelObjects.ts"
import type { StoredObjects, MinReadySecondsChange } from "../modelStore.ts"
import type { ViolationDetails } from "../../../scenario/ledger/violations.ts"
import type { PackedCountsPair, SearchStep, ReconciliationOutcome } from "../searchStep.ts"
import type { Strategy } from "../../../../machines/strategies/strategy.ts"

export interface DeploymentOutcome extends ReconciliationOutcome {
  readonly specReplicas: readonly [older: number, newer: number]
  /** Apart from `violations`, since one cached outcome serves states with different counts of Pods. */
  readonly checkPodCounts: ((counts: PackedCountsPair) => ReadonlyArray<ViolationDetails>) | undefined
  readonly minReadySecondsChange: MinReadySecondsChange | undefined
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
export const performCommands = (
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
  return {
    objects: nextObjects,
    specReplicas,
    violations,
    minReadySecondsChange: findMinReadySecondsChange(writes[0]?.before ?? objects, {
      deployment,
      replicaSets
    }),
    checkPodCounts: makeScalingCheck(context, writes),
    step: {
      actorText: () => "Deployment",
      actionText: (shownObjects) => writes.map(({ what }) => what(shownObjects)).join(", "),
      isFailure: false
    }
  }
}

const replicasOf = (replicaSet: ReplicaSet | undefined): number => replicaSet?.spec.replicas ?? 0
