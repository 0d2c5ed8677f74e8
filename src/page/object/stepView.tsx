import { causeText, stateMoves, decisiveGuards, stepWriteText } from "../../explain/steps/step.ts"
import { guardSaid } from "./guardSaid.ts"
import { memo } from "preact/compat"
import type { Step } from "../../explain/steps/step.ts"

interface StepProps {
  readonly step: Step
  readonly isShown: boolean
  /** Made after the moment that is shown. */
  readonly isLater: boolean
  /** The moment at which it was made. */
  readonly moment: number
  readonly choose: (moment: number) => void
}

/** Why an actor did what it did: what woke it, what it saw, which guards it asked, and what came of that. */
export const StepView = memo(({ step, isShown, isLater, moment, choose }: StepProps) => {
  const { number, atMillis, event, because } = step
  return (
    <li
      class="step"
      data-step={number}
      data-later={isLater}
      aria-current={isShown ? "step" : undefined}
      title={isLater ? "Later than the moment that is shown" : undefined}
    >
      <button type="button" data-nav class="head" onClick={() => choose(moment)}>
        <time>{new Date(atMillis).toISOString().slice(11, 23)}</time> <b>{event}</b>
        {because !== undefined && !isLater && <span class="because"> {causeText(because)}</span>}
      </button>
      {!isLater && <Told step={step} />}
    </li>
  )
})

const Told = ({ step }: { readonly step: Step }) => {
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
      <ul class="told">
        {stateMoves(step).map((move) => (
          <li key={move} data-what="went">
            {move}
          </li>
        ))}
        {decisiveGuards(step).map(({ state, name, holds, text }) => (
          <li key={`${state} ${name}`} data-what={holds ? "yes" : "no"}>
            <b title={name}>{guardSaid(step.chart, name)}</b> {text}
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
        {events.map((told, index) => (
          <li key={`${index} ${told}`} data-what="event">
            {told}
          </li>
        ))}
      </ul>
    </>
  )
}
