import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { pageHash, momentBeyondEndMessage, momentInHash, addressInHash, hashProblem } from "./pageAddress.ts"
import { emptyFleet } from "./history/fleet.ts"
import { latestMoment } from "./history/moment.ts"
import { followRecording } from "./source/recordingStream.ts"
import { pollTime, clusterNowMillis } from "./source/clusterTime.ts"
import { isDisconnected } from "./source/connection.ts"
import { makeSignal } from "./signal.ts"
import { makeClusterHistory } from "./history/clusterHistory.ts"
import type { FollowedForecast } from "./forecast/followForecast.ts"
import type { ServerConnection } from "./source/connection.ts"
import type { Fleet } from "./history/fleet.ts"
import type { ClusterHistory } from "./history/clusterHistory.ts"
import type { Signal } from "./signal.ts"
import type { PageAddress } from "./pageAddress.ts"
import type { StatusMessage } from "./statusMessage.ts"
import type { OpenedRecording, PageSource } from "./source/pageSource.ts"
import type { ClusterTime } from "./source/clusterTime.ts"
import type { Moment, MomentOrLatest } from "./history/moment.ts"

/** What the shown moment is compared with: another moment, or another recording at the same time after its start. */
export type Comparison =
  | { readonly type: "moment"; readonly moment: Moment }
  | { readonly type: "recording"; readonly recording: OpenedRecording }

export interface PageState {
  /** Undefined for a page that is a file, or without a token. */
  readonly connection: ServerConnection | undefined
  /** Undefined before a recording is opened. */
  readonly source: Signal<PageSource | undefined>
  /** The live cluster is followed even while a recording is shown. */
  readonly liveHistory: Signal<ClusterHistory>
  /** The history of the live cluster or of an opened recording. */
  readonly history: Signal<ClusterHistory>
  /** The number of the last entry at the shown moment; undefined for now, or for the end of a recording. */
  readonly moment: Signal<MomentOrLatest>
  readonly comparison: Signal<Comparison | undefined>
  readonly showMoment: (moment: MomentOrLatest) => void
  readonly isNow: () => boolean
  readonly fleet: Signal<Fleet>
  /** Increases with entries of the shown history, and when another history or moment is shown. */
  readonly redrawCount: Signal<number>
  readonly shownMillis: () => number
  /** The server's last answer about its clock. */
  readonly clusterTime: Signal<ClusterTime | undefined>
  /** The forecast for the selected workload; undefined at a past moment. */
  readonly forecast: Signal<FollowedForecast | undefined>
  /** Why the recording of the live cluster cannot be shown although its server answers. */
  readonly streamProblem: Signal<string | undefined>
  /** Tries again after the server was lost or refused the token. */
  readonly reconnect: () => void
  readonly selected: Signal<PageAddress | undefined>
  /** Opens a URL fragment such as `#/Pod/default/web-1@120`. */
  readonly openAddress: (hash: string) => void
  /** Selects an object as a new entry of the browser's history. */
  readonly select: (selected: PageAddress | undefined) => void
  readonly message: Signal<StatusMessage | undefined>
  /** Whether actions are only played in a copy of the cluster. */
  readonly previewsActions: Signal<boolean>
}

/** Browsers limit how often a page may change its address. */
const addressDelayMillis = 300

const noHeaderYet = undefined

export const openPageState = (connection: ServerConnection | undefined): PageState => {
  const liveHistory = makeSignal(makeClusterHistory(noHeaderYet))
  const source = makeSignal<PageSource | undefined>(connection === undefined ? undefined : { type: "live" })
  const history = makeSignal(liveHistory.get())
  const moment = makeSignal(momentInHash(location.hash))
  const comparison = makeSignal<Comparison | undefined>(undefined)
  const fleet = makeSignal<Fleet>(emptyFleet)
  const redrawCount = makeSignal(0)
  const clusterTime = makeSignal<ClusterTime | undefined>(undefined)
  const forecast = makeSignal<FollowedForecast | undefined>(undefined)
  const streamProblem = makeSignal<string | undefined>(undefined)
  const selected = makeSignal(addressInHash(location.hash))
  const message = makeSignal<StatusMessage | undefined>(hashProblem(location.hash))
  const previewsActions = makeSignal(false)

  const refresh = (): void => {
    const shownHistory = history.get()
    // A moment of the address may belong to an earlier run of the cluster.
    const isComplete = shownHistory.isCaughtUp || source.get()?.type === "recording"
    if (isComplete && (moment.get() ?? 0) > shownHistory.endNumber) {
      message.set(momentBeyondEndMessage)
      return moment.set(latestMoment)
    }
    fleet.set(shownHistory.fleetAt(moment.get()))
    redrawCount.set(redrawCount.get() + 1)
  }
  let stopListening = (): void => undefined
  const showHistory = (next: ClusterHistory): void => {
    stopListening()
    stopListening = next.publishCount.listen(refresh)
    history.set(next)
    refresh()
  }
  const forgetMoments = (): void => {
    moment.set(latestMoment)
    comparison.set(undefined)
  }
  liveHistory.listen(() => {
    if (source.get()?.type !== "live") return
    // Entry numbers of one recording mean nothing in another.
    if (history.get().header !== undefined && history.get().header?.id !== liveHistory.get().header?.id)
      forgetMoments()
    showHistory(liveHistory.get())
  })
  source.listen(() => {
    const currentSource = source.get()
    forgetMoments()
    showHistory(currentSource?.type === "recording" ? currentSource.history : liveHistory.get())
  })
  moment.listen(refresh)
  const isNow = (): boolean => source.get()?.type === "live" && moment.get() === undefined
  const openAddress = (hash: string): void => {
    const [address, wantedMoment] = [addressInHash(hash), momentInHash(hash)]
    message.set(hashProblem(hash))
    if (pageHash(address, latestMoment) !== pageHash(selected.get(), latestMoment)) selected.set(address)
    moment.set(wantedMoment === undefined ? latestMoment : Math.max(history.get().beginNumber, wantedMoment))
  }
  synchronizeAddress({ selected, moment, openAddress })
  let firstClusterTime: ClusterTime | undefined
  const markCaughtUp = (): void => {
    firstClusterTime ??= clusterTime.get()
    const live = liveHistory.get()
    // An entry later than the first answer about the clock shows that all earlier entries have arrived.
    if (
      !live.isCaughtUp &&
      firstClusterTime !== undefined &&
      live.endMillis > Date.parse(firstClusterTime.now)
    )
      live.markCaughtUp()
  }
  redrawCount.listen(markCaughtUp)
  clusterTime.listen(markCaughtUp)
  let reconnect = (): void => undefined
  if (connection !== undefined) {
    reconnect = whileVisible((abortSignal) => {
      void followRecording(connection, abortSignal, { liveHistory, streamProblem })
      void pollTime(connection, abortSignal, clusterTime)
    })
    // The server may have been started again in another window.
    window.addEventListener("focus", () => isDisconnected(connection) && reconnect())
  }
  showHistory(liveHistory.get())

  return {
    connection,
    source,
    liveHistory,
    history,
    moment,
    comparison,
    showMoment: (wantedMoment) => {
      const { beginNumber, endNumber } = history.get()
      const isEnd = wantedMoment === undefined || wantedMoment >= endNumber
      moment.set(isEnd ? latestMoment : Math.max(beginNumber, wantedMoment))
    },
    isNow,
    fleet,
    redrawCount,
    shownMillis: () => {
      const recordedMillis = history.get().millisAt(moment.get())
      // Until all entries are read, the page shows the time of the last one that was read.
      const latestTime = isNow() && history.get().isCaughtUp ? clusterTime.get() : undefined
      // Entries may arrive before the next answer about the clock.
      return latestTime === undefined
        ? recordedMillis
        : Math.max(recordedMillis, clusterNowMillis(latestTime))
    },
    clusterTime,
    forecast,
    streamProblem,
    reconnect,
    selected,
    openAddress,
    select: (next) => {
      // The message was about the object that was selected before.
      message.set(undefined)
      window.history.pushState(undefined, "", withHash(pageHash(next, moment.get())))
      selected.set(next)
    },
    message,
    previewsActions
  }
}

const synchronizeAddress = ({
  selected,
  moment,
  openAddress
}: Pick<PageState, "selected" | "moment" | "openAddress">): void => {
  const readAddress = (): void => openAddress(location.hash)
  window.addEventListener("hashchange", readAddress)
  window.addEventListener("popstate", readAddress)
  let timer: ReturnType<typeof setTimeout> | undefined
  moment.listen(() => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const address = pageHash(selected.get(), moment.get())
      if (address !== location.hash) window.history.replaceState(undefined, "", withHash(address))
    }, addressDelayMillis)
  })
}

/** An empty fragment alone would leave the address unchanged. */
const withHash = (address: string): string => `${location.href.split("#")[0] ?? ""}${address}`

/** Stops what `start` began while the tab is hidden. Returns the function that restarts it. */
const whileVisible = (start: (abortSignal: AbortSignal) => void): (() => void) => {
  let visiblePeriod = new AbortController()
  const restart = (): void => {
    visiblePeriod.abort()
    visiblePeriod = new AbortController()
    if (document.visibilityState === "visible") start(visiblePeriod.signal)
  }
  document.addEventListener("visibilitychange", restart)
  restart()
  return restart
}

export const PageStateContext = createContext<PageState | undefined>(undefined)

export const usePageState = (): PageState => {
  const state = useContext(PageStateContext)
  if (state === undefined) throw new Error("usePageState was called outside of PageStateContext")
  return state
}
