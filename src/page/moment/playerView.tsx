import { Icon } from "./icons.tsx"
import { clockText } from "../source/time.ts"
import { speeds } from "./player.ts"
import { useKept } from "../useKept.ts"
import { useWorld } from "../world.ts"
import type { IconName } from "./icons.tsx"
import type { Player } from "./player.ts"

/** Goes to and fro in what has happened. */
export const PlayerView = ({ player }: { readonly player: Player }) => {
  const { history, moment, known, place, source } = useWorld()
  const { isPlaying, speed, toggle, step, leap, toBegin, toEnd } = player
  const plays = useKept(isPlaying)
  const fast = useKept(speed)
  const chosen = useKept(moment)
  const looked = useKept(place)
  useKept(known)
  const { beginMillis, endMillis, beginNumber, header } = history.get()
  if (header === undefined) return null
  const isLiving = source.get()?.type === "living"
  const isEnd = chosen === undefined
  const isBegin = chosen !== undefined && chosen <= beginNumber
  const whom = looked === undefined ? "something" : looked.name
  const button = (icon: IconName, label: string, isOff: boolean, act: () => void) => (
    <button type="button" aria-label={label} title={label} disabled={isOff} onClick={act}>
      <Icon name={icon} />
    </button>
  )
  return (
    <div class="player" role="group" aria-label="Player">
      {button("begin", "To the beginning (Home)", isBegin, toBegin)}
      {button("before", `When ${whom} changed before ([)`, isBegin, () => leap(-1))}
      {button("back", "One entry back (,)", isBegin, () => step(-1))}
      <button type="button" class="play" aria-pressed={plays} title="Space" onClick={toggle}>
        <Icon name={plays ? "hold" : "play"} /> {plays ? "Hold" : "Play back"}
      </button>
      {button("on", "One entry on (.)", isEnd, () => step(1))}
      {button("next", `When ${whom} changes next (])`, isEnd, () => leap(1))}
      {button("end", isLiving ? "To now (End)" : "To the end (End)", isEnd, toEnd)}
      <select
        aria-label="Speed of playing"
        title="Faster (>) or slower (<)"
        value={String(fast)}
        onChange={({ currentTarget }) => speed.set(Number(currentTarget.value))}
      >
        {speeds.map((each) => (
          <option key={each} value={String(each)}>
            {each}×
          </option>
        ))}
      </select>
      <span class="reach quiet">
        {clockText(beginMillis)} to {isLiving ? "now" : clockText(endMillis)}
      </span>
    </div>
  )
}
