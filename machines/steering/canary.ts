import { hookJobsOf } from "../../src/kubernetes/steering/hookJobs.ts"
import { stepProblems } from "../../src/kubernetes/steering/stepProblems.ts"
import { stepCommands, stepDelays, stepGuards, stepStates } from "./sharedStepStates.ts"
import { defineSteering } from "./steeringStrategy.ts"
import type { CanarySettings } from "../../src/kubernetes/steering/steeringSettings.ts"

/** Approves the Pods of a new revision by steps. Needs the readiness gate `charthouse.dev/approved`. */
export const canary = defineSteering({
  state: "canary",
  problems: (settings, deployment) => stepProblems(settings as CanarySettings, deployment),
  needs: (settings) => ({ services: [], jobs: hookJobsOf(settings as CanarySettings) }),
  guards: stepGuards,
  delays: stepDelays,
  commands: stepCommands,
  chart: {
    description: "Approves the Pods of a new revision by steps, and takes it back when it fails.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [
          { guard: "hasPendingComplete", target: "approvingComplete" },
          { guard: "isUnsettled", target: "awaitingController" },
          { guard: "isUnrecorded", target: "beginning" },
          { guard: "isNewlyComplete", target: "recordingComplete" },
          { guard: "isForgettable", target: "forgettingUndone" },
          { guard: "isIdlyAsked", target: "dismissingLate" },
          { guard: "isComplete", target: "done" },
          { guard: "wasAborted", target: "givenUp" },
          { guard: "isFailingWhileShrinking", target: "awaitingDeletions" },
          { guard: "mayUndo", target: "undoing" },
          { guard: "hasFailed", target: "givingUp" },
          { guard: "isHoldNews", target: "recordingHold" },
          { guard: "isHeld", target: "held" },
          { guard: "mayPromote", target: "promoting" },
          { guard: "isPromotedEarly", target: "dismissingEarly" },
          { guard: "mayApprove", target: "approving" },
          { guard: "mayReserve", target: "reserving" },
          { guard: "isStepOver", target: "advancing" },
          { guard: "mayRun", target: "running" },
          { guard: "mayAsk", target: "asking" },
          { guard: "isChecking", target: "checking" },
          { guard: "isHolding", target: "holding" },
          { target: "awaitingPods" }
        ]
      },
      ...stepStates
    }
  }
})
