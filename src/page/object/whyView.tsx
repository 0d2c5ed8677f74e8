import { StepView } from "./stepView.tsx"
import { useWorld } from "../world.ts"
import type { Step } from "../../explain/steps/step.ts"
import type { StepEntry } from "../../recording/entry.ts"

/** So many steps are shown, and of those that come after the moment so many. */
const stepsShownMax = 40
const laterShownMax = 5

interface WhyProps {
  /** The oldest first. */
  readonly steps: ReadonlyArray<StepEntry>
  /** The last that was made at the moment. */
  readonly shown: Step | undefined
}

/** The last steps of an actor, the newest first, each with the reason for it. */
export const WhyView = ({ steps, shown }: WhyProps) => {
  const { choose, isNow, moment } = useWorld()
  const present = steps.findIndex(({ step }) => step === shown)
  const last = Math.min(steps.length, present + 1 + laterShownMax)
  const near = steps.slice(Math.max(0, last - stepsShownMax), last).toReversed()
  return (
    <section class="why" aria-label="Why">
      <h3>Why</h3>
      {shown === undefined && (
        <p class="quiet">
          {isNow()
            ? "It has made no step since it is watched. What it does next is told here."
            : `It had made no step yet that is known.${near.length === 0 ? "" : " These came later:"}`}
        </p>
      )}
      <ol class="steps">
        {near.map(({ number, step }) => (
          <StepView
            key={step.number}
            step={step}
            isShown={step === shown}
            isLater={number > (moment.get() ?? Infinity)}
            moment={number}
            choose={choose}
          />
        ))}
      </ol>
    </section>
  )
}
