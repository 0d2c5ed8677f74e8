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
  <A>(of: (seen: DeploymentObservation) => A) =>
  (moment: ChartMoment): A | undefined => {
    const seen = observationAt(moment)
    return seen === undefined ? undefined : of(seen)
  }

export const ask =
  (fact: Fact) =>
  (moment: ChartMoment): boolean =>
    readObservation(fact)(moment) === true

const nowMillisAt = readObservation(({ nowMillis }) => nowMillis)

export const tell = (commands: (seen: DeploymentObservation, event: DeploymentEvent) => Commands) =>
  emitEach<DeploymentContext, DeploymentEvent, DeploymentCommand>((moment) => {
    const seen = observationAt(moment)
    return seen === undefined ? [] : commands(seen, moment.event)
  })

const report = (toCondition: (seen: DeploymentObservation) => ConditionClaim, refresh = false) =>
  tell((seen) => deploymentCommands.reportCondition(toCondition(seen), refresh))

const isTracked: Fact = ({ deployment }) => progress.hasDeadline(deployment)
const reasonIs =
  (reason: string): Fact =>
  ({ deployment }) =>
    progress.progressingOf(deployment)?.reason === reason
const isNewlyFound: Fact = (seen) =>
  seen.next !== undefined && progress.progressingOf(seen.deployment) === undefined
const hasProgressed: Fact = (seen) => routes.isRolling(seen) && progress.hasProgressed(seen)
/** If the condition says so already, the deadline counts from its time. */
const isCreationReported: Fact = (seen) => reasonIs("NewReplicaSetCreated")(seen) && !hasProgressed(seen)
const messageOf = (event: DeploymentEvent): string => (event.type === "refused" ? event.refusal.message : "")

const needsCheck = (moment: ChartMoment): boolean =>
  ask((seen) => routes.isRolling(seen) && progress.needsCheck(seen, moment.context.notedMillis))(moment)
const checkMillisAt = (moment: ChartMoment): number | undefined =>
  readObservation((seen) => progress.progressCheckMillis(seen, moment.context.notedMillis))(moment)
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

    isSetAside: ask((seen) => routes.isClaiming(seen) || routes.isRenumbering(seen)),
    isUntracked: ask((seen) => !isTracked(seen)),
    isPausing: ask(progress.isPausing),
    isSuspended: ask((seen) => routes.isPaused(seen) && reasonIs("DeploymentPaused")(seen)),
    isNewlyComplete: ask(
      (seen) => routes.isRolling(seen) && progress.isComplete(seen) && !progress.staysComplete(seen)
    ),
    hasProgressed: ask((seen) => hasProgressed(seen) && !progress.staysComplete(seen)),
    isResuming: ask(progress.isResuming),
    isNewlyFound: ask(isNewlyFound),
    isOverdue: ask(
      (seen) =>
        routes.isRolling(seen) && progress.isOverdue(seen) && !reasonIs("ProgressDeadlineExceeded")(seen)
    ),
    wasOverdue: ask(reasonIs("ProgressDeadlineExceeded")),
    isAwaitingCheck: ask(
      (seen) =>
        reasonIs("NewReplicaSetAvailable")(seen) &&
        progress.isTerminationUncounted(seen) &&
        routes.isRolling(seen) &&
        progress.needsCheck(seen, undefined)
    ),
    wasComplete: ask(reasonIs("NewReplicaSetAvailable")),
    isUnjudged: ask((seen) => !routes.isRolling(seen)),
    // Nothing is judged before the strategy's turn, which retries the ReplicaSet.
    wasRefused: ask((seen) => !routes.isRolling(seen) && reasonIs("ReplicaSetCreateError")(seen)),
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
    reportStatus: tell((seen) => [
      ...deploymentCommands.reportCounts(seen),
      ...deploymentCommands.reportFailure(seen)
    ]),
    recordCreationRefused: tell((seen, event) => [
      {
        type: "recordEvent",
        eventType: "Warning",
        reason: "ReplicaSetCreateError",
        message: deploymentCommands.creationRefused(seen, messageOf(event))
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
    reportCreated: tell((seen) => {
      const name = nextName(seen.deployment)
      const progressed = hasProgressed(seen)
      return [
        ...deploymentCommands.reportCondition(progress.createdClaim(name)),
        ...(progressed ? deploymentCommands.reportCondition(progress.progressedClaim(seen, name)) : [])
      ]
    }),
    reportFound: report((seen) => progress.foundClaim(seen.next?.metadata.name ?? "")),
    reportProgressed: report((seen) => progress.progressedClaim(seen), true),
    reportComplete: report(progress.completeClaim),
    reportOverdue: report(progress.overdueClaim),
    reportCreationRefused: tell((seen, event) =>
      isTracked(seen)
        ? deploymentCommands.reportCondition(
            progress.refusedClaim(deploymentCommands.creationRefused(seen, messageOf(event)))
          )
        : []
    ),
    forgetProgress: tell((seen) => (routes.isRolling(seen) ? deploymentCommands.forgetProgress(seen) : [])),

    reportAvailable: report(() => availableClaim),
    reportUnavailable: report(() => unavailableClaim)
  },
  delays: {
    progressCheck: ({ context }) => Math.max(0, (context.checkMillis ?? 0) - (context.seen?.nowMillis ?? 0))
  }
})
