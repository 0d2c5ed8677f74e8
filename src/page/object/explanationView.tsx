import { explanationOf } from "./explanation.ts"
import { useThrottledRedraw } from "../useThrottledRedraw.ts"
import { usePageState } from "../pageState.ts"
import { ownedPods, replicaSetsOf } from "../history/fleet.ts"
import { historySentences } from "./rolloutHistory.ts"
import { podTrouble } from "../../explain/health/podTrouble.ts"
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
  const [first, ...rest] = [...sentences, ...useHistorySentences(address, object)]
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

const useHistorySentences = (address: PageAddress, object: KubeObject): ReadonlyArray<string> => {
  const { fleet, history, moment } = usePageState()
  if (address.kind !== "Deployment") return []
  const [shownFleet, shownHistory, shownMoment] = [fleet.get(), history.get(), moment.get()]
  const replicaSets = replicaSetsOf(object, shownFleet)
  const pods = replicaSets.flatMap((it) => ownedPods(it, shownFleet))
  const nodes = nodesByName(shownFleet.nodes.values())
  // Most are in no trouble, and their past need not be read.
  if (!pods.some((pod) => podTrouble(pod, nodes) !== undefined)) return []
  const versions = shownHistory.versionsOf(address, shownMoment) as ReadonlyArray<Deployment>
  const timelineRows = shownHistory.series.trackOf(address)?.rows ?? []
  return historySentences({
    versions: versions.filter(({ metadata }) => metadata.uid === object.metadata.uid),
    replicaSets,
    pods,
    nodes,
    // A moment is the number of an entry.
    rows:
      shownMoment === undefined ? timelineRows : timelineRows.filter(({ number }) => number <= shownMoment)
  })
}

const labels: Readonly<Record<string, string>> = {
  surgeMax: "surge",
  unavailableMax: "unavailable",
  availableFloor: "floor",
  podsCeiling: "ceiling"
}
