import { explanationOf } from "./explanation.ts"
import { useThrottledRedraw } from "../useThrottledRedraw.ts"
import { usePageState } from "../pageState.ts"
import { controllerUid } from "../history/fleet.ts"
import { historySentences } from "./rolloutHistory.ts"
import { nodesByName } from "../../explain/objects/podProblems.ts"
import type { Deployment, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"

interface Props {
  readonly address: PageAddress
  readonly object: KubeObject
}

export const ExplanationView = ({ address, object }: Props) => {
  const { fleet, shownMillis, moment } = usePageState()
  useThrottledRedraw()
  const { state, sentences, numbers } = explanationOf(address, object, fleet.get(), shownMillis())
  const [first, ...rest] = [...sentences, ...useHistorySentences(address)]
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

const useHistorySentences = (address: PageAddress): ReadonlyArray<string> => {
  const { fleet, history, moment } = usePageState()
  if (address.kind !== "Deployment") return []
  const [shownFleet, shownHistory, shownMoment] = [fleet.get(), history.get(), moment.get()]
  const versions = shownHistory.versionsOf(address, shownMoment) as ReadonlyArray<Deployment>
  const uid = versions.at(-1)?.metadata.uid
  const replicaSets = [...shownFleet.replicaSets.values()].filter((it) => controllerUid(it) === uid)
  const pods = replicaSets.flatMap(({ metadata }) => [
    ...(shownFleet.podsOf.get(metadata.uid)?.values() ?? [])
  ])
  const rows = shownHistory.series.trackOf(address)?.rows ?? []
  return historySentences({
    versions: versions.filter(({ metadata }) => metadata.uid === uid),
    replicaSets,
    pods,
    nodes: nodesByName(shownFleet.nodes.values()),
    rows: shownMoment === undefined ? rows : rows.filter(({ number }) => number <= shownMoment)
  })
}

const labels: Readonly<Record<string, string>> = {
  surgeMax: "surge",
  unavailableMax: "unavailable",
  availableFloor: "floor",
  podsCeiling: "ceiling"
}
