import { pause } from "./connection.ts"
import { placeHash } from "./place.ts"
import { useEffect, useState } from "preact/hooks"
import { useKept } from "./kept.ts"
import { useWorld } from "./world.ts"
import type { Node } from "../domain/objects.ts"

const everyMillis = 3000

/** The nodes, asked for now and then: a browser gives a page few connections, and they change seldom. */
export const NodesView = () => {
  const { connection, place } = useWorld()
  const looked = useKept(place)
  const [nodes, setNodes] = useState<ReadonlyArray<Node>>([])
  useEffect(() => {
    const looking = new AbortController()
    const ask = async (): Promise<void> => {
      while (!looking.signal.aborted) {
        const list = await connection.ask("GET", "/api/v1/nodes").catch(() => undefined)
        if (list !== undefined) setNodes((list as { readonly items: ReadonlyArray<Node> }).items)
        await pause(everyMillis, looking.signal)
      }
    }
    void ask()
    return () => looking.abort()
  }, [connection])
  if (nodes.length === 0) return null
  return (
    <p class="nodes" aria-label="Nodes">
      <span class="quiet">nodes</span>
      {nodes.map((node) => {
        const { name } = node.metadata
        const isReady = node.status?.conditions?.some(
          ({ type, status }) => type === "Ready" && status === "True"
        )
        return (
          <a
            key={name}
            data-nav
            data-node={name}
            data-ready={isReady === true}
            href={placeHash({ kind: "Node", namespace: "", name })}
            aria-current={looked?.kind === "Node" && looked.name === name ? "true" : undefined}
          >
            {isReady === true ? "● " : "▲ "}
            {name}
            {isReady === true ? "" : " is not ready"}
          </a>
        )
      })}
    </p>
  )
}
