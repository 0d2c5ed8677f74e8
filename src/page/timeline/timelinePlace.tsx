import { TimelineView } from "./timelineView.tsx"
import { useKept } from "../useKept.ts"
import { useWorld } from "../world.ts"

/** The timeline of what is shown, at the moment. */
export const TimelinePlace = () => {
  const { history, moment, choose, place, isNow, millis, time } = useWorld()
  const told = useKept(history)
  const chosen = useKept(moment)
  const looked = useKept(place)
  useKept(time)
  if (told.header === undefined) return null
  return (
    <TimelineView
      history={told}
      moment={chosen}
      choose={choose}
      place={looked}
      nowMillis={isNow() ? millis() : undefined}
    />
  )
}
