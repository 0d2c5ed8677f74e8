import { keep } from "../kept.ts"
import type { Kept } from "../kept.ts"
import type { World } from "../world.ts"

/** Goes through what has happened as it happened, in a recording as in the past of a living cluster. */
export interface Player {
  readonly isPlaying: Kept<boolean>
  /** Seconds of the cluster that pass in one of ours. */
  readonly speed: Kept<number>
  readonly toggle: () => void
  /** To the entry before or after. */
  readonly step: (direction: 1 | -1) => void
  /** To the last or next thing that happened to what is looked at; to an entry where nothing is. */
  readonly leap: (direction: 1 | -1) => void
  readonly toBegin: () => void
  /** To the end of a recording, or to now. */
  readonly toEnd: () => void
  readonly accelerate: (direction: 1 | -1) => void
}

export const speeds: ReadonlyArray<number> = [1, 10, 60, 600]
const speedDefault = 10

/** Nobody waits longer than so many of our milliseconds for something to happen. */
const gapMillisMax = 1000
/** A frame that came late is no leap. */
const frameMillisMax = 100

export const makePlayer = ({ history, moment, choose, place }: World): Player => {
  const isPlaying = keep(false)
  const speed = keep(speedDefault)
  let clockMillis = 0
  let nextFrame = 0
  let drawnMillis = 0

  const present = (): number => moment.get() ?? history.get().endNumber
  const frame = (atMillis: number): void => {
    if (!isPlaying.get()) return
    const told = history.get()
    const next = told.next(present(), 1)
    if (next === undefined) {
      isPlaying.set(false)
      return choose(undefined)
    }
    clockMillis += Math.min(frameMillisMax, atMillis - drawnMillis) * speed.get()
    drawnMillis = atMillis
    clockMillis = Math.max(clockMillis, told.millisAt(next) - gapMillisMax * speed.get())
    const number = told.numberAt(clockMillis)
    if (number > present()) choose(number)
    nextFrame = requestAnimationFrame(frame)
  }
  const halt = (): void => {
    isPlaying.set(false)
    // Whoever plays on within the same frame begins one of his own.
    cancelAnimationFrame(nextFrame)
  }
  const to = (number: number | undefined): void => {
    halt()
    if (number !== undefined) choose(number)
  }
  return {
    isPlaying,
    speed,
    toggle: () => {
      if (isPlaying.get()) return halt()
      // From the end it is played from the beginning.
      if (moment.get() === undefined) choose(history.get().beginNumber)
      if (moment.get() === undefined) return
      clockMillis = history.get().millisAt(moment.get())
      drawnMillis = performance.now()
      isPlaying.set(true)
      nextFrame = requestAnimationFrame(frame)
    },
    step: (direction) => to(history.get().next(present(), direction)),
    leap: (direction) => {
      const looked = place.get()
      const told = history.get()
      to(
        looked === undefined
          ? told.next(present(), direction)
          : (told.nextOf(looked, present(), direction) ?? (direction > 0 ? told.endNumber : told.beginNumber))
      )
    },
    toBegin: () => to(history.get().beginNumber),
    toEnd: () => {
      halt()
      choose(undefined)
    },
    accelerate: (direction) => {
      const index = speeds.indexOf(speed.get()) + direction
      speed.set(speeds[index] ?? speed.get())
    }
  }
}
