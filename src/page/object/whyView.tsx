import { StepView } from "./stepView.tsx"
import { usePageState } from "../pageState.ts"
import type { Step } from "../../explain/steps/step.ts"
import type { StepEntry } from "../../recording/entry.ts"

const stepsShownMax = 40
const laterStepsShownMax = 5

interface WhyProps {
  /** Oldest first. */
  readonly steps: ReadonlyArray<StepEntry>
  readonly shownStep: Step | undefined
}

/** The steps around the shown moment, newest first. */
export const WhyView = ({ steps, shownStep }: WhyProps) => {
  const { showMoment, isNow, moment } = usePageState()
  const shownIndex = steps.findIndex(({ step }) => step === shownStep)
  const endIndex = Math.min(steps.length, shownIndex + 1 + laterStepsShownMax)
  const visibleSteps = steps.slice(Math.max(0, endIndex - stepsShownMax), endIndex).toReversed()
  return (
    <section class="why" aria-label="Why">
      <h3>Why</h3>
      {shownStep === undefined && (
        <p class="quiet">
          {isNow()
            ? "No step has been recorded yet. New steps appear here."
            : `No step was recorded up to this moment.${visibleSteps.length === 0 ? "" : " These came later:"}`}
        </p>
      )}
      <ol class="steps">
        {visibleSteps.map(({ number: entryNumber, step }) => (
          <StepView
            key={step.number}
            step={step}
            isShown={step === shownStep}
            isLater={entryNumber > (moment.get() ?? Infinity)}
            moment={entryNumber}
            showMoment={showMoment}
          />
        ))}
      </ol>
    </section>
  )
}
