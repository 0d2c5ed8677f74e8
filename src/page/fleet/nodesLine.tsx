import { addressHash } from "../pageAddress.ts"
import { isNodeReady } from "../../kubernetes/core/nodeStatus.ts"
import { nodeState } from "./lostNodes.ts"
import { memo } from "preact/compat"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import type { Fleet } from "../history/fleet.ts"

export const NodesLine = () => {
  const { fleet, selected } = usePageState()
  const { nodes } = useSignal(fleet)
  const selectedAddress = useSignal(selected)
  return (
    <Nodes nodes={nodes} selected={selectedAddress?.kind === "Node" ? selectedAddress.name : undefined} />
  )
}

interface NodesProps {
  readonly nodes: Fleet["nodes"]
  readonly selected: string | undefined
}

const Nodes = memo(({ nodes, selected }: NodesProps) => {
  if (nodes.size === 0) return null
  return (
    <p class="nodes" role="group" aria-label="Nodes">
      <span class="quiet">nodes</span>
      {[...nodes.values()].map((node) => {
        const { name } = node.metadata
        const state = nodeState(node)
        return (
          <a
            key={name}
            data-arrow-keys
            data-node={name}
            data-ready={isNodeReady(node)}
            href={addressHash({ kind: "Node", namespace: "", name })}
            aria-current={selected === name ? "true" : undefined}
          >
            {state === "ready" ? "● " : "▲ "}
            {name}
            {state === "ready" ? "" : state === "silent" ? " is silent" : " is not ready"}
          </a>
        )
      })}
    </p>
  )
})
