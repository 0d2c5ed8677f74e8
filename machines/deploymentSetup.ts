import { assign, setup } from "xstate"
import * as deploymentCommands from "../src/kubernetes/apps/deploymentCommands.ts"
import * as progress from "../src/kubernetes/apps/progress.ts"
import * as routes from "../src/kubernetes/apps/rolloutPrecedence.ts"
import {
  availableCondition,
  isDeploymentAvailable,
  unavailableCondition
} from "../src/kubernetes/apps/deploymentStatus.ts"
import {
  isNameTaken,
  isNextMissing,
  nextReplicaSetName
} from "../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { namespaceTerminatingCause } from "../src/kubernetes/core/namespaceDeletion.ts"
import { rollBack } from "../src/kubernetes/apps/revisions/rollback.ts"
import { emitEach } from "./emitEach.ts"
import type { DesiredCondition } from "../src/kubernetes/meta/conditions.ts"
import type { DeploymentCommand, CommandRefusal } from "../src/kubernetes/apps/commands.ts"
import type { DeploymentCommands } from "../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentObservation, DeploymentGuard } from "../src/kubernetes/apps/deploymentObservation.ts"

/** The context, guards, actions and delay of the Deployment's chart in `deployment.ts`. */
export interface DeploymentContext {
  readonly seen: DeploymentObservation | undefined
  /** When progress was made, until the stored condition says so. */
  readonly notedMillis: number | undefined
  /** When the progress check is due; undefined if none is scheduled. */
  readonly checkMillis: number | undefined
}

export type DeploymentEvent =
  | { readonly type: "observed"; readonly seen: DeploymentObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

interface ChartMoment {
  readonly context: DeploymentContext
  readonly event: DeploymentEvent
}

/** The event's observation, or else the last one. */
const observationAt = ({ context, event }: ChartMoment): DeploymentObservation | undefined =>
  event.type === "observed" ? event.seen : context.seen

const readObservation =
  <A>(select: (observation: DeploymentObservation) => A) =>
  (moment: ChartMoment): A | undefined => {
    const observation = observationAt(moment)
    return observation === undefined ? undefined : select(observation)
  }

export const toGuard =
  (fact: DeploymentGuard) =>
  (moment: ChartMoment): boolean =>
    readObservation(fact)(moment) === true

const nowMillisAt = readObservation(({ nowMillis }) => nowMillis)

export const emitCommands = (
  commands: (observation: DeploymentObservation, event: DeploymentEvent) => DeploymentCommands
) =>
  emitEach<DeploymentContext, DeploymentEvent, DeploymentCommand>((moment) => {
    const observation = observationAt(moment)
    return observation === undefined ? [] : commands(observation, moment.event)
  })

const report = (toCondition: (observation: DeploymentObservation) => DesiredCondition, refresh = false) =>
  emitCommands((observation) => deploymentCommands.reportCondition(toCondition(observation), refresh))

const isTracked: DeploymentGuard = ({ deployment }) => progress.hasProgressDeadline(deployment)
const reasonIs =
  (reason: string): DeploymentGuard =>
  ({ deployment }) =>
    progress.progressingCondition(deployment)?.reason === reason
const isNewlyFound: DeploymentGuard = (observation) =>
  observation.next !== undefined && progress.progressingCondition(observation.deployment) === undefined
const hasProgressed: DeploymentGuard = (observation) =>
  routes.canStrategyAct(observation) && progress.hasProgressed(observation)
/** If the condition says so already, the deadline counts from its time. */
const isCreationReported: DeploymentGuard = (observation) =>
  reasonIs("NewReplicaSetCreated")(observation) && !hasProgressed(observation)
const messageOf = (event: DeploymentEvent): string => (event.type === "refused" ? event.refusal.message : "")

const needsCheck = (moment: ChartMoment): boolean =>
  toGuard(
    (observation) =>
      routes.canStrategyAct(observation) &&
      progress.needsProgressCheck(observation, moment.context.notedMillis)
  )(moment)
const checkMillisAt = (moment: ChartMoment): number | undefined =>
  readObservation((observation) => progress.progressCheckMillis(observation, moment.context.notedMillis))(
    moment
  )
export const deploymentSetup = setup({
  types: {} as {
    context: DeploymentContext
    events: DeploymentEvent
    emitted: DeploymentCommand
    tags: "moving"
  },
  guards: {
    isClaiming: toGuard(routes.isClaiming),
    isRenumbering: toGuard(routes.isRenumbering),
    isTerminating: toGuard(routes.isDeploymentTerminating),
    isPaused: toGuard(routes.isPaused),
    isRollingBack: toGuard(routes.isRollingBack),
    isNameTaken: toGuard(isNameTaken),
    isNextMissing: toGuard(isNextMissing),
    isScaling: toGuard(routes.isScaling),
    isCreationRefused: ({ event }) =>
      event.type === "refused" &&
      event.refusal.command === "createReplicaSet" &&
      event.refusal.reason !== "AlreadyExists" &&
      event.refusal.reason !== namespaceTerminatingCause,

    isSetAside: toGuard((observation) => routes.isClaiming(observation) || routes.isRenumbering(observation)),
    isUntracked: toGuard((observation) => !isTracked(observation)),
    isPausing: toGuard(progress.isPausing),
    isSuspended: toGuard(
      (observation) => routes.isPaused(observation) && reasonIs("DeploymentPaused")(observation)
    ),
    isNewlyComplete: toGuard(
      (observation) =>
        routes.canStrategyAct(observation) &&
        progress.isComplete(observation) &&
        !progress.staysComplete(observation)
    ),
    hasProgressed: toGuard(
      (observation) => hasProgressed(observation) && !progress.staysComplete(observation)
    ),
    isResuming: toGuard(progress.isResuming),
    isNewlyFound: toGuard(isNewlyFound),
    isOverdue: toGuard(
      (observation) =>
        routes.canStrategyAct(observation) &&
        progress.isProgressOverdue(observation) &&
        !reasonIs("ProgressDeadlineExceeded")(observation)
    ),
    wasOverdue: toGuard(reasonIs("ProgressDeadlineExceeded")),
    isAwaitingCheck: toGuard(
      (observation) =>
        reasonIs("NewReplicaSetAvailable")(observation) &&
        progress.isTerminationUncounted(observation) &&
        routes.canStrategyAct(observation) &&
        progress.needsProgressCheck(observation, undefined)
    ),
    wasComplete: toGuard(reasonIs("NewReplicaSetAvailable")),
    isUnjudged: toGuard((observation) => !routes.canStrategyAct(observation)),
    // Nothing is judged before the strategy's turn, which retries the ReplicaSet.
    wasRefused: toGuard(
      (observation) => !routes.canStrategyAct(observation) && reasonIs("ReplicaSetCreateError")(observation)
    ),
    isCreating: () => false,

    needsCheck,
    needsSoonerCheck: (moment) =>
      needsCheck(moment) && (checkMillisAt(moment) ?? Infinity) < (moment.context.checkMillis ?? 0),

    isAvailable: toGuard(isDeploymentAvailable)
  },
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claimReplicaSets: emitCommands(deploymentCommands.claimReplicaSets),
    renumberNext: emitCommands(deploymentCommands.renumberNext),
    // Provided with the strategies, which choose the size.
    createNext: () => {},
    reportCollision: emitCommands(deploymentCommands.reportCollision),
    rollBack: emitCommands(rollBack),
    shareSize: emitCommands(deploymentCommands.shareSize),
    cleanUp: emitCommands(deploymentCommands.cleanUp),
    reportCounts: emitCommands(deploymentCommands.reportCounts),
    reportStatus: emitCommands((observation) => [
      ...deploymentCommands.reportCounts(observation),
      ...deploymentCommands.reportFailure(observation)
    ]),
    recordCreationRefused: emitCommands((observation, event) => [
      {
        type: "recordEvent",
        eventType: "Warning",
        reason: "ReplicaSetCreateError",
        message: deploymentCommands.creationRefusedMessage(observation, messageOf(event))
      }
    ]),

    noteProgress: assign((moment) => ({ notedMillis: nowMillisAt(moment) })),
    noteCreation: assign((moment) => ({
      notedMillis: toGuard(isCreationReported)(moment) ? undefined : nowMillisAt(moment)
    })),
    noteCheck: assign((moment) => ({ checkMillis: checkMillisAt(moment) })),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }]),
    recallProgress: assign({ notedMillis: undefined }),
    reportPaused: report(() => progress.pausedCondition),
    reportResumed: report(() => progress.resumedCondition),
    // Other changes during the creation of the ReplicaSet count as progress.
    reportCreated: emitCommands((observation) => {
      const name = nextReplicaSetName(observation.deployment)
      const progressed = hasProgressed(observation)
      return [
        ...deploymentCommands.reportCondition(progress.createdCondition(name)),
        ...(progressed
          ? deploymentCommands.reportCondition(progress.progressedCondition(observation, name))
          : [])
      ]
    }),
    reportFound: report((observation) => progress.foundCondition(observation.next?.metadata.name ?? "")),
    reportProgressed: report((observation) => progress.progressedCondition(observation), true),
    reportComplete: report(progress.completeCondition),
    reportOverdue: report(progress.overdueCondition),
    reportCreationRefused: emitCommands((observation, event) =>
      isTracked(observation)
        ? deploymentCommands.reportCondition(
            progress.refusedCondition(
              deploymentCommands.creationRefusedMessage(observation, messageOf(event))
            )
          )
        : []
    ),
    forgetProgress: emitCommands((observation) =>
      routes.canStrategyAct(observation) ? deploymentCommands.forgetProgress(observation) : []
    ),

    reportAvailable: report(() => availableCondition),
    reportUnavailable: report(() => unavailableCondition)
  },
  delays: {
    progressCheck: ({ context }) => Math.max(0, (context.checkMillis ?? 0) - (context.seen?.nowMillis ?? 0))
  }
})
