import { useKept } from "../useKept.ts"
import { useWorld } from "../world.ts"
import type { Connection } from "./connection.ts"

/** How the page stands with the server of the living cluster. */
export const StandingView = () => {
  const { connection, source } = useWorld()
  const shown = useKept(source)
  return connection === undefined || shown?.type !== "living" ? null : <Standing connection={connection} />
}

const Standing = ({ connection }: { readonly connection: Connection }) => {
  const standing = useKept(connection.standing)
  const { trouble: troubles, askAgain } = useWorld()
  const trouble = useKept(troubles)
  const { state } = standing
  return (
    <>
      <span class="standing" data-testid="standing" data-standing={state}>
        {state === "live" ? "● live" : state === "connecting" ? "…" : "✕ not connected"}
      </span>
      {"why" in standing && (
        <p class="notice lost" role="alert" data-testid="lost">
          {standing.why}{" "}
          <button type="button" onClick={askAgain}>
            Try again
          </button>
        </p>
      )}
      {trouble !== undefined && state === "live" && (
        <p class="notice lost" role="alert" data-testid="trouble">
          {trouble}
        </p>
      )}
    </>
  )
}
