import { explanationOf } from "./explanation.ts"
import { useThrottledRedraw } from "../useThrottledRedraw.ts"
import { usePageState } from "../pageState.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"

interface Props {
  readonly address: PageAddress
  readonly object: KubeObject
}

export const ExplanationView = ({ address, object }: Props) => {
  const { fleet, shownMillis, moment } = usePageState()
  useThrottledRedraw()
  const { state, sentences, numbers } = explanationOf(address, object, fleet.get(), shownMillis())
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
            <dt>{labels[label] ?? label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const labels: Readonly<Record<string, string>> = {
  surgeMax: "surge",
  unavailableMax: "unavailable",
  availableFloor: "floor",
  podsCeiling: "ceiling"
}
