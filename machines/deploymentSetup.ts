import { assign, setup } from "xstate"
import * as say from "../src/domain/deploymentCommands.ts"
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

/**
 * The words of the Deployment's chart: its facts (guards), what it says (actions), and its one delay. The chart
 * itself, in deployment.ts, only names them.
 */
export interface DeploymentContext {
  /** What was last observed, for the states that an observation leads through. */
  readonly seen: DeploymentObservation | undefined
  /** When progress was noted, until the stored condition says so too; undefined afterwards. */
  readonly notedMillis: number | undefined
  /** When the look is due that the progress check waits for; undefined where none is ahead. */
  readonly checkMillis: number | undefined
}

export type DeploymentEvent =
  | { readonly type: "observed"; readonly seen: DeploymentObservation }
  | { readonly type: "refused"; readonly refusal: Refusal }

interface Moment {
  readonly context: DeploymentContext
  readonly event: DeploymentEvent
}

/** The observation at hand: the event's own where it brings one, else the one remembered. */
const seenAt = ({ context, event }: Moment): DeploymentObservation | undefined =>
  event.type === "observed" ? event.seen : context.seen

/** What there is to read of the observation at hand. */
const read =
  <A>(of: (seen: DeploymentObservation) => A) =>
  (moment: Moment): A | undefined => {
    const seen = seenAt(moment)
    return seen === undefined ? undefined : of(seen)
  }

export const ask =
  (fact: Fact) =>
  (moment: Moment): boolean =>
    read(fact)(moment) === true

const nowMillisAt = read(({ nowMillis }) => nowMillis)

/** Emits the commands that follow from the observation at hand. */
export const tell = (commands: (seen: DeploymentObservation, event: DeploymentEvent) => Commands) =>
  emitEach<DeploymentContext, DeploymentEvent, DeploymentCommand>((moment) => {
    const seen = seenAt(moment)
    return seen === undefined ? [] : commands(seen, moment.event)
  })

const report = (claimOf: (seen: DeploymentObservation) => ConditionClaim, refresh = false) =>
  tell((seen) => say.reportCondition(claimOf(seen), refresh))

const isTracked: Fact = ({ deployment }) => progress.hasDeadline(deployment)
const reasonIs =
  (reason: string): Fact =>
  ({ deployment }) =>
    progress.progressingOf(deployment)?.reason === reason
const isNewlyFound: Fact = (seen) =>
  seen.next !== undefined && progress.progressingOf(seen.deployment) === undefined
const hasProgressed: Fact = (seen) => routes.isRolling(seen) && progress.hasProgressed(seen)
/** A condition that says so already keeps its time, and the deadline counts from that. */
const isCreationSaid: Fact = (seen) => reasonIs("NewReplicaSetCreated")(seen) && !hasProgressed(seen)
const messageOf = (event: DeploymentEvent): string => (event.type === "refused" ? event.refusal.message : "")

/** Progress is judged, and what it says of the rollout is to be checked when the deadline is over. */
const needsCheck = (moment: Moment): boolean =>
  ask((seen) => routes.isRolling(seen) && progress.needsCheck(seen, moment.context.notedMillis))(moment)
/** Undefined without an observation. */
const checkMillisAt = (moment: Moment): number | undefined =>
  read((seen) => progress.progressCheckMillis(seen, moment.context.notedMillis))(moment)
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
    // Nothing is judged before the strategy's turn, at which the ReplicaSet is asked for again.
    wasRefused: ask((seen) => !routes.isRolling(seen) && reasonIs("ReplicaSetCreateError")(seen)),
    // The strategies that the chart is composed of bring the answer along.
    isCreating: () => false,

    needsCheck,
    needsSoonerCheck: (moment) =>
      needsCheck(moment) && (checkMillisAt(moment) ?? Infinity) < (moment.context.checkMillis ?? 0),

    isAvailable: ask(isAvailable)
  },
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claimReplicaSets: tell(say.claimReplicaSets),
    renumberNext: tell(say.renumberNext),
    // Brought along by the strategies, each of which has its own size for it.
    createNext: () => {},
    reportCollision: tell(say.reportCollision),
    rollBack: tell(rollBack),
    shareSize: tell(say.shareSize),
    cleanUp: tell(say.cleanUp),
    reportCounts: tell(say.reportCounts),
    reportStatus: tell((seen) => [...say.reportCounts(seen), ...say.reportFailure(seen)]),
    recordCreationRefused: tell((seen, event) => [
      {
        type: "recordEvent",
        eventType: "Warning",
        reason: "ReplicaSetCreateError",
        message: say.creationRefused(seen, messageOf(event))
      }
    ]),

    noteProgress: assign((moment) => ({ notedMillis: nowMillisAt(moment) })),
    noteCreation: assign((moment) => ({
      notedMillis: ask(isCreationSaid)(moment) ? undefined : nowMillisAt(moment)
    })),
    noteCheck: assign((moment) => ({ checkMillis: checkMillisAt(moment) })),
    lookAgain: tell(() => [{ type: "lookAgain" }]),
    recallProgress: assign({ notedMillis: undefined }),
    reportPaused: report(() => progress.pausedClaim),
    reportResumed: report(() => progress.resumedClaim),
    // What else changed while the ReplicaSet was created counts as progress of it.
    reportCreated: tell((seen) => {
      const name = nextName(seen.deployment)
      const progressed = hasProgressed(seen)
      return [
        ...say.reportCondition(progress.createdClaim(name)),
        ...(progressed ? say.reportCondition(progress.progressedClaim(seen, name)) : [])
      ]
    }),
    reportFound: report((seen) => progress.foundClaim(seen.next?.metadata.name ?? "")),
    reportProgressed: report((seen) => progress.progressedClaim(seen), true),
    reportComplete: report(progress.completeClaim),
    reportOverdue: report(progress.overdueClaim),
    reportCreationRefused: tell((seen, event) =>
      isTracked(seen)
        ? say.reportCondition(progress.refusedClaim(say.creationRefused(seen, messageOf(event))))
        : []
    ),
    forgetProgress: tell((seen) => (routes.isRolling(seen) ? say.forgetProgress(seen) : [])),

    reportAvailable: report(() => availableClaim),
    reportUnavailable: report(() => unavailableClaim)
  },
  delays: {
    progressCheck: ({ context }) => Math.max(0, (context.checkMillis ?? 0) - (context.seen?.nowMillis ?? 0))
  }
})
