import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { emptyFleet, followFleet } from "./fleet.ts"
import { followTime } from "./time.ts"
import { keep } from "./kept.ts"
import { placeHash, placeIn } from "./place.ts"
import type { Connection } from "./connection.ts"
import type { Fleet } from "./fleet.ts"
import type { Kept } from "./kept.ts"
import type { Place } from "./place.ts"
import type { Time } from "./time.ts"

/** All that the views of the page share. */
export interface World {
  readonly connection: Connection
  readonly fleet: Kept<Fleet>
  readonly time: Kept<Time | undefined>
  /** What is looked at; undefined for the fleet alone. */
  readonly place: Kept<Place | undefined>
  readonly go: (place: Place | undefined) => void
  /** What came of the last thing that was done from here. */
  readonly said: Kept<Said | undefined>
}

export interface Said {
  readonly text: string
  readonly refused: boolean
}

/** Follows the cluster for as long as somebody looks: a hidden tab gives its connections back. */
export const openWorld = (connection: Connection): World => {
  const fleet = keep<Fleet>(emptyFleet)
  const time = keep<Time | undefined>(undefined)
  const place = keep(placeIn(location.hash))
  window.addEventListener("hashchange", () => place.set(placeIn(location.hash)))
  let looking = new AbortController()
  const follow = (): void => {
    looking.abort()
    looking = new AbortController()
    if (document.visibilityState !== "visible") return
    followFleet(connection, looking.signal, fleet)
    void followTime(connection, looking.signal, time)
  }
  document.addEventListener("visibilitychange", follow)
  follow()
  return {
    connection,
    fleet,
    time,
    place,
    go: (next) => {
      history.pushState(undefined, "", next === undefined ? location.pathname : placeHash(next))
      place.set(next)
    },
    said: keep<Said | undefined>(undefined)
  }
}

export const WorldContext = createContext<World | undefined>(undefined)

export const useWorld = (): World => {
  const world = useContext(WorldContext)
  if (world === undefined) throw new Error("there is no world around this view")
  return world
}
