import { containsAllWords, searchWords } from "../searchWords.ts"
import { addressHash } from "../pageAddress.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { nodeCards } from "./nodeCards.ts"
import { PodMarkLink } from "./cardView.tsx"
import { useIsReading } from "../source/useCaughtUp.ts"
import type { Fleet } from "../history/fleet.ts"
import type { NodeCard } from "./nodeCards.ts"
import type { PageAddress } from "../pageAddress.ts"

interface NodesProps {
  readonly fleet: Fleet
  readonly selected: PageAddress | undefined
  /** Parts of names of nodes or Pods, all of which must occur. */
  readonly search: string
}

/** The state of Pods of a lost node is unknown: they are one grey block. */
export const NodesView = ({ fleet, selected, search }: NodesProps) => {
  const words = searchWords(search)
  const isWanted = (text: string): boolean => containsAllWords(text, words)
  const cards = nodeCards(fleet).flatMap((card) => {
    if (isWanted(card.name)) return [card]
    const pods = card.pods.filter(({ metadata }) => isWanted(displayName(metadata)))
    return pods.length === 0 ? [] : [{ ...card, pods }]
  })
  return (
    <ul class="fleet" aria-busy={useIsReading()} aria-label="Nodes with their Pods">
      {cards.map((card) => (
        <NodeCardView key={card.name} card={card} selected={selected} />
      ))}
    </ul>
  )
}

const NodeCardView = ({
  card,
  selected
}: {
  readonly card: NodeCard
  readonly selected: PageAddress | undefined
}) => {
  const { name, state, isUnschedulable, figures, pods } = card
  return (
    <li class="workload" data-node-card={name} data-state={state}>
      <h2>
        {name === "" ? (
          <span class="name">no node yet</span>
        ) : (
          <a
            class="name"
            data-arrow-keys
            href={addressHash({ kind: "Node", namespace: "", name })}
            aria-current={selected?.kind === "Node" && selected.name === name ? "true" : undefined}
          >
            <span class="kind">Node</span> {name}
          </a>
        )}
        {state !== "none" && <span class="badge">{stateTexts[state]}</span>}
        {isUnschedulable && <span class="figures">takes no new Pods</span>}
        <span class="figures">{figures}</span>
      </h2>
      {state === "lost" ? (
        <p class="lost-pods">
          {pods.length === 0
            ? "No Pods are here."
            : `Nothing is known of its ${countText(pods.length, "Pod")} until it is back.`}
        </p>
      ) : (
        <div class="pods" role="group" aria-label={`Pods of ${name === "" ? "no node" : name}`}>
          {pods.map((pod) => (
            <PodMarkLink
              key={pod.metadata.uid}
              pod={pod}
              isLost={false}
              isSelected={
                selected?.kind === "Pod" &&
                selected.name === pod.metadata.name &&
                selected.namespace === pod.metadata.namespace
              }
            />
          ))}
        </div>
      )}
    </li>
  )
}

const stateTexts: Readonly<Record<Exclude<NodeCard["state"], "none">, string>> = {
  ready: "● ready",
  silent: "▲ silent",
  "not ready": "▲ not ready",
  lost: "▼ lost"
}
