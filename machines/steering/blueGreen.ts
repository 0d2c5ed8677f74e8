import { explainGuard } from "../guards/guard.ts"
import { hookTemplateJobNames } from "../../src/kubernetes/steering/hookJobs.ts"
import { blueGreenProblems, blueGreenWarnings } from "../../src/kubernetes/steering/stepProblems.ts"
import {
  isPreviewOfOtherRevision,
  pointPreview,
  previewText,
  reportPreviewMissing
} from "../../src/kubernetes/steering/previewService.ts"
import { isPreviewMissing } from "../../src/kubernetes/steering/stepProgress.ts"
import { availablePodsToEndStep } from "../../src/kubernetes/steering/rolloutSteps.ts"
import { stepCommands, stepTransitions, stepDelays, stepGuards, stepStates } from "./sharedStepStates.ts"
import { defineSteering } from "./steeringStrategy.ts"
import type { BlueGreenSettings } from "../../src/kubernetes/steering/steeringSettings.ts"

/** Its Pods need the readiness gate `charthouse.dev/approved`, and nodes with room for both revisions. */
export const blueGreen = defineSteering({
  state: "blueGreen",
  problems: (settings, deployment) => blueGreenProblems(settings as BlueGreenSettings, deployment),
  warnings: (settings, deployment) => blueGreenWarnings(settings as BlueGreenSettings, deployment),
  observedNames: (settings) => {
    const { preview } = settings as BlueGreenSettings
    return {
      services: preview === undefined ? [] : [preview],
      jobs: hookTemplateJobNames(settings as BlueGreenSettings)
    }
  },
  awaitedPods: availablePodsToEndStep,
  guards: {
    ...stepGuards,
    isPreviewOfOtherRevision: explainGuard(
      isPreviewOfOtherRevision,
      "its preview selects another revision",
      previewText
    ),
    isPreviewMissing: explainGuard(isPreviewMissing, "its preview does not reach waiting Pods", previewText)
  },
  delays: stepDelays,
  commands: { ...stepCommands, pointPreview, reportPreviewMissing },
  chart: {
    description: "Starts all Pods of a new revision, checks them, and approves them at once.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [
          ...stepTransitions.beforeSteps,
          { guard: "isPreviewOfOtherRevision", target: "pointingPreview" },
          ...stepTransitions.takeSteps
        ]
      },
      ...stepStates,
      continuing: {
        ...stepStates.continuing,
        always: [
          ...stepTransitions.reservePods,
          { guard: "isPreviewMissing", target: "awaitingPreview" },
          ...stepTransitions.endStep,
          ...stepTransitions.waitInStep
        ]
      },
      pointingPreview: {
        description: "Lets the preview Service select the Pods of the newest revision.",
        entry: ["pointPreview"]
        // No transition leads on: every observation starts in `deciding`.
      },
      awaitingPreview: {
        description: "The preview Service is missing, or leaves out Pods that wait: says what to do.",
        entry: ["reportPreviewMissing"],
        // If the preview stays missing, the rollout fails at its deadline: only then is there something to do.
        lookAgain: { after: "untilFailing" }
      }
    }
  }
})
