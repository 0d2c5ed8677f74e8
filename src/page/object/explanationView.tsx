import { explanationOf } from "./explanation.ts"
import { useSeen } from "../seen.ts"
import { useWorld } from "../world.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Place } from "../place.ts"

interface Props {
  readonly place: Place
  readonly object: KubeObject
}

/** How an object is and why it is not as it should be, in sentences; of a Deployment, where its rollout stands. */
export const ExplanationView = ({ place, object }: Props) => {
  const { fleet, millis, moment } = useWorld()
  useSeen()
  const { state, sentences, numbers } = explanationOf(place, object, fleet.get(), millis())
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
