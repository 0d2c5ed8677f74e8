import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { addressOf, beyond, momentIn, placeIn, strangeIn } from "./place.ts"
import { emptyFleet } from "./history/fleet.ts"
import { followRecording } from "./source/following.ts"
import { followTime, nowMillis } from "./source/time.ts"
import { isCut } from "./source/connection.ts"
import { keep } from "./kept.ts"
import { makeHistory } from "./history/history.ts"
import type { Connection } from "./source/connection.ts"
import type { Fleet } from "./history/fleet.ts"
import type { History } from "./history/history.ts"
import type { Kept } from "./kept.ts"
import type { Place } from "./place.ts"
import type { Said } from "./said.ts"
import type { Source } from "./source/source.ts"
import type { Time } from "./source/time.ts"

/** All that the views of the page share. */
export interface World {
  /** Undefined where there is no living cluster: in a file, or without a token. */
  readonly connection: Connection | undefined
  /** What is shown: the living cluster, or a recording; undefined before one is opened. */
  readonly source: Kept<Source | undefined>
  /** That of the living cluster, whatever is shown. */
  readonly living: Kept<History>
  /** That of what is shown. */
  readonly history: Kept<History>
  /** The number of the last thing that has happened in what is shown; undefined for now, or the end of a recording. */
  readonly moment: Kept<number | undefined>
  readonly choose: (moment: number | undefined) => void
  /** Whether a living cluster is shown as it is, and not as it was. */
  readonly isNow: () => boolean
  /** Everything at the moment. */
  readonly fleet: Kept<Fleet>
  /** Another number whenever anything is known that was not. */
  readonly known: Kept<number>
  /** What time it is at the moment. */
  readonly millis: () => number
  readonly time: Kept<Time | undefined>
  /** Why what happens in the living cluster cannot be shown, though its server answers. */
  readonly trouble: Kept<string | undefined>
  /** Asks a server once more that was gone, or refused the token. */
  readonly askAgain: () => void
  /** What is looked at; undefined for the fleet alone. */
  readonly place: Kept<Place | undefined>
  /** Looks at what an address says, and says what is strange about it. */
  readonly follow: (hash: string) => void
  readonly go: (place: Place | undefined) => void
  /** What came of the last thing that was done from here. */
  readonly said: Kept<Said | undefined>
}

/** How long a moment lasts before it stands in the address: browsers let it change so often, and no more. */
const addressMillis = 300

/** A world that shows the living cluster where there is one, for as long as somebody looks. */
export const openWorld = (connection: Connection | undefined): World => {
  const living = keep(makeHistory(undefined))
  const source = keep<Source | undefined>(connection === undefined ? undefined : { type: "living" })
  const history = keep(living.get())
  const moment = keep(momentIn(location.hash))
  const fleet = keep<Fleet>(emptyFleet)
  const known = keep(0)
  const time = keep<Time | undefined>(undefined)
  const trouble = keep<string | undefined>(undefined)
  const place = keep(placeIn(location.hash))
  const said = keep<Said | undefined>(strangeIn(location.hash))

  const look = (): void => {
    const told = history.get()
    // The address may be of a cluster that has been started anew since.
    const isAll = told.isCaughtUp || source.get()?.type === "recording"
    if (isAll && (moment.get() ?? 0) > told.endNumber) {
      said.set(beyond)
      return moment.set(undefined)
    }
    fleet.set(told.fleetAt(moment.get()))
    known.set(known.get() + 1)
  }
  let stop = (): void => undefined
  const show = (next: History): void => {
    stop()
    stop = next.grown.hear(look)
    history.set(next)
    look()
  }
  living.hear(() => {
    if (source.get()?.type !== "living") return
    // Numbers of one recording mean nothing in another.
    if (history.get().header !== undefined && history.get().header?.id !== living.get().header?.id)
      moment.set(undefined)
    show(living.get())
  })
  source.hear(() => {
    const shown = source.get()
    moment.set(undefined)
    show(shown?.type === "recording" ? shown.history : living.get())
  })
  moment.hear(look)
  const isNow = (): boolean => source.get()?.type === "living" && moment.get() === undefined
  const follow = (hash: string): void => {
    const [named, wanted] = [placeIn(hash), momentIn(hash)]
    said.set(strangeIn(hash))
    if (addressOf(named, undefined) !== addressOf(place.get(), undefined)) place.set(named)
    moment.set(wanted === undefined ? undefined : Math.max(history.get().beginNumber, wanted))
  }
  keepAddress({ place, moment, follow })
  let askAgain = (): void => undefined
  if (connection !== undefined) {
    askAgain = whileSeen((signal) => {
      void followRecording(connection, signal, { living, trouble })
      void followTime(connection, signal, time)
    })
    // The server may have been started again in another window.
    window.addEventListener("focus", () => isCut(connection) && askAgain())
  }
  show(living.get())

  return {
    connection,
    source,
    living,
    history,
    moment,
    choose: (wanted) => {
      const { beginNumber, endNumber } = history.get()
      const isEnd = wanted === undefined || wanted >= endNumber
      moment.set(isEnd ? undefined : Math.max(beginNumber, wanted))
    },
    isNow,
    fleet,
    known,
    millis: () => {
      const present = isNow() ? time.get() : undefined
      return present === undefined ? history.get().millisAt(moment.get()) : nowMillis(present)
    },
    time,
    trouble,
    askAgain,
    place,
    follow,
    go: (next) => {
      window.history.pushState(undefined, "", withAddress(addressOf(next, moment.get())))
      place.set(next)
    },
    said
  }
}

/** The place and the moment are what the address says, and it says what they are. */
const keepAddress = ({ place, moment, follow }: Pick<World, "place" | "moment" | "follow">): void => {
  const read = (): void => follow(location.hash)
  window.addEventListener("hashchange", read)
  window.addEventListener("popstate", read)
  let timer: ReturnType<typeof setTimeout> | undefined
  moment.hear(() => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const address = addressOf(place.get(), moment.get())
      if (address !== location.hash) window.history.replaceState(undefined, "", withAddress(address))
    }, addressMillis)
  })
}

/** To a browser "" is the address as it is. */
const withAddress = (address: string): string => `${location.href.split("#")[0] ?? ""}${address}`

/**
 * Does something for as long as the page is seen: a hidden tab gives its connections back. Returns how to begin it
 * anew.
 */
const whileSeen = (follow: (signal: AbortSignal) => void): (() => void) => {
  let looking = new AbortController()
  const begin = (): void => {
    looking.abort()
    looking = new AbortController()
    if (document.visibilityState === "visible") follow(looking.signal)
  }
  document.addEventListener("visibilitychange", begin)
  begin()
  return begin
}

export const WorldContext = createContext<World | undefined>(undefined)

export const useWorld = (): World => {
  const world = useContext(WorldContext)
  if (world === undefined) throw new Error("there is no world around this view")
  return world
}
