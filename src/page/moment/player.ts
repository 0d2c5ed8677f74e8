import { makeSignal } from "../signal.ts"
import { forward, latestMoment } from "../history/moment.ts"
import type { Signal } from "../signal.ts"
import type { PageState } from "../pageState.ts"
import type { Moment } from "../history/moment.ts"

export interface Player {
  readonly isPlaying: Signal<boolean>
  /** Seconds of the cluster per second of real time. */
  readonly speed: Signal<number>
  readonly toggle: () => void
  readonly pause: () => void
  readonly step: (direction: 1 | -1) => void
  /** Goes to a change of the selected object, or of any object when none is selected. */
  readonly jumpToChange: (direction: 1 | -1) => void
  readonly toBegin: () => void
  readonly toEnd: () => void
  readonly changeSpeed: (direction: 1 | -1) => void
}

export const playbackSpeeds: ReadonlyArray<number> = [1, 10, 60, 600]
const defaultSpeed = 10

/** Pauses between entries last at most this long in real time. */
const gapMillisMax = 1000
/** A frame that the browser delays longer counts as this long. */
const frameMillisMax = 100

export const makePlayer = ({ history, moment, showMoment, selected }: PageState): Player => {
  const isPlaying = makeSignal(false)
  const speed = makeSignal(defaultSpeed)
  let clusterMillis = 0
  let nextFrame = 0
  let lastFrameMillis = 0

  const currentMoment = (): Moment => moment.get() ?? history.get().endNumber
  const showFrame = (atMillis: number): void => {
    if (!isPlaying.get()) return
    const shownHistory = history.get()
    const next = shownHistory.nextMoment(currentMoment(), forward)
    if (next === undefined) {
      isPlaying.set(false)
      return showMoment(latestMoment)
    }
    clusterMillis += Math.min(frameMillisMax, atMillis - lastFrameMillis) * speed.get()
    lastFrameMillis = atMillis
    clusterMillis = Math.max(clusterMillis, shownHistory.millisAt(next) - gapMillisMax * speed.get())
    const playedTo = shownHistory.momentAt(clusterMillis)
    if (playedTo > currentMoment()) showMoment(playedTo)
    nextFrame = requestAnimationFrame(showFrame)
  }
  const stop = (): void => {
    isPlaying.set(false)
    // A second `toggle` within the frame would start a second loop.
    cancelAnimationFrame(nextFrame)
  }
  const jumpTo = (target: Moment | undefined): void => {
    stop()
    if (target !== undefined) showMoment(target)
  }
  return {
    isPlaying,
    speed,
    pause: stop,
    toggle: () => {
      if (isPlaying.get()) return stop()
      if (moment.get() === undefined) showMoment(history.get().beginNumber)
      // `showMoment` shows the end as the latest moment. With one entry at most, the beginning is the end.
      if (moment.get() === undefined) return
      clusterMillis = history.get().millisAt(moment.get())
      lastFrameMillis = performance.now()
      isPlaying.set(true)
      nextFrame = requestAnimationFrame(showFrame)
    },
    step: (direction) => jumpTo(history.get().nextMoment(currentMoment(), direction)),
    jumpToChange: (direction) => {
      const selectedAddress = selected.get()
      const shownHistory = history.get()
      jumpTo(
        selectedAddress === undefined
          ? shownHistory.nextMoment(currentMoment(), direction)
          : (shownHistory.nextMomentOf(selectedAddress, currentMoment(), direction) ??
              (direction > 0 ? shownHistory.endNumber : shownHistory.beginNumber))
      )
    },
    toBegin: () => jumpTo(history.get().beginNumber),
    toEnd: () => {
      stop()
      showMoment(latestMoment)
    },
    changeSpeed: (direction) => {
      const index = playbackSpeeds.indexOf(speed.get()) + direction
      speed.set(playbackSpeeds[index] ?? speed.get())
    }
  }
}
