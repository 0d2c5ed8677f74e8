import { commandText } from "../../../kubernetes/apps/commands.ts"
import { dequal } from "dequal/lite"
import { classIndex, changePodClass, noSteeredPods, allPodClasses, storedPods } from "./steeredPods.ts"
import { withCompletionMark, withSteeringRecord } from "../../../kubernetes/steering/steeringWrites.ts"
import { modelBeginMillis } from "../modelObjects.ts"
import { recordWithAnswer, limitProblem } from "../../../kubernetes/steering/steeringQuestions.ts"
import { possibleAnswers, hookAndPreviewObjects, withHookJob, withoutHookJobs } from "./hooksAndPreview.ts"
import { hasBeenComplete } from "../../../kubernetes/steering/steeringObservation.ts"
import { OutsideModel } from "../searchStep.ts"
import { recordAnnotation } from "../../../kubernetes/steering/steeringNames.ts"
import { recordWriteText } from "./recordWriteText.ts"
import { recordOf, steeringRecordText } from "../../../kubernetes/steering/steeringRecord.ts"
import { timestampOf } from "../../../kubernetes/meta/amounts/timestamps.ts"
import { storedReplicaSets, withPods, withReplicaSet } from "./steeredState.ts"
import type { Command } from "../../../kubernetes/apps/commands.ts"
import type { Deployment, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { ModelObjectsTable } from "../modelObjects.ts"
import type { PodCountsByClass } from "./steeredPods.ts"
import type { PureChart } from "../pureChart.ts"
import type { SteeredState } from "./steeredState.ts"
import type {
  SteeringObservation,
  SteeringSettings
} from "../../../kubernetes/steering/steeringObservation.ts"

export interface SteeringOutcome {
  readonly state: SteeredState
  /** The writes so far; the controller may be stopped after each. */
  readonly what: string
}

/** `late`: after every time for which the chart waits, such as the end of a hold. */
export type LookMoment = "early" | "late"

/** Longer than any wait of a chart, and than the progress deadline. */
const lateMillis = 24 * 3_600_000

/** Replaces every time in a record: states that differ only in times are the same. */
const beginText = new Date(modelBeginMillis).toISOString()

export interface SteeringDecision {
  readonly seen: SteeringObservation
  readonly commands: ReadonlyArray<Command>
  readonly outcomes: ReadonlyArray<SteeringOutcome>
}

export interface SteeringReconciler {
  readonly decide: (state: SteeredState, moment: LookMoment) => SteeringDecision
}

export interface SteeringReconcilerOptions {
  readonly strategy: SteeringSettings
  /** GitOps tools that manage the template. */
  readonly gitManagers: ReadonlyArray<string>
  /** How many Pods, Jobs and answers may fail in one order of events. */
  readonly failuresMax: number
}

export const makeSteeringReconciler = (
  chart: PureChart,
  objectsTable: ModelObjectsTable,
  options: SteeringReconcilerOptions
): SteeringReconciler => ({
  decide: (state, moment) => {
    const seen = observe(state, moment, options)
    const [, commands] = chart.send(chart.initialSnapshot, { type: "observed", seen } as {
      readonly type: string
    })
    return { seen, commands, outcomes: performCommands(state, { seen, commands }, objectsTable, options) }
  }
})

const podsOf = (replicaSet: ReplicaSet | undefined, pods: PodCountsByClass) =>
  replicaSet === undefined ? [] : storedPods(replicaSet, pods)

const observe = (
  state: SteeredState,
  moment: LookMoment,
  options: SteeringReconcilerOptions
): SteeringObservation => {
  const { objects } = state
  const stored = storedReplicaSets(state)
  const pods = stored.map((replicaSet, position) =>
    podsOf(replicaSet, state.replicaSets[position]?.pods ?? noSteeredPods)
  )
  const newReplicaSet = stored[objects.newPosition]
  const reserved = (pods[objects.newPosition] ?? [])
    .filter(({ indexOfClass }) => allPodClasses[indexOfClass]?.isReservedForApproval === true)
    .map(({ pod }) => pod.metadata.name)
  const nowMillis = moment === "late" ? modelBeginMillis + lateMillis : modelBeginMillis
  return {
    deployment: withReserved(
      moment === "late" ? withMissedDeadline(objects.deployment) : objects.deployment,
      reserved
    ),
    strategy: options.strategy,
    problems: [],
    replicaSets: stored.filter((replicaSet) => replicaSet !== undefined),
    newReplicaSet,
    newPods: (pods[objects.newPosition] ?? []).map(({ pod }) => pod),
    completePods: stored.flatMap((replicaSet, position) =>
      replicaSet !== undefined && hasBeenComplete(replicaSet)
        ? (pods[position] ?? []).map(({ pod }) => pod)
        : []
    ),
    ...hookAndPreviewObjects(state, options.strategy),
    gitManagers: options.gitManagers,
    nowMillis
  }
}

const withReserved = (deployment: Deployment, reserved: ReadonlyArray<string>): Deployment => {
  const record = recordOf(deployment)
  return record === undefined || reserved.length === 0
    ? deployment
    : withSteeringRecord(deployment, { type: "recordSteering", record: { ...record, reserved } })
}

const withMissedDeadline = (deployment: Deployment): Deployment => ({
  ...deployment,
  status: {
    ...deployment.status,
    conditions: [
      ...(deployment.status.conditions ?? []),
      {
        type: "Progressing",
        status: "False",
        reason: "ProgressDeadlineExceeded",
        lastUpdateTime: timestampOf(modelBeginMillis + lateMillis)
      }
    ]
  }
})

const performCommands = (
  state: SteeredState,
  { seen, commands }: Pick<SteeringDecision, "seen" | "commands">,
  objectsTable: ModelObjectsTable,
  { failuresMax }: SteeringReconcilerOptions
): ReadonlyArray<SteeringOutcome> => {
  const outcomes: Array<SteeringOutcome> = []
  let current = state
  const texts: Array<string> = []
  const addOutcome = (next: SteeredState, what: string): void => {
    current = next
    texts.push(what)
    outcomes.push({ state: next, what: texts.join(", ") })
  }
  // A command names Pods by their class at the observation; their classes change while commands are performed.
  const observed = storedReplicaSets(state).map((replicaSet, position) =>
    podsOf(replicaSet, state.replicaSets[position]?.pods ?? noSteeredPods)
  )
  for (const command of commands) {
    switch (command.type) {
      case "approve":
      case "revoke":
        for (const { metadata } of command.pods)
          addOutcome(
            withApproval(current, observed, { name: metadata.name, isApproved: command.type === "approve" }),
            `${command.type}d a Pod`
          )
        break
      case "recordSteering":
        addOutcome(
          performRecord(current, command, observed, objectsTable),
          recordWriteText(seen.deployment, command)
        )
        break
      case "markComplete":
        addOutcome(performMarkComplete(current, command, objectsTable), commandText(command))
        break
      case "run":
        addOutcome(
          withHookJob(current, command.job.metadata.name ?? "", "running"),
          "started the Job of a hook"
        )
        break
      case "deleteJobs":
        addOutcome(withoutHookJobs(current, command.children), "deleted the Job of a hook whose step is over")
        break
      case "pointService":
        addOutcome({ ...current, previewedHash: command.hash }, commandText(command))
        break
      case "ask":
        for (const answer of possibleAnswers(command.question, current.failures < failuresMax)) {
          const record = recordWithAnswer(command.record, answer, command.question.limits, modelBeginMillis)
          const stateWithRecord = performRecord(
            current,
            { type: "recordSteering", record },
            observed,
            objectsTable
          )
          const isFailure = limitProblem(answer, command.question.limits) !== undefined
          outcomes.push({
            state: { ...stateWithRecord, failures: current.failures + (isFailure ? 1 : 0) },
            what: `asked, and the answer ${isFailure ? "failed" : "passed"}`
          })
        }
        break
      case "recordEvent":
      case "reportSteering":
      case "lookAgain":
        break
      default:
        throw new OutsideModel(`steering with the command ${command.type} cannot be explored`)
    }
  }
  return outcomes
}

type ObservedPods = ReadonlyArray<ReturnType<typeof podsOf>>

const withApproval = (
  state: SteeredState,
  observed: ObservedPods,
  { name, isApproved }: { readonly name: string; readonly isApproved: boolean }
): SteeredState => {
  for (const position of [0, 1] as const) {
    const index = observed[position]?.find(({ pod }) => pod.metadata.name === name)?.indexOfClass
    const podClass = index === undefined ? undefined : allPodClasses[index]
    if (podClass === undefined) continue
    const replicaSet = state.replicaSets[position]
    return withReplicaSet(
      state,
      position,
      withPods(replicaSet, changePodClass(replicaSet.pods, index, classIndex({ ...podClass, isApproved })))
    )
  }
  return state
}

const performRecord = (
  state: SteeredState,
  command: Extract<Command, { readonly type: "recordSteering" }>,
  observed: ObservedPods,
  objectsTable: ModelObjectsTable
): SteeredState => {
  const { objects } = state
  const steeredDeployment = withSteeringRecord(objects.deployment, command)
  const reserved = command.record?.reserved ?? []
  const isUndone = !dequal(steeredDeployment.spec, objects.deployment.spec)
  const { generation = 1 } = steeredDeployment.metadata
  const deployment = withoutRecordDetails({
    ...steeredDeployment,
    metadata: { ...steeredDeployment.metadata, generation: isUndone ? generation + 1 : generation }
  })
  const replicaSets = ([0, 1] as const).map((position) => {
    let { pods } = state.replicaSets[position]
    for (const { indexOfClass, pod } of observed[position] ?? []) {
      const podClass = allPodClasses[indexOfClass]
      const isReservedForApproval = reserved.includes(pod.metadata.name)
      if (podClass !== undefined && podClass.isReservedForApproval !== isReservedForApproval)
        pods = changePodClass(pods, indexOfClass, classIndex({ ...podClass, isReservedForApproval }))
    }
    return withPods(state.replicaSets[position], pods)
  })
  const [older = state.replicaSets[0], newer = state.replicaSets[1]] = replicaSets
  return {
    ...state,
    objects: objectsTable.findOrAdd(deployment, storedReplicaSets(state)),
    replicaSets: [older, newer]
  }
}

/**
 * Drops what no decision depends on: `beginText` stands for times, and reasons are empty. Also drops reserved Pods,
 * which a state counts by Pod class.
 */
const withoutRecordDetails = (deployment: Deployment): Deployment => {
  const record = recordOf(deployment)
  if (record === undefined) return deployment
  const { reserved: _reserved, oldDeadline: _oldDeadline, check, undone, aborted, ...rest } = record
  const text = steeringRecordText({
    ...rest,
    since: beginText,
    ...(undone === undefined ? {} : { undone: undone.map((rollback) => ({ ...rollback, reason: "" })) }),
    ...(aborted === undefined ? {} : { aborted: { reason: "" } }),
    ...(check === undefined ? {} : { check: { ...check, at: beginText, says: "" } })
  })
  return {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      annotations: { ...deployment.metadata.annotations, [recordAnnotation]: text }
    }
  }
}

const performMarkComplete = (
  state: SteeredState,
  { replicaSet, mark }: Extract<Command, { readonly type: "markComplete" }>,
  objectsTable: ModelObjectsTable
): SteeredState => {
  // A mark has the template's hash, the revision and the time at which it was complete.
  const [hash = "", revision = ""] = mark.split(" ")
  return {
    ...state,
    objects: objectsTable.findOrAdd(
      state.objects.deployment,
      storedReplicaSets(state).map((storedReplicaSet) =>
        storedReplicaSet?.metadata.name === replicaSet.metadata.name
          ? withCompletionMark(storedReplicaSet, `${hash} ${revision} ${beginText}`)
          : storedReplicaSet
      )
    )
  }
}
