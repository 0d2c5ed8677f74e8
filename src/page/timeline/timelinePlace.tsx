import { TimelineView } from "./timelineView.tsx"
import { useKept } from "../useKept.ts"
import { useWorld } from "../world.ts"

/** The timeline of what is shown, at the moment. */
export const TimelinePlace = () => {
  const { history, moment, choose, place, source, millis, time } = useWorld()
  const told = useKept(history)
  const chosen = useKept(moment)
  const looked = useKept(place)
  useKept(time)
  if (told.header === undefined) return null
  const isLiving = source.get()?.type === "living"
  return (
    <TimelineView
      history={told}
      moment={chosen}
      choose={choose}
      place={looked}
      nowMillis={isLiving && chosen === undefined ? millis() : undefined}
    />
  )
}
