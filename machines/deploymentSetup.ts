import { assign, setup } from "xstate"
import * as deploymentCommands from "../src/domain/deploymentCommands.ts"
import * as progress from "../src/domain/progress.ts"
import * as routes from "../src/domain/routes.ts"
import { availableClaim, isAvailable, unavailableClaim } from "../src/domain/deploymentStatus.ts"
import { isNameTaken, isNextMissing, nextName } from "../src/domain/newReplicaSet.ts"
import { namespaceTerminatingCause } from "../src/domain/namespaceContent.ts"
import { rollBack } from "../src/domain/rollback.ts"
import { emitEach } from "./emitEach.ts"
import type { ConditionClaim } from "../src/domain/conditions.ts"
import type { DeploymentCommand, Refusal } from "../src/domain/commands.ts"
import type { Commands } from "../src/domain/deploymentCommands.ts"
import type { DeploymentObservation, Fact } from "../src/domain/observations.ts"

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
  | { readonly type: "refused"; readonly refusal: Refusal }

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

export const ask =
  (fact: Fact) =>
  (moment: ChartMoment): boolean =>
    readObservation(fact)(moment) === true

const nowMillisAt = readObservation(({ nowMillis }) => nowMillis)

export const tell = (commands: (observation: DeploymentObservation, event: DeploymentEvent) => Commands) =>
  emitEach<DeploymentContext, DeploymentEvent, DeploymentCommand>((moment) => {
    const observation = observationAt(moment)
    return observation === undefined ? [] : commands(observation, moment.event)
  })

const report = (toCondition: (observation: DeploymentObservation) => ConditionClaim, refresh = false) =>
  tell((observation) => deploymentCommands.reportCondition(toCondition(observation), refresh))

const isTracked: Fact = ({ deployment }) => progress.hasDeadline(deployment)
const reasonIs =
  (reason: string): Fact =>
  ({ deployment }) =>
    progress.progressingOf(deployment)?.reason === reason
const isNewlyFound: Fact = (observation) =>
  observation.next !== undefined && progress.progressingOf(observation.deployment) === undefined
const hasProgressed: Fact = (observation) =>
  routes.isRolling(observation) && progress.hasProgressed(observation)
/** If the condition says so already, the deadline counts from its time. */
const isCreationReported: Fact = (observation) =>
  reasonIs("NewReplicaSetCreated")(observation) && !hasProgressed(observation)
const messageOf = (event: DeploymentEvent): string => (event.type === "refused" ? event.refusal.message : "")

const needsCheck = (moment: ChartMoment): boolean =>
  ask(
    (observation) =>
      routes.isRolling(observation) && progress.needsCheck(observation, moment.context.notedMillis)
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
    isClaiming: ask(routes.isClaiming),
    isRenumbering: ask(routes.isRenumbering),
    isTerminating: ask(routes.isTerminating),
    isPaused: ask(routes.isPaused),
    isRollingBack: ask(routes.isRollingBack),
    isNameTaken: ask(isNameTaken),
    isNextMissing: ask(isNextMissing),
    isScaling: ask(routes.isScaling),
    isCreationRefused: ({ event }) =>
      event.type === "refused" &&
      event.refusal.command === "createReplicaSet" &&
      event.refusal.reason !== "AlreadyExists" &&
      event.refusal.reason !== namespaceTerminatingCause,

    isSetAside: ask((observation) => routes.isClaiming(observation) || routes.isRenumbering(observation)),
    isUntracked: ask((observation) => !isTracked(observation)),
    isPausing: ask(progress.isPausing),
    isSuspended: ask(
      (observation) => routes.isPaused(observation) && reasonIs("DeploymentPaused")(observation)
    ),
    isNewlyComplete: ask(
      (observation) =>
        routes.isRolling(observation) &&
        progress.isComplete(observation) &&
        !progress.staysComplete(observation)
    ),
    hasProgressed: ask((observation) => hasProgressed(observation) && !progress.staysComplete(observation)),
    isResuming: ask(progress.isResuming),
    isNewlyFound: ask(isNewlyFound),
    isOverdue: ask(
      (observation) =>
        routes.isRolling(observation) &&
        progress.isOverdue(observation) &&
        !reasonIs("ProgressDeadlineExceeded")(observation)
    ),
    wasOverdue: ask(reasonIs("ProgressDeadlineExceeded")),
    isAwaitingCheck: ask(
      (observation) =>
        reasonIs("NewReplicaSetAvailable")(observation) &&
        progress.isTerminationUncounted(observation) &&
        routes.isRolling(observation) &&
        progress.needsCheck(observation, undefined)
    ),
    wasComplete: ask(reasonIs("NewReplicaSetAvailable")),
    isUnjudged: ask((observation) => !routes.isRolling(observation)),
    // Nothing is judged before the strategy's turn, which retries the ReplicaSet.
    wasRefused: ask(
      (observation) => !routes.isRolling(observation) && reasonIs("ReplicaSetCreateError")(observation)
    ),
    isCreating: () => false,

    needsCheck,
    needsSoonerCheck: (moment) =>
      needsCheck(moment) && (checkMillisAt(moment) ?? Infinity) < (moment.context.checkMillis ?? 0),

    isAvailable: ask(isAvailable)
  },
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claimReplicaSets: tell(deploymentCommands.claimReplicaSets),
    renumberNext: tell(deploymentCommands.renumberNext),
    // Provided with the strategies, which choose the size.
    createNext: () => {},
    reportCollision: tell(deploymentCommands.reportCollision),
    rollBack: tell(rollBack),
    shareSize: tell(deploymentCommands.shareSize),
    cleanUp: tell(deploymentCommands.cleanUp),
    reportCounts: tell(deploymentCommands.reportCounts),
    reportStatus: tell((observation) => [
      ...deploymentCommands.reportCounts(observation),
      ...deploymentCommands.reportFailure(observation)
    ]),
    recordCreationRefused: tell((observation, event) => [
      {
        type: "recordEvent",
        eventType: "Warning",
        reason: "ReplicaSetCreateError",
        message: deploymentCommands.creationRefused(observation, messageOf(event))
      }
    ]),

    noteProgress: assign((moment) => ({ notedMillis: nowMillisAt(moment) })),
    noteCreation: assign((moment) => ({
      notedMillis: ask(isCreationReported)(moment) ? undefined : nowMillisAt(moment)
    })),
    noteCheck: assign((moment) => ({ checkMillis: checkMillisAt(moment) })),
    lookAgain: tell(() => [{ type: "lookAgain" }]),
    recallProgress: assign({ notedMillis: undefined }),
    reportPaused: report(() => progress.pausedClaim),
    reportResumed: report(() => progress.resumedClaim),
    // Other changes during the creation of the ReplicaSet count as progress.
    reportCreated: tell((observation) => {
      const name = nextName(observation.deployment)
      const progressed = hasProgressed(observation)
      return [
        ...deploymentCommands.reportCondition(progress.createdClaim(name)),
        ...(progressed ? deploymentCommands.reportCondition(progress.progressedClaim(observation, name)) : [])
      ]
    }),
    reportFound: report((observation) => progress.foundClaim(observation.next?.metadata.name ?? "")),
    reportProgressed: report((observation) => progress.progressedClaim(observation), true),
    reportComplete: report(progress.completeClaim),
    reportOverdue: report(progress.overdueClaim),
    reportCreationRefused: tell((observation, event) =>
      isTracked(observation)
        ? deploymentCommands.reportCondition(
            progress.refusedClaim(deploymentCommands.creationRefused(observation, messageOf(event)))
          )
        : []
    ),
    forgetProgress: tell((observation) =>
      routes.isRolling(observation) ? deploymentCommands.forgetProgress(observation) : []
    ),

    reportAvailable: report(() => availableClaim),
    reportUnavailable: report(() => unavailableClaim)
  },
  delays: {
    progressCheck: ({ context }) => Math.max(0, (context.checkMillis ?? 0) - (context.seen?.nowMillis ?? 0))
  }
})
