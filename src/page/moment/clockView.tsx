import { dayAndClockText, moveTime } from "../source/time.ts"
import { useActing } from "../useActing.ts"
import { useEffect, useState } from "preact/hooks"
import { useKept } from "../useKept.ts"
import { useWorld } from "../world.ts"
import type { Connection } from "../source/connection.ts"

const speeds = [1, 10, 60, 600]
const advances = ["1s", "10s", "1m", "10m"]
const drawEveryMillis = 200

/** What time it is at the moment; where it is now, how time goes on in the cluster too. */
export const ClockView = () => {
  const { connection, source, moment, isNow, millis, history, known } = useWorld()
  useKept(source)
  useKept(moment)
  useKept(known)
  const [, draw] = useState(0)
  const isPresent = isNow()
  useEffect(() => {
    if (!isPresent) return
    const timer = setInterval(() => draw((count) => count + 1), drawEveryMillis)
    return () => clearInterval(timer)
  }, [isPresent])
  if (history.get().header === undefined) return null
  return (
    <div class="clock" role="group" aria-label="Clock">
      <time data-testid="now" title="UTC, as all times here">
        {dayAndClockText(millis())}
      </time>
      {isPresent && connection !== undefined && <Controls connection={connection} />}
    </div>
  )
}

/** How time goes on in a living cluster. */
const Controls = ({ connection }: { readonly connection: Connection }) => {
  const { time } = useWorld()
  const present = useKept(time)
  const { state } = useKept(connection.standing)
  const act = useActing()
  if (present === undefined) return null
  const move = (wish: string, words: string): void => act(moveTime(connection, time, wish).then(() => words))
  const isStanding = present.speed === 0
  return (
    <fieldset disabled={state !== "live"}>
      <button
        type="button"
        onClick={() => (isStanding ? move("resume", "time goes on") : move("pause", "time stands still"))}
      >
        {isStanding ? "Let time go on" : "Stop time"}
      </button>
      <select
        aria-label="Speed of the cluster's time"
        value={String(present.speed)}
        onChange={({ currentTarget }) => move(`speed?of=${currentTarget.value}x`, "")}
      >
        {isStanding && <option value="0">stands still</option>}
        {[...new Set([...speeds, ...(isStanding ? [] : [present.speed])])]
          .sort((a, b) => a - b)
          .map((speed) => (
            <option key={speed} value={String(speed)}>
              {speed}×
            </option>
          ))}
      </select>
      {isStanding && (
        <>
          <button type="button" onClick={() => move("step", "one step further")}>
            Step
          </button>
          {advances.map((by) => (
            <button type="button" key={by} onClick={() => move(`advance?by=${by}`, `${by} further`)}>
              +{by}
            </button>
          ))}
        </>
      )}
    </fieldset>
  )
}
