import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { kubeletState } from "../../kubernetes/core/nodeStatus.ts"
import { memo } from "preact/compat"
import { placeHash } from "../place.ts"
import { useKept } from "../useKept.ts"
import { useWorld } from "../world.ts"
import type { Fleet } from "../history/fleet.ts"
import type { Node } from "../../kubernetes/meta/objects.ts"

/** The nodes, and which of them are not ready. */
export const NodesView = () => {
  const { fleet, place } = useWorld()
  const { nodes } = useKept(fleet)
  const looked = useKept(place)
  return <Nodes nodes={nodes} looked={looked?.kind === "Node" ? looked.name : undefined} />
}

interface NodesProps {
  readonly nodes: Fleet["nodes"]
  readonly looked: string | undefined
}

const Nodes = memo(({ nodes, looked }: NodesProps) => {
  if (nodes.size === 0) return null
  return (
    <p class="nodes" aria-label="Nodes">
      <span class="quiet">nodes</span>
      {[...nodes.values()].map((node) => {
        const { name } = node.metadata
        const isReady = readyIn(node)
        const isSilent = kubeletState(node) === "stopped"
        return (
          <a
            key={name}
            data-nav
            data-node={name}
            data-ready={isReady}
            href={placeHash({ kind: "Node", namespace: "", name })}
            aria-current={looked === name ? "true" : undefined}
          >
            {isReady && !isSilent ? "● " : "▲ "}
            {name}
            {!isReady ? " is not ready" : isSilent ? " is silent" : ""}
          </a>
        )
      })}
    </p>
  )
})

const readyIn = ({ status }: Node): boolean => conditionOf(status?.conditions, "Ready")?.status === "True"
