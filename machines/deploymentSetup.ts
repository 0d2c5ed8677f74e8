import { assign, setup } from "xstate"
import * as deploymentCommands from "../src/kubernetes/apps/deploymentCommands.ts"
import * as progress from "../src/kubernetes/apps/progress.ts"
import * as precedence from "../src/kubernetes/apps/rolloutPrecedence.ts"
import { availableCondition, unavailableCondition } from "../src/kubernetes/apps/deploymentStatus.ts"
import { newReplicaSetName } from "../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { rollBack } from "../src/kubernetes/apps/revisions/rollback.ts"
import {
  progressCheckMillisAt,
  deploymentGuards,
  hasStrategyProgressed,
  isCreationReported,
  observationAt,
  fromObservation
} from "./guards/deploymentGuards.ts"
import { emitEach } from "./emitEach.ts"
import { recordEvent } from "../src/kubernetes/apps/sharedCommands.ts"
import type { DesiredCondition } from "../src/kubernetes/meta/conditions.ts"
import type { DeploymentCommand } from "../src/kubernetes/apps/commands.ts"
import type { DeploymentCommands } from "../src/kubernetes/apps/deploymentCommands.ts"
import type { DeploymentObservation } from "../src/kubernetes/apps/deploymentObservation.ts"
import type { DeploymentContext, DeploymentEvent } from "./guards/deploymentGuards.ts"

const nowMillisAt = fromObservation(({ nowMillis }) => nowMillis)

export const emitCommands = (
  commands: (observation: DeploymentObservation, event: DeploymentEvent) => DeploymentCommands
) =>
  emitEach<DeploymentContext, DeploymentEvent, DeploymentCommand>((args) => {
    const observation = observationAt(args)
    return observation === undefined ? [] : commands(observation, args.event)
  })

const report = (
  toCondition: (observation: DeploymentObservation) => DesiredCondition,
  { refreshesLastUpdateTime = false } = {}
) =>
  emitCommands((observation) =>
    deploymentCommands.reportCondition(toCondition(observation), refreshesLastUpdateTime)
  )

const messageOf = (event: DeploymentEvent): string => (event.type === "refused" ? event.refusal.message : "")

export const deploymentSetup = setup({
  types: {} as {
    context: DeploymentContext
    events: DeploymentEvent
    emitted: DeploymentCommand
    tags: "moving"
  },
  guards: deploymentGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    claimReplicaSets: emitCommands(deploymentCommands.claimReplicaSets),
    renumberNew: emitCommands(deploymentCommands.renumberNew),
    // `deploymentMachine` replaces this action: the strategy chooses the ReplicaSet's size.
    createNew: () => {},
    reportCollision: emitCommands(deploymentCommands.reportCollision),
    rollBack: emitCommands(rollBack),
    scaleProportionally: emitCommands(deploymentCommands.scaleProportionally),
    cleanUp: emitCommands(deploymentCommands.cleanUp),
    reportCounts: emitCommands(deploymentCommands.reportCounts),
    reportStatus: emitCommands((observation) => [
      ...deploymentCommands.reportCounts(observation),
      ...deploymentCommands.reportFailure(observation)
    ]),
    recordCreationRefused: emitCommands((observation, event) => [
      recordEvent(
        "Warning",
        "ReplicaSetCreateError",
        deploymentCommands.creationRefusedMessage(observation, messageOf(event))
      )
    ]),

    // Until the Progressing condition is stored, progress counts from this time.
    noteProgress: assign((args) => ({ lastProgressMillis: nowMillisAt(args) })),
    noteCreation: assign((args) => ({
      lastProgressMillis: isCreationReported(args) ? undefined : nowMillisAt(args)
    })),
    noteCheck: assign((args) => ({ nextCheckMillis: progressCheckMillisAt(args) })),
    lookAgain: emitCommands(() => [{ type: "lookAgain" }]),
    // Progress counts from the stored condition's time again.
    recallProgress: assign({ lastProgressMillis: undefined }),
    reportPaused: report(() => progress.pausedCondition),
    reportResumed: report(() => progress.resumedCondition),
    // Other changes during the creation of the ReplicaSet count as progress.
    reportCreated: emitCommands((observation) => {
      const name = newReplicaSetName(observation.deployment)
      const progressed = hasStrategyProgressed(observation)
      return [
        ...deploymentCommands.reportCondition(progress.replicaSetCreatedCondition(name)),
        ...(progressed
          ? deploymentCommands.reportCondition(progress.progressedCondition(observation, name))
          : [])
      ]
    }),
    reportFound: report((observation) =>
      progress.replicaSetFoundCondition(observation.newReplicaSet?.metadata.name ?? "")
    ),
    reportProgressed: report((observation) => progress.progressedCondition(observation), {
      refreshesLastUpdateTime: true
    }),
    reportComplete: report(progress.completeCondition),
    reportOverdue: report(progress.overdueCondition),
    reportCreationRefused: emitCommands((observation, event) =>
      progress.hasProgressDeadline(observation.deployment)
        ? deploymentCommands.reportCondition(
            progress.creationRefusedCondition(
              deploymentCommands.creationRefusedMessage(observation, messageOf(event))
            )
          )
        : []
    ),
    forgetProgress: emitCommands((observation) =>
      precedence.canStrategyAct(observation) ? deploymentCommands.forgetProgress(observation) : []
    ),

    reportAvailable: report(() => availableCondition),
    reportUnavailable: report(() => unavailableCondition)
  },
  delays: {
    progressCheck: ({ context }) =>
      Math.max(0, (context.nextCheckMillis ?? 0) - (context.seen?.nowMillis ?? 0))
  }
})
