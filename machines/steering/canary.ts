import { hookTemplateJobNames } from "../../src/kubernetes/steering/hookJobs.ts"
import { stepProblems, stepWarnings } from "../../src/kubernetes/steering/stepProblems.ts"
import { availablePodsToEndStep } from "../../src/kubernetes/steering/rolloutSteps.ts"
import { stepCommands, stepTransitions, stepDelays, stepGuards, stepStates } from "./sharedStepStates.ts"
import { defineSteering } from "./steeringStrategy.ts"
import type { CanarySettings } from "../../src/kubernetes/steering/steeringSettings.ts"

/** Its Pods need the readiness gate `charthouse.dev/approved`. */
export const canary = defineSteering({
  state: "canary",
  problems: (settings, deployment) => stepProblems(settings as CanarySettings, deployment),
  warnings: (settings, deployment) => stepWarnings(settings as CanarySettings, deployment),
  observedNames: (settings) => ({ services: [], jobs: hookTemplateJobNames(settings as CanarySettings) }),
  awaitedPods: availablePodsToEndStep,
  guards: stepGuards,
  delays: stepDelays,
  commands: stepCommands,
  chart: {
    description: "Approves the Pods of a new revision by steps, and takes it back when it fails.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [...stepTransitions.beforeSteps, ...stepTransitions.takeSteps]
      },
      ...stepStates
    }
  }
})
