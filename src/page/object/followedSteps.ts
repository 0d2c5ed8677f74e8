import { followSteps } from "../source/following.ts"
import { keep } from "../kept.ts"
import { useKept } from "../useKept.ts"
import { useEffect, useState } from "preact/hooks"
import { useWorld } from "../world.ts"
import type { Place } from "../place.ts"
import type { Standing } from "../source/following.ts"

/** Follows the steps of the actor that is looked at, in a living cluster, for as long as it is. */
export const useFollowedSteps = (place: Place) => {
  const { connection, living, source } = useWorld()
  const [standing] = useState(() => keep<Standing | undefined>(undefined))
  const [refused] = useState(() => keep<string | undefined>(undefined))
  const isLiving = useKept(source)?.type === "living"
  useEffect(() => {
    if (connection === undefined || !isLiving) return
    const looking = new AbortController()
    void followSteps(connection, place, looking.signal, { living, standing, refused })
    return () => {
      looking.abort()
      living.get().forgetSteps(place)
    }
  }, [connection, isLiving, living, place, standing, refused])
  return { standing: useKept(standing), refused: useKept(refused) }
}
