import { advances, dayAndClockText, moveTime } from "../source/clusterTime.ts"
import { useAction } from "../useAction.ts"
import { useEffect, useState } from "preact/hooks"
import { useSignal } from "../useSignal.ts"
import { usePageState } from "../pageState.ts"
import type { ServerConnection } from "../source/connection.ts"

const speeds = [1, 10, 60, 600]
const drawEveryMillis = 200

export const ClockView = () => {
  const { connection, source, moment, isNow, shownMillis, history, redrawCount } = usePageState()
  // Redraws this view when another recording or moment is shown, and when the recording grows.
  useSignal(source)
  useSignal(moment)
  useSignal(redrawCount)
  // Redraws it also while time passes without a change.
  const [, setDraws] = useState(0)
  const isPresent = isNow()
  useEffect(() => {
    if (!isPresent) return
    const timer = setInterval(() => setDraws((count) => count + 1), drawEveryMillis)
    return () => clearInterval(timer)
  }, [isPresent])
  if (history.get().header === undefined) return null
  return (
    <div class="clock" role="group" aria-label="Clock">
      <time data-testid="now" title="UTC, as all times here">
        {dayAndClockText(shownMillis())}
      </time>
      {isPresent && connection !== undefined && <Controls connection={connection} />}
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
          {advances.map((by) => (
            <button type="button" key={by} onClick={() => sendCommand(`advance?by=${by}`, `${by} further`)}>
              +{by}
            </button>
          ))}
        </>
      )}
    </fieldset>
  )
}
