import { explanationOf } from "./explanation.ts"
import { useThrottledRedraw } from "../useThrottledRedraw.ts"
import { usePageState } from "../pageState.ts"
import { ownedPods, replicaSetsOf } from "../history/fleet.ts"
import { historySentences, isInTrouble, lastCompleteRevision } from "./rolloutHistory.ts"
import { kindsWithServingPods } from "../../kubernetes/apps/servingPods.ts"
import { nodesByName } from "../../explain/objects/podProblems.ts"
import { ownRevisions } from "./undoRevisions.ts"
import { useFleetHealth } from "../fleet/useFleetHealth.ts"
import type { HealthLead } from "../../explain/health/healthLeads.ts"
import type { PageState } from "../pageState.ts"
import type { RolloutHistory } from "./rolloutHistory.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"

interface Props {
  readonly address: PageAddress
  readonly object: KubeObject
}

export const ExplanationView = ({ address, object }: Props) => {
  const pageState = usePageState()
  const { fleet, shownMillis, moment } = pageState
  useThrottledRedraw()
  const history = rolloutHistory(address, object, pageState)
  const pastSentences = history === undefined ? [] : historySentences(history)
  const {
    state,
    sentences,
    blockingSentences = [],
    numbers
  } = explanationOf(address, object, fleet.get(), {
    nowMillis: shownMillis(),
    lastCompleteRevision: history === undefined ? undefined : lastCompleteRevision(history)
  })
  const card = useFleetHealth().get(object.metadata.uid)
  // What Pods wait for does not stop a rollout that progresses.
  const isStopped = blockingSentences.length > 0 && (card === undefined || stoppedLeads.has(card.lead))
  const cssClassOf = (sentence: string, index: number): "first" | "blocking" | undefined => {
    if ((isStopped && blockingSentences.includes(sentence)) || pastSentences.includes(sentence))
      return "blocking"
    return index === 0 && !isStopped ? "first" : undefined
  }
  return (
    <section
      class="explanation"
      data-testid="explanation"
      data-state-of-rollout={state}
      data-moment={moment.get()}
    >
      {[...sentences, ...pastSentences].map((sentence, index) => (
        <p key={index === 0 ? "state" : sentence} class={cssClassOf(sentence, index)}>
          {sentence}
        </p>
      ))}
      <dl class="numbers">
        {Object.entries(numbers).map(([label, value]) => (
          <div key={label}>
            <dt>{numberLabels[label] ?? label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** A lead is the worse of health and progress. */
const stoppedLeads: ReadonlySet<HealthLead> = new Set(["down", "failed", "blocked", "degraded"])

/** Undefined for an object without revisions, and for a workload without trouble. */
const rolloutHistory = (
  address: PageAddress,
  object: KubeObject,
  { fleet, history, moment }: PageState
): RolloutHistory | undefined => {
  if (!kindsWithServingPods.has(address.kind)) return undefined
  const [shownFleet, shownHistory, shownMoment] = [fleet.get(), history.get(), moment.get()]
  const owners = address.kind === "Deployment" ? replicaSetsOf(object, shownFleet) : [object]
  const pods = owners.flatMap((it) => ownedPods(it, shownFleet))
  const nodes = nodesByName(shownFleet.nodes.values())
  if (!isInTrouble(object, { pods, nodes })) return undefined
  const versions = shownHistory.versionsOf(address, shownMoment)
  const timelineRows = shownHistory.series.trackOf(address)?.rows ?? []
  return {
    versions: versions.filter(({ metadata }) => metadata.uid === object.metadata.uid),
    revisions: ownRevisions(object, shownFleet),
    pods,
    nodes,
    rows:
      shownMoment === undefined ? timelineRows : timelineRows.filter(({ number }) => number <= shownMoment)
  }
}

const numberLabels: Readonly<Record<string, string>> = {
  surgeMax: "surge",
  unavailableMax: "unavailable",
  availableFloor: "floor",
  podsCeiling: "ceiling"
}
