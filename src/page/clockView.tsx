import { moveTime, nowMillis } from "./time.ts"
import { useActing } from "./actionsView.tsx"
import { useEffect, useState } from "preact/hooks"
import { useKept } from "./kept.ts"
import { useWorld } from "./world.ts"

const speeds = [1, 10, 60, 600]
const advances = ["1s", "10s", "1m", "10m"]
const drawEveryMillis = 200

/** The cluster's clock: what time it is there, and how it goes on. */
export const ClockView = () => {
  const { connection, time } = useWorld()
  const present = useKept(time)
  const act = useActing()
  const [, draw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => draw((count) => count + 1), drawEveryMillis)
    return () => clearInterval(timer)
  }, [])
  if (present === undefined) return null
  const move = (wish: string, words: string): void => act(moveTime(connection, time, wish).then(() => words))
  const isStanding = present.speed === 0
  return (
    <div class="clock" role="group" aria-label="Clock">
      <time data-testid="now">
        {new Date(nowMillis(present)).toISOString().slice(0, 19).replace("T", " ")}
      </time>
      <button
        type="button"
        onClick={() => (isStanding ? move("resume", "time goes on") : move("pause", "time stands still"))}
      >
        {isStanding ? "Play" : "Stop time"}
      </button>
      <select
        aria-label="Speed"
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
    </div>
  )
}
