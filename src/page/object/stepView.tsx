import { causeText, stateMoves, decisiveGuards, stepWriteText } from "../../explain/steps/step.ts"
import { guardMeaning } from "./guardMeaning.ts"
import { memo } from "preact/compat"
import type { Step } from "../../explain/steps/step.ts"
import type { Moment } from "../history/moment.ts"

interface StepProps {
  readonly step: Step
  /** The step led to the shown state. */
  readonly isShown: boolean
  readonly isLater: boolean
  readonly moment: Moment
  readonly showMoment: (moment: Moment) => void
}

export const StepView = memo(({ step, isShown, isLater, moment, showMoment }: StepProps) => {
  const { number, atMillis, event, because } = step
  return (
    <li
      class="step"
      data-step={number}
      data-later={isLater}
      aria-current={isShown ? "step" : undefined}
      title={isLater ? "Later than the moment that is shown" : undefined}
    >
      <button type="button" data-arrow-keys class="head" onClick={() => showMoment(moment)}>
        <time>{new Date(atMillis).toISOString().slice(11, 23)}</time> <b>{event}</b>
        {because !== undefined && !isLater && <span class="because"> {causeText(because)}</span>}
      </button>
      {!isLater && <StepDetails step={step} />}
    </li>
  )
})

const StepDetails = ({ step }: { readonly step: Step }) => {
  const { numbers, commands, writes, events } = step
  return (
    <>
      {numbers.length > 0 && (
        <dl class="numbers">
          {numbers.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <ul class="step-details">
        {stateMoves(step).map((move) => (
          <li key={move} data-what="went">
            {move}
          </li>
        ))}
        {decisiveGuards(step).map(({ state, name, holds, text }) => (
          <li key={`${state} ${name}`} data-what={holds ? "yes" : "no"}>
            <b title={name}>{guardMeaning(step.chart, name)}</b> {text}
          </li>
        ))}
        {commands.map((command, index) => (
          <li key={`${index} ${command}`} data-what="said">
            {command}
          </li>
        ))}
        {writes.map((write, index) => (
          <li key={`${index} ${write.key}`} data-what={write.refused === undefined ? "did" : "refused"}>
            {stepWriteText(write)}
          </li>
        ))}
        {events.map((event, index) => (
          <li key={`${index} ${event}`} data-what="event">
            {event}
          </li>
        ))}
      </ul>
    </>
  )
}
