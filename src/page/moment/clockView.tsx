import { advanceAmounts, dayText, moveTime } from "../source/clusterTime.ts"
import { useAction } from "../useAction.ts"
import { useShownTime } from "./shownTime.tsx"
import { useSignal } from "../useSignal.ts"
import { usePageState } from "../pageState.ts"
import type { ServerConnection } from "../source/connection.ts"

const speeds = [1, 10, 60, 600]

export const ClockView = () => {
  const { connection, isNow, history } = usePageState()
  const { millis, text } = useShownTime()
  if (history.get().header === undefined) return null
  return (
    <div class="clock" role="group" aria-label="Clock">
      <time data-testid="now" title="UTC, as all times here">
        <span class="day">{dayText(millis)} </span>
        {text}
      </time>
      {isNow() && connection !== undefined && <Controls connection={connection} />}
    </div>
  )
}

const Controls = ({ connection }: { readonly connection: ServerConnection }) => {
  const { clusterTime } = usePageState()
  const latestTime = useSignal(clusterTime)
  const { state } = useSignal(connection.status)
  const runAction = useAction()
  if (latestTime === undefined) return null
  const sendCommand = (command: string, message: string): void =>
    runAction(moveTime(connection, clusterTime, command).then(() => message))
  const isPaused = latestTime.speed === 0
  return (
    <fieldset disabled={state !== "live"}>
      <button
        type="button"
        onClick={() =>
          isPaused ? sendCommand("resume", "time goes on") : sendCommand("pause", "time stands still")
        }
      >
        {isPaused ? "Let time go on" : "Stop time"}
      </button>
      <select
        aria-label="Speed of the cluster's clock"
        value={String(latestTime.speed)}
        onChange={({ currentTarget }) => sendCommand(`speed?of=${currentTarget.value}x`, "")}
      >
        {isPaused && <option value="0">stands still</option>}
        {[...new Set([...speeds, ...(isPaused ? [] : [latestTime.speed])])]
          .sort((a, b) => a - b)
          .map((speed) => (
            <option key={speed} value={String(speed)}>
              {speed}×
            </option>
          ))}
      </select>
      {isPaused && (
        <>
          <button type="button" onClick={() => sendCommand("step", "one step further")}>
            Step
          </button>
          {advanceAmounts.map((by) => (
            <button type="button" key={by} onClick={() => sendCommand(`advance?by=${by}`, `${by} further`)}>
              +{by}
            </button>
          ))}
        </>
      )}
    </fieldset>
  )
}
