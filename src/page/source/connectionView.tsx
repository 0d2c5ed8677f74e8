import { useSignal } from "../useSignal.ts"
import { useCaughtUp } from "./useCaughtUp.ts"
import { usePageState } from "../pageState.ts"
import type { ServerConnection } from "./connection.ts"

export const ConnectionView = () => {
  const { connection, source } = usePageState()
  const currentSource = useSignal(source)
  return connection === undefined || currentSource?.type !== "live" ? null : (
    <ConnectionStatus connection={connection} />
  )
}

const stateTexts = { live: "● live", connecting: "…", lost: "✕ lost", refused: "✕ lost" } as const

/** `why`: the server does not answer. `problem`: its recording cannot be shown. */
const ConnectionStatus = ({ connection }: { readonly connection: ServerConnection }) => {
  const status = useSignal(connection.status)
  const { streamProblem, reconnect } = usePageState()
  const isCaughtUp = useCaughtUp()
  const problem = useSignal(streamProblem)
  const { state } = status
  return (
    <>
      <span class="connection-state" data-testid="connection" data-connection-state={state}>
        {state === "live" && !isCaughtUp ? (
          <>
            … <span class="reading">reading</span>
          </>
        ) : (
          stateTexts[state]
        )}
      </span>
      {"why" in status && (
        <p class="notice lost" role="alert" data-testid="lost">
          {status.why}{" "}
          <button type="button" onClick={reconnect}>
            Try again
          </button>
        </p>
      )}
      {problem !== undefined && state === "live" && (
        <p class="notice lost" role="alert" data-testid="trouble">
          {problem}
        </p>
      )}
    </>
  )
}
