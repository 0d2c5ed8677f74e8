import { explanationOf } from "./explanation.ts"
import { useSeen } from "../seen.ts"
import { useWorld } from "../world.ts"
import type { Deployment } from "../../domain/objects.ts"

/** Where a rollout stands and why it is not further, in sentences. */
export const ExplanationView = ({ deployment }: { readonly deployment: Deployment }) => {
  const { fleet, millis, moment } = useWorld()
  useSeen()
  const { state, sentences, numbers } = explanationOf(deployment, fleet.get(), millis())
  const [first, ...rest] = sentences
  return (
    <section
      class="explanation"
      data-testid="explanation"
      data-state-of-rollout={state}
      data-moment={moment.get()}
    >
      <p class="first">{first}</p>
      {rest.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <dl class="numbers">
        {Object.entries(numbers).map(([label, value]) => (
          <div key={label}>
            <dt>{wordFor[label] ?? label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const wordFor: Readonly<Record<string, string>> = {
  surgeMax: "surge",
  unavailableMax: "unavailable",
  availableFloor: "floor",
  podsCeiling: "ceiling"
}
